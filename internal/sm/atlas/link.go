package atlas

import (
	"context"
	"slices"

	"skillforge/internal/skillmap"
)

// LinkFilter selects links; an empty field admits everything.
type LinkFilter struct {
	Kinds    []string
	From, To string // To is where the link leads, or its raw target
}

func (f *LinkFilter) admits(l *skillmap.Link) bool {
	return (len(f.Kinds) == 0 || slices.Contains(f.Kinds, string(l.Kind))) &&
		(f.From == "" || l.Source == f.From) && (f.To == "" || l.Target == f.To || l.ResolvedTarget == f.To)
}

// Links lists links in map order.
func (a *Atlas) Links(ctx context.Context, f LinkFilter) ([]*Link, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if n := s.at32(f.From); f.From != "" && n >= 0 {
		return filterLinks(pick(s.links, s.out.of(n)), f), nil
	}
	out := []*Link{}
	for i := range s.links {
		if f.admits(s.links[i].Link) {
			out = append(out, &s.links[i])
		}
	}
	return out, nil
}

func filterLinks(links []*Link, f LinkFilter) []*Link {
	return slices.DeleteFunc(links, func(l *Link) bool { return !f.admits(l.Link) })
}

// linkItems gives links their JSON.
func linkItems(links []skillmap.Link) []*Link {
	out := make([]*Link, len(links))
	for i := range links {
		out[i] = &Link{Link: &links[i]}
	}
	return out
}
