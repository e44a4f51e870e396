package frontmatter

import (
	"reflect"
	"strings"
	"testing"
)

var seeds = []string{
	"", "---", "name: x\ndescription: a: b", "a: &x [1, *x]\nb: *x", "a: |2-\n   x\n\n", "? [a]\n: b",
	"a: \"\\uD83D\\uDE00\\\n  b\"", "- - - a\n    - b", "{a: [b, {c: d}], e}", "%YAML 1.2\n---\na: !!int 0x1F\n...",
	"\uFEFFa: b", "a:\tb\r\nc:\r  d", "a: 'it''s'", "&a b: &c\n  - !!str 5", "a: >+\n b\n\n  c\n", "<<: *a", "a: [", "k: -0",
}

// Nothing may make the parser panic or run long, and what it accepts must
// survive its canonical form.
func FuzzParseYAML(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		m, err := ParseYAML(raw)
		if err != nil {
			fault := err.(*SyntaxError)
			if fault.Line < 1 || fault.Column < 1 || fault.Reason == "" {
				t.Errorf("ParseYAML(%q) gives a fault without a place: %+v", raw, fault)
			}
			Recover(raw)
			return
		}
		text := Dump(m)
		again, err := ParseYAML(text)
		if err != nil {
			if deep(err) {
				return
			}
			t.Fatalf("Dump of %q does not parse: %v\n%s", raw, err, text)
		}
		if allFinite(m) && !reflect.DeepEqual(again, m) {
			t.Errorf("%q is %#v, but after Dump %#v\n%s", raw, m, again, text)
		}
		if Hash(m, raw) == "" {
			t.Error("no hash")
		}
	})
}

// deep reports that a limit counts more in block form than it did in flow form.
func deep(err error) bool {
	return strings.Contains(err.Error(), "nested more than") || strings.Contains(err.Error(), "more than 100000")
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "---\n\n---\nb", "---\r\na: b\r\n---\r\nc", "---\n---", "\uFEFF---\na: b\n---\n", "---\na\n---x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := Split(text)
		if !strings.HasSuffix(text, b.Body) {
			t.Errorf("Split(%q): the body %q is no tail", text, b.Body)
		}
		head := text[:len(text)-len(b.Body)]
		if b.Declared != (head != "") || !b.Declared && b.Raw != "" || !strings.Contains(head, b.Raw) {
			t.Errorf("Split(%q) gives %#v", text, b)
		}
		if n := strings.Count(head, "\n"); n != b.BodyLine {
			t.Errorf("Split(%q): body line %d, want %d", text, b.BodyLine, n)
		}
	})
}

func FuzzParseTOML(f *testing.F) {
	for _, s := range []string{"a = 1", "[a.b]\nc = [1, {d = '''x'''}]", "x = \"\\u00e9\" # c", "a.b.c = 1979-05-27T07:32:00Z", "[[a]]\n[[a]]", "a = inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseTOML(text)
		if err == nil && m == nil {
			t.Errorf("ParseTOML(%q) gives nothing", text)
		}
		if err == nil {
			Dump(m)
		}
	})
}
