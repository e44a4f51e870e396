package frontmatter

import (
	"reflect"
	"testing"
)

func TestRecover(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      map[string]any
	}{
		{"A04: a colon in an unquoted text",
			"name: harden\ndescription: Make forms safe: empty states, overflow.",
			map[string]any{"name": "harden", "description": "Make forms safe: empty states, overflow."}},
		{"A05: examples pasted without indentation",
			"name: mapper\ndescription: Draws maps.\n\nExamples:\n<example>\nuser: \"draw it\"\n</example>\nmodel: sonnet",
			map[string]any{"name": "mapper", "description": "Draws maps.", "Examples": "", "user": "draw it", "model": "sonnet"}},
		{"A11: a glob that begins like a flow mapping",
			"paths: {src,lib}/**/*.ts\nname: x",
			map[string]any{"paths": "{src,lib}/**/*.ts", "name": "x"}},
		{"A11: a glob that begins like an alias",
			"paths: **/*.ts", map[string]any{"paths": "**/*.ts"}},
		{"lists of strings, in both forms",
			"tools: [Read, Grep]\nskills:\n  - a\n- b\nbroken: a: b",
			map[string]any{"tools": []any{"Read", "Grep"}, "broken": "a: b", "skills": "- a - b"}},
		{"lines of one text, with CRLF",
			"description: Use when:\r\n  one\r\n  two: three\r\nname: n\r\n",
			map[string]any{"description": "Use when: one two: three", "name": "n"}},
		{"no mappings, no keys of the host, the first of twins",
			"metadata:\n  a: 1\n__proto__: x\nname: one\nname: two\nx: a: b",
			map[string]any{"name": "one", "x": "a: b"}},
	} {
		if got := Recover(c.raw); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Recover(%q) gives\n%#v, want\n%#v", c.name, c.raw, got, c.want)
		}
	}
}
