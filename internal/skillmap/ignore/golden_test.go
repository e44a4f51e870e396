package ignore

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type row struct {
	Patterns []string
	Paths    []string
	Ignored  []bool
	Dropped  []int
}

// goldens reads the shared pattern sets, or skips the test where the repository
// stands alone.
func goldens(t *testing.T) []row {
	t.Helper()
	shared := os.Getenv("SKILLFORGE_SHARED")
	for dir := "."; shared == ""; dir = filepath.Join(dir, "..") {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(abs, "shared", "data")); err == nil && info.IsDir() {
			shared = filepath.Join(abs, "shared")
		} else if filepath.Dir(abs) == abs {
			t.Skip("no folder shared/data beside the repository; set SKILLFORGE_SHARED")
		}
	}
	f, err := os.Open(filepath.Join(shared, "data", "unit", "ignore.jsonl"))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("line %d: %v", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// deviations lists where this package answers otherwise than the goldens.
type deviations struct {
	// Paths: git answers otherwise too, which the test proves.
	Paths []struct {
		Reason string
		Cases  [][2]int // line of the file from 1, index of the path
	}
	// Dropped: lines of the file whose dropped rules differ.
	Dropped []struct {
		Reason string
		Lines  []int
	}
}

func readDeviations(t *testing.T) deviations {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "deviations.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d deviations
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGolden(t *testing.T) {
	rows := goldens(t)
	listed := map[[2]int]bool{}
	for _, family := range readDeviations(t).Paths {
		for _, c := range family.Cases {
			listed[c] = true
		}
	}
	asked := 0
	for n, r := range rows {
		m, _ := New(Layer{Lines: r.Patterns})
		for i, path := range r.Paths {
			asked++
			got, want := m.Match(path), r.Ignored[i]
			if listed[[2]int{n + 1, i}] {
				want = !want
			}
			if got != want {
				t.Errorf("line %d: %q: Match(%q) = %v, want %v", n+1, r.Patterns, path, got, want)
			}
		}
	}
	if len(rows) < 600 || asked < 8000 {
		t.Errorf("asked %d paths of %d lines, want the whole file", asked, len(rows))
	}
}

// TestDeviationsAreGits asks git about every path that is answered otherwise
// than in the goldens.
func TestDeviationsAreGits(t *testing.T) {
	rows := goldens(t)
	git := newRepo(t)
	paths := map[int][]int{} // by line
	for _, family := range readDeviations(t).Paths {
		if family.Reason == "" {
			t.Error("a family without a reason")
		}
		for _, c := range family.Cases {
			paths[c[0]] = append(paths[c[0]], c[1])
		}
	}
	for line, indices := range paths {
		r := rows[line-1]
		var asked []string
		for _, i := range indices {
			path := strings.ReplaceAll(r.Paths[i], `\`, "/")
			path = strings.TrimLeft(strings.TrimPrefix(path, "./"), "/")
			asked = append(asked, path)
		}
		for k, got := range git.ignored(t, r.Patterns, asked) {
			if got == r.Ignored[indices[k]] {
				t.Errorf("line %d: %q: git agrees with the golden about %q", line, r.Patterns, asked[k])
			}
		}
	}
}

func TestGoldenDropped(t *testing.T) {
	rows := goldens(t)
	listed := map[int]bool{}
	for _, family := range readDeviations(t).Dropped {
		for _, line := range family.Lines {
			listed[line] = true
		}
	}
	for n, r := range rows {
		_, dropped := New(Layer{Name: "golden", Lines: r.Patterns})
		var got []int
		for _, d := range dropped {
			if d.Layer != "golden" || d.Text != r.Patterns[d.Line-1] {
				t.Errorf("line %d drops %+v", n+1, d)
			}
			got = append(got, d.Line-1)
		}
		if same := slices.Equal(got, r.Dropped); same == listed[n+1] {
			t.Errorf("line %d: %s: dropped %v, golden %v, listed as different: %v", n+1, strings.Join(r.Patterns, " | "), got, r.Dropped, listed[n+1])
		}
	}
}
