package ignore

import (
	"strings"
	"testing"
)

// FuzzMatch states what holds for any rules and paths: an ignored directory
// keeps everything below it, an answer does not depend on what was asked before,
// and nothing takes long.
func FuzzMatch(f *testing.F) {
	f.Add("*.md\n!keep.md\nbuild/", "build/keep.md")
	f.Add("a*a*a*a*a*a*a*a*a*a*b", strings.Repeat("a", 200))
	f.Add("**/a/**/a/**/a/**/b", strings.Repeat("a/", 60)+"c")
	f.Add("**/**/**/**/*a*/**/**x", strings.Repeat("aa/", 60))
	f.Add("[[:alpha:]-]?\\[\n[!]a]**/b\n\\", "É/x]\xff/./b\\c")
	f.Add("\ufeff# no\n![a\n!\n/\n a \\ \r", " a  //./")
	f.Fuzz(func(t *testing.T, rules, path string) {
		m, dropped := New(Layer{Name: "fuzz", Lines: strings.Split(rules, "\n")})
		for _, d := range dropped {
			if d.Layer != "fuzz" || d.Line < 1 || !strings.Contains(rules, d.Text) {
				t.Errorf("dropped %+v of %q", d, rules)
			}
		}
		file, dir := m.Match(path), m.MatchDir(path)
		if again := m.Match(path); again != file {
			t.Errorf("%q: Match(%q) = %v, then %v", rules, path, file, again)
		}
		if name, _, ok := clean(path); ok && dir && !m.Match(name+"/below") {
			t.Errorf("%q: %q is ignored, but not what is below", rules, path)
		}
	})
}
