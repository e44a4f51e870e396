package skillmap

import (
	"sort"
	"strings"

	"skillforge/internal/fault"
)

// BranchRequest says which part of the tree of paths to draw: overrides that
// show or hide a path and everything below it, the nearest one winning.
type BranchRequest struct {
	// Include and Exclude are paths taken verbatim: a trailing slash or a
	// leading "./" matches nothing.
	Include, Exclude []string
	// ExcludeRoot hides what no override speaks of. Nil infers it: true when
	// some include has no exclude above it.
	ExcludeRoot *bool
	// Limit lowers the number of nodes; 0 leaves it at the map's own cap.
	Limit int
}

// BranchInfo says what a branch holds.
type BranchInfo struct {
	Paths        []string `json:"paths"`
	Excluded     []string `json:"excluded"`
	RootExcluded bool     `json:"rootExcluded"`
	Total        int      `json:"total"` // nodes in scope
	Rendered     int      `json:"rendered"`
	Truncated    bool     `json:"truncated"`
	Cap          int      `json:"cap"`
}

// Scope is a BranchRequest made ready: a pure predicate on paths.
type Scope struct {
	Include, Exclude []string // without empty and repeated ones
	RootExcluded     bool
}

// NewScope makes a request ready. The fault is Invalid when one path stands
// in both lists.
func NewScope(in BranchRequest) (Scope, error) {
	s := Scope{Include: distinct(in.Include), Exclude: distinct(in.Exclude)}
	for _, e := range s.Exclude {
		for _, i := range s.Include {
			if e == i {
				return Scope{}, fault.New(fault.Invalid, "The path %q is both included and excluded; name it in one list only.", e)
			}
		}
	}
	s.RootExcluded = s.infersExcludedRoot()
	if in.ExcludeRoot != nil {
		s.RootExcluded = *in.ExcludeRoot
	}
	return s, nil
}

func (s Scope) infersExcludedRoot() bool {
	for _, i := range s.Include {
		if !below(s.Exclude, i) {
			return true
		}
	}
	return false
}

// below reports whether path lies strictly under one of the folders.
func below(folders []string, path string) bool {
	for _, f := range folders {
		if strictlyUnder(f, path) {
			return true
		}
	}
	return false
}

func strictlyUnder(folder, path string) bool {
	return len(path) > len(folder) && path[len(folder)] == '/' && strings.HasPrefix(path, folder)
}

// covers reports whether path is the override or lies under it.
func covers(override, path string) bool {
	return override == path || strictlyUnder(override, path)
}

// IsAll reports whether every path is in scope.
func (s Scope) IsAll() bool { return !s.RootExcluded && len(s.Exclude) == 0 }

// IsEmpty reports whether no path can be in scope.
func (s Scope) IsEmpty() bool { return s.RootExcluded && len(s.Include) == 0 }

// Ranked reports whether nodes are ordered by the include that admits them
// before their path.
func (s Scope) Ranked() bool { return s.RootExcluded && len(s.Include) >= 2 }

// Admits reports whether the path is in scope, and the index of the first
// include that admits it, len(Include) when none does.
func (s Scope) Admits(path string) (rank int, ok bool) {
	for i, in := range s.Include {
		if covers(in, path) && !s.hiddenWithin(in, path) {
			return i, true
		}
	}
	return len(s.Include), !s.RootExcluded && !s.excluded(path)
}

// hiddenWithin reports whether an exclude that lies inside the include hides
// the path again.
func (s Scope) hiddenWithin(include, path string) bool {
	for _, e := range s.Exclude {
		if strictlyUnder(include, e) && covers(e, path) {
			return true
		}
	}
	return false
}

func (s Scope) excluded(path string) bool {
	for _, e := range s.Exclude {
		if covers(e, path) {
			return true
		}
	}
	return false
}

// CapOf is the number of nodes a read may hand out: the limit where one is
// given, never more than the map's own cap.
func CapOf(limit, most int) int {
	if limit == 0 {
		return most
	}
	return min(max(1, limit), most)
}

// Info describes the branch of which total nodes are in scope.
func (s Scope) Info(total, limit int) BranchInfo {
	return BranchInfo{
		Paths: s.Include, Excluded: s.Exclude, RootExcluded: s.RootExcluded,
		Total: total, Rendered: min(total, limit), Truncated: total > limit, Cap: limit,
	}
}

// Branch returns the part of the map that the request has in scope, cut at
// the cap. Nodes are in byte order of their paths; with a hidden root and
// several includes, in the order of the includes first. The fault is Invalid
// when one path is both included and excluded.
func Branch(r *ScanResult, in BranchRequest) (BranchInfo, Subgraph, error) {
	s, err := NewScope(in)
	if err != nil {
		return BranchInfo{}, Subgraph{}, err
	}
	type seat struct{ rank, node int }
	var seats []seat
	for i := range r.Nodes {
		if rank, ok := s.Admits(r.Nodes[i].Path); ok {
			seats = append(seats, seat{rank, i})
		}
	}
	sort.SliceStable(seats, func(a, b int) bool {
		if s.Ranked() && seats[a].rank != seats[b].rank {
			return seats[a].rank < seats[b].rank
		}
		return r.Nodes[seats[a].node].Path < r.Nodes[seats[b].node].Path
	})
	info := s.Info(len(seats), CapOf(in.Limit, r.MaxRenderNodes))
	keep := map[string]bool{}
	out := Subgraph{Nodes: []Node{}, Links: []Link{}, Issues: []Issue{}}
	for _, seat := range seats[:info.Rendered] {
		keep[r.Nodes[seat.node].Path] = true
		out.Nodes = append(out.Nodes, r.Nodes[seat.node])
	}
	out.close(r, keep)
	return info, out, nil
}

// distinct drops empty and repeated strings and keeps the first of each.
func distinct(in []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, s := range in {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
