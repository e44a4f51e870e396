package skillmap_test

import (
	"testing"

	"skillforge/internal/skillmap"
)

func TestCompare(t *testing.T) {
	before, after := graph(), graph()
	if d := skillmap.Compare(before, after); !d.IsEmpty() || d.Nodes.Changed == nil || d.Links.Added == nil || d.Issues.Removed == nil {
		t.Errorf("a map compared with itself gives %+v, want empty lists", d)
	}
	after.Nodes[0].BodyHash = "1"
	after.Nodes[1].FrontmatterHash = "1"
	after.Nodes[2].BodyHash, after.Nodes[2].FrontmatterHash = "1", "1"
	after.Nodes[3].Path = "new.md"
	after.Links = after.Links[1:]
	after.Issues = append(after.Issues, after.Issues[0])
	d := skillmap.Compare(before, after)
	if paths(d.Nodes.Added) != "new.md" || paths(d.Nodes.Removed) != "a.md" {
		t.Errorf("nodes: %q added, %q removed", paths(d.Nodes.Added), paths(d.Nodes.Removed))
	}
	want := map[string]string{"b/agent.md": "body", "a/skill.md": "frontmatter", "a/doc.md": "both"}
	for _, c := range d.Nodes.Changed {
		if want[c.After.Path] != c.Reason {
			t.Errorf("%s changed by %q, want %q", c.After.Path, c.Reason, want[c.After.Path])
		}
	}
	if len(d.Nodes.Changed) != 3 || len(d.Links.Removed) != 1 || len(d.Links.Added) != 0 {
		t.Errorf("got %d changed nodes, links %+v", len(d.Nodes.Changed), d.Links)
	}
	if len(d.Issues.Added) != 1 || len(d.Issues.Removed) != 0 {
		t.Errorf("a second copy of an issue gives %+v, want one added", d.Issues)
	}
}

func TestIssueIdentityDoesNotMindTheOrderOfNodes(t *testing.T) {
	a := skillmap.Issue{AnalyzerID: "x", NodeIDs: []string{"b", "a"}, Message: "m"}
	b := skillmap.Issue{AnalyzerID: "x", NodeIDs: []string{"a", "b"}, Message: "m"}
	if a.Identity() != b.Identity() {
		t.Error("the order of nodes makes a difference")
	}
	if a.NodeIDs[0] != "b" {
		t.Error("asking for the identity sorted the issue's own list")
	}
}
