package extract

import (
	"strings"
	"testing"
)

func TestWordsOf(t *testing.T) {
	for _, c := range []struct {
		line string
		want Around
	}{
		{"", 0},
		{"nothing to tell", 0},
		{"see it", IsRead},
		{"seen it", 0},
		{"oversee it", 0},
		{"(see) it", IsRead},
		{"see.", IsRead},
		{"e.g. this", InExample | IsSample},
		{"for instance this", InExample | IsSample},
		{"for all", 0},
		{"such as this", InExample | IsSample},
		{"don't", InExample},
		{"do not", InExample},
		{"do it", 0},
		{"an anti-pattern", InExample},
		{"no longer there", IsHistory},
		{"no", 0},
		{"when present", IsOutput | IsOptional},
		{"the plugin's own", IsForeign},
		{"a.md → b.md", IsOutput},
		{"a -> b", IsOutput},
		{"a - b > c", 0},
		{"保存到 x", IsOutput},
		{"示例", InExample},
		{"✗ this", InExample},
		{"ü ö \xff", 0},
		{"(par exemple x)", InExample | IsSample},
		{"z.b. x", InExample | IsSample},
		{"Например, x", InExample | IsSample},
		{"（如 x）", InExample | IsSample},
		{"예: x", InExample | IsSample},
		{"如何", 0},
		{"il crée x", IsOutput},
		{"recréer", 0},
		{"Écrire x", IsOutput},
		{"输出", IsOutput},
		{"如果存在", IsOptional},
	} {
		if got := wordsOf(c.line); got != c.want {
			t.Errorf("wordsOf(%q) = %v, want %v", c.line, got.Names(), c.want.Names())
		}
	}
}

// A word that the reader of lines never cuts out is in the list for nothing.
func TestEveryWordIsFound(t *testing.T) {
	for _, m := range meanings {
		for _, phrase := range append(strings.Fields(m.words), m.phrases...) {
			if !wordsOf(phrase).Has(m.mark) || !wordsOf("("+phrase+") and").Has(m.mark) {
				t.Errorf("%q does not give %v", phrase, m.mark.Names())
			}
		}
	}
	for _, row := range signs {
		for _, sign := range strings.Fields(row.signs) {
			if got := wordsOf("x " + sign + " y"); !got.Has(row.mark) {
				t.Errorf("%q gives %v, not %v", sign, got.Names(), row.mark.Names())
			}
		}
	}
}

// FuzzWords: the marks of two lines are those of their words, so a line says no
// less than its halves, cut where no word or phrase is.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"see `a.md` for example", "do not", "e.g", "例えば → x", "don't-", "-", "\xe4\xbe", "such  as"} {
		f.Add(s, "was moved")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = lower(a), lower(b)
		if got, want := wordsOf(a+" | "+b), wordsOf(a)|wordsOf(b); got != want {
			t.Fatalf("together %v, apart %v", got.Names(), want.Names())
		}
	})
}
