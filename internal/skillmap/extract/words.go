package extract

import (
	"strings"
	"unicode/utf8"
)

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
		ejemplo exemple beispiel exemplo пример`,
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
		crea crear escribe escribir guarda guardar genera generar salida
		crée créer écrit écrire enregistre enregistrer génère générer produit sortie
		erstellt erstellen schreibt schreiben speichert speichern erzeugt erzeugen ausgabe
		cria criar escreve escrever salva salvar gera gerar saída
		создать создаёт создает записать записывает сохранить сохраняет сгенерировать генерирует вывести вывод`,
		[]string{"if present", "if it exists", "if exists", "if any", "if missing", "when present", "not found"}},
	{InExample | IsSample, `z.b beispielsweise например`,
		[]string{"por ejemplo", "par exemple", "zum beispiel", "por exemplo", "к примеру"}},
	{IsOptional, `optional optionally planned tbd wip upcoming`,
		[]string{"if present", "if it exists", "if exists", "if they exist", "if any", "if available", "when present", "if applicable", "coming soon",
			"si existe)", "s'il existe)", "falls vorhanden", "se existir)", "если есть)"}},
	{IsOptional, `opcional facultatif optionnel необязательно`, nil},
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
	{InExample, "例 示例 예시 ✗ ✘ ❌ ✓ ✅ × 避免 模板 格式 命名 範本 のような"},
	{InExample | IsSample, "例如 比如 譬如 （如 例えば たとえば 例： 예: 예를"},
	{IsOutput, "生成 输出 写入 创建 保存 导出 产出 輸出 寫入 建立 儲存 產生 出力 作成 작성 생성 저장 출력 → -> >> ➜ ⇒"},
	{IsOptional, "如果存在 若存在 可选 可選 存在する場合 존재하는 선택"},
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
			if capital := capitalized(first); capital != first {
				out[capital] = append(out[capital], ending{rest, m.mark})
			}
		}
	}
	return out
}

// capitalized is a word as it begins a sentence, where its first letter is not
// of ASCII: those are the only ones that lower leaves as they are.
func capitalized(word string) string {
	if word[0] < 0x80 {
		return word
	}
	_, n := utf8.DecodeRuneInString(word)
	return strings.ToUpper(word[:n]) + word[n:]
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
		if letterLen(low[i:]) == 0 {
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
		n := letterLen(low[at:])
		if n == 0 && strings.IndexByte("'.-", low[at]) >= 0 {
			n = letterLen(low[at+1:])
			if n > 0 {
				n++
			}
		}
		if n == 0 {
			break
		}
		at += n
	}
	return at
}

// letterLen is how many bytes the letter or digit takes that a text begins
// with, 0 when it begins with none. Letters are those of the Latin and Cyrillic
// scripts, which put blanks between words.
func letterLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] >= 'a' && s[0] <= 'z' || s[0] >= '0' && s[0] <= '9':
		return 1
	case s[0] < 0x80:
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	if r >= 'À' && r <= 'ɏ' && r != '×' && r != '÷' || r >= 'Ѐ' && r <= 'ӿ' {
		return n
	}
	return 0
}

// signAt gives the marks of the signs that a text begins with.
func signAt(s string) Around {
	if s[0] < 0x80 && s[0] != '-' && s[0] != '>' {
		return 0
	}
	var a Around
	for _, e := range signals {
		if strings.HasPrefix(s, e.rest) {
			a |= e.mark
		}
	}
	return a
}
