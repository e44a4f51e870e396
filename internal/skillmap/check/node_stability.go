package check

import "skillforge/internal/skillmap"

// nodeStability warns of nodes that are marked deprecated, in the sidecar or,
// as older files do it, in the metadata of their head.
func nodeStability(r *run) {
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if stability(n) != "deprecated" {
			continue
		}
		r.raise(skillmap.Issue{
			Severity: skillmap.Warn, NodeIDs: []string{n.Path},
			Message: message(n.Path, nil, "the %s is marked deprecated; what relies on it should move on", thing(n.Kind)),
			Data:    map[string]any{"stability": "deprecated"},
		})
	}
}

func stability(n *skillmap.Node) string {
	if s, ok := n.Sidecar.Annotations["stability"].(string); ok {
		return s
	}
	meta, _ := n.Frontmatter["metadata"].(map[string]any)
	s, _ := meta["stability"].(string)
	return s
}
