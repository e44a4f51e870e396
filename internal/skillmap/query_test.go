package skillmap_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

func TestParseQuery(t *testing.T) {
	for _, row := range []struct {
		text string
		want skillmap.Filters
	}{
		{"", skillmap.Filters{}},
		{" \t\u00a0\ufeff ", skillmap.Filters{}},
		{"kind=skill", skillmap.Filters{Kinds: []string{"skill"}}},
		{"KIND=Skill,agent", skillmap.Filters{Kinds: []string{"Skill", "agent"}}},
		{"kind=skill,, has=issues", skillmap.Filters{Kinds: []string{"skill"}, HasIssues: true}},
		{"path=docs/**,*.md\u2003kind=a=b", skillmap.Filters{Kinds: []string{"a=b"}, PathGlobs: []string{"docs/**", "*.md"}}},
	} {
		q, err := skillmap.ParseQuery(row.text)
		if err != nil {
			t.Errorf("ParseQuery(%q): %v", row.text, err)
			continue
		}
		if diff := cmp.Diff(row.want, q.Filters()); diff != "" {
			t.Errorf("ParseQuery(%q) (-want +got):\n%s", row.text, diff)
		}
	}
}

func TestParseQueryRefuses(t *testing.T) {
	for text, word := range map[string]string{
		"skill":           "skill",
		"=skill":          "=skill",
		"kind=":           "kind=",
		"kind=,":          "kind",
		"kind=a kind=b":   "twice",
		"kind=a KIND=b":   "twice",
		"colour=red":      "colour",
		"has=findings":    "has=findings",
		"has=issues,mood": "has=mood",
	} {
		_, err := skillmap.ParseQuery(text)
		if fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), word) {
			t.Errorf("ParseQuery(%q) gives %v, want an invalid fault that names %q", text, err, word)
		}
	}
}

func TestQueryOfTakesSpacesInValues(t *testing.T) {
	q, err := skillmap.QueryOf("", "", "my docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if !q.Admits("my docs/a.md", "markdown", false) || q.Admits("docs/a.md", "markdown", false) {
		t.Errorf("QueryOf(path %q) selects the wrong paths", q.Raw)
	}
	if _, err := skillmap.QueryOf("", "bogus", ""); fault.Of(err) != fault.Invalid {
		t.Errorf("QueryOf(has bogus) gives %v, want invalid", err)
	}
}

func TestGlob(t *testing.T) {
	for _, row := range []struct {
		glob, path string
		want       bool
	}{
		{"docs/**", "docs/a/b.md", true},
		{"docs/**", "docs", false},
		{"docs/**", "docs/", true},
		{"**/x.md", "x.md", false},
		{"**/x.md", "a/b/x.md", true},
		{"*.md", "a.md", true},
		{"*.md", "a/b.md", false},
		{"**", "", true},
		{"", "", true},
		{"", "a", false},
		{"a?c", "abc", false},
		{"a?c", "a?c", true},
		{"[ab]", "a", false},
		{".claude/*/*.md", ".claude/agents/a.md", true},
		{".claude/*/*.md", ".claude/agents/x/a.md", false},
		{"**/*-test/**.md", "a/b-test/c/d.md", true},
		{"***", "a/b", true},
		{"a**b*c", "a/x/b/y/bc", true},
		{"A.md", "a.md", false},
	} {
		if got := skillmap.NewGlob(row.glob).Match(row.path); got != row.want {
			t.Errorf("NewGlob(%q).Match(%q) = %v, want %v", row.glob, row.path, got, row.want)
		}
	}
}

// naive is the definition, tried every way.
func naive(glob, path string) bool {
	switch {
	case glob == "":
		return path == ""
	case strings.HasPrefix(glob, "**"):
		for i := 0; i <= len(path); i++ {
			if naive(glob[2:], path[i:]) {
				return true
			}
		}
		return false
	case glob[0] == '*':
		for i := 0; i <= len(path); i++ {
			if naive(glob[1:], path[i:]) {
				return true
			}
			if i < len(path) && path[i] == '/' {
				return false
			}
		}
		return false
	}
	return path != "" && path[0] == glob[0] && naive(glob[1:], path[1:])
}

