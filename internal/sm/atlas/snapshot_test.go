package atlas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/store"
)

// random makes a map of n nodes in a few folders, with links by path and by
// name, some of them leading nowhere.
func random(r *rand.Rand, n int) *skillmap.ScanResult {
	m := skillmap.Empty(1)
	m.MaxRenderNodes = 1 + r.IntN(2*n+1)
	words := []string{"a", "b", "docs", "x-y", ".claude", "skills"}
	pick := func() string { return words[r.IntN(len(words))] }
	seen := map[string]bool{}
	for len(m.Nodes) < n {
		path := strings.Join([]string{pick(), pick(), fmt.Sprintf("%s%d.md", pick(), r.IntN(n))}[r.IntN(3):], "/")
		if seen[path] {
			continue
		}
		seen[path] = true
		m.Nodes = append(m.Nodes, skillmap.Node{Path: path, Kind: []string{"agent", "skill", "markdown"}[r.IntN(3)], Frontmatter: map[string]any{}})
	}
	some := func() string {
		if r.IntN(8) == 0 {
			return "gone/" + pick()
		}
		return m.Nodes[r.IntN(n)].Path
	}
	for range 3 * n {
		l := skillmap.Link{Source: some(), Target: some(), Kind: skillmap.References, Confidence: 1, Sources: []string{"x"}}
		if r.IntN(3) == 0 {
			l.Target, l.ResolvedTarget = "@"+pick(), some()
		}
		if r.IntN(9) == 0 {
			l.ResolvedTarget = some()
		}
		m.Links = append(m.Links, l)
	}
	for i := range n / 2 {
		is := skillmap.Issue{AnalyzerID: []string{"one", "two"}[r.IntN(2)], Severity: skillmap.Warn, NodeIDs: []string{some()}, Message: fmt.Sprint(i)}
		if r.IntN(3) == 0 {
			is.NodeIDs = append(is.NodeIDs, some(), is.NodeIDs[0])
		}
		m.Issues = append(m.Issues, is)
	}
	return m
}

func TestSnapshotAnswersAsTheNounsDo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var before *skillmap.ScanResult
	var s *Snapshot
	for round := range 120 {
		m := random(r, 3+round/2)
		if round%2 == 1 { // the map before, a little otherwise
			m = altered(r, before)
		}
		s = newSnapshot(m, store.Generation{}, s)
		before = m
		for _, text := range []string{"", "kind=agent", "kind=agent,skill,agent", "kind=none", "has=issues", "path=docs/**", "path=**/a*.md,docs/*", "kind=skill has=issues path=*", "path=" + m.Nodes[0].Path} {
			q, err := skillmap.ParseQuery(text)
			if err != nil {
				t.Fatal(err)
			}
			limit := r.IntN(2 * len(m.Nodes))
			want := wanted(m, q, limit)
			if diff := cmp.Diff(want, got(s.Query(GraphQuery{Query: q, Limit: limit}))); diff != "" {
				t.Fatalf("round %d, %q, limit %d (-want +got):\n%s", round, text, limit, diff)
			}
		}
		for range 20 {
			checkBranch(t, r, m, s)
		}
		for i := range m.Nodes {
			checkBundle(t, m, s, m.Nodes[i].Path)
		}
		checkIssues(t, m, s)
	}
}

// altered is a map that differs in one thing, or in nothing.
func altered(r *rand.Rand, m *skillmap.ScanResult) *skillmap.ScanResult {
	c := *m
	c.Nodes, c.Links, c.Issues = slices.Clone(m.Nodes), slices.Clone(m.Links), slices.Clone(m.Issues)
	some := c.Nodes[r.IntN(len(c.Nodes))].Path
	switch r.IntN(7) {
	case 0:
		c.Links[r.IntN(len(c.Links))].ResolvedTarget = some
	case 1:
		c.Links[r.IntN(len(c.Links))].Source = some
	case 2:
		c.Links = c.Links[1:]
	case 3:
		c.Nodes[r.IntN(len(c.Nodes))].Kind = "other"
	case 4:
		c.Nodes = c.Nodes[:len(c.Nodes)-1]
	case 5:
		c.Issues = c.Issues[1:]
	}
	return &c
}

// answer is a graph in a form that can be compared.
type answer struct {
	Nodes, Links, Issues []string
	Total                int
}

func got(g *Graph) answer {
	return answer{encoded(g.Nodes, (*Node).JSON), encoded(g.Links, (*Link).JSON), encoded(g.Issues, (*Issue).JSON), g.Total}
}

func encoded[T any](items []T, json func(T) []byte) []string {
	out := []string{}
	for _, i := range items {
		out = append(out, string(json(i)))
	}
	return out
}

func graphOf(g skillmap.Subgraph, total int) answer {
	a := answer{Nodes: []string{}, Links: []string{}, Issues: []string{}, Total: total}
	for i := range g.Nodes {
		a.Nodes = append(a.Nodes, string(g.Nodes[i].AppendJSON(nil)))
	}
	for i := range g.Links {
		a.Links = append(a.Links, string(g.Links[i].AppendJSON(nil)))
	}
	for i := range g.Issues {
		a.Issues = append(a.Issues, string(g.Issues[i].AppendJSON(nil)))
	}
	return a
}

