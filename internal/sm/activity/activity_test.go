package activity_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"skillforge/internal/sm/activity"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// onMap finds what the tests put on a map.
var onMap = map[activity.Target]string{
	{Path: "/p/docs/a.md"}:               "docs/a.md",
	{Path: "docs/b.md"}:                  "docs/b.md",
	{URI: "mcp://github"}:                "mcp://github",
	{Kind: "skill", Name: "deploy"}:      "skills/deploy.md",
	{Kind: "command", Name: "team:ship"}: "commands/ship.md",
	{Kind: "agent", Name: "reviewer"}:    "agents/reviewer.md",
	{Kind: "agent", Name: "planner"}:     "agents/planner.md",
}

func find(t activity.Target) (string, bool) {
	path, ok := onMap[t]
	return path, ok
}

func intake(level string) activity.Intake {
	return activity.Intake{Level: level, At: noon, Find: find}
}

func read(t *testing.T, provider, event string) activity.Reading {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal([]byte(event), &e); err != nil {
		t.Fatal(err)
	}
	r, ok := activity.Read(provider, e)
	if !ok {
		t.Fatalf("nobody reads %s", provider)
	}
	return r
}

// told is what listeners hear, as JSON without the counts.
func told(t *testing.T, out activity.Told) string {
	t.Helper()
	var lines []string
	for _, a := range out.Activities {
		a.Stats = nil
		lines = append(lines, encoded(t, a))
	}
	for _, s := range out.Spawns {
		lines = append(lines, encoded(t, s))
	}
	return strings.Join(lines, "\n")
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestHostsAreRead(t *testing.T) {
	tests := []struct {
		name, provider, event, want string
	}{
		{"a skill", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Skill","tool_input":{"skill":"deploy"}}`,
			`{"phase":"start","nodePath":"skills/deploy.md","owner":"main:s","session":"s","detail":"Skill"}`},
		{"a slash command", "claude", `{"hook_event_name":"UserPromptExpansion","session_id":"s","prompt":"/team:ship now"}`,
			`{"phase":"start","nodePath":"commands/ship.md","owner":"main:s","session":"s"}`},
		{"a file read by a sub-agent", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_name":"Read","tool_input":{"file_path":"/p/docs/a.md"}}`,
			`{"phase":"start","nodePath":"docs/a.md","owner":"a1","session":"s","detail":"Read","access":"read"}`},
		{"a file written", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Edit","tool_input":{"file_path":"docs/b.md"}}`,
			`{"phase":"start","nodePath":"docs/b.md","owner":"main:s","session":"s","detail":"Edit","access":"write"}`},
		{"a tool of a server", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"mcp__github__create_issue"}`,
			`{"phase":"start","nodePath":"mcp://github","owner":"main:s","session":"s","detail":"create_issue","access":"mcp"}`},
		{"a shell, which this level leaves out", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"cat docs/b.md"}}`, ``},
		{"a file that is not on the map", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read","tool_input":{"file_path":"/etc/passwd"}}`, ``},
		{"a sub-agent begins", "claude", `{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1","agent_type":"reviewer"}`,
			`{"phase":"start","nodePath":"agents/reviewer.md","owner":"a1","session":"s","sticky":true}`},
		{"a sub-agent ends", "claude", `{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a1"}`,
			`{"phase":"end","owner":"a1","session":"s","ownerScope":true}`},
		{"a turn ends", "claude", `{"hook_event_name":"Stop","session_id":"s"}`, `{"phase":"end","owner":"main:s","session":"s","turnEnd":true}`},
		{"a session ends", "claude", `{"hook_event_name":"SessionEnd","session_id":"s"}`, `{"phase":"end","session":"s","sessionScope":true}`},
		{"a sub-agent is started", "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_input":{"subagent_type":"reviewer","prompt":"do it"}}`,
			`{"spawnId":"u1","phase":"start","parentOwner":"main:s","childKind":"agent","childName":"reviewer","childNodePath":"agents/reviewer.md","pairCount":1}`},
		{"a sub-agent goes on by itself", "claude", `{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_response":{"status":"async_launched","agentId":"a9"}}`,
			`{"spawnId":"u1","phase":"handoff","parentOwner":"main:s","childOwner":"a9"}`},
		{"skills by their names", "codex", `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"please $deploy this"}`,
			`{"phase":"start","nodePath":"skills/deploy.md","owner":"main:s","session":"s"}`},
		{"a patch", "codex", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"apply_patch","tool_input":{"input":"*** Begin Patch\n*** Update File: docs/b.md\n@@\n"}}`,
			`{"phase":"start","nodePath":"docs/b.md","owner":"main:s","session":"s","detail":"apply_patch","access":"write"}`},
		{"a file viewed", "antigravity", `{"hookEventName":"PreToolUse","conversationId":"s","toolName":"view_file","toolInput":{"AbsolutePath":"/p/docs/a.md"}}`,
			`{"phase":"start","nodePath":"docs/a.md","owner":"main:s","session":"s","detail":"view_file","access":"read"}`},
		{"a tool of a server, called by another tool", "antigravity", `{"hookEventName":"PreToolUse","conversationId":"s","toolName":"call_mcp_tool","toolInput":{"ServerName":"github","ToolName":"list"}}`,
			`{"phase":"start","nodePath":"mcp://github","owner":"main:s","session":"s","detail":"list","access":"mcp"}`},
		{"a file of opencode", "opencode", `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"read","tool_input":{"filePath":"/p/docs/a.md"}}`,
			`{"phase":"start","nodePath":"docs/a.md","owner":"main:s","session":"s","detail":"read","access":"read"}`},
		{"something new", "claude", `{"hook_event_name":"Brunch","guests":3}`, ``},
		{"nothing", "claude", `{}`, ``},
		{"members of other types", "claude", `{"hook_event_name":7,"session_id":[],"tool_input":"x","tool_name":{}}`, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tracker activity.Tracker
			if got := told(t, tracker.Take(read(t, test.provider, test.event), intake("mcp"))); got != test.want {
				t.Errorf("told\n%s\nwant\n%s", got, test.want)
			}
		})
	}
	if _, ok := activity.Read("notepad", nil); ok {
		t.Error("an unknown host is read")
	}
}

func TestLevels(t *testing.T) {
	events := map[string]string{
		"executions": `{"hook_event_name":"PreToolUse","tool_name":"Skill","tool_input":{"skill":"deploy"}}`,
		"reads":      `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"docs/b.md"}}`,
		"writes":     `{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"docs/b.md"}}`,
		"mcp":        `{"hook_event_name":"PreToolUse","tool_name":"mcp__github__list"}`,
		"shell":      `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"less docs/b.md"}}`,
	}
	for at, level := range activity.Levels {
		for of, event := range events {
			var tracker activity.Tracker
			out := tracker.Take(read(t, "claude", event), intake(level))
			if got, want := len(out.Activities) == 1, slices.Index(activity.Levels, of) <= at; got != want {
				t.Errorf("at %s, %s is taken in: %v", level, of, got)
			}
		}
	}
}

func TestCounting(t *testing.T) {
	tracker := activity.Tracker{Since: noon}
	take := func(event string) { tracker.Take(read(t, "claude", event), intake("shell")) }
	for range 3 {
		take(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Skill","tool_input":{"skill":"deploy"}}`)
		take(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1","agent_type":"planner"}`) // sticks: once
		take(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"cat docs/b.md"}}`)
	}
	take(`{"hook_event_name":"PreToolUse","session_id":"r","tool_name":"Skill","tool_input":{"skill":"deploy"}}`)
	for _, id := range []string{"u1", "u2"} { // the planner starts reviewers
		take(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_use_id":"` + id + `","tool_name":"Agent","tool_input":{"subagent_type":"reviewer","prompt":"secret words"}}`)
		take(`{"hook_event_name":"PostToolUse","session_id":"s","agent_id":"a1","tool_use_id":"` + id + `","tool_name":"Agent","tool_response":{"content":[{"type":"text","text":"secret answer"}],"totalTokens":100,"totalToolUseCount":4}}`)
	}
	take(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_name":"Read","tool_input":{"file_path":"docs/b.md"}}`)

	s := tracker.Summary()
	if s.Since != noon.UnixMilli() {
		t.Errorf("since %d", s.Since)
	}
	counts := map[string][2]int{}
	for path, n := range s.Nodes {
		counts[path] = [2]int{n.Count, n.DistinctOwners}
	}
	want := map[string][2]int{"skills/deploy.md": {4, 2}, "agents/planner.md": {1, 1}, "docs/b.md": {1, 1}, "agents/reviewer.md": {0, 0}}
	if !reflect.DeepEqual(counts, want) {
		t.Errorf("counts %v, want %v", counts, want)
	}
	if r := s.Nodes["agents/reviewer.md"]; r.Tokens != 200 || r.ToolUses != 8 || r.SummarizedRuns != 2 {
		t.Errorf("the reviewer's runs %+v", r)
	}
	if p := s.Pairs["agents/planner.md>>agents/reviewer.md"]; p.Count != 2 || len(s.Pairs) != 1 {
		t.Errorf("pairs %v", s.Pairs)
	}

	d := tracker.Node("docs/b.md")
	if len(d.Recent) != 4 || d.Recent[0].Caller != "agents/planner.md" || d.Recent[0].Kind != "read" {
		t.Errorf("recent %+v", d.Recent)
	}
	d = tracker.Node("agents/planner.md")
	if len(d.Spawns) != 2 || d.Spawns[0].SpawnID != "u2" || d.Spawns[0].EndedAt == nil || d.Recent[0].Target != "docs/b.md" {
		t.Errorf("of the planner %+v", d)
	}
	if talk, ok := tracker.Conversation("u1"); !ok || talk.Prompt+talk.Response != "" {
		t.Errorf("nobody asked to keep conversations: %+v", talk)
	}

	tracker.Forget("agents/planner.md")
	if s := tracker.Summary(); len(s.Pairs) != 0 || s.Nodes["agents/planner.md"].Count != 0 {
		t.Errorf("after forgetting %+v", s)
	}
	take(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1","agent_type":"planner"}`)
	if n := tracker.Summary().Nodes["agents/planner.md"].Count; n != 0 {
		t.Errorf("what stuck before counts again: %d", n)
	}
}

func TestConversations(t *testing.T) {
	var tracker activity.Tracker
	in := intake("mcp")
	in.Keep = true
	tracker.Take(read(t, "claude", `{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_input":{"subagent_type":"reviewer","prompt":"`+strings.Repeat("ä", 40<<10)+`"}}`), in)
	out := tracker.Take(read(t, "claude", `{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_response":{"content":"fine"}}`), in)
	if text := told(t, out); strings.Contains(text, "fine") {
		t.Errorf("an answer is told to listeners: %s", text)
	}
	talk, ok := tracker.Conversation("u1")
	if !ok || len(talk.Prompt) != 64<<10 || talk.Response != "fine" {
		t.Errorf("kept %d bytes and %q", len(talk.Prompt), talk.Response)
	}
	tracker.Silence()
	if talk, _ := tracker.Conversation("u1"); talk.Prompt+talk.Response != "" {
		t.Error("texts are kept against the user's wish")
	}
}

func TestBusyParent(t *testing.T) {
	for provider, terminal := range map[string]string{"claude": "", "opencode": `,"terminal":true`} {
		var tracker activity.Tracker
		take := func(event string) string { return told(t, tracker.Take(read(t, provider, event), intake("mcp"))) }
		take(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1","agent_type":"planner"}`)
		start := take(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_use_id":"u1","tool_name":"Task","tool_input":{"subagent_type":"nobody"}}`)
		end := take(`{"hook_event_name":"PostToolUse","session_id":"s","agent_id":"a1","tool_use_id":"u1","tool_name":"Task","tool_response":{}}`)
		if !strings.HasPrefix(start, `{"phase":"start","nodePath":"agents/planner.md","owner":"spawn:u1","sticky":true,"keepAlive":true}`) {
			t.Errorf("%s: start\n%s", provider, start)
		}
		if !strings.HasPrefix(end, `{"phase":"end","owner":"spawn:u1","ownerScope":true`+terminal+`}`) {
			t.Errorf("%s: end\n%s", provider, end)
		}
	}
}

func TestBounds(t *testing.T) {
	var tracker activity.Tracker
	for i := range 300 {
		id := strings.Repeat("x", i+1)
		tracker.Take(read(t, "claude", `{"hook_event_name":"PreToolUse","session_id":"`+id+`","tool_use_id":"`+id+`","tool_name":"Agent","tool_input":{"subagent_type":"reviewer"}}`), intake("mcp"))
		tracker.Take(read(t, "claude", `{"hook_event_name":"PreToolUse","session_id":"`+id+`","tool_name":"Skill","tool_input":{"skill":"deploy"}}`), intake("mcp"))
		tracker.Take(read(t, "claude", `{"k`+id+`":1}`), intake("mcp"))
		tracker.Probe(id, noon)
	}
	if n := tracker.Summary().Nodes["skills/deploy.md"]; n.DistinctOwners > 256 || n.Count != 300 {
		t.Errorf("%+v", n)
	}
	d := tracker.Node("agents/reviewer.md")
	if len(d.Spawns) > 200 {
		t.Errorf("%d conversations", len(d.Spawns))
	}
	if n := len(tracker.Node("skills/deploy.md").Recent); n != 15 {
		t.Errorf("%d recent", n)
	}
	got := tracker.Disclaimed("claude")
	if len(got) != 1 || got[0].Received != 900 || got[0].Resolved != 600 || len(got[0].Shapes) != 32 {
		t.Errorf("disclaimed %d of %d, %d shapes", got[0].Resolved, got[0].Received, len(got[0].Shapes))
	}
	if _, ok := tracker.Probed("x"); ok {
		t.Error("an old probe is remembered")
	}
	if at, ok := tracker.Probed(strings.Repeat("x", 300)); !ok || !at.Equal(noon) {
		t.Error("a new probe is forgotten")
	}
	if n := len(tracker.Disclaimed("")); n != len(activity.Providers()) {
		t.Errorf("%d hosts", n)
	}
}

func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "odd [name]", "sessions")
		var written []string
		j := &activity.Journal{Dir: dir, MaxFiles: 2, MaxBytes: 1 << 20, Written: func(file string, _ *activity.Recording) { written = append(written, file) }}
		var tracker activity.Tracker
		keep := func(event string) {
			r := read(t, "claude", event)
			if err := j.Keep(r, tracker.Take(r, intake("mcp")), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		skill := func(session string) {
			keep(`{"hook_event_name":"PreToolUse","session_id":"` + session + `","tool_name":"Skill","tool_input":{"skill":"deploy"}}`)
		}
		sessions := func() []*activity.Recording {
			list, _, err := j.Sessions()
			if err != nil {
				t.Fatal(err)
			}
			return list
		}

		skill("one")
		if len(sessions()) != 0 {
			t.Fatal("recorded though nobody records")
		}
		if err := j.Record(true, "mcp", time.Now()); err != nil {
			t.Fatal(err)
		}
		skill("one")
		keep(`{"hook_event_name":"PreToolUse","session_id":"one","tool_use_id":"u1","tool_name":"Agent","tool_input":{"subagent_type":"reviewer"}}`)
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Error("written at once")
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Fatal("not written after a moment")
		}
		keep(`{"hook_event_name":"SessionEnd","session_id":"one"}`)
		if len(written) != 1 || !strings.HasSuffix(written[0], "Z-one.json") {
			t.Fatalf("ended %v", written)
		}
		first := sessions()[0]
		if first.EndedAt == nil || len(first.Frames) != 3 || first.Frames[2].TMs != 3000 || first.CaptureLevel != "mcp" {
			t.Errorf("first session %+v", first)
		}
		conforms(t, filepath.Join(dir, written[0]))

		skill("one") // it goes on in its file
		skill("two/../x")
		time.Sleep(time.Second)
		skill("three")
		if err := j.Close(time.Now()); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range sessions() {
			names = append(names, s.SessionID)
		}
		if want := []string{"three", "two/../x"}; !reflect.DeepEqual(names, want) {
			t.Errorf("kept %v, want the newest two %v", names, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "zz.json"), []byte(`{"hello":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, skipped, _ := j.Sessions(); len(skipped) != 1 || skipped[0].File != "zz.json" {
			t.Errorf("skipped %v", skipped)
		}
		if n, err := j.Clear(); n != 3 || err != nil {
			t.Errorf("cleared %d, %v", n, err)
		}
		if n, err := j.Clear(); n != 0 || err != nil {
			t.Errorf("cleared again %d, %v", n, err)
		}
	})
}

// conforms holds a recording against the contract's schema.
func conforms(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	schema := shared("conformance", "schemas", "session-recording.schema.json")
	if _, err := os.Stat(schema); err != nil {
		t.Log("The contract's schemas are not here; the recording is not held against its own.")
		return
	}
	s, err := jsonschema.NewCompiler().Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// shared is a file of the golden data.
func shared(parts ...string) string {
	dir := os.Getenv("SKILLFORGE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	return filepath.Join(append([]string{dir, "data"}, parts...)...)
}

func FuzzRead(f *testing.F) {
	f.Add("claude", []byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Agent","tool_use_id":"u","tool_input":{"subagent_type":"reviewer","prompt":"x"}}`))
	f.Add("claude", []byte(`{"hook_event_name":"PostToolUse","tool_name":"Agent","tool_use_id":"u","tool_response":{"content":[{"text":"a"},7]}}`))
	f.Add("codex", []byte(`{"hook_event_name":"UserPromptSubmit","prompt":"$a $b /c"}`))
	f.Add("antigravity", []byte(`{"toolName":"run_command","hookEventName":"pretooluse","args":{"CommandLine":"cat x.md"}}`))
	f.Add("opencode", []byte(`{"hook":"stop"}`))
	f.Fuzz(func(t *testing.T, provider string, text []byte) {
		var event map[string]any
		if json.Unmarshal(text, &event) != nil {
			return
		}
		r, ok := activity.Read(provider, event)
		if ok != slices.Contains(activity.Providers(), provider) {
			t.Fatal("read for another host")
		}
		if !ok {
			return
		}
		var tracker activity.Tracker
		out := tracker.Take(r, activity.Intake{Level: "shell", Keep: true, At: noon, Find: func(activity.Target) (string, bool) { return "n.md", true }})
		for _, a := range out.Activities {
			if len(a.Owner) > 300 || len(a.Detail) > 200 || a.Phase != activity.Start && a.Phase != activity.End {
				t.Fatalf("%+v", a)
			}
		}
		if _, err := json.Marshal(out); err != nil {
			t.Fatal(err)
		}
	})
}
