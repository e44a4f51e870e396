package extract

import "strings"

// Words that tell how a line is meant. They are compared with the line in
// lower case; a blank or another sign that is no letter must stand around.
var (
	exampleWords = []string{
		"example", "examples", "e.g.", "e.g", "eg", "such as", "for instance", "sample", "samples", "instead of", "not:", "bad", "wrong", "incorrect", "good", "avoid", "don't", "do not",
		"never", "hypothetical", "imagine", "suppose", "pattern", "patterns", "naming", "format", "template", "templates", "convention", "conventions", "like", "placeholder", "would", "if you", "if your", "your", "could",
		"correct", "anti-pattern", "anti-patterns", "ejemplo", "exemple", "beispiel",
	}
	outputWords = []string{
		"write", "writes", "written", "writing", "create", "creates", "created", "creating", "generate", "generates", "generated", "generating", "output", "outputs", "save", "saves", "saved", "saving",
		"produce", "produces", "produced", "producing", "emit", "emits", "emitted", "append", "appends", "appended", "export", "exports", "exported", "store", "stored", "stores", "artifact", "artifacts", "deliverable", "deliverables",
		"deliver", "delivers", "updates", "updated", "populate", "persist", "persisted", "persists", "dump", "copy", "copied", "copies", "cp", "mv", "touch", "mkdir", "move", "rename", "renamed", "delete", "deleted", "remove", "removed", "rm", "install", "installs", "installed", "symlink",
		"scaffold", "scaffolds", "result", "results", "report", "reports", "draft", "drafts", "becomes", "add", "adds", "place", "put", "record", "records", "fill", "log", "logs", "if present", "if it exists", "if exists", "if any", "if missing", "exists", "optional", "optionally", "when present", "missing", "absent", "not found",
		"crear", "genera", "produit", "erstellt",
	}
	readWords    = []string{"see", "read", "load", "follow", "refer", "refers", "consult", "open", "documented", "described", "details", "defined", "check", "use", "using", "per", "reference", "loads", "reads"}
	historyWords = []string{
		"was", "were", "removed", "renamed", "deprecated", "previously", "formerly", "replaced", "replaces", "moved", "migrated", "merged", "legacy", "old", "changelog", "history", "no longer", "deleted", "planned", "todo", "future", "upcoming", "proposed", "will", "plan", "plans",
		"added", "fixed", "fix", "changed", "split", "dropped", "retired", "archive", "archived", "instead",
	}
	foreignWords = []string{
		"upstream", "repository", "repo", "another project", "external", "their", "user's", "users", "user", "target project", "the project", "project's", "project", "github.com", "host project", "consumer", "downstream", "workspace", "codebase", "gist", "fork", "inspired by", "adapted from", "ported from", "third-party",
		"cursor", "copilot", "gemini", "windsurf", "plugin's", "their own", "home directory", "global", "personal",
	}
	sampleWords   = []string{"example", "e.g.", "e.g", "eg", "such as", "for instance", "sample", "placeholder", "hypothetical", "pseudo", "illustrative", "illustration"}
	optionalWords = []string{"if present", "if it exists", "if exists", "if they exist", "if any", "if available", "when present", "optional", "optionally", "if applicable", "planned", "coming soon", "tbd", "wip", "upcoming"}
	lexicon       = buildLexicon()
)

// entry is a word with the marks it gives.
type lexEntry struct {
	rest  string // after the first word
	marks Around
}

func buildLexicon() map[string][]lexEntry {
	out := map[string][]lexEntry{}
	add := func(words []string, mark Around) {
		for _, w := range words {
			first, rest, _ := strings.Cut(w, " ")
			out[first] = append(out[first], lexEntry{rest, mark})
		}
	}
	add(exampleWords, InExample)
	add(outputWords, IsOutput)
	add(readWords, IsRead)
	add(historyWords, IsHistory)
	add(foreignWords, IsForeign)
	add(sampleWords, IsSample)
	add(optionalWords, IsOptional)
	return out
}

// wordsOf gives the marks of the words of a line in lower case.
func wordsOf(low string) Around {
	var a Around
	for i := 0; i < len(low); {
		if !wordLetter(low[i]) {
			if low[i] >= 0x80 || low[i] == '-' || low[i] == '>' {
				a |= signsAt(low[i:])
			}
			i++
			continue
		}
		end := i
		for end < len(low) && (wordLetter(low[end]) || (low[end] == '\'' || low[end] == '.' || low[end] == '-') && end+1 < len(low) && wordLetter(low[end+1])) {
			end++
		}
		for _, e := range lexicon[low[i:end]] {
			if e.rest == "" || strings.HasPrefix(strings.TrimPrefix(low[end:], " "), e.rest) {
				a |= e.marks
			}
		}
		i = end
	}
	return a
}

func wordLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// signsAt gives the marks of arrows, crosses and words in other scripts.
func signsAt(s string) Around {
	for _, w := range exampleSigns {
		if strings.HasPrefix(s, w) {
			return InExample
		}
	}
	for _, w := range outputSigns {
		if strings.HasPrefix(s, w) {
			return IsOutput
		}
	}
	return 0
}

var (
	exampleSigns = []string{"例", "示例", "예시", "✗", "✘", "❌", "✓", "✅", "×", "避免", "模板", "格式", "命名"}
	outputSigns  = []string{"生成", "输出", "写入", "创建", "保存", "出力", "作成", "작성", "생성", "→", "->", ">>", "➜", "⇒", "导出", "产出", "저장", "保存"}
)
