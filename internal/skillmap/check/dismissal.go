package check

import (
	"slices"

	"skillforge/internal/skillmap/scan"
)

// dismissal is a standing wish of a node not to hear of a flagged value.
type dismissal struct{ analyzer, value string }

// dismissals reads those of every node from its sidecar.
func dismissals(g *scan.Graph) map[string][]dismissal {
	out := map[string][]dismissal{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !n.Sidecar.Present {
			continue
		}
		notes, _ := n.Sidecar.Root["annotations"].(map[string]any)
		if notes == nil {
			notes = n.Sidecar.Annotations
		}
		list, _ := notes["issueSuppressions"].([]any)
		for _, e := range list {
			m, _ := e.(map[string]any)
			analyzer, _ := m["analyzer"].(string)
			value, _ := m["value"].(string)
			if analyzer != "" && value != "" {
				out[n.Path] = append(out[n.Path], dismissal{analyzer, value})
			}
		}
	}
	return out
}

// isDismissed reports whether one of the nodes dismisses the value for the
// rule at work.
func (r *run) isDismissed(nodes []string, value string) bool {
	if value == "" || len(r.dismissed) == 0 {
		return false
	}
	return slices.ContainsFunc(nodes, func(node string) bool {
		return slices.ContainsFunc(r.dismissed[node], func(d dismissal) bool {
			return d.value == value && (d.analyzer == r.rule.ID || d.analyzer == r.rule.Short())
		})
	})
}
