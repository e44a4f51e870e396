package provider

import "skillforge/internal/skillmap"

func codex() *Provider {
	return &Provider{
		ID: "codex", Label: "OpenAI's Codex",
		Look: Look{Color: "#22c55e", ColorDark: "#4ade80"}, Sigil: "$", Beta: true,
		Markers: []string{".codex"},
		Reads: []Read{
			{Suffix: ".toml", Parser: TOML, BodyField: "developer_instructions"},
			{Suffix: ".md", Parser: YAML},
		},
		Config:       ".codex/config.toml",
		Register:     &Register{Command: "codex mcp add skill-map --url {{url}}"},
		Scaffold:     Scaffold{SkillDir: ".agents/skills", Marker: ".codex"},
		SkillFolders: []string{".agents/skills", ".codex/skills"},
		Kinds: []*Kind{
			{
				Name: "agent", Label: "Codex agents", Look: Look{"#22c55e", "#4ade80", glyph("pi-bolt")},
				Identifiers: []Source{Name, Basename}, Mismatch: skillmap.Warn, schema: codexAgent, strict: true,
			},
			openSkillKind(nil),
		},
		resolves: map[skillmap.LinkKind][]string{skillmap.Invokes: {"skill"}},
		classify: func(path string) string {
			switch {
			case below(path, ".codex/agents", ".toml"):
				return "agent"
			case openSkill(path):
				return "skill"
			}
			return ""
		},
	}
}

var codexAgent = &schema{
	required: []string{"name", "description", "developer_instructions"},
	fields: []field{
		{"developer_instructions", text},
		{"model", text},
		{"model_reasoning_effort", oneOf("minimal", "low", "medium", "high", "xhigh")},
		{"sandbox_mode", oneOf("read-only", "workspace-write", "danger-full-access")},
		{"nickname_candidates", listOf(text)},
		{"mcp_servers", mapOf(object)},
		// What else its settings may hold, a layer of which the file is.
		{"approval_policy", anything}, {"features", anything}, {"instructions", anything}, {"model_context_window", anything},
		{"model_provider", anything}, {"model_reasoning_summary", anything}, {"model_verbosity", anything}, {"project_doc_max_bytes", anything},
		{"sandbox_workspace_write", anything}, {"service_tier", anything}, {"shell_environment_policy", anything}, {"tools", anything}, {"web_search", anything},
		{"skills", fieldsOf(field{"config", listOf(fieldsOf(field{"path", text}, field{"enabled", boolean}))})},
	},
}
