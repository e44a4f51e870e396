package scan

import (
	"path"
	"strings"

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
	// Settings says of each link how it stands in the text.
	Settings []extract.Setting
	// Broken lists the links, by index, that lead to nothing that exists.
	Broken []int
	// Kernel are the issues found while reading: of heads, backticks and
	// sidecars, in node order.
	Kernel []skillmap.Issue
	Lost   []Lost
	// Spoken are words that look like names of skills, in node order.
	Spoken []Spoken
	// Signed lists the links, by index, that import a file and have a sign
	// right behind.
	Signed     []int
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

	// Aliases are other paths of files that stand on the map once, each with
	// the path of its node.
	Aliases map[string]string
	// Near tells of links that lead to a node only when read from elsewhere
	// than the file or the root: by index of the link.
	Near map[int]Reading

	reals  map[string]string // where files stand whose node is at a link
	index  map[string]int32
	names  nameIndex
	ids    [][]provider.Identifier // of each node
	places *places
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
	Text   string // the name as written
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

// HasFolder reports whether a folder holds a node, directly or not.
func (g *Graph) HasFolder(dir string) bool { return g.places.folders[dir] }

// InSkill reports whether a file lies in the folder of a skill.
func (g *Graph) InSkill(file string) bool { return g.places.inSkill(path.Dir(file)) }

// SkillOf is the folder of the skill that a file belongs to, empty for none.
func (g *Graph) SkillOf(file string) string { return g.places.skillOf(path.Dir(file)) }

// HasSpace reports whether a node goes by a name under a prefix, such as
// "team" of "team:deploy". The prefix is in normal form.
func (g *Graph) HasSpace(prefix string) bool {
	return prefix != "" && g.names.spaces[prefix]
}

// Qualified lists the names that end in a colon and the given one, in normal
// form, as they are written.
func (g *Graph) Qualified(name string) []string {
	var out []string
	for at := range g.names.all(name) {
		for i := range g.ids[at] {
			if id := &g.ids[at][i]; strings.HasSuffix(id.Normalized, ":"+name) {
				out = appendNew(out, id.Text)
			}
		}
	}
	return out
}

// NearName is a name that differs from the given one, in normal form, in at
// most two letters; empty when there is none.
func (g *Graph) NearName(name string) string {
	for i := range g.names.lists {
		l := &g.names.lists[i]
		if l.name != name && distance(l.name, name, 2) <= 2 {
			return l.name
		}
	}
	return ""
}

// distance is how many letters must be put in, taken out or changed to make b
// of a; more than most when it is more.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var room [64]int // enough for nearly every name
	row := room[:]
	if len(b) >= len(room) {
		row = make([]int, len(b)+1)
	}
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
