package check

import (
	"iter"

	"skillforge/internal/skillmap"
)

// bySource cuts links into runs of one source; they come in node order.
func bySource(links []skillmap.Link) iter.Seq[[]skillmap.Link] {
	return func(yield func([]skillmap.Link) bool) {
		for len(links) > 0 {
			n := 1
			for n < len(links) && links[n].Source == links[0].Source {
				n++
			}
			if !yield(links[:n]) {
				return
			}
			links = links[n:]
		}
	}
}

// repeated gives the links of each file worth a look that share a key, where
// two or more do, first seen first. An empty key is none.
func repeated(links []skillmap.Link, key func(*skillmap.Link) string, worth func([]skillmap.Link) bool) iter.Seq[[]*skillmap.Link] {
	return func(yield func([]*skillmap.Link) bool) {
		for source := range bySource(links) {
			if !worth(source) {
				continue
			}
			groups := groupsOf(source, key)
			for i := range source {
				group := groups[key(&source[i])]
				if len(group) > 0 && group[0] == &source[i] && !yield(group) {
					return
				}
			}
		}
	}
}

// few is how many links are compared with each other rather than sorted into
// a map.
const few = 12

// groupsOf gives the links of one file by key, where two or more share it; nil
// when none do.
func groupsOf(links []skillmap.Link, key func(*skillmap.Link) string) map[string][]*skillmap.Link {
	if len(links) <= few && !anyTwo(links, key) {
		return nil
	}
	count := make(map[string]int, len(links))
	for i := range links {
		count[key(&links[i])]++
	}
	var out map[string][]*skillmap.Link
	for i := range links {
		k := key(&links[i])
		if k == "" || count[k] < 2 {
			continue
		}
		if out == nil {
			out = map[string][]*skillmap.Link{}
		}
		out[k] = append(out[k], &links[i])
	}
	return out
}

func anyTwo(links []skillmap.Link, key func(*skillmap.Link) string) bool {
	for i := range links {
		k := key(&links[i])
		for j := range links[:i] {
			if k != "" && key(&links[j]) == k {
				return true
			}
		}
	}
	return false
}
