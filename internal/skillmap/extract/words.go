package extract

import "strings"

// meaning is a mark with the words that give it. A line is compared in lower
// case, word by word, so that "see" is not found in "seen".
type meaning struct {
	mark    Around
	words   string   // separated by blanks
	phrases []string // of more than one word, the last of which may go on: "the projects"
}

// meanings tell by its words how a line is meant. The lists were gathered from
// lines of public harnesses that named files nobody could open; a word is in
// two lists where it says two things. They need not be complete: a line without
// any of them is judged by its form alone.
var meanings = []meaning{
	{InExample, `
		example examples e.g eg sample samples hypothetical imagine suppose placeholder like would could your
		bad wrong incorrect good correct avoid don't never anti-pattern anti-patterns
		pattern patterns naming format template templates convention conventions
		ejemplo exemple beispiel`,
		[]string{"such as", "for instance", "instead of", "do not", "if you", "if your"}},
	{IsSample, `example e.g eg sample placeholder hypothetical pseudo illustrative illustration`,
		[]string{"such as", "for instance"}},
	{IsOutput, `
		write writes written writing create creates created creating generate generates generated generating
		output outputs save saves saved saving produce produces produced producing emit emits emitted
		append appends appended export exports exported store stored stores artifact artifacts deliverable deliverables
		deliver delivers updates updated populate persist persisted persists dump scaffold scaffolds fill becomes
		copy copied copies cp mv touch mkdir move rename renamed delete deleted remove removed rm
		install installs installed symlink result results report reports draft drafts add adds place put
		record records log logs exists optional optionally missing absent
		crear genera produit erstellt`,
		[]string{"if present", "if it exists", "if exists", "if any", "if missing", "when present", "not found"}},
	{IsOptional, `optional optionally planned tbd wip upcoming`,
		[]string{"if present", "if it exists", "if exists", "if they exist", "if any", "if available", "when present", "if applicable", "coming soon"}},
	{IsRead, `
		see read load follow refer refers consult open documented described details defined check use using per reference
		loads reads`, nil},
	{IsHistory, `
		was were removed renamed deprecated previously formerly replaced replaces moved migrated merged legacy old changelog
		history deleted planned todo future upcoming proposed will plan plans added fixed fix changed split dropped retired
		archive archived instead`,
		[]string{"no longer"}},
	{IsForeign, `
		upstream repository repo external their user's users user project's project github.com consumer downstream workspace
		codebase gist fork third-party cursor copilot gemini windsurf plugin's global personal`,
		[]string{"the project", "target project", "host project", "another project", "inspired by", "adapted from", "ported from", "home directory"}},
}

// signs are arrows, crosses and words of scripts that put no blanks between
// words: they are looked for anywhere in a line.
var signs = []struct {
	mark  Around
	signs string
}{
	{InExample, "例 示例 예시 ✗ ✘ ❌ ✓ ✅ × 避免 模板 格式 命名"},
	{IsOutput, "生成 输出 写入 创建 保存 导出 产出 出力 作成 작성 생성 저장 → -> >> ➜ ⇒"},
}

// ending is what must stand behind the first word of a phrase, with the mark
// that it gives then; empty where the word says it alone.
type ending struct {
	rest string
	mark Around
}

var (
	lexicon = lexiconOf(meanings)
	signals = signalsOf()
)

func lexiconOf(meanings []meaning) map[string][]ending {
	out := map[string][]ending{}
	for _, m := range meanings {
		for _, phrase := range append(strings.Fields(m.words), m.phrases...) {
			first, rest, _ := strings.Cut(phrase, " ")
			out[first] = append(out[first], ending{rest, m.mark})
		}
	}
	return out
}

func signalsOf() []ending {
	var out []ending
	for _, row := range signs {
		for _, sign := range strings.Fields(row.signs) {
			out = append(out, ending{sign, row.mark})
		}
	}
	return out
}

// wordsOf gives the marks of the words of a line in lower case.
func wordsOf(low string) Around {
	var a Around
	for i := 0; i < len(low); {
		if !wordLetter(low[i]) {
			a |= signAt(low[i:])
			i++
			continue
		}
		end := wordEnd(low, i)
		for _, e := range lexicon[low[i:end]] {
			if e.rest == "" || strings.HasPrefix(strings.TrimPrefix(low[end:], " "), e.rest) {
				a |= e.mark
			}
		}
		i = end
	}
	return a
}

// wordEnd is where the word that begins at a position ends. Apostrophes, dots
// and hyphens belong to it when a letter follows: "don't", "e.g", "anti-pattern".
func wordEnd(low string, at int) int {
	for at < len(low) {
		joined := strings.IndexByte("'.-", low[at]) >= 0 && at+1 < len(low) && wordLetter(low[at+1])
		if !joined && !wordLetter(low[at]) {
			break
		}
		at++
	}
	return at
}

func wordLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// signAt gives the mark of the sign that a text begins with.
func signAt(s string) Around {
	if s[0] < 0x80 && s[0] != '-' && s[0] != '>' {
		return 0
	}
	for _, e := range signals {
		if strings.HasPrefix(s, e.rest) {
			return e.mark
		}
	}
	return 0
}
