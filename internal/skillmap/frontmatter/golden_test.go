package frontmatter

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// golden reads the lines of a shared golden file into rows of T.
func golden[T any](t *testing.T, name string) []T {
	t.Helper()
	file, err := os.Open(filepath.Join(shared(t), "data", "unit", name))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	defer file.Close()
	var rows []T
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s line %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// shared is the folder of golden data beside the repository.
func shared(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("SKILLFORGE_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared")
		}
	}
	t.Skip("no golden data: no repository root above the package")
	return ""
}

type yamlCase struct {
	Tag, Text, Root, Hash                string
	OK, Empty, ColonHint, Big, NonFinite bool
	LoneSurrogate                        bool
	Value                                json.RawMessage
	Dump                                 *string
}

func TestParseYAMLGolden(t *testing.T) {
	for i, c := range golden[yamlCase](t, "yaml.jsonl") {
		checkYAML(t, i+1, c)
	}
}

func checkYAML(t *testing.T, line int, c yamlCase) {
	t.Helper()
	v, found, err := load(c.Text)
	if (err == nil) != c.OK {
		t.Errorf("%d %s: load(%q) gives %v, %v; want ok %v", line, c.Tag, c.Text, v, err, c.OK)
		return
	}
	if err != nil {
		if hint := err.(*SyntaxError).ColonHint; hint != c.ColonHint {
			t.Errorf("%d %s: load(%q) gives %v, colon hint %v; want %v", line, c.Tag, c.Text, err, hint, c.ColonHint)
		}
	}
	if c.OK && found == c.Empty {
		t.Errorf("%d %s: load(%q) finds a document: %v", line, c.Tag, c.Text, found)
	}
	if c.LoneSurrogate {
		return
	}
	if c.Value != nil && c.Root != "sequence" {
		var want any
		if err := json.Unmarshal(c.Value, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(v, want) {
			t.Errorf("%d %s: load(%q) gives\n%#v, want\n%#v", line, c.Tag, c.Text, v, want)
		}
	}
	m, _ := ParseYAML(c.Text)
	if c.Dump != nil {
		if got := Dump(m); got != *c.Dump {
			t.Errorf("%d %s: Dump(%q) gives\n%q, want\n%q", line, c.Tag, c.Text, got, *c.Dump)
		}
	}
	if got := Hash(m, c.Text); got != c.Hash {
		t.Errorf("%d %s: Hash(%q) gives %s, want %s", line, c.Tag, c.Text, got, c.Hash)
	}
}
