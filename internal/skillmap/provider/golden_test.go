package provider

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

type splitCase struct {
	Tag, Provider, Kind, File string
	Diagnostics               []diagnostic
}

type diagnostic struct {
	ID         string   `json:"id"`
	Severity   string   `json:"severity"`
	Hint       string   `json:"hint"`
	LeakedKeys []string `json:"leakedKeys"`
	Kind       string   `json:"kind"`
	At         []string `json:"at"`
}

// The rows about backticks are the business of package extract and left out.
func TestDiagnoseGolden(t *testing.T) {
	dir := os.Getenv("SKILLFORGE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	file, err := os.Open(filepath.Join(dir, "data", "unit", "split.jsonl"))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 8<<20)
	for n := 1; lines.Scan(); n++ {
		var c splitCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		var want []diagnostic
		for _, d := range c.Diagnostics {
			if d.ID != "backtick-unbalanced" {
				want = append(want, d)
			}
		}
		if got := diagnostics(c); !reflect.DeepEqual(got, want) {
			t.Errorf("line %d %s: %s/%s %q gives\n%+v, want\n%+v", n, c.Tag, c.Provider, c.Kind, c.File, got, want)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func diagnostics(c splitCase) []diagnostic {
	block := frontmatter.Split(c.File)
	parsed, err := frontmatter.ParseYAML(block.Raw)
	var out []diagnostic
	for _, i := range Diagnose(ByID(c.Provider), c.Kind, block, parsed, err, false) {
		out = append(out, plain(i))
	}
	return out
}

// plain keeps of an issue what the golden file tells.
func plain(i skillmap.Issue) diagnostic {
	d := diagnostic{ID: i.AnalyzerID, Severity: string(i.Severity)}
	d.Hint, _ = i.Data["hint"].(string)
	d.LeakedKeys, _ = i.Data["leakedKeys"].([]string)
	d.Kind, _ = i.Data["kind"].(string)
	if errs, ok := i.Data["errors"].(string); ok {
		for part := range strings.SplitSeq(errs, "; ") {
			at, _, _ := strings.Cut(part, " ")
			if len(d.At) == 0 || d.At[len(d.At)-1] != at {
				d.At = append(d.At, at)
			}
		}
	}
	return d
}
