package activity

import (
	"strings"

	"skillforge/internal/fault"
)

// Mark stands in every entry of ours, so that it is found again. It also
// stands in those of the program that this one follows, which would report
// everything a second time.
const Mark = ".skill-map/activity"

// Command is what a host runs for each event. It must never fail or say
// anything: some hosts stop an agent whose hook does.
func Command(provider string) string {
	return "sm activity bridge " + provider + " 2>/dev/null || true # " + Mark
}

// wiring says where a host's hooks are settled, and how.
type wiring struct {
	config string // the file, relative to the project
	group  string // the member of the file that holds the events; ours alone when own
	own    bool
	events []wired
	plugin bool // the file is a program of ours
}

// wired is one event that the host tells.
type wired struct {
	event, matcher string
	shell          bool // only when shell commands are recorded
	flat           bool // its commands stand directly in the event's list
}

func wiringOf(provider string) (wiring, error) {
	w, ok := wirings[provider]
	if !ok {
		return w, fault.Coded(fault.Invalid, "unknown-provider", "No host called %q reports activity; those that can are %s.", provider, strings.Join(Providers(), ", "))
	}
	return w, nil
}

var wirings = map[string]wiring{
	"claude": {config: ".claude/settings.json", group: "hooks", events: []wired{
		{event: "UserPromptExpansion", matcher: "*"},
		{event: "PreToolUse", matcher: `^(Skill|Agent|Task|Read|Write|Edit|mcp__.+)$`},
		{event: "PreToolUse", matcher: `^Bash$`, shell: true},
		{event: "PostToolUse", matcher: `^(Agent|Task)$`},
		{event: "SubagentStart", matcher: "*"},
		{event: "SubagentStop", matcher: "*"},
		{event: "Stop", matcher: "*"},
		{event: "SessionEnd", matcher: "*"},
	}},
	"codex": {config: ".codex/hooks.json", group: "hooks", events: []wired{
		{event: "UserPromptSubmit"},
		{event: "PreToolUse", matcher: `^(spawn_agent|apply_patch|mcp__.+)$`},
		{event: "PreToolUse", matcher: `^Bash$`, shell: true},
		{event: "PostToolUse", matcher: `^spawn_agent$`},
		{event: "SubagentStart"},
		{event: "SubagentStop"},
		{event: "Stop"},
	}},
	"antigravity": {config: ".agents/hooks.json", group: "skill-map-activity", own: true, events: []wired{
		{event: "PreToolUse", matcher: `^(view_file|call_mcp_tool|write_to_file|replace_file_content)$`},
		{event: "PreToolUse", matcher: `^run_command$`, shell: true},
		{event: "Stop", flat: true},
	}},
	"opencode": {config: ".opencode/plugin/skill-map-activity.js", plugin: true, events: []wired{
		{event: "tool.execute.before"}, {event: "tool.execute.after"}, {event: "event"},
	}},
}

// CanShell reports whether a host can tell of shell commands when the user
// wants that.
func CanShell(provider string) bool {
	for _, e := range wirings[provider].events {
		if e.shell {
			return true
		}
	}
	return false
}

// names of the events that are wired, each once.
func (w wiring) names(shell bool) []string {
	var out []string
	for _, e := range w.events {
		if e.shell && !shell || len(out) > 0 && out[len(out)-1] == e.event {
			continue
		}
		out = append(out, e.event)
	}
	return out
}
