package scan

import (
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
)

// Graph is what the files say, joined: who names whom, and what does not fit.
type Graph struct {
	Lens  *provider.Provider
	Nodes []skillmap.Node
	Links []skillmap.Link // confidence 1, until check folds its scores in
	// Leads holds for each link the index of the node it resolved to, or -1.
	Leads []int
	// Broken lists the links, by index, that lead to nothing that exists.
	Broken []int
	// Kernel are the issues found while reading: of heads, backticks and
	// sidecars, in node order.
	Kernel     []skillmap.Issue
	Lost       []Lost
	Reserved   []bool // for each node: its host keeps the name for itself
	Collisions []Collision
	Mismatches []Mismatch
	// SidecarKeys tells the order of keys in the sidecar of a node.
	SidecarKeys map[string]SidecarKeys
	// OrphanSidecars are paths of sidecars beside which no file stands.
	OrphanSidecars []string
	Oversized      []skillmap.SizedFile
	Truncated      bool // the ceiling was reached; files are missing
	FilesWalked    int
	// Read lists the nodes whose text was read and is not what the cache
	// held.
	Read     []string
	Warnings []Warning

	index map[string]int32
	names nameIndex
}

// SidecarKeys are keys of a sidecar in the order in which they are written.
// Some that are written in an odd way may be missing.
type SidecarKeys struct{ Root, Annotations []string }

// Lost is a signal that lost an overlap in the body of a node.
type Lost struct {
	Source string
	extract.Rejected
}

// Collision is a name that two or more nodes claim, one of them in so many
// words.
type Collision struct {
	Name   string
	Claims []Claim // in node order
}

// Claim is a node's right to a name.
type Claim struct {
	Path   string
	Kind   string
	Source provider.Source
}

// Mismatch is a node that declares another name than its path gives it.
type Mismatch struct {
	Path, Kind        string
	Severity          skillmap.Severity
	Declared, Derived string
	DerivedFrom       provider.Source
}

// Named reports whether any node goes by a name in normal form.
func (g *Graph) Named(name string) bool { return g.names.has(name) }

// Index finds a node by its path, -1 when there is none.
func (g *Graph) Index(path string) int {
	if i, ok := g.index[path]; ok {
		return int(i)
	}
	return -1
}
