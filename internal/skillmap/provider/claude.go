package provider

import "skillforge/internal/skillmap"

func claude() *Provider {
	return &Provider{
		ID: "claude", Label: "Anthropic's Claude",
		Look: Look{Color: "#cc785c", ColorDark: "#e89270"}, Sigil: "/",
		Markers: []string{".claude"},
		Reads:   []Read{{Suffix: ".md", Parser: YAML}},
		Config:  ".mcp.json",
		Register: &Register{
			Command: "claude mcp add --transport http --scope local skill-map {{url}}",
		},
		Scaffold:     Scaffold{SkillDir: ".claude/skills"},
		SkillFolders: []string{".claude/skills"},
		Kinds: []*Kind{
			{
				Name: "agent", Label: "Agents", Look: agentLook,
				Identifiers: []Source{Name, Basename}, Mismatch: skillmap.Warn,
				Reserved: claudeAgentNames, schema: claudeAgent,
			},
			{
				Name: "command", Label: "Commands", Look: commandLook,
				Identifiers: []Source{Name, Basename, Namespaced}, Mismatch: skillmap.Warn,
				Reserved: claudeCommandNames, schema: claudeCommand,
			},
			{
				Name: "skill", Label: "Skills", Look: skillLook,
				Identifiers: []Source{Name, Dirname}, Mismatch: skillmap.Warn,
				Reserved: claudeCommandNames, schema: claudeCommand,
			},
			{
				Name: "mcp", Label: "MCP servers", Look: Look{"#8b5cf6", "#a78bfa", glyph("pi-server")},
				Identifiers: []Source{Name}, schema: claudeCommand,
			},
		},
		resolves: map[skillmap.LinkKind][]string{
			skillmap.Mentions: {"agent", "skill", "markdown"},
			skillmap.Invokes:  {"command", "skill"},
		},
		classify: func(path string) string {
			switch {
			case below(path, ".claude/agents", ".md"):
				return "agent"
			case below(path, ".claude/commands", ".md"):
				return "command"
			case skillAt(path, ".claude/skills"):
				return "skill"
			}
			return ""
		},
	}
}

var claudeAgentNames = []string{"general-purpose", "output-style-setup", "statusline-setup"}

var claudeCommandNames = []string{
	"help", "clear", "compact", "cost", "init", "model", "agents", "login", "logout", "mcp", "memory", "config",
	"doctor", "permissions", "add-dir", "bug", "pr-comments", "release-notes", "review", "terminal-setup", "vim",
	"output-style", "hooks", "install-github-app", "migrate-installer", "upgrade", "resume", "exit", "quit",
	"security-review", "statusline", "usage", "feedback",
}

var effort = oneOf("low", "medium", "high", "xhigh", "max")

var claudeAgent = &schema{
	required: []string{"name", "description"},
	fields: []field{
		{"tools", either(text, listOf(text))}, // one string with commas is documented usage
		{"disallowedTools", either(text, listOf(text))},
		{"model", text},
		{"permissionMode", oneOf("default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan")},
		{"maxTurns", wholeFrom(1)},
		{"skills", listOf(text)},
		{"mcpServers", listOf(either(text, object))},
		{"hooks", object},
		{"memory", oneOf("user", "project", "local")},
		{"background", boolean},
		{"effort", effort},
		{"isolation", oneOf("worktree")},
		{"color", oneOf("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan")},
		{"initialPrompt", text},
	},
}

// claudeCommand holds for commands, skills and MCP servers alike. Its fields
// stand in a schema that the three include, so none of them tells that a
// block was closed too early.
var claudeCommand = &schema{
	included: true,
	fields: []field{
		{"when_to_use", text},
		{"argument-hint", text},
		{"arguments", either(text, listOf(text))},
		{"disable-model-invocation", boolean},
		{"user-invocable", boolean},
		{"allowed-tools", either(text, listOf(text))},
		{"disallowed-tools", either(text, listOf(text))},
		{"model", text},
		{"effort", effort},
		{"context", oneOf("fork")},
		{"agent", text},
		{"hooks", object},
		{"paths", either(text, listOf(text))},
		{"shell", oneOf("bash", "powershell")},
		{"license", text},
		{"compatibility", text},
		{"metadata", mapOf(text)},
	},
}
