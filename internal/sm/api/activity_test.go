package api_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"skillforge/internal/sm/api"
	"skillforge/internal/sm/config"
)

// hook tells the server an event of Claude Code's.
func (s *site) hook(event string, status int) string {
	s.t.Helper()
	var info api.ServeInfo
	load(s.t, s.atlas.Project().Inside(config.ServeFile), &info)
	a := s.do("POST", "/api/activity", `{"provider":"claude","event":`+event+`}`, "X-Skill-Map-Token", info.Token)
	if a.status != status {
		s.t.Errorf("%s gives %d %s, want %d", event, a.status, a.body, status)
	}
	return string(a.body)
}

const (
	readStyle   = `{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_name":"Read","tool_input":{"file_path":"docs/style.md"}}`
	editorUp    = `{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1","agent_type":"Editor"}`
	editorCall  = `{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_input":{"subagent_type":"editor","prompt":"a secret order"}}`
	editorDone  = `{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"u1","tool_name":"Agent","tool_response":{"content":"a secret answer","totalTokens":7}}`
	sessionOver = `{"hook_event_name":"SessionEnd","session_id":"s"}`
)

func TestActivity(t *testing.T) {
	s := serve(t, project(t, small))
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.url, "http")+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()

	s.wants("POST", "/api/activity", `not even JSON`, 403, "token-mismatch")
	for event, want := range map[string]string{
		`{"hook_event_name":"Brunch"}`: `{"ok":true,"resolved":0,"spawns":0}`,
		`{"__skillMapProbe":"n-1"}`:    `{"ok":true,"resolved":0,"spawns":0}`,
	} {
		if got := strings.TrimSpace(s.hook(event, 202)); got != want {
			t.Errorf("%s gives %s", event, got)
		}
	}
	s.hook(`7`, 400)
	for event, want := range map[string]string{editorUp: `"resolved":1`, readStyle: `"resolved":1`} {
		if got := s.hook(event, 202); !strings.Contains(got, want) {
			t.Errorf("%s gives %s", event, got)
		}
	}
	if got := s.hook(editorCall, 202); !strings.Contains(got, `"spawns":1`) {
		t.Errorf("a sub-agent gives %s", got)
	}
	s.hook(editorDone, 202)

	heard := map[string]int{}
	for range 4 {
		_, frame, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(frame), "secret") {
			t.Errorf("told to everybody: %s", frame)
		}
		var e struct {
			Type, RunID string
			Timestamp   int64
			JobID       *string
		}
		if err := json.Unmarshal(frame, &e); err != nil || e.RunID == "" || e.Timestamp == 0 || e.JobID != nil {
			t.Errorf("%s, %v", frame, err)
		}
		heard[e.Type]++
	}
	if heard["node.activity"] != 2 || heard["agent.spawn"] != 2 {
		t.Errorf("heard %v", heard)
	}

	v := s.get("/api/activity/summary", 200)
	if dig(v, "nodes", "docs/style.md", "count") != 1.0 || dig(v, "nodes", ".claude/agents/editor.md", "tokens") != 7.0 || dig(v, "pairs", "main:s>>.claude/agents/editor.md", "count") != 1.0 {
		t.Errorf("summary %v", v)
	}
	if v := s.get("/api/activity/probe?nonce=n-1", 200); v["seen"] != true || v["at"] == nil {
		t.Errorf("probe %v", v)
	}
	if v := s.get("/api/activity/probe?nonce=n-2", 200); v["seen"] != false || v["at"] != nil {
		t.Errorf("probe %v", v)
	}
	s.wants("GET", "/api/activity/probe", "", 400, "bad-query")
	if v := s.get("/api/activity/disclaimed?provider=claude", 200); dig(v, "providers", "0", "received") != 5.0 || dig(v, "providers", "0", "shapes", "0", "hook") != "Brunch" {
		t.Errorf("disclaimed %v", v)
	}
	s.wants("GET", "/api/activity/disclaimed?provider=notepad", "", 400, "")

	node := "/api/activity/node/" + base64.RawURLEncoding.EncodeToString([]byte(".claude/agents/editor.md"))
	v = s.get(node, 200)
	if dig(v, "spawns", "0", "spawnId") != "u1" || v["captureEnabled"] != false || dig(v, "spawns", "0", "prompt") != "" {
		t.Errorf("of the editor %v", v)
	}
	if v := s.get("/api/activity/spawns/u1", 200); v["prompt"] != "" {
		t.Errorf("kept without consent: %v", v)
	}
	s.wants("GET", "/api/activity/spawns/u9", "", 404, "not-found")
	s.wants("DELETE", node, "", 204, "")
	if v := s.get(node, 200); v["stats"] != nil || len(v["spawns"].([]any)) != 0 {
		t.Errorf("after clearing %v", v)
	}
}

