package check

import (
	"path"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
)

// skillUnknown notes words that a skill, agent or command hands work over to,
// that have the shape of the project's skills and are none of them: one part
// differs from the name of a skill that is there. Such a skill was most likely
// renamed. It is a guess, so it is a note, and no link. A name behind the wrong
// plugin is a warning.
func skillUnknown(r *run) {
	if len(r.g.Spoken) == 0 {
		return
	}
	families := map[string][]string{} // by first part
	known := map[string]bool{}
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Virtual {
			continue
		}
		folder := path.Base(path.Dir(n.Path))
		known[folder], known[strings.TrimSuffix(path.Base(n.Path), path.Ext(n.Path))] = true, true
		if n.Kind == "skill" {
			first, _, _ := strings.Cut(folder, "-")
			families[first] = append(families[first], folder)
		}
	}
	for _, s := range r.g.Spoken {
		if strings.Contains(s.Name, ":") {
			r.wrongSpace(s)
			continue
		}
		first, _, _ := strings.Cut(s.Name, "-")
		if known[s.Name] || r.g.Named(skillmap.Normalize(s.Name)) || len(families[first]) < 2 || r.ignored.has(s.Name) {
			continue
		}
		near := ""
		for _, name := range families[first] {
			if differInOne(s.Name, name) {
				if near != "" && near != name {
					near = ""
					break
				}
				near = name
			}
		}
		if near == "" {
			continue
		}
		r.raise(skillmap.Issue{
			Severity: skillmap.Info, NodeIDs: []string{s.Source},
			Message: message(s.Name, []int{s.Line}, "no skill has this name; `%s` is there, and differs in one word", near),
			Fix:     fix("If that is meant, write `%s`.", near),
			Data:    map[string]any{"target": s.Name, "near": near},
		})
	}
}

// wrongSpace warns of a qualified name whose skill is there, in other plugins.
func (r *run) wrongSpace(s scan.Spoken) {
	space, bare, _ := strings.Cut(s.Name, ":")
	if slices.Contains(labels, space) || r.g.Named(skillmap.Normalize(s.Name)) || r.ignored.has(s.Name) {
		return
	}
	names := r.g.Qualified(skillmap.Normalize(bare))
	if len(names) == 0 {
		return
	}
	r.raise(skillmap.Issue{
		Severity: skillmap.Warn, NodeIDs: []string{s.Source},
		Message: message(s.Name, []int{s.Line}, "the plugin before the colon has nothing of this name; there is %s", quoted(names)),
		Fix:     fix("Write `%s`.", names[0]),
		Data:    map[string]any{"target": s.Name, "near": names[0]},
	})
}

// labels are words before a colon that say what follows, and name no plugin.
var labels = []string{
	"agent", "branch", "command", "file", "hook", "id", "kind", "label", "mcp", "mode", "name", "plugin", "prompt", "resource", "role", "rule", "scope", "server",
	"skill", "source", "status", "step", "subagent", "tag", "task", "template", "tool", "topic", "type", "workflow",
}

// differInOne reports whether two names have the same parts but for one that
// is neither the first nor alone.
func differInOne(a, b string) bool {
	x, y := strings.Split(a, "-"), strings.Split(b, "-")
	if len(x) != len(y) || x[0] != y[0] {
		return false
	}
	n := 0
	for i := range x {
		if x[i] != y[i] {
			n++
		}
	}
	return n == 1
}
