package provider

import "skillforge/internal/skillmap"

func agentSkills() *Provider {
	return &Provider{
		ID: "agent-skills", Label: "Standard: Agent skills",
		Look: Look{Color: "#64748b", ColorDark: "#94a3b8"}, Fallback: true,
		Markers:  []string{".agents"},
		Reads:    []Read{{Suffix: ".md", Parser: YAML}},
		Scaffold: Scaffold{SkillDir: ".agents/skills"},
		Kinds:    []*Kind{openSkillKind(nil)},
		resolves: map[skillmap.LinkKind][]string{skillmap.Invokes: {"skill"}},
		classify: func(path string) string {
			if openSkill(path) {
				return "skill"
			}
			return ""
		},
	}
}

// openSkillKind is a skill of the open standard, which several hosts read.
func openSkillKind(reserved []string) *Kind {
	return &Kind{
		Name: "skill", Label: "Skills", Look: skillLook,
		Identifiers: []Source{Name, Dirname}, Mismatch: skillmap.Warn,
		Reserved: reserved, schema: openSkillSchema,
	}
}

var openSkillSchema = &schema{
	required: []string{"name", "description"},
	fields: []field{
		{"name", skillName},
		{"description", textUpTo(1024)},
		{"license", text},
		{"compatibility", textUpTo(500)},
		{"metadata", mapOf(text)},
		{"allowed-tools", text},
	},
}
