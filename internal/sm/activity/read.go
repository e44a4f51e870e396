package activity

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Providers lists the hosts whose hooks are read.
func Providers() []string { return []string{"claude", "codex", "antigravity", "opencode"} }

// Read reads an event of a host's hook. It is false for a host that none of us
// reads. An event that says nothing we know is an empty reading.
//
// Hosts agree on little; names are looked for under each of the spellings in
// use.
func Read(provider string, event map[string]any) (Reading, bool) {
	if !slices.Contains(Providers(), provider) {
		return Reading{}, false
	}
	e := hook{event, provider}
	r := Reading{
		Provider: provider, Session: e.session(), keys: shape(event),
		Hook: clip(e.word("hook_event_name", "hookEventName", "event", "hook")), Tool: clip(e.word("tool_name", "toolName", "tool")),
	}
	switch strings.ToLower(strings.ReplaceAll(r.Hook, "_", "")) {
	case "userpromptexpansion", "userpromptsubmit":
		r.signals = e.prompt()
	case "pretooluse":
		e.before(&r)
	case "posttooluse":
		e.after(&r)
	case "subagentstart":
		r.signals = e.begins()
	case "subagentstop":
		r.signals = e.ends()
	case "stop":
		r.signals = []signal{{Activity: Activity{Phase: End, Owner: e.owner(), TurnEnd: true}}}
	case "sessionend":
		if r.Session != "" {
			r.signals = []signal{{Activity: Activity{Phase: End, Session: r.Session, SessionScope: true}}}
		}
	}
	for i := range r.signals {
		r.signals[i].Session = r.Session
	}
	return r, true
}

// hook is one event.
type hook struct {
	event    map[string]any
	provider string
}

func (e hook) word(keys ...string) string { return word(e.event, keys...) }

