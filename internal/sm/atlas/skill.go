package atlas

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/skillmap/scan"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
)

// skillPrefix begins the ids of skill actions.
const skillPrefix = job.SkillPrefix

// skillFolder is where a project keeps the skills that can be applied to its
// files, inside .skill-map.
var skillFolder = filepath.Join(".agents", "skills")

// SkillAction is a skill of the project that can be applied to a file.
type SkillAction struct {
	Extension job.Extension
	Skill     job.Skill
}

// SkillActions lists the skills that are offered as actions, by id; none while
// the setting skillActions.enabled is off. What is no skill is left out with a
// warning in the log.
func (a *Atlas) SkillActions() []SkillAction { return a.skillActions(a.Settings()) }

func (a *Atlas) skillActions(s *config.Settings) []SkillAction {
	if !s.SkillActions.Enabled {
		return nil
	}
	entries, err := os.ReadDir(a.project.Inside(skillFolder))
	if err != nil {
		return nil
	}
	var out []SkillAction
	for _, e := range entries {
		if !e.IsDir() { // a link too: mirrors of other folders are not ours
			continue
		}
		act, why := a.readSkill(e.Name())
		if why != "" {
			a.log.Warn("a skill is not offered as an action", "skill", e.Name(), "why", why)
			continue
		}
		out = append(out, act)
	}
	slices.SortFunc(out, func(x, y SkillAction) int { return strings.Compare(x.Extension.ID, y.Extension.ID) })
	return out
}

// skillAction finds the skill that an id such as "skill:release" names.
func (a *Atlas) skillAction(s *config.Settings, id string) (job.Extension, *job.Skill, bool) {
	if !strings.HasPrefix(id, skillPrefix) {
		return job.Extension{}, nil, false
	}
	for _, act := range a.skillActions(s) {
		if act.Extension.ID == id {
			return act.Extension, &act.Skill, true
		}
	}
	return job.Extension{}, nil, false
}

// readSkill reads one folder; why says what keeps it from being an action.
func (a *Atlas) readSkill(folder string) (act SkillAction, why string) {
	text, err := takeFrom(a.project.Inside(filepath.Join(skillFolder, folder)), "SKILL.md", false)
	if err != nil {
		return act, "SKILL.md cannot be read"
	}
	taken := scan.Take("agent-skills", "SKILL.md", text)
	name, description := textOf(taken.Frontmatter, "name"), textOf(taken.Frontmatter, "description")
	act.Skill = job.Skill{Name: name, Version: versionOf(taken.Frontmatter), Body: strings.TrimSpace(taken.Body)}
	switch {
	case name == "" || description == "":
		return act, "it needs a name and a description"
	case act.Skill.Body == "":
		return act, "it says nothing"
	case !act.Skill.Quotable():
		return act, "it writes {{userContent}} or <user-content, which mean something in a job"
	}
	if act.Extension, err = job.SkillAction(folder, description, act.Skill); err != nil {
		return act, err.Error()
	}
	return act, ""
}

func textOf(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return strings.TrimSpace(s)
}

func versionOf(frontmatter map[string]any) string {
	if v := textOf(frontmatter, "version"); v != "" {
		return v
	}
	if meta, ok := frontmatter["metadata"].(map[string]any); ok {
		if v := textOf(meta, "version"); v != "" {
			return v
		}
	}
	return "0.0.0"
}
