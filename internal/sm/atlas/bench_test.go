package atlas

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/store"
)

// large makes a map of n files in folders of a hundred, each with four links.
func large(n int) *skillmap.ScanResult {
	r := skillmap.Empty(1767225600000)
	path := func(i int) string { return fmt.Sprintf("docs/part-%04d/page-%06d.md", i/100, i) }
	for i := range n {
		r.Nodes = append(r.Nodes, skillmap.Node{
			Path: path(i), Kind: []string{"agent", "skill", "markdown"}[i%3], Provider: "claude",
			BodyHash: fmt.Sprintf("%064x", i), FrontmatterHash: fmt.Sprintf("%064x", i), Bytes: skillmap.Parts{Frontmatter: 60, Body: 900, Total: 960},
			Tokens: &skillmap.Parts{Frontmatter: 20, Body: 200, Total: 220}, LinksOutCount: 4, LinksInCount: 4,
			Frontmatter: map[string]any{"name": fmt.Sprint("page ", i), "description": "Says at some length what this page is for, and when to read it."},
		})
		for k := range 4 {
			to := path((i*7 + k*13) % n)
			if k < 2 {
				to = path(i/100*100 + (i*3+k)%100%max(1, n-i/100*100))
			}
			raw := "[page](../" + to + ")"
			r.Links = append(r.Links, skillmap.Link{
				Source: path(i), Target: to, Kind: skillmap.References, Confidence: 1, Sources: []string{"markdown-link"}, ResolvedTarget: to,
				Trigger: &skillmap.Trigger{OriginalTrigger: "../" + to, NormalizedTrigger: to}, Location: &skillmap.Location{Line: k + 5}, Raw: &raw,
				Occurrences: []skillmap.Occurrence{{Extractor: "markdown-link", OriginalTrigger: "../" + to, Location: &skillmap.Location{Line: k + 5}}},
			})
		}
		if i%20 == 0 {
			r.Issues = append(r.Issues, skillmap.Issue{AnalyzerID: "reference-broken", Severity: skillmap.Error, NodeIDs: []string{path(i)}, Message: "m", Data: map[string]any{"target": "x"}})
		}
	}
	r.Stats = skillmap.Stats{NodesCount: n, LinksCount: len(r.Links), IssuesCount: len(r.Issues)}
	return r
}

// served is a project with a large map in its database, kept in memory.
func served(b *testing.B, n int) *Atlas {
	b.Helper()
	dir := b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, config.Folder), 0o755); err != nil {
		b.Fatal(err)
	}
	a := Open(config.Project{Root: dir}, Options{Resident: true})
	s, err := store.Open(context.Background(), a.Database(), store.Scanning, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Save(context.Background(), &store.Map{Result: large(n)}); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if _, err := a.Snapshot(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.Error(err)
		}
	})
	return a
}

var sizes = []int{1000, 10000, 100000}

func each(b *testing.B, once func(b *testing.B, a *Atlas, n int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := served(b, n)
			b.ReportAllocs()
			once(b, a, n)
		})
	}
}

func BenchmarkNode(b *testing.B) {
	each(b, func(b *testing.B, a *Atlas, n int) {
		i := 0
		var room []byte
		for b.Loop() {
			bundle, err := a.Node(context.Background(), fmt.Sprintf("docs/part-%04d/page-%06d.md", i/100, i), NodeOptions{})
			if err != nil {
				b.Fatal(err)
			}
			room = bundle.AppendJSON(room[:0])
			i = (i + 7) % n
		}
	})
}

func BenchmarkQueryGraph(b *testing.B) {
	for _, text := range []string{"", "kind=skill", "has=issues", "path=docs/part-0003/**", "path=**/page-00001*.md"} {
		q, err := skillmap.ParseQuery(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			each(b, func(b *testing.B, a *Atlas, n int) {
				var room []byte
				for b.Loop() {
					g, err := a.QueryGraph(context.Background(), GraphQuery{Query: q})
					if err != nil {
						b.Fatal(err)
					}
					room = g.AppendJSON(room[:0])
				}
				b.ReportMetric(float64(len(room)), "bytes")
			})
		})
	}
}

func BenchmarkBranch(b *testing.B) {
	each(b, func(b *testing.B, a *Atlas, n int) {
		for b.Loop() {
			if _, err := a.Branch(context.Background(), skillmap.BranchRequest{Include: []string{"docs/part-0003"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range sizes {
		r := large(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				newSnapshot(r, store.Generation{}, nil)
			}
		})
	}
}

func BenchmarkWholeJSON(b *testing.B) {
	r := large(10000)
	for b.Loop() {
		newSnapshot(r, store.Generation{}, nil).json()
	}
}

func BenchmarkCompare(b *testing.B) {
	before, after := large(10000), large(10000)
	after.Nodes[500].BodyHash = "x"
	for b.Loop() {
		if c := compare(before, after); len(c.Changed) != 1 {
			b.Fatal(c)
		}
	}
}