func TestConversationsAreKeptOnConsent(t *testing.T) {
	s := serve(t, project(t, small))
	s.wants("POST", "/api/activity/capture", `{"enabled":true}`, 412, "confirm-required")
	s.wants("POST", "/api/activity/capture", `{}`, 400, "bad-query")
	if v := s.wants("POST", "/api/activity/capture", `{"enabled":true,"confirm":true}`, 200, ""); v["enabled"] != true {
		t.Errorf("capture %v", v)
	}
	s.hook(editorCall, 202)
	s.hook(editorDone, 202)
	if v := s.get("/api/activity/spawns/u1", 200); v["prompt"] != "a secret order" || v["response"] != "a secret answer" || v["captureEnabled"] != true {
		t.Errorf("kept %v", v)
	}
	s.wants("POST", "/api/activity/capture", `{"enabled":false}`, 200, "")
	if v := s.get("/api/activity/spawns/u1", 200); v["prompt"] != "" {
		t.Errorf("still kept %v", v)
	}
}

func TestSessions(t *testing.T) {
	s := serve(t, project(t, small))
	s.hook(editorUp, 202) // before anybody records
	if v := s.wants("POST", "/api/activity/sessions/recording", `{"recording":true}`, 200, ""); v["recording"] != true {
		t.Errorf("recording %v", v)
	}
	s.wants("POST", "/api/activity/sessions/recording", `{}`, 400, "bad-query")
	s.wants("POST", "/api/activity/capture-level", `{"level":"reads"}`, 403, "locked")
	s.hook(readStyle, 202)
	s.hook(sessionOver, 202)
	v := s.get("/api/activity/sessions", 200)
	if v["recording"] != true || dig(v, "sessions", "0", "sessionId") != "s" || len(dig(v, "sessions", "0", "frames").([]any)) != 2 {
		t.Errorf("sessions %v", v)
	}
	log, err := os.ReadFile(s.atlas.Project().Inside("operations.log"))
	if err != nil || !strings.Contains(string(log), `"op":"activity.session-write"`) || !strings.Contains(string(log), `"channel":"hook"`) {
		t.Errorf("operations, %v\n%s", err, log)
	}
	s.wants("POST", "/api/activity/sessions/recording", `{"recording":false}`, 200, "")
	s.wants("DELETE", "/api/activity/sessions", "", 204, "")
	if files, _ := filepath.Glob(s.atlas.Project().Inside("sessions/*")); len(files) != 0 {
		t.Errorf("left %v", files)
	}
	s.wants("POST", "/api/activity/capture-level", `{"level":"shell"}`, 400, "shell-not-enabled")
	s.wants("POST", "/api/activity/capture-level", `{"level":"everything"}`, 400, "bad-query")
	if v := s.wants("POST", "/api/activity/capture-level", `{"level":"executions"}`, 200, ""); v["captureLevel"] != "executions" {
		t.Errorf("level %v", v)
	}
	if got := s.hook(readStyle, 202); !strings.Contains(got, `"resolved":0`) {
		t.Errorf("a read at the lowest level gives %s", got)
	}
}

func TestHooksOverREST(t *testing.T) {
	s := serve(t, project(t, small))
	if v := s.get("/api/activity/install?provider=claude", 200); v["supported"] != true || v["installed"] != false {
		t.Errorf("at first %v", v)
	}
	if v := s.get("/api/activity/install?provider=notepad", 200); v["supported"] != false {
		t.Errorf("of another %v", v)
	}
	s.wants("GET", "/api/activity/install", "", 400, "bad-query")
	s.wants("POST", "/api/activity/install", `{"provider":"claude"}`, 412, "confirm-required")
	s.wants("POST", "/api/activity/install", `{"provider":"notepad","confirm":true}`, 400, "unknown-provider")
	s.wants("POST", "/api/activity/install", `{"provider":"opencode","confirm":true,"shell":true}`, 400, "shell-unsupported")
	if v := s.wants("POST", "/api/activity/install", `{"provider":"claude","confirm":true,"shell":true}`, 200, ""); v["installed"] != true || v["shellOptIn"] != true {
		t.Errorf("installed %v", v)
	}
	s.wants("POST", "/api/activity/capture-level", `{"level":"shell"}`, 200, "")
	if v := s.wants("POST", "/api/activity/uninstall", `{"provider":"claude","confirm":true}`, 200, ""); v["removed"] != true || v["installed"] != false {
		t.Errorf("uninstalled %v", v)
	}
}
