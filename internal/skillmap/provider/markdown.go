package provider

import "skillforge/internal/skillmap"

func markdown() *Provider {
	return &Provider{
		ID: "markdown", Label: "Markdown",
		Look: Look{Color: "#9ca3af", ColorDark: "#6b7280"}, HideChip: true, Base: true,
		Reads: []Read{
			{Suffix: ".md", Parser: YAML},
			{Suffix: ".toml", Parser: TOML, BodyField: "developer_instructions", Else: "prompt"},
			{Suffix: "plugin.json", Parser: JSON}, {Suffix: "marketplace.json", Parser: JSON}, {Suffix: "gemini-extension.json", Parser: JSON},
		},
		Kinds: []*Kind{
			{
				Name: "markdown", Label: "Markdown", Look: Look{"#5b908c", "#9bbcb8", drawn(pagePath)},
				Identifiers: []Source{Basename}, schema: &schema{},
			},
			{Name: "skill", Label: "Skills", Look: skillLook, Identifiers: []Source{Name, Dirname}, Mismatch: skillmap.Warn, schema: looseSkill},
			{Name: "agent", Label: "Agents", Look: agentLook, Identifiers: []Source{Name, Basename}, schema: &schema{}},
			{Name: "command", Label: "Commands", Look: commandLook, Identifiers: []Source{Name, Basename}, schema: &schema{}},
			{Name: "rule", Label: "Rules", Look: Look{"#64748b", "#94a3b8", drawn(pagePath)}, Identifiers: []Source{Basename}, schema: &schema{}},
			{Name: PluginKind, Label: "Plugins", Look: Look{"#a855f7", "#c084fc", glyph("pi-box")}, schema: &schema{required: []string{"name"}}},
			{Name: MarketplaceKind, Label: "Marketplaces", Look: Look{"#ec4899", "#f472b6", glyph("pi-shopping-bag")}, schema: &schema{required: []string{"name"}}},
		},
	}
}

// looseSkill is what every host asks of a skill outside its own folder: a
// name and a description.
var looseSkill = &schema{required: []string{"name", "description"}}
