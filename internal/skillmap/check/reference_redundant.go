package check

import (
	"cmp"
	"iter"
	"slices"

	"skillforge/internal/skillmap"
)

// referenceRedundant tells of nodes that one file names more than once.
func referenceRedundant(r *run) {
	for group := range sameEnd(r.g.Links) {
		if seen := sightings(group); len(seen) > 1 {
			r.redundant(group, seen)
		}
	}
}

// sameEnd gives the links of each file that lead to one node and occur more
// than once in all.
func sameEnd(links []skillmap.Link) iter.Seq[[]*skillmap.Link] {
	end := func(l *skillmap.Link) string { return l.ResolvedTarget }
	return func(yield func([]*skillmap.Link) bool) {
		for source := range bySource(links) {
			groups := groupsOf(source, end)
			for i := range source {
				l := &source[i]
				group, several := groups[l.ResolvedTarget]
				if !several {
					group = []*skillmap.Link{l}
				}
				first := group[0] == l
				if l.ResolvedTarget != "" && first && (several || len(l.Occurrences) > 1) && !yield(group) {
					return
				}
			}
		}
	}
}

type sighting struct {
	kind      skillmap.LinkKind
	trigger   string
	line      int // 0 when it has none
	extractor string
}

// sightings lists every occurrence of the links, by line, those without one
// last.
func sightings(group []*skillmap.Link) []sighting {
	var out []sighting
	for _, l := range group {
		if len(l.Occurrences) == 0 {
			out = append(out, sightingOf(l))
		}
		for i := range l.Occurrences {
			o := &l.Occurrences[i]
			s := sighting{kind: l.Kind, trigger: o.OriginalTrigger, extractor: o.Extractor}
			if o.Location != nil {
				s.line = o.Location.Line
			}
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b sighting) int {
		return cmp.Or(cmp.Compare(uint(a.line-1), uint(b.line-1)), readers(a.trigger, b.trigger))
	})
	return out
}

func sightingOf(l *skillmap.Link) sighting {
	s := sighting{kind: l.Kind}
	if l.Trigger != nil {
		s.trigger = l.Trigger.OriginalTrigger
	}
	if l.Location != nil {
		s.line = l.Location.Line
	}
	if len(l.Sources) > 0 {
		s.extractor = l.Sources[0]
	}
	return s
}

func (r *run) redundant(group []*skillmap.Link, seen []sighting) {
	l := group[0]
	list := make([]any, len(seen))
	for i, s := range seen {
		var line any
		if s.line > 0 {
			line = float64(s.line)
		}
		list[i] = map[string]any{"kind": string(s.kind), "trigger": s.trigger, "line": line, "extractor": s.extractor}
	}
	r.raise(skillmap.Issue{
		Severity: skillmap.Info, NodeIDs: []string{l.Source},
		Message: message(l.ResolvedTarget, linesOf(group...), "the file names this %d times; once is enough to find it", len(seen)),
		Fix:     fix("Keep the naming that helps most, and drop the others."),
		Data:    map[string]any{"target": l.ResolvedTarget, "resolvedTarget": l.ResolvedTarget, "occurrences": list},
	})
}