// wanted cuts the nodes of a query and closes the rest again, in the plainest
// way.
func wanted(m *skillmap.ScanResult, q skillmap.Query, limit int) answer {
	if limit == 0 {
		limit = 100
	}
	all := q.Apply(m)
	cut := *m
	cut.Nodes = all.Nodes[:min(len(all.Nodes), limit, m.MaxRenderNodes)]
	return graphOf(skillmap.Query{}.Apply(&cut), len(all.Nodes))
}

func checkBranch(t *testing.T, r *rand.Rand, m *skillmap.ScanResult, s *Snapshot) {
	t.Helper()
	var in skillmap.BranchRequest
	some := func() string {
		parts := strings.Split(m.Nodes[r.IntN(len(m.Nodes))].Path, "/")
		return strings.Join(parts[:1+r.IntN(len(parts))], "/")
	}
	for range r.IntN(4) {
		in.Include = append(in.Include, some())
	}
	for range r.IntN(3) {
		in.Exclude = append(in.Exclude, some())
	}
	if r.IntN(4) == 0 {
		out := r.IntN(2) == 0
		in.ExcludeRoot = &out
	}
	in.Limit = r.IntN(len(m.Nodes))
	info, want, err := skillmap.Branch(m, in)
	b, gotErr := s.Branch(in)
	if err != nil || gotErr != nil {
		if (err == nil) != (gotErr == nil) {
			t.Fatalf("Branch(%+v): %v against %v", in, gotErr, err)
		}
		return
	}
	if diff := cmp.Diff(info, b.Info); diff != "" {
		t.Fatalf("Branch(%+v) (-want +got):\n%s", in, diff)
	}
	if diff := cmp.Diff(graphOf(want, 0), got(&Graph{Nodes: b.Nodes, Links: b.Links, Issues: b.Issues})); diff != "" {
		t.Fatalf("Branch(%+v) (-want +got):\n%s", in, diff)
	}
}

func checkBundle(t *testing.T, m *skillmap.ScanResult, s *Snapshot, path string) {
	t.Helper()
	var in, out, about []string
	for i := range m.Links {
		l := &m.Links[i]
		if l.Target == path || l.ResolvedTarget == path {
			in = append(in, string(l.AppendJSON(nil)))
		}
		if l.Source == path {
			out = append(out, string(l.AppendJSON(nil)))
		}
	}
	for i := range m.Issues {
		if m.Issues[i].Touches(path) {
			about = append(about, string(m.Issues[i].AppendJSON(nil)))
		}
	}
	b := s.Bundle(path)
	for what, pair := range map[string][2][]string{
		"incoming": {in, encoded(b.Incoming, (*Link).JSON)}, "outgoing": {out, encoded(b.Outgoing, (*Link).JSON)}, "issues": {about, encoded(b.Issues, (*Issue).JSON)},
	} {
		if strings.Join(pair[0], "\n") != strings.Join(pair[1], "\n") {
			t.Fatalf("%s of %s: %v, want %v", what, path, pair[1], pair[0])
		}
	}
}

func checkIssues(t *testing.T, m *skillmap.ScanResult, s *Snapshot) {
	t.Helper()
	for _, f := range []IssueFilter{
		{}, {Analyzers: []string{"core/one"}}, {Severities: []string{"error"}}, {Nodes: []string{m.Nodes[0].Path}}, {Nodes: []string{m.Nodes[0].Path, m.Nodes[1].Path}, Limit: 1},
		{Nodes: []string{"gone/a"}}, {Nodes: []string{"gone/a", m.Nodes[0].Path}, Analyzers: []string{"two"}}, {Offset: 2, Limit: 2},
	} {
		var want []string
		for i := range m.Issues {
			if f.admits(&m.Issues[i]) {
				want = append(want, m.Issues[i].Message)
			}
		}
		l := s.Issues(f)
		var got []string
		for _, i := range l.Items {
			got = append(got, i.Message)
		}
		if l.Total != len(want) || strings.Join(got, " ") != strings.Join(page(want, f.Offset, f.Limit), " ") {
			t.Fatalf("Issues(%+v) = %v of %d, want %v", f, got, l.Total, want)
		}
	}
}

func TestCompareFindsEveryChange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	m := random(r, 40)
	if c := compare(m, m); !c.IsEmpty() {
		t.Errorf("a map compared with itself gives %+v", c)
	}
	after := *m
	after.Nodes = append([]skillmap.Node(nil), m.Nodes...)
	after.Nodes[5].BodyHash = "x"
	gone := after.Nodes[9].Path
	after.Nodes[9].Path = "new.md"
	after.Links = append([]skillmap.Link{{Source: m.Nodes[20].Path, Target: m.Nodes[21].Path}}, m.Links...)
	after.Issues = m.Issues[1:]
	c := compare(m, &after)
	if diff := cmp.Diff([]string{"new.md"}, c.Added); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{gone}, c.Removed); diff != "" {
		t.Error(diff)
	}
	changed := map[string]bool{}
	for _, p := range c.Changed {
		changed[p] = true
	}
	for _, p := range []string{m.Nodes[5].Path, m.Nodes[20].Path, m.Nodes[21].Path} {
		if !changed[p] {
			t.Errorf("%s is not among the changed: %v", p, c.Changed)
		}
	}
	if len(c.Changed) > 6 {
		t.Errorf("too many changed: %v", c.Changed)
	}
}