// word is the first member that is a text.
func word(m map[string]any, keys ...string) string {
	for _, key := range keys {
		if s, ok := m[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

func object(m map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		if o, ok := m[key].(map[string]any); ok {
			return o
		}
	}
	return nil
}

func number(m map[string]any, keys ...string) int64 {
	for _, key := range keys {
		if n, ok := m[key].(float64); ok {
			return int64(n)
		}
	}
	return 0
}

func (e hook) session() string {
	return clip(e.word("session_id", "sessionId", "sessionID", "conversation_id", "conversationId"))
}

// Bounds of what is taken from an event.
const (
	nameMax = 200
	keysMax = 32
)

// clip shortens a name that somebody else made up.
func clip(s string) string {
	if len(s) <= nameMax {
		return s
	}
	return strings.ToValidUTF8(s[:nameMax], "")
}

// shape is what an event looks like: the names of its members.
func shape(event map[string]any) []string {
	keys := slices.Sorted(maps.Keys(event))
	keys = keys[:min(len(keys), keysMax)]
	for i := range keys {
		keys[i] = clip(keys[i])
	}
	return keys
}

// owner is who acts: a sub-agent by its id, else the session's main agent.
func (e hook) owner() string {
	if id := e.word("agent_id", "agentId", "agentID"); id != "" {
		return clip(id)
	}
	return "main:" + e.session()
}

func (e hook) input() map[string]any {
	return object(e.event, "tool_input", "toolInput", "args", "input", "arguments")
}

func (e hook) call() string {
	return clip(e.word("tool_use_id", "toolUseId", "call_id", "callID", "callId", "tool_call_id"))
}

var (
	mcpTool  = regexp.MustCompile(`^mcp__(.+?)__(.+)$`)
	slash    = regexp.MustCompile(`^/([A-Za-z0-9][\w:./-]*)`)
	dollar   = regexp.MustCompile(`(?:^|\s)\$([A-Za-z0-9][\w-]*)`)
	patched  = regexp.MustCompile(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$`)
	pathLike = regexp.MustCompile(`[\w./~-]+\.(?:md|toml)\b`)
)

// prompt reads what the user typed: a command, or skills by name.
func (e hook) prompt() []signal {
	name := strings.TrimPrefix(e.word("command_name", "commandName", "command"), "/")
	text := e.word("prompt", "user_prompt", "text")
	if name == "" {
		if m := slash.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			name = m[1]
		}
	}
	var out []signal
	if name != "" {
		for _, kind := range []string{"command", "skill", "workflow"} {
			out = append(out, e.starts(Target{Kind: kind, Name: name}, "", ""))
		}
	}
	if e.provider == "codex" {
		for _, m := range dollar.FindAllStringSubmatch(text, 16) {
			out = append(out, e.starts(Target{Kind: "skill", Name: m[1]}, "", ""))
		}
	}
	return out
}

func (e hook) starts(t Target, a Access, detail string) signal {
	return signal{Activity{Phase: Start, Owner: e.owner(), Access: a, Detail: clip(detail)}, t}
}

// before reads the call of a tool that is about to happen.
func (e hook) before(r *Reading) {
	in := e.input()
	if m := mcpTool.FindStringSubmatch(r.Tool); m != nil {
		r.signals = append(r.signals, e.starts(Target{URI: "mcp://" + m[1]}, MCP, m[2]))
		return
	}
	switch strings.ToLower(r.Tool) {
	case "skill":
		name := word(in, "skill", "name", "command")
		r.signals = append(r.signals, e.starts(Target{Kind: "skill", Name: strings.TrimPrefix(name, "/")}, "", "Skill"))
	case "agent", "task", "spawn_agent":
		e.spawns(r, in)
	case "read", "view_file":
		r.signals = e.file(in, Reads)
	case "write", "edit", "multiedit", "write_to_file", "replace_file_content":
		r.signals = e.file(in, Writes)
	case "apply_patch", "patch":
		for _, m := range patched.FindAllStringSubmatch(word(in, "patch", "input", "patchText", "command"), 64) {
			r.signals = append(r.signals, e.starts(Target{Path: strings.TrimSpace(m[1])}, Writes, r.Tool))
		}
	case "call_mcp_tool":
		if server := word(in, "ServerName", "server_name", "server"); server != "" {
			r.signals = append(r.signals, e.starts(Target{URI: "mcp://" + server}, MCP, word(in, "ToolName", "tool_name", "tool")))
		}
	case "bash", "run_command", "shell":
		for _, p := range pathLike.FindAllString(word(in, "command", "CommandLine", "cmd"), 16) {
			r.signals = append(r.signals, e.starts(Target{Path: p}, Shell, r.Tool))
		}
	}
}

func (e hook) file(in map[string]any, a Access) []signal {
	path := word(in, "file_path", "filePath", "path", "AbsolutePath", "TargetFile", "absolute_path")
	if path == "" {
		return nil
	}
	return []signal{e.starts(Target{Path: path}, a, e.word("tool_name", "toolName", "tool"))}
}

// spawns reads the start of a sub-agent. Its parent stays busy until it ends.
func (e hook) spawns(r *Reading, in map[string]any) {
	id := e.call()
	if id == "" {
		return
	}
	r.spawns = append(r.spawns, spawning{
		Spawn:  Spawn{SpawnID: id, Phase: Start, ParentOwner: e.owner(), ChildKind: "agent", ChildName: clip(word(in, "subagent_type", "agent_type", "agent", "name", "role"))},
		prompt: word(in, "prompt", "message", "task"),
	})
}

// after reads how a sub-agent's call came out: it went on by itself, or ended.
func (e hook) after(r *Reading) {
	switch strings.ToLower(r.Tool) {
	case "agent", "task", "spawn_agent":
	default:
		return
	}
	id := e.call()
	if id == "" {
		return
	}
	out := object(e.event, "tool_response", "toolResponse", "result", "output")
	s := spawning{Spawn: Spawn{SpawnID: id, Phase: End, ParentOwner: e.owner(), ChildOwner: clip(word(out, "agentId", "agent_id", "agentID"))}, response: answer(out)}
	if word(out, "status") == "async_launched" {
		s.Phase, s.response = Handoff, ""
	} else {
		s.run = &run{number(out, "totalDurationMs", "duration_ms"), number(out, "totalTokens", "total_tokens"), number(out, "totalToolUseCount", "tool_uses")}
	}
	r.spawns = append(r.spawns, s)
}

// answer is the text of a tool's result.
func answer(out map[string]any) string {
	if s := word(out, "content", "text", "result"); s != "" {
		return s
	}
	list, _ := out["content"].([]any)
	var texts []string
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			texts = append(texts, word(m, "text"))
		}
	}
	return strings.Join(texts, "\n")
}

// begins and ends read the life of a sub-agent.
func (e hook) begins() []signal {
	s := e.starts(Target{Kind: "agent", Name: e.word("agent_type", "agentType", "subagent_type", "agent_name")}, "", "")
	s.Sticky = true
	return []signal{s}
}

func (e hook) ends() []signal {
	return []signal{{Activity: Activity{Phase: End, Owner: e.owner(), OwnerScope: true, Terminal: blocks(e.provider)}}}
}

// blocks reports whether an agent of the host waits for those it starts, so
// that whatever it released is over.
func blocks(provider string) bool { return provider == "opencode" }

// Inside turns a path that a host gives into one relative to the project, "/"
// between its parts; false for a path outside it. Links are resolved on both
// sides.
func Inside(root, path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	for _, pair := range [][2]string{{root, path}, {real(root), real(path)}} {
		rel, err := filepath.Rel(pair[0], pair[1])
		if err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// trimMax bounds a text of an event that is sent.
const trimMax = 64 << 10

// Trim shortens long texts of an event, so that a file that an agent writes is
// not sent along.
func Trim(event map[string]any) map[string]any {
	return trimmed(event).(map[string]any)
}

func trimmed(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v[:min(len(v), trimMax)], "")
	case []any:
		for i := range v {
			v[i] = trimmed(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = trimmed(v[key])
		}
	}
	return v
}
