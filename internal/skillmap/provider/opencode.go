package provider

import "skillforge/internal/skillmap"

func opencode() *Provider {
	return &Provider{
		ID: "opencode", Label: "OpenCode",
		Look: Look{Color: "#0891b2", ColorDark: "#22d3ee"}, Sigil: "/", Beta: true,
		Markers: []string{".opencode"}, Subsumes: []string{"claude"},
		Reads:  []Read{{Suffix: ".md", Parser: YAML}},
		Config: "opencode.json",
		Register: &Register{
			Target: "~/.config/opencode/opencode.json",
			Document: map[string]any{
				"$schema": "https://opencode.ai/config.json",
				"mcp": map[string]any{
					"skill-map": map[string]any{"type": "remote", "url": "{{url}}", "enabled": true},
				},
			},
		},
		Scaffold:     Scaffold{SkillDir: ".agents/skills", SharedWith: "agent-skills"},
		SkillFolders: []string{".opencode/skills", ".opencode/skill", ".claude/skills", ".agents/skills"},
		Kinds: []*Kind{
			{
				Name: "agent", Label: "Agents", Look: agentLook,
				Identifiers: []Source{Basename}, schema: opencodeAgent,
			},
			{
				Name: "command", Label: "Commands", Look: commandLook,
				Identifiers: []Source{Basename}, schema: opencodeCommand,
				Reserved: append([]string{"init", "redo", "share", "undo"}, sharedNames...),
			},
			openSkillKind(nil),
		},
		resolves: map[skillmap.LinkKind][]string{skillmap.Invokes: {"command"}},
		classify: func(path string) string {
			switch {
			case fileAt(path, ".opencode/agent"), fileAt(path, ".opencode/agents"):
				return "agent"
			case fileAt(path, ".opencode/commands"), fileAt(path, ".opencode/command"):
				return "command"
			case skillAt(path, ".opencode/skills"), skillAt(path, ".claude/skills"), openSkill(path):
				return "skill"
			}
			return ""
		},
	}
}

var allowAskDeny = oneOf("allow", "ask", "deny")

var opencodeAgent = &schema{
	required: []string{"description"},
	fields: []field{
		{"mode", oneOf("all", "primary", "subagent")},
		{"model", text},
		{"permission", fieldsOf(
			field{"edit", allowAskDeny},
			field{"bash", either(allowAskDeny, mapOf(allowAskDeny))},
			field{"webfetch", allowAskDeny},
		)},
	},
}

var opencodeCommand = &schema{
	fields: []field{{"description", text}, {"agent", text}, {"model", text}},
}
