package provider

import "skillforge/internal/skillmap"

func antigravity() *Provider {
	return &Provider{
		ID: "antigravity", Label: "Google's Antigravity",
		Look: Look{Color: "#7c3aed", ColorDark: "#a78bfa"}, Sigil: "/", Beta: true,
		Markers: []string{".agent/workflows"},
		Reads:   []Read{{Suffix: ".md", Parser: YAML}},
		Register: &Register{
			Target: "~/.gemini/config/mcp_config.json",
			Document: map[string]any{
				"mcpServers": map[string]any{"skill-map": map[string]any{"serverUrl": "{{url}}"}},
			},
		},
		Scaffold:     Scaffold{SkillDir: ".agents/skills", SharedWith: "agent-skills"},
		SkillFolders: []string{".agents/skills", ".agent/skills"},
		Kinds: []*Kind{
			{
				Name: "workflow", Label: "Workflows", Look: Look{"#f59e0b", "#fbbf24", glyph("pi-sitemap")},
				Identifiers: []Source{Basename}, Reserved: antigravityNames, schema: antigravityWorkflow,
			},
			openSkillKind(antigravityNames),
		},
		resolves: map[skillmap.LinkKind][]string{skillmap.Invokes: {"skill", "workflow"}},
		classify: func(path string) string {
			switch {
			case fileAt(path, ".agent/workflows"):
				return "workflow"
			case openSkill(path):
				return "skill"
			}
			return ""
		},
	}
}

// sharedNames are commands that several hosts keep for themselves.
var sharedNames = []string{
	"add-dir", "agents", "clear", "config", "exit", "feedback", "help", "hooks", "logout", "mcp", "model",
	"permissions", "quit", "resume", "statusline", "usage",
}

var antigravityNames = append([]string{
	"artifact", "branch", "btw", "changelog", "context", "conversation", "copy", "credits", "diff", "fast", "fork",
	"goal", "grill-me", "keybindings", "new", "open", "planning", "quota", "rename", "rewind", "schedule", "settings",
	"skills", "switch", "tasks", "title", "undo",
}, sharedNames...)

var antigravityWorkflow = &schema{
	required: []string{"description"},
	fields:   []field{{"description", textUpTo(1024)}},
}
