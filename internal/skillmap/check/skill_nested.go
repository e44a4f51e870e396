package check

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
)

// skillNested notes skills that hold another SKILL.md: it is a part of the
// outer one here and for most hosts, but Codex looks for skills in all folders
// and loads it as well, or skips it when it has no head.
func skillNested(r *run) {
	var outer []string
	inner := map[string][]string{}
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		if n.Kind != "markdown" || n.Virtual || !strings.EqualFold(path.Base(n.Path), "skill.md") {
			continue
		}
		skill := r.g.SkillOf(path.Dir(n.Path))
		if skill == "" {
			continue
		}
		if inner[skill] == nil {
			outer = append(outer, skill)
		}
		inner[skill] = append(inner[skill], n.Path)
	}
	severity := skillmap.Info
	if r.g.Lens.ID == "codex" {
		severity = skillmap.Warn
	}
	for _, skill := range outer {
		r.raise(skillmap.Issue{
			Severity: severity, NodeIDs: inner[skill],
			Message: message(skill, nil, "a part of this skill is called SKILL.md as well; Codex loads it as a skill of its own, or skips it when its head is not one"),
			Fix:     fix("Give the part another name, or move it out of the skill."),
			Data:    map[string]any{"target": skill},
		})
	}
}
