package job

import (
	"strings"
)

// SkillPrefix begins the id of an action that applies a skill of the project.
const SkillPrefix = "skill:"

// SkillAction is the action that applies a skill to a file; folder is where
// the skill lies. The fault is Invalid for a skill whose text would break out
// of its place in the job.
func SkillAction(folder, description string, s Skill) (Extension, error) {
	e := Extension{
		ID: SkillPrefix + folder, Version: s.Version, Kind: Action, Description: description, ExpectedSeconds: 120, Stability: "stable", Default: true,
		Prompt: strings.NewReplacer("<name>", s.Name, "<version>", s.Version).Replace(prompt("skill")), ReportSchema: SkillSchema(),
	}
	return e, CheckTemplate(e.Prompt)
}

// Quotable reports whether the text of a skill can stand in a job: it writes
// neither the placeholder nor the tag, whose meanings are the renderer's.
func (s Skill) Quotable() bool {
	text := s.Name + "\n" + s.Version + "\n" + s.Body
	return !strings.Contains(text, Placeholder) && !openTag.MatchString(text)
}
