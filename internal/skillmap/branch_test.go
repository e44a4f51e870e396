package skillmap_test

import (
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

func tree(paths ...string) *skillmap.ScanResult {
	r := skillmap.Empty(0)
	for _, p := range paths {
		r.Nodes = append(r.Nodes, skillmap.Node{Path: p})
	}
	return r
}

func TestBranch(t *testing.T) {
	yes, no := true, false
	r := tree("z.md", "docs/b.md", "docs/a.md", "docs/old/x.md", "docs/old/keep/y.md", "docsy/n.md", "src/m.md")
	for _, row := range []struct {
		name        string
		in          skillmap.BranchRequest
		want        string
		rootOut     bool
		total, caps int
	}{
		{"everything", skillmap.BranchRequest{}, "docs/a.md docs/b.md docs/old/keep/y.md docs/old/x.md docsy/n.md src/m.md z.md", false, 7, 256},
		{"one folder", skillmap.BranchRequest{Include: []string{"docs"}}, "docs/a.md docs/b.md docs/old/keep/y.md docs/old/x.md", true, 4, 256},
		{"one file", skillmap.BranchRequest{Include: []string{"docs/a.md"}}, "docs/a.md", true, 1, 256},
		{"a slash matches nothing", skillmap.BranchRequest{Include: []string{"docs/"}}, "", true, 0, 256},
		{"includes in order", skillmap.BranchRequest{Include: []string{"src", "docs/old", "", "src"}}, "src/m.md docs/old/keep/y.md docs/old/x.md", true, 3, 256},
		{"hidden folder", skillmap.BranchRequest{Exclude: []string{"docs"}}, "docsy/n.md src/m.md z.md", false, 3, 256},
		{"shown within hidden", skillmap.BranchRequest{Include: []string{"docs/old"}, Exclude: []string{"docs"}}, "docs/old/keep/y.md docs/old/x.md docsy/n.md src/m.md z.md", false, 5, 256},
		{"hidden within shown", skillmap.BranchRequest{Include: []string{"docs"}, Exclude: []string{"docs/old"}}, "docs/a.md docs/b.md", true, 2, 256},
		{"three deep", skillmap.BranchRequest{Include: []string{"docs", "docs/old/keep"}, Exclude: []string{"docs/old"}}, "docs/a.md docs/b.md docs/old/keep/y.md", true, 3, 256},
		{"root shown by word", skillmap.BranchRequest{Include: []string{"docs"}, ExcludeRoot: &no}, "docs/a.md docs/b.md docs/old/keep/y.md docs/old/x.md docsy/n.md src/m.md z.md", false, 7, 256},
		{"root hidden, nothing shown", skillmap.BranchRequest{ExcludeRoot: &yes}, "", true, 0, 256},
		{"cut", skillmap.BranchRequest{Limit: 2}, "docs/a.md docs/b.md", false, 7, 2},
		{"cut below one", skillmap.BranchRequest{Limit: -3}, "docs/a.md", false, 7, 1},
		{"cut above the cap", skillmap.BranchRequest{Limit: 9000, Include: []string{"src"}}, "src/m.md", true, 1, 256},
	} {
		info, got, err := skillmap.Branch(r, row.in)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if paths(got.Nodes) != row.want || info.RootExcluded != row.rootOut || info.Total != row.total || info.Cap != row.caps {
			t.Errorf("%s: got %q %+v, want %q, root excluded %v, total %d, cap %d", row.name, paths(got.Nodes), info, row.want, row.rootOut, row.total, row.caps)
		}
		if info.Truncated != (info.Total > info.Cap) || info.Rendered != len(got.Nodes) {
			t.Errorf("%s: %+v does not agree with %d nodes", row.name, info, len(got.Nodes))
		}
	}
}

func TestBranchNamesTheConflict(t *testing.T) {
	_, _, err := skillmap.Branch(graph(), skillmap.BranchRequest{Include: []string{"docs"}, Exclude: []string{"docs"}})
	if fault.Of(err) != fault.Invalid {
		t.Errorf("the same path in both lists gives %v, want invalid", err)
	}
}

func TestBranchClosesOnWhereLinksLead(t *testing.T) {
	_, got, err := skillmap.Branch(graph(), skillmap.BranchRequest{Include: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Links) != 2 || len(got.Issues) != 2 {
		t.Errorf("got %d links and %d issues, want 2 and 2", len(got.Links), len(got.Issues))
	}
}
