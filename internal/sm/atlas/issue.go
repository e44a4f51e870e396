package atlas

import (
	"context"
	"slices"
	"strconv"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm/store"
)

// IssueFilter selects issues; an empty list admits everything. An unknown
// severity matches nothing. Analyzers are short ids or qualified ones.
type IssueFilter struct {
	Severities, Analyzers, Nodes []string
	Offset, Limit                int // Limit 0: all
}

// IssueList is a page of issues; Total counts them before paging.
type IssueList struct {
	Items []*Issue
	Total int
}

// AppendJSON writes {"items","total"}.
func (l *IssueList) AppendJSON(b []byte) []byte {
	b = slices.Grow(b, 32+sizeOf(l.Items))
	b = appendItems(append(b, `{"items":`...), l.Items)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(l.Total), 10)
	return append(b, '}')
}

// Issues answers which issues stand, in map order.
func (a *Atlas) Issues(ctx context.Context, f IssueFilter) (*IssueList, error) {
	if a.resident {
		s, err := a.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return s.Issues(f), nil
	}
	var list IssueList
	err := a.Read(ctx, func(tx *store.Tx) error {
		found, total, err := tx.Issues(ctx, store.IssueFilter(f))
		list.Items, list.Total = issueItems(found), total
		return err
	})
	if err != nil && fault.Code(err) != "db-missing" {
		return nil, err
	}
	return &list, nil
}

// Issues is Atlas.Issues on this map.
func (s *Snapshot) Issues(f IssueFilter) *IssueList {
	if len(f.Severities)+len(f.Analyzers)+len(f.Nodes) == 0 {
		some := page(s.issues, f.Offset, f.Limit)
		out := make([]*Issue, len(some))
		for i := range some {
			out[i] = &some[i]
		}
		return &IssueList{Items: out, Total: len(s.issues)}
	}
	var at []int32
	for _, i := range s.candidates(f.Nodes) {
		if f.admits(&s.result.Issues[i]) {
			at = append(at, i)
		}
	}
	return &IssueList{Items: pick(s.issues, page(at, f.Offset, f.Limit)), Total: len(at)}
}

// candidates are the issues about some nodes, or all of them. An issue may
// speak of a path that is no node, so such paths are looked for one by one.
func (s *Snapshot) candidates(nodes []string) []int32 {
	var at []int32
	for _, path := range nodes {
		n := s.at32(path)
		if n < 0 {
			at = nil
			break
		}
		at = append(at, s.about.of(n)...)
	}
	if at != nil || len(nodes) > 0 && s.all(nodes) {
		slices.Sort(at)
		return slices.Compact(at)
	}
	at = make([]int32, len(s.issues))
	for i := range at {
		at[i] = int32(i)
	}
	return at
}

// all reports whether every path is a node.
func (s *Snapshot) all(paths []string) bool {
	return !slices.ContainsFunc(paths, func(p string) bool { return s.at32(p) < 0 })
}

func (f *IssueFilter) admits(i *skillmap.Issue) bool {
	return (len(f.Severities) == 0 || slices.Contains(f.Severities, string(i.Severity))) &&
		(len(f.Analyzers) == 0 || skillmap.MatchAnalyzer(i.AnalyzerID, f.Analyzers...)) &&
		(len(f.Nodes) == 0 || slices.ContainsFunc(f.Nodes, i.Touches))
}

// issueItems gives issues their JSON.
func issueItems(issues []skillmap.Issue) []*Issue {
	out := make([]*Issue, len(issues))
	for i := range issues {
		out[i] = &Issue{Issue: &issues[i]}
	}
	return out
}
