package frontmatter

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const typical = `name: deploy-site
description: Builds the site and puts it on the server. Use when the user asks to publish, to release or to roll back.
model: sonnet
tools: [Read, Grep, Bash]
color: blue
metadata:
  version: "1.2"
  owner: web team
disable-model-invocation: false
maxTurns: 12
`

func BenchmarkParseYAML(b *testing.B) {
	b.SetBytes(int64(len(typical)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseYAML(typical); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDumpHash(b *testing.B) {
	m, err := ParseYAML(typical)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Hash(m, typical)
	}
}

// A hostile file of a megabyte costs what a harmless one costs: each of these
// ends, and a test run would show it if one took the square of its length.
func TestParseYAMLIsBounded(t *testing.T) {
	const mega = 1 << 20
	repeat := strings.Repeat
	for name, text := range map[string]string{
		"brackets":         repeat("[", mega),
		"braces":           repeat("{a: ", mega/4),
		"dashes":           repeat("- ", mega/2),
		"questions":        repeat("? ", mega/2),
		"anchors":          repeat("&a ", mega/3),
		"tags":             repeat("! ", mega/2),
		"anchored lines":   repeat("&a\n", mega/3),
		"nested anchors":   repeat("- &a ", mega/5),
		"aliases":          "a: &a x\nb: [" + repeat("*a,", mega/3) + "]",
		"bomb":             bomb(50),
		"values":           "a: [" + repeat("1,", mega/2) + "]",
		"long key":         repeat("k", mega) + ": v\nb",
		"long line":        "a: " + repeat("b ", mega/2) + "\n c: d",
		"lines":            repeat("abc\n", mega/4) + "a: b",
		"blank lines":      "a: b" + repeat("\n", mega) + "c",
		"indented blanks":  "a: b\n" + repeat(" ", mega) + "\nc",
		"open quote":       "a: \"" + repeat("b\n ", mega/3),
		"open single":      "a: '" + repeat("''", mega/2),
		"escapes":          "a: \"" + repeat(`\`, mega+1),
		"comments":         repeat("# c\n", mega/4) + "a: b: c",
		"block":            "a: |\n" + repeat(" b\n", mega/3) + "c",
		"block of blanks":  "a: >" + repeat("\n", mega) + "c",
		"widening blanks":  "a: |\n" + widening(1400) + "b: c",
		"directives":       repeat("%A\n", mega/3),
		"ends":             repeat("...\n", mega/4) + "[",
		"carriage returns": "a: b" + repeat("\r", mega) + "c",
		"broken UTF-8":     "a: " + repeat("\xff", mega) + ": b",
	} {
		if _, err := ParseYAML(text); err == nil {
			t.Errorf("%s: ParseYAML finds no fault", name)
		}
		Recover(text)
		Split("---\n" + text)
	}
	wide := repeat("key", mega/8) + ": value\n"
	if m, err := ParseYAML(wide); err != nil || len(m) != 1 {
		t.Errorf("a key of %d bytes gives %d keys, %v", mega/8*3, len(m), err)
	}
}

// bomb doubles a list n times.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 x\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

func widening(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "\n")
	}
	return b.String()
}

// Each fault names its place, and says what to do.
func TestParseYAMLSaysWhere(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		line, column int
		hint         bool
		reason       string
	}{
		{"A04", "name: harden\ndescription: Make forms safe: empty states, overflow.", 2, 29, true, "quotes"},
		{"A05", "name: mapper\ndescription: Draws maps.\n\nExamples:\n<example>\nuser: \"draw it\"", 5, 1, false, "colon"},
		{"A11 braces", "paths: {src,lib}/**/*.ts", 1, 17, false, "quote"},
		{"A11 star", "paths: **/*.ts", 1, 8, false, "alias"},
		{"a tab", "a:\n\tb: c", 2, 1, false, "tab"},
		{"twice", "a: 1\nb: 2\na: 3", 3, 1, false, `"a"`},
		{"at sign", "by: @me", 1, 5, false, "begin with @"},
		{"characters, not bytes", "é: ü: x", 1, 5, true, "quotes"},
		{"open bracket", "a: 1\nb: [1, 2", 2, 4, false, "never closed"},
		{"CR and CRLF count once", "a: 1\r\nb: 2\rc: d: e", 3, 5, true, "quotes"},
	} {
		_, err := ParseYAML(c.text)
		fault, ok := err.(*SyntaxError)
		if !ok {
			t.Errorf("%s: ParseYAML(%q) gives %v", c.name, c.text, err)
			continue
		}
		if fault.Line != c.line || fault.Column != c.column || fault.ColonHint != c.hint || !strings.Contains(fault.Reason, c.reason) {
			t.Errorf("%s: ParseYAML(%q) gives %v (hint %v); want line %d, column %d, %q", c.name, c.text, err, fault.ColonHint, c.line, c.column, c.reason)
		}
	}
}

// What hosts and their users wrote about, read as meant.
func TestParseYAMLReports(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[string]any
	}{
		{"A03 wrapped description", "name: lint-sh\ndescription:\n  Checks shell scripts\n  for common slips.\n",
			map[string]any{"name": "lint-sh", "description": "Checks shell scripts for common slips."}},
		{"A07 fence inside a value", "description: \"keep a---b\"\nallowed-tools: \"*\"",
			map[string]any{"description": "keep a---b", "allowed-tools": "*"}},
		{"A08 list and block", "tools: [read_file, write_file]\ndescription: |\n  one\n  two\n",
			map[string]any{"tools": []any{"read_file", "write_file"}, "description": "one\ntwo\n"}},
		{"A12 grants in one text", "allowed-tools: Bash(git add *) Bash(git commit *) Read",
			map[string]any{"allowed-tools": "Bash(git add *) Bash(git commit *) Read"}},
	} {
		got, err := ParseYAML(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: ParseYAML gives %#v, %v; want %#v", c.name, got, err, c.want)
		}
	}
}

func TestFinite(t *testing.T) {
	m, err := ParseYAML("a: [!!float .inf, 1]\nb: {c: !!float .nan}")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Dump(m), "a:\n  - .inf\n  - 1\nb:\n  c: .nan\n"; got != want {
		t.Errorf("Dump gives %q, want %q", got, want)
	}
	want := map[string]any{"a": []any{nil, 1.0}, "b": map[string]any{"c": nil}}
	if got := Finite(m); !reflect.DeepEqual(got, want) {
		t.Errorf("Finite gives %#v, want %#v", got, want)
	}
}

// Keys stand in the order of their UTF-16 units, which is not that of bytes.
func TestDumpOrder(t *testing.T) {
	m := map[string]any{"\uE000": 1.0, "😀": 2.0, "\uD7FF": 3.0, "a": 4.0, "ab": 5.0, "B": 6.0}
	want := "B: 6\na: 4\nab: 5\n\uD7FF: 3\n😀: 2\n\uE000: 1\n"
	if got := Dump(m); got != want {
		t.Errorf("Dump gives %q, want %q", got, want)
	}
}

// A mapping under a key that is written with "? " begins on the line of its colon.
func TestDumpUnderExplicitKey(t *testing.T) {
	m := map[string]any{"a\nb": map[string]any{"c": []any{1.0}, "d": 2.0}}
	want := "? \"a\\nb\"\n: c:\n    - 1\n  d: 2\n"
	got := Dump(m)
	if got != want {
		t.Errorf("Dump gives %q, want %q", got, want)
	}
	if again, err := ParseYAML(got); err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("it parses as %v, %v", again, err)
	}
}

// Corners of the dialect, each with what it stands for, or refused.
func TestParseYAMLCorners(t *testing.T) {
	refused := map[string]any(nil)
	for text, want := range map[string]map[string]any{
		"k: [a,\tb]":                  refused, // a tab separates on a line indented less than the list
		"k:\n  [a,\tb]":               {"k": []any{"a", "b"}},
		"k: [a\t, b]":                 {"k": []any{"a", "b"}},
		"k: |\n\tb":                   refused,
		"k: |2\n\t\n":                 {"k": ""},
		"k: |\n  \n a":                refused, // the blank line is wider
		"k: |+\n  ":                   {"k": "\n"},
		"k: |+\n  a\n  ":              {"k": "a\n"},
		"k: |\n \n...\n":              {"k": ""},
		"k: \"a\"# c":                 refused, // no space before the comment
		"k: a # \x07":                 {"k": "a"},
		"k: \x07":                     refused,
		"k: \"\x07\"":                 refused,
		"k: \"\x7f\"":                 {"k": "\x7f"},
		"# \x00\nk: a":                refused,
		": - a":                       {"": []any{"a"}},
		"? a\n: : b":                  {"a": map[string]any{"": "b"}},
		"k: &x a: b\n   c: d":         {"k": map[string]any{"a": "b", "c": "d"}},
		"k: &x a: b\n  c: d":          refused,
		"--- a: b":                    refused,
		"--- &x a: b":                 refused,
		"  --- \nk: a":                {"k": "a"}, // the spaces of the first line do not count
		"\n  --- \nk: a":              refused,
		"k: !!seq\nl: !!map":          {"k": []any{}, "l": map[string]any{}},
		"k: !!int":                    refused,
		"k: !!str[a]":                 refused,
		"k: [!!str,a]":                {"k": []any{"", "a"}},
		"k: {a\n : b}":                {"k": map[string]any{"a": "b"}},
		"k: [a\n : b]":                refused,
		"%TAG !e! tag:x|y\n---\nk: a": refused,
		"% x\n---\nk: a":              refused,
		"k: \"\\\n---\"":              refused,
		"k:\n  c:\n  - \"x\"y: 1":     refused, // though the list ends there, y is no key of k
	} {
		got, err := ParseYAML(text)
		if (err == nil) != (want != nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("ParseYAML(%q) gives %#v, %v; want %#v", text, got, err, want)
		}
	}
}
