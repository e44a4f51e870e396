package check

import (
	"maps"
	"slices"

	"skillforge/internal/skillmap"
)

var (
	annotationKeys = []string{
		"version", "stability", "authors", "license", "source", "sourceVersion", "tags", "docsUrl", "suppressions", "issueSuppressions",
	}
	rootKeys = []string{"identity", "annotations", "settings", "audit"}
)

// annotationFieldUnknown warns of keys in sidecars that nothing reads, such as
// a misspelt one.
func annotationFieldUnknown(r *run) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Sidecar.Root == nil {
			continue
		}
		notes, _ := n.Sidecar.Root["annotations"].(map[string]any)
		order := r.g.SidecarKeys[n.Path]
		for _, key := range inOrder(notes, order.Annotations) {
			if !slices.Contains(annotationKeys, key) {
				r.unknownField(n, "annotations", key, "no annotation has this name")
			}
		}
		for _, key := range inOrder(n.Sidecar.Root, order.Root) {
			if !slices.Contains(rootKeys, key) && !slices.Contains(r.opt.Plugins, key) {
				r.unknownField(n, "root", key, "no part of a sidecar and no plugin has this name")
			}
		}
	}
}

// inOrder lists the keys of m as they are written, others after them by name.
func inOrder(m map[string]any, written []string) []string {
	var out []string
	for _, k := range written {
		if _, ok := m[k]; ok {
			out = append(out, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(written, k) {
			out = append(out, k)
		}
	}
	return out
}

func (r *run) unknownField(n *skillmap.Node, surface, key, why string) {
	r.raise(skillmap.Issue{
		Severity: skillmap.Warn, NodeIDs: []string{n.Path},
		Message: message(key, nil, "nothing reads this key of the sidecar; %s", why),
		Data:    map[string]any{"surface": surface, "key": key},
	})
}
