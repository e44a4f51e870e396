package atlas

import (
	"context"
	"encoding/json"
	"slices"
	"sort"

	"skillforge/internal/skillmap"
)

// Branch is the part of the map under some paths.
type Branch struct {
	Info   skillmap.BranchInfo
	Nodes  []*Node
	Links  []*Link
	Issues []*Issue
}

// AppendJSON writes {"branch","nodes","links","issues"}.
func (b *Branch) AppendJSON(dst []byte) []byte {
	info, err := json.Marshal(b.Info)
	if err != nil {
		panic(err) // strings and numbers only
	}
	dst = slices.Grow(dst, 64+len(info)+sizeOf(b.Nodes)+sizeOf(b.Links)+sizeOf(b.Issues))
	dst = append(append(dst, `{"branch":`...), info...)
	dst = appendItems(append(dst, `,"nodes":`...), b.Nodes)
	dst = appendItems(append(dst, `,"links":`...), b.Links)
	dst = appendItems(append(dst, `,"issues":`...), b.Issues)
	return append(dst, '}')
}

// Branch answers what lies under some paths. The fault is Invalid when one
// path is both included and excluded.
func (a *Atlas) Branch(ctx context.Context, in skillmap.BranchRequest) (*Branch, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.Branch(in)
}

// Branch is Atlas.Branch on this map.
func (s *Snapshot) Branch(in skillmap.BranchRequest) (*Branch, error) {
	scope, err := skillmap.NewScope(in)
	if err != nil {
		return nil, err
	}
	nodes := s.scoped(scope)
	limit := skillmap.CapOf(in.Limit, s.result.MaxRenderNodes)
	b := &Branch{Info: scope.Info(len(nodes), limit)}
	b.Nodes, b.Links, b.Issues = s.close(nodes[:b.Info.Rendered])
	return b, nil
}

// scoped lists the nodes in scope, in the order of the branch.
func (s *Snapshot) scoped(scope skillmap.Scope) []int32 {
	switch {
	case scope.IsEmpty():
		return nil
	case scope.IsAll():
		return s.sorted
	}
	var found []int32
	rank := map[int32]int{}
	for _, n := range s.reach(scope) {
		if r, ok := scope.Admits(s.path(n)); ok {
			found = append(found, n)
			rank[n] = r
		}
	}
	if scope.Ranked() {
		sort.SliceStable(found, func(a, b int) bool { return rank[found[a]] < rank[found[b]] })
	}
	return found
}

// reach lists, in order of paths, the nodes that may be in scope: where the
// root is hidden, those at or under an include.
func (s *Snapshot) reach(scope skillmap.Scope) []int32 {
	if !scope.RootExcluded {
		return s.sorted
	}
	var at []int // positions in s.sorted
	for _, in := range scope.Include {
		if from, to := s.under(in); from < to && s.path(s.sorted[from]) == in {
			at = append(at, from)
		}
		from, to := s.under(in + "/")
		for i := from; i < to; i++ {
			at = append(at, i)
		}
	}
	sort.Ints(at)
	at = slices.Compact(at)
	out := make([]int32, len(at))
	for i, p := range at {
		out[i] = s.sorted[p]
	}
	return out
}
