package check

import (
	"cmp"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// linkKindConflict warns of a target that one file names in several ways, such
// as a command that it both runs and links to. Pointers in code do not count.
func linkKindConflict(r *run) {
	target := func(l *skillmap.Link) string {
		if l.Kind == skillmap.Points {
			return ""
		}
		return l.Target
	}
	for group := range repeated(r.g.Links, target, ofSeveralKinds) {
		if kinds := variants(group); len(kinds) > 1 {
			r.kindConflict(group, kinds)
		}
	}
}

// ofSeveralKinds reports whether the links are not all of one kind.
func ofSeveralKinds(links []skillmap.Link) bool {
	for i := range links {
		if links[i].Kind != links[0].Kind {
			return true
		}
	}
	return false
}

type variant struct {
	kind       skillmap.LinkKind
	sources    []string
	confidence float64
}

func variants(group []*skillmap.Link) []variant {
	kinds := map[skillmap.LinkKind]*variant{}
	for _, l := range group {
		v := kinds[l.Kind]
		if v == nil {
			v = &variant{kind: l.Kind}
			kinds[l.Kind] = v
		}
		v.sources = append(v.sources, l.Sources...)
		v.confidence = max(v.confidence, l.Confidence)
	}
	var out []variant
	for _, v := range kinds {
		slices.Sort(v.sources)
		v.sources = slices.Compact(v.sources)
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b variant) int { return cmp.Compare(a.kind, b.kind) })
	return out
}

func (r *run) kindConflict(group []*skillmap.Link, kinds []variant) {
	l := group[0]
	var list []any
	var words []string
	for _, v := range kinds {
		list = append(list, map[string]any{"kind": string(v.kind), "sources": anys(v.sources), "confidence": v.confidence})
		words = append(words, noun(v.kind))
	}
	r.raise(skillmap.Issue{
		Severity: skillmap.Warn, NodeIDs: []string{l.Source, l.Target},
		Message: message(l.Target, linesOf(group...), "the file names this in more than one way (%s); readers and agents cannot tell which is meant", strings.Join(words, ", ")),
		Fix:     fix("Keep one way of naming `%s`.", l.Target),
		Data:    map[string]any{"source": l.Source, "target": l.Target, "variants": list},
	})
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
