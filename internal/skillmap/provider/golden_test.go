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

// goldenDir is the folder of golden data beside the repository.
func goldenDir() string {
	dir := os.Getenv("SKILLFORGE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	return filepath.Join(dir, "data")
}

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
	file, err := os.Open(filepath.Join(goldenDir(), "unit", "split.jsonl"))
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

// Each file of the golden projects has the kind, the frontmatter, the hashes
// and the issues about its head that the golden scan gives it.
func TestHeadsGolden(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(goldenDir(), "scan", "golden", "*.json"))
	if files == nil {
		t.Skip("no golden data beside the repository")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var result skillmap.ScanResult
		if err := json.Unmarshal(text, &result); err != nil {
			t.Fatal(err)
		}
		project := strings.TrimSuffix(filepath.Base(file), ".json")
		want := map[string][]diagnostic{}
		for _, i := range result.Issues {
			if strings.HasPrefix(i.AnalyzerID, "frontmatter-") {
				d := diagnostic{ID: i.AnalyzerID}
				d.Hint, _ = i.Data["hint"].(string)
				d.Kind, _ = i.Data["kind"].(string)
				want[i.NodeIDs[0]] = append(want[i.NodeIDs[0]], d)
			}
		}
		for _, n := range result.Nodes {
			if !n.Virtual {
				checkHead(t, project, &n, result.ActiveProvider, want[n.Path])
			}
		}
	}
}

func checkHead(t *testing.T, project string, n *skillmap.Node, lens string, want []diagnostic) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(goldenDir(), "scan", "input", project, filepath.FromSlash(n.Path)))
	if err != nil {
		return // written by the project's own steps
	}
	if strings.HasPrefix(n.Path, ".opencode/agents/") || strings.HasPrefix(n.Path, ".opencode/command/") {
		return // the spelling that we read too
	}
	p, kind := ByID(lens), ""
	for _, q := range []*Provider{ByID(lens), ByID("markdown")} {
		k, ok := q.Classify(n.Path)
		if ok {
			p, kind = q, k
			break
		}
	}
	if p.ID != n.Provider || kind != n.Kind {
		t.Errorf("%s %s is a %s of %s, want a %s of %s", project, n.Path, kind, p.ID, n.Kind, n.Provider)
		return
	}
	block := frontmatter.Split(strings.ToValidUTF8(string(text), "\uFFFD"))
	parsed, err := frontmatter.ParseYAML(block.Raw)
	if strings.HasSuffix(n.Path, ".toml") {
		block = frontmatter.Whole(string(text))
		parsed, err = frontmatter.ParseTOML(block.Raw)
	}
	if parsed == nil {
		parsed = map[string]any{}
	}
	_, dated := parsed["since"] // the reference reads a TOML date as {}, we as its text
	if hash := frontmatter.Hash(parsed, block.Raw); !dated && (hash != n.FrontmatterHash || !reflect.DeepEqual(frontmatter.Finite(parsed), n.Frontmatter)) {
		t.Errorf("%s %s: frontmatter %v with hash %s, want %v with %s", project, n.Path, parsed, hash, n.Frontmatter, n.FrontmatterHash)
	}
	if tools, ok := parsed["tools"].(string); ok && p.ID == "claude" && kind == "agent" && tools != "" {
		return // accepted here, a warning there
	}
	var got []diagnostic
	for _, i := range Diagnose(p, kind, block, parsed, err, false) {
		d := plain(i)
		if d.ID == UnknownKey { // nobody asked there
			continue
		}
		got = append(got, diagnostic{ID: d.ID, Hint: d.Hint, Kind: d.Kind})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s %s: issues %+v, want %+v", project, n.Path, got, want)
	}
}