func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"a*b**c", "axb/yc"}, {"**a*a/*", "a/aa/b"}, {"*a/*a", "aa/aa"}, {"a//*", "a//a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		if len(glob) > 12 || len(path) > 16 {
			t.Skip("the naive matcher is exponential")
		}
		if got, want := skillmap.NewGlob(glob).Match(path), naive(glob, path); got != want {
			t.Errorf("NewGlob(%q).Match(%q) = %v, want %v", glob, path, got, want)
		}
	})
}

// TestGlobSmallWorld holds Match against its definition on every pattern and
// path of up to six signs.
func TestGlobSmallWorld(t *testing.T) {
	var globs, paths []string
	grow(&globs, "", "a/*", 6)
	grow(&paths, "", "a/b", 5)
	for _, g := range globs {
		for _, p := range paths {
			if got, want := skillmap.NewGlob(g).Match(p), naive(g, p); got != want {
				t.Fatalf("NewGlob(%q).Match(%q) = %v, want %v", g, p, got, want)
			}
		}
	}
}

func grow(out *[]string, head, letters string, n int) {
	*out = append(*out, head)
	if n == 0 {
		return
	}
	for _, l := range letters {
		grow(out, head+string(l), letters, n-1)
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"", "kind=skill has=issues path=docs/**", "kind=a,b", "has=x", "kind==", "path=*,**\u00a0kind=ü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := skillmap.ParseQuery(text)
		if err != nil {
			if fault.Of(err) != fault.Invalid || fault.Text(err) == "" {
				t.Errorf("ParseQuery(%q) gives %v, want an invalid fault with a sentence", text, err)
			}
			return
		}
		// What was read means the same when it is written out and read again.
		again, err := skillmap.ParseQuery(q.Raw)
		if err != nil {
			t.Fatalf("ParseQuery(%q) reads, its Raw %q does not: %v", text, q.Raw, err)
		}
		if diff := cmp.Diff(q.Filters(), again.Filters()); diff != "" {
			t.Errorf("ParseQuery(%q) read twice differs:\n%s", text, diff)
		}
		q.Admits("a/b.md", "skill", true)
	})
}

func graph() *skillmap.ScanResult {
	r := skillmap.Empty(0)
	for _, p := range []string{"b/agent.md", "a/skill.md", "a/doc.md", "a.md", "mcp://x"} {
		r.Nodes = append(r.Nodes, skillmap.Node{Path: p, Kind: strings.TrimSuffix(p[strings.LastIndex(p, "/")+1:], ".md")})
	}
	r.Links = []skillmap.Link{
		{Source: "b/agent.md", Target: "$skill", Kind: skillmap.Invokes, ResolvedTarget: "a/skill.md"},
		{Source: "a/skill.md", Target: "a/doc.md", Kind: skillmap.References, ResolvedTarget: "a/doc.md"},
		{Source: "a/doc.md", Target: "gone.md", Kind: skillmap.References},
	}
	r.Issues = []skillmap.Issue{
		{AnalyzerID: "reference-broken", Severity: skillmap.Error, NodeIDs: []string{"a/doc.md"}},
		{AnalyzerID: "name-collision", Severity: skillmap.Warn, NodeIDs: []string{"b/agent.md", "a/skill.md"}},
	}
	return r
}

func paths(nodes []skillmap.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Path)
	}
	return strings.Join(out, " ")
}

func TestApplyClosesOnWhereLinksLead(t *testing.T) {
	for _, row := range []struct {
		query, nodes  string
		links, issues int
	}{
		{"", "b/agent.md a/skill.md a/doc.md a.md mcp://x", 2, 2},
		{"kind=agent,skill", "b/agent.md a/skill.md", 1, 1},
		{"has=issues", "b/agent.md a/skill.md a/doc.md", 2, 2},
		{"path=a/**", "a/skill.md a/doc.md", 1, 2},
		{"has=issues kind=doc", "a/doc.md", 0, 1},
		{"kind=nothing", "", 0, 0},
	} {
		q, err := skillmap.ParseQuery(row.query)
		if err != nil {
			t.Fatal(err)
		}
		got := q.Apply(graph())
		if paths(got.Nodes) != row.nodes || len(got.Links) != row.links || len(got.Issues) != row.issues {
			t.Errorf("%q selects %q, %d links, %d issues; want %q, %d, %d", row.query, paths(got.Nodes), len(got.Links), len(got.Issues), row.nodes, row.links, row.issues)
		}
		if got.Nodes == nil || got.Links == nil || got.Issues == nil {
			t.Errorf("%q leaves a list nil", row.query)
		}
	}
}
