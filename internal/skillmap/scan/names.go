package scan

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// nameIndex finds the nodes that have a name. Names and nodes keep the order
// in which they came.
type nameIndex struct {
	at     map[string]int32
	lists  []nameList
	cells  []nameCell
	spaces map[string]bool // what stands before a colon
}

type nameList struct {
	name        string
	first, last int32 // cells
	shared      bool  // by two nodes
}

type nameCell struct {
	node   int32
	next   int32 // cell, or -1
	source provider.Source
}

func (x *nameIndex) add(name string, node int, source provider.Source) {
	cell := int32(len(x.cells))
	x.cells = append(x.cells, nameCell{int32(node), -1, source})
	at, ok := x.at[name]
	if !ok {
		x.at[name] = int32(len(x.lists))
		x.lists = append(x.lists, nameList{name: name, first: cell, last: cell})
		if space, _, ok := strings.Cut(name, ":"); ok {
			if x.spaces == nil {
				x.spaces = map[string]bool{}
			}
			x.spaces[space] = true
		}
		return
	}
	l := &x.lists[at]
	l.shared = l.shared || x.cells[l.last].node != int32(node)
	x.cells[l.last].next = cell
	l.last = cell
}

func (x *nameIndex) has(name string) bool {
	_, ok := x.at[name]
	return ok
}

// all goes through the nodes of a name; a node may come twice.
func (x *nameIndex) all(name string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at, ok := x.at[name]
		if !ok {
			return
		}
		for c := x.lists[at].first; c >= 0; c = x.cells[c].next {
			if !yield(x.cells[c].node) {
				return
			}
		}
	}
}

// judgeClaims notes a collision when two nodes claim a name and at least one
// declares it. Of one file under two paths, one claim counts.
func (s *scanner) judgeClaims(l *nameList) {
	var scopes []string
	for c := l.first; c >= 0; c = s.names.cells[c].next {
		scopes = appendNew(scopes, s.graph.places.scopeOf(&s.graph.Nodes[s.names.cells[c].node]))
	}
	for _, scope := range scopes {
		s.judgeClaimsIn(l, scope)
	}
}

func (s *scanner) judgeClaimsIn(l *nameList, scope string) {
	var claims []Claim
	declared := false
	nodes := map[int]int{} // index of the claim of a node
	for c := l.first; c >= 0; c = s.names.cells[c].next {
		cell := s.names.cells[c]
		at := int(cell.node)
		n := &s.graph.Nodes[at]
		if !s.declaresName(n) || n.Virtual && cell.source != provider.Name || s.graph.places.scopeOf(n) != scope {
			continue
		}
		declared = declared || cell.source == provider.Name
		if have, ok := nodes[at]; ok {
			if cell.source == provider.Name {
				claims[have].Source, claims[have].Text = cell.source, s.textOf(at, l.name, cell.source)
			}
			continue
		}
		nodes[at] = len(claims)
		claims = append(claims, Claim{Path: n.Path, Kind: n.Kind, Source: cell.source, Text: s.textOf(at, l.name, cell.source)})
	}
	if len(s.real) > 0 {
		claims = s.oneEach(claims)
	}
	if len(claims) < 2 || !declared {
		return
	}
	s.graph.Collisions = append(s.graph.Collisions, Collision{Name: l.name, Claims: claims})
}

// textOf is a name of a node as its source writes it.
func (s *scanner) textOf(node int, name string, source provider.Source) string {
	for _, id := range s.ids[node] {
		if id.Source == source && id.Normalized == name {
			return id.Text
		}
	}
	return ""
}

// oneEach keeps one claim of each file on disk, the one not made through a
// link where there is one.
func (s *scanner) oneEach(claims []Claim) []Claim {
	files := map[string]int{}
	var out []Claim
	for _, c := range claims {
		real, linked := s.realPath(c.Path)
		at, seen := files[real]
		switch {
		case !seen:
			files[real] = len(out)
			out = append(out, c)
		case !linked:
			out[at] = c
		}
	}
	return out
}

// realPath is where the file of a node stands, and whether a link leads there.
func (s *scanner) realPath(path string) (string, bool) {
	if real, ok := s.real[int(s.graph.index[path])]; ok {
		return real, true
	}
	for _, t := range s.trees {
		if d, ok := t.(disk); ok && exists(t, path) {
			if real, err := d.real("."); err == nil {
				return filepath.Join(real, filepath.FromSlash(path)), false
			}
		}
	}
	return path, false
}

func (s *scanner) kind(n *skillmap.Node) *provider.Kind {
	key := [2]string{n.Provider, n.Kind}
	k, ok := s.kinds[key]
	if !ok {
		if p := provider.ByID(n.Provider); p != nil {
			k = p.Kind(n.Kind)
		}
		s.kinds[key] = k
	}
	return k
}

func (s *scanner) declaresName(n *skillmap.Node) bool {
	k := s.kind(n)
	return k != nil && slices.Contains(k.Identifiers, provider.Name)
}

func (s *scanner) judgeMismatch(n *skillmap.Node, ids []provider.Identifier) {
	if len(ids) < 2 || ids[0].Source != provider.Name || n.Virtual || s.guessed[n.Path] {
		return
	}
	k := s.kind(n)
	if k == nil || k.Mismatch == "" {
		return
	}
	for _, id := range ids[1:] {
		if id.Source == provider.Namespaced || id.Normalized == "" || id.Normalized == ids[0].Normalized {
			continue
		}
		s.graph.Mismatches = append(s.graph.Mismatches, Mismatch{
			Path: n.Path, Kind: n.Kind, Severity: k.Mismatch,
			Declared: ids[0].Text, Derived: id.Text, DerivedFrom: id.Source,
		})
	}
}
