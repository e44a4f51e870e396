package check

import (
	"path"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// skillUnloaded reports folders of skills that belong to another host: the one
// of the lens does not look there. Copies for other hosts of skills that it
// does load are no loss.
func skillUnloaded(r *run) {
	if len(r.g.Lens.SkillFolders) == 0 {
		return
	}
	loaded := map[string]bool{}
	for i := range r.g.Nodes {
		if n := &r.g.Nodes[i]; n.Kind == "skill" && loads(r.g.Lens.SkillFolders, n.Path) {
			loaded[path.Base(path.Dir(n.Path))] = true
		}
	}
	var folders []string
	lost := map[string][]string{}
	for i := range r.g.Nodes {
		n := &r.g.Nodes[i]
		dir := hostSkills(n.Path)
		if n.Kind != "skill" || n.Provider != "markdown" || dir == "" || loads(r.g.Lens.SkillFolders, n.Path) || loaded[path.Base(path.Dir(n.Path))] {
			continue
		}
		if lost[dir] == nil {
			folders = append(folders, dir)
		}
		lost[dir] = append(lost[dir], n.Path)
	}
	for _, dir := range folders {
		r.raise(skillmap.Issue{
			Severity: skillmap.Info, NodeIDs: lost[dir],
			Message: message(dir, nil, "%s loads no skills from here; it loads those in %s", host(r.g.Lens.ID), quoted(r.g.Lens.SkillFolders)),
			Fix:     fix("Move the skills to `%s`, or link it there.", r.g.Lens.SkillFolders[0]),
			Data:    map[string]any{"target": dir, "loads": anys(r.g.Lens.SkillFolders)},
		})
	}
}

// hostSkills is the folder of skills of some host at the root that a file lies
// in, empty for none.
func hostSkills(name string) string {
	parts := strings.SplitN(name, "/", 4)
	if len(parts) < 4 || !slices.Contains(hostFolders, parts[0]) || parts[1] != "skills" && parts[1] != "skill" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

// hostFolders are those of hosts that know skills.
var hostFolders = []string{
	".agent", ".agents", ".augment", ".claude", ".cline", ".codex", ".cursor", ".factory", ".gemini", ".github", ".goose", ".junie",
	".kilocode", ".kiro", ".opencode", ".pi", ".qwen", ".roo", ".trae", ".windsurf",
}

func loads(folders []string, name string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(name, dir+"/") })
}
