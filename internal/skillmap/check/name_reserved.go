package check

import "skillforge/internal/skillmap"

// distrust is how much a link loses that leads to a name its host keeps.
const distrust = -0.9

// nameReserved warns of nodes whose name their host keeps for itself, and of
// links to them, which it trusts less.
func nameReserved(r *run) {
	for i := range r.g.Nodes {
		if r.g.Reserved[i] {
			r.reservedNode(&r.g.Nodes[i])
		}
	}
	for i := range r.g.Links {
		if to := r.g.Leads[i]; to >= 0 && r.g.Reserved[to] && !isHeld(&r.g.Links[i]) {
			r.adjust(i, "delta", distrust)
			r.reservedLink(&r.g.Links[i], &r.g.Nodes[to])
		}
	}
}

// isHeld reports whether a link is one by which a manifest holds a node,
// whatever that is called.
func isHeld(l *skillmap.Link) bool { return len(l.Sources) > 0 && l.Sources[0] == "manifest" }

func (r *run) reservedNode(n *skillmap.Node) {
	r.raise(skillmap.Issue{
		Severity: skillmap.Warn, NodeIDs: []string{n.Path},
		Message: message(n.Path, nil, "the %s has a name that %s keeps for itself; the host takes its own instead", thing(n.Kind), host(n.Provider)),
		Fix:     fix("Give the %s a name that %s does not use.", thing(n.Kind), host(n.Provider)),
		Data:    map[string]any{"provider": n.Provider, "kind": n.Kind, "surface": "target"},
	})
}

// reservedLink is a warning for who calls the name and gets the host's own. Who
// names the path of the file gets the file: that is a note.
func (r *run) reservedLink(l *skillmap.Link, to *skillmap.Node) {
	severity := skillmap.Warn
	if l.Kind == skillmap.Points || l.Kind == skillmap.References {
		severity = skillmap.Info
	}
	r.raise(skillmap.Issue{
		Severity: severity, NodeIDs: []string{l.Source},
		Message: message(l.Target, linesOf(l), "the %s means `%s`, but %s keeps that name for itself; the host takes its own instead", noun(l.Kind), to.Path, host(to.Provider)),
		Fix:     fix("Rename `%s`, and this %s with it.", to.Path, noun(l.Kind)),
		Data: map[string]any{
			"target": l.Target, "kind": string(l.Kind), "surface": "source",
			"reservedPath": to.Path, "reservedProvider": to.Provider, "reservedKind": to.Kind,
		},
	})
}
