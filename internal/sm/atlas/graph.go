package atlas

import (
	"context"
	"slices"
	"strconv"

	"skillforge/internal/skillmap"
)

// GraphQuery asks for a part of the map.
type GraphQuery struct {
	Query skillmap.Query
	Limit int // 0: 100; never more than the map's own cap
}

const defaultLimit = 100

// Graph is a closed part of the map: links stand in it whose both ends do, and
// issues about one of its nodes. Total counts the nodes that the query selects
// before the cut.
type Graph struct {
	Nodes     []*Node
	Links     []*Link
	Issues    []*Issue
	Total     int
	Truncated bool
}

// AppendJSON writes {"nodes","links","issues","total","truncated"}.
func (g *Graph) AppendJSON(b []byte) []byte {
	b = slices.Grow(b, 128+sizeOf(g.Nodes)+sizeOf(g.Links)+sizeOf(g.Issues))
	b = appendItems(append(b, `{"nodes":`...), g.Nodes)
	b = appendItems(append(b, `,"links":`...), g.Links)
	b = appendItems(append(b, `,"issues":`...), g.Issues)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(g.Total), 10)
	b = strconv.AppendBool(append(b, `,"truncated":`...), g.Truncated)
	return append(b, '}')
}

// QueryGraph answers which nodes a query selects, with the links among them
// and the issues about them, in map order.
func (a *Atlas) QueryGraph(ctx context.Context, q GraphQuery) (*Graph, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.Query(q), nil
}

// Query is Atlas.QueryGraph on this map. Its cost follows the answer, not the
// map: only globs look at more paths than they select.
func (s *Snapshot) Query(q GraphQuery) *Graph {
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	limit := skillmap.CapOf(q.Limit, s.result.MaxRenderNodes)
	nodes, total := s.selected(q.Query, limit)
	g := &Graph{Total: total, Truncated: total > len(nodes)}
	g.Nodes, g.Links, g.Issues = s.close(nodes)
	return g
}

// selected are the first nodes that a query selects, in map order, and how
// many it selects in all.
func (s *Snapshot) selected(q skillmap.Query, limit int) (nodes []int32, total int) {
	switch {
	case q.IsZero():
		n := min(limit, len(s.nodes))
		for i := range n {
			nodes = append(nodes, int32(i))
		}
		return nodes, len(s.nodes)
	case len(q.Paths) > 0:
		nodes = s.matching(q)
	case q.HasIssues && len(q.Kinds) == 0:
		nodes = s.flawed
	case q.HasIssues:
		nodes = s.among(s.flawed, q)
	default:
		nodes = s.ofKinds(q.Kinds)
	}
	return nodes[:min(limit, len(nodes))], len(nodes)
}

// ofKinds lists the nodes of some kinds.
func (s *Snapshot) ofKinds(kinds []string) []int32 {
	if len(kinds) == 1 {
		return s.kinds[kinds[0]]
	}
	var all []int32
	for i, k := range kinds {
		if !slices.Contains(kinds[:i], k) {
			all = append(all, s.kinds[k]...)
		}
	}
	slices.Sort(all)
	return all
}

// among lists the nodes of a list that a query selects.
func (s *Snapshot) among(list []int32, q skillmap.Query) []int32 {
	var out []int32
	for _, n := range list {
		node := &s.result.Nodes[n]
		if q.Admits(node.Path, node.Kind, s.isFlawed(n)) {
			out = append(out, n)
		}
	}
	return out
}

func (s *Snapshot) isFlawed(n int32) bool { return s.about.from[n] < s.about.from[n+1] }

// matching lists the nodes that a query with globs selects. A glob without
// stars is looked up, and one with a literal head looks only at paths that
// begin with it.
func (s *Snapshot) matching(q skillmap.Query) []int32 {
	var found []int32
	for _, g := range q.Paths {
		one := q
		one.Paths = []skillmap.Glob{g}
		from, to := s.under(g.Prefix)
		found = append(found, s.among(s.sorted[from:to], one)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// close lists the nodes with the links among them and the issues about them,
// each in map order. nodes need not be in order and are answered as they are.
func (s *Snapshot) close(nodes []int32) ([]*Node, []*Link, []*Issue) {
	keep := make(map[int32]bool, len(nodes))
	items := make([]*Node, len(nodes))
	for i, n := range nodes {
		keep[n] = true
		items[i] = &s.nodes[n]
	}
	var links, issues []int32
	for _, n := range nodes {
		for _, l := range s.out.of(n) {
			if end := s.at32(s.result.Links[l].End()); end >= 0 && keep[end] {
				links = append(links, l)
			}
		}
		issues = append(issues, s.about.of(n)...)
	}
	slices.Sort(links)
	slices.Sort(issues)
	return items, pick(s.links, links), pick(s.issues, slices.Compact(issues))
}

// pick lists pointers to some of the items.
func pick[T any](items []T, at []int32) []*T {
	out := make([]*T, len(at))
	for i, p := range at {
		out[i] = &items[p]
	}
	return out
}
