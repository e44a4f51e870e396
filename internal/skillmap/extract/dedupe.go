package extract

import "skillforge/internal/skillmap"

type identity4 struct {
	source, target, normalized string
	kind                       skillmap.LinkKind
}

// Dedupe joins links of one source, target, kind and normal form. The first
// keeps its place, raw text and trigger; it takes the higher confidence and
// gains the sources and occurrences of the others. The slice is reused.
func Dedupe(links []skillmap.Link) []skillmap.Link {
	first := make(map[identity4]int, len(links))
	out := links[:0]
	for i := range links {
		l := links[i]
		id := identity4{l.Source, l.Target, l.Normalized(), l.Kind}
		if at, seen := first[id]; seen {
			join(&out[at], &l)
			continue
		}
		first[id] = len(out)
		out = append(out, l)
	}
	return out
}

func join(into, from *skillmap.Link) {
	into.Confidence = max(into.Confidence, from.Confidence)
	for _, s := range from.Sources {
		into.Sources = appendNew(into.Sources, s)
	}
	into.Occurrences = append(into.Occurrences, from.Occurrences...)
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
