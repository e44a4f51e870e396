package frontmatter

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseTOML(t *testing.T) {
	got, err := ParseTOML(`name = "builder"
turns = 3
hex = 0x1F
ratio = 0.5
on = true
since = 2026-02-03
at = 2026-02-03T04:05:06Z
tools = ["Read", "Grep"]

[[skills.config]]
path = "x"
enabled = true
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "builder", "turns": 3.0, "hex": 31.0, "ratio": 0.5, "on": true,
		"since": "2026-02-03", "at": "2026-02-03T04:05:06Z", "tools": []any{"Read", "Grep"},
		"skills": map[string]any{"config": []any{map[string]any{"path": "x", "enabled": true}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("ParseTOML gives %#v, want %#v", got, want)
	}
	if got, err := ParseTOML("# nothing\n"); err != nil || got == nil || len(got) != 0 {
		t.Errorf("ParseTOML of a comment gives %v, %v; want an empty map", got, err)
	}
}

func TestParseTOMLSaysWhere(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"prompt = \"\"\"\ndo\n\"\"\"'\n", 3}, // A37
		{"name = \n", 1},
		{"a = 1\na = 2\n", 2},
		{"x = 1\ny = [1, 2\n", 2},
	} {
		_, err := ParseTOML(c.text)
		if err == nil {
			t.Errorf("ParseTOML(%q) finds no fault", c.text)
			continue
		}
		fault := err.(*SyntaxError)
		if fault.Line < c.line || fault.Line > c.line+1 || fault.Column < 1 || fault.Reason == "" {
			t.Errorf("ParseTOML(%q) gives line %d, column %d, %q; want line %d", c.text, fault.Line, fault.Column, fault.Reason, c.line)
		}
	}
}

func TestParseTOMLIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": "x = " + strings.Repeat("[", 1<<20),
		"tables":   strings.Repeat("[", 1<<20),
		"inline":   "x = " + strings.Repeat("{a=", 1<<19),
		"dots":     strings.Repeat("a.", 1<<19) + "a = 1",
		"header":   "[" + strings.Repeat("a.", 1<<19) + "a]",
		"keys":     manyKeys(1 << 16),
		"headers":  strings.ReplaceAll(manyKeys(1<<16), "k", "[a]\nk"),
	} {
		if _, err := ParseTOML(text); err == nil {
			t.Errorf("%s: ParseTOML finds no fault", name)
		}
	}
	if _, err := ParseTOML("x = \"" + strings.Repeat("[", 1000) + "\" # " + strings.Repeat("[", 1000)); err != nil {
		t.Errorf("brackets in a string and a comment are no nesting: %v", err)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k")
		b.WriteString(number(float64(i)))
		b.WriteString(" = 1\n")
	}
	return b.String()
}
