package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
)

// send asks with a JSON body.
func (s *site) send(method, path, body string) answer {
	s.t.Helper()
	return s.do(method, path, body, "Content-Type", "application/json")
}

// wants checks the status, and the code of an error.
func (s *site) wants(method, path, body string, status int, code string) map[string]any {
	s.t.Helper()
	a := s.send(method, path, body)
	if a.status != status {
		s.t.Errorf("%s %s %s gives %d %s, want %d", method, path, body, a.status, a.body, status)
		return nil
	}
	if status == http.StatusNoContent {
		if len(a.body) > 0 {
			s.t.Errorf("%s %s answers %s", method, path, a.body)
		}
		return nil
	}
	v := object(s.t, a.body)
	if got := dig(v, "error", "code"); code != "" && got != code {
		s.t.Errorf("%s %s %s gives the code %v (%s), want %s", method, path, body, got, a.body, code)
	}
	return v
}

// queued serves the small project whose agent has the skill.
func queued(t *testing.T) *site {
	t.Helper()
	s := serve(t, project(t, small))
	if _, _, err := s.atlas.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	return s
}

// claim takes the next job and records a report for it.
func (s *site) claim(report string) *atlas.Claimed {
	s.t.Helper()
	c, err := s.atlas.ClaimJob(context.Background(), sm.MCP, atlas.ClaimRequest{})
	if err != nil || c == nil {
		s.t.Fatalf("claim: %v, %v", c, err)
	}
	if report != "" {
		if r, err := s.atlas.RecordJob(context.Background(), sm.MCP, atlas.RecordRequest{ID: c.ID, Nonce: c.Nonce, Status: job.Completed, Report: &report}); err != nil || r.Outcome != atlas.Recorded {
			s.t.Fatalf("record: %+v, %v", r, err)
		}
	}
	return c
}

const (
	calm = `"confidence":0.8,"safety":{"injectionDetected":false,"contentQuality":"clean"}`
	two  = `{` + calm + `,"findings":[{"type":"redundancy","severity":"warn","message":"a"},{"type":"redundancy","severity":"info","message":"b"}]}`
)

func TestJobRoutes(t *testing.T) {
	s := serve(t, project(t, small))
	node := "/api/nodes/" + b64("AGENTS.md")
	sum := `{"extension":"core/ai-summarizer-action"}`
	s.wants("POST", node+"/jobs", sum, 409, "no-processing-agent")
	s.wants("POST", "/api/jobs", `{"extension":"core/ai-ping-action"}`, 200, "")
	s.wants("POST", "/api/jobs", `{"extension":"core/ai-ping-action"}`, 409, "duplicate-job")
	s.wants("POST", "/api/jobs", `{"extension":"core/ai-tagger-action"}`, 400, "bad-query")
	if _, _, err := s.atlas.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	s.wants("POST", "/api/nodes/"+b64("nope.md")+"/jobs", sum, 404, "not-found")
	s.wants("POST", "/api/nodes/AAA=/jobs", sum, 404, "not-found")
	s.wants("POST", node+"/jobs", `{"extension":"nope"}`, 404, "not-found")
	s.wants("POST", node+"/jobs", `{"extension":"skill:nope"}`, 404, "not-found")
	s.wants("POST", node+"/jobs", `{"extension":"core/node-set-tags"}`, 400, "bad-query")
	s.wants("POST", node+"/jobs", `{"extension":"core/ai-scope-action","findingIds":[]}`, 400, "bad-query")
	s.wants("POST", node+"/jobs", `{}`, 400, "bad-query")
	s.wants("POST", node+"/jobs", `{"extension":"x","more":1}`, 400, "bad-query")
	s.wants("POST", node+"/jobs", `{"extension":"core/ai-scope-action"}`, 409, "no-findings")
	made := s.wants("POST", node+"/jobs", sum, 200, "")
	id, _ := dig(made, "value", "jobId").(string)
	if made["kind"] != "job.submitted" || id == "" || dig(made, "value", "nodePath") != "AGENTS.md" || strings.Contains(string(mustJSON(t, made)), "nonce") {
		t.Errorf("submitted: %v", made)
	}
	twin := s.wants("POST", node+"/jobs", sum, 409, "duplicate-job")
	if dig(twin, "error", "details", "existingId") != id {
		t.Errorf("the twin: %v", twin)
	}
	write(t, filepath.Join(s.atlas.Project().Root, "docs", "style.md"), "# Other\n")
	s.wants("POST", "/api/nodes/"+b64("docs/style.md")+"/jobs", sum, 409, "node-drifted")
	if err := os.Remove(filepath.Join(s.atlas.Project().Root, "docs", "style.md")); err != nil {
		t.Fatal(err)
	}
	s.wants("POST", "/api/nodes/"+b64("docs/style.md")+"/jobs", sum, 409, "node-drifted")
	if list := s.get("/api/jobs", 200); len(list["items"].([]any)) != 1 || list["kindRegistry"] != nil {
		t.Errorf("listed: %v", list)
	}
	s.wants("GET", "/api/jobs?status=lost", "", 400, "bad-query")
	if list := s.get("/api/jobs?status=queued&extension=ai-summarizer-action&node=AGENTS.md", 200); dig(list, "counts", "total") != 1.0 || dig(list, "filters", "status") != "queued" {
		t.Errorf("filtered: %v", list)
	}
	s.wants("POST", "/api/jobs/"+id+"/cancel", "", 204, "")
	s.wants("POST", "/api/jobs/"+id+"/cancel", "", 409, "job-terminal")
	s.wants("POST", "/api/jobs/nope/cancel", "", 404, "not-found")
	s.wants("POST", node+"/jobs", sum, 200, "")
	s.wants("POST", "/api/jobs/cancel-all", "", 204, "")
	s.wants("POST", "/api/jobs/prune?status=queued", "", 400, "bad-query")
	s.wants("POST", "/api/jobs/prune?status=cancelled", "", 204, "")
	if list := s.get("/api/jobs", 200); len(list["items"].([]any)) != 0 {
		t.Errorf("cleared: %v", list)
	}
	s.wants("POST", node+"/jobs", sum, 200, "")
	held := s.claim("")
	if busy := s.wants("POST", node+"/jobs", sum, 409, "job-running"); dig(busy, "error", "details", "existingId") != held.ID {
		t.Errorf("beside a running job: %v", busy)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFindingRoutes(t *testing.T) {
	s := queued(t)
	node := "/api/nodes/" + b64("AGENTS.md")
	s.wants("POST", node+"/jobs", `{"extension":"core/ai-redundancy-analyzer"}`, 200, "")
	s.claim(two)
	list := s.get(node+"/findings", 200)
	rows := list["items"].([]any)
	if len(rows) != 2 || dig(rows[0], "bodyHashAtGeneration") != nil || dig(rows[0], "severity") != "warn" || dig(list, "counts", "dismissedExcluded") != 0.0 {
		t.Fatalf("listed: %v", list)
	}
	offers := s.get(node+"/prob-extensions", 200)
	for _, f := range dig(offers, "item", "finders").([]any) {
		if dig(f, "id") == "core/ai-redundancy-analyzer" && (dig(f, "hasOpenFindings") != true || dig(f, "findingsMaxSeverity") != "warn" || dig(f, "lastJudged", "at") == nil) {
			t.Errorf("offered: %v", f)
		}
	}
	one := node + "/findings/1"
	s.wants("POST", one+"/reopen", "{}", 409, "finding-open")
	s.wants("POST", one+"/resolve", `{"note":"n"}`, 204, "")
	s.wants("POST", one+"/resolve", "", 409, "finding-already-fixed")
	if list := s.get(node+"/findings?fixed=1", 200); len(list["items"].([]any)) != 1 || dig(list, "filters", "fixed") != true {
		t.Errorf("fixed ones: %v", list)
	}
	s.wants("POST", one+"/dismiss", "{}", 204, "")
	s.wants("POST", one+"/dismiss", "{}", 409, "finding-terminal")
	s.wants("POST", one+"/reopen", "", 204, "")
	s.wants("POST", "/api/nodes/"+b64("docs/style.md")+"/findings/1/resolve", "", 404, "not-found")
	s.wants("POST", node+"/findings/x/resolve", "", 404, "not-found")
	refused := s.wants("POST", one+"/dismiss", `{"class":true}`, 412, "confirm-required")
	if dig(refused, "error", "details", "key") != "allowEditSmFiles" {
		t.Errorf("refused: %v", refused)
	}
	s.wants("POST", one+"/dismiss", `{"class":true,"confirm":true}`, 204, "")
	if list := s.get(node+"/findings", 200); dig(list, "counts", "dismissedExcluded") != 2.0 {
		t.Errorf("suppressed: %v", list)
	}
	s.wants("POST", node+"/findings/undismiss", `{"extension":"core/nope","type":"redundancy","confirm":true}`, 404, "not-found")
	s.wants("POST", node+"/findings/undismiss", `{"extension":"core/ai-redundancy-analyzer","type":"redundancy"}`, 412, "confirm-required")
	s.wants("POST", node+"/findings/undismiss", `{"extension":"core/ai-redundancy-analyzer","type":"redundancy","confirm":true}`, 204, "")
	s.wants("DELETE", node+"/findings/2", "{}", 204, "")
	s.wants("DELETE", node+"/findings/2", "", 404, "not-found")
	write(t, s.atlas.Project().Inside("settings.json"), `{"schemaVersion":1,"activeProvider":"claude","allowSidecarWriters":false}`)
	refused = s.wants("POST", one+"/dismiss", `{"class":true,"confirm":true}`, 403, "sidecar-writers-forbidden")
	if dig(refused, "error", "details", "key") != "allowSidecarWriters" {
		t.Errorf("refused: %v", refused)
	}
	if rows := s.get("/api/folders", 200)["items"].([]any); dig(rows[2], "path") == "AGENTS.md" && dig(rows[2], "warnCount") == 0.0 {
		t.Errorf("folders do not count findings: %v", rows)
	}
}

func TestIssueRoutes(t *testing.T) {
	s := queued(t)
	node := "/api/nodes/" + b64("AGENTS.md")
	s.wants("POST", node+"/issues/dismiss", `{"analyzer":"nope","value":"x","confirm":true}`, 400, "bad-query")
	s.wants("POST", node+"/issues/dismiss", `{"analyzer":"reference-broken"}`, 400, "bad-query")
	s.wants("POST", node+"/issues/dismiss", `{"analyzer":"reference-broken","value":"docs/none.md"}`, 412, "confirm-required")
	s.wants("POST", "/api/nodes/"+b64("no.md")+"/issues/dismiss", `{"analyzer":"reference-broken","value":"x","confirm":true}`, 404, "not-found")
	s.wants("POST", node+"/issues/dismiss", `{"analyzer":"reference-broken","value":"docs/none.md","note":"n","confirm":true}`, 204, "")
	if dig(s.get("/api/issues?node=AGENTS.md&analyzerId=reference-broken", 200), "counts", "total") != 0.0 {
		t.Error("the issue still shows")
	}
	s.wants("POST", node+"/issues/undismiss", `{"analyzer":"reference-broken","value":"other","confirm":true}`, 409, "issue-suppression-not-found")
	s.wants("POST", node+"/issues/undismiss", `{"analyzer":"core/reference-broken","value":"docs/none.md","always":true}`, 204, "")
	if !s.atlas.Settings().AllowEditSmFiles {
		t.Error("the grant is not kept")
	}
}

func TestSummaryAndFavoriteRoutes(t *testing.T) {
	s := queued(t)
	node := "/api/nodes/" + b64("AGENTS.md")
	s.wants("DELETE", node+"/summary", "", 404, "not-found")
	s.wants("POST", node+"/jobs", `{"extension":"core/ai-summarizer-action"}`, 200, "")
	s.claim(`{` + calm + `,"whatItCovers":"x"}`)
	if got := s.get(node+"/summary", 200)["items"].([]any); len(got) != 1 || dig(got[0], "report", "whatItCovers") != "x" || dig(got[0], "stale") != false {
		t.Errorf("summaries: %v", got)
	}
	s.wants("DELETE", node+"/summary?summarizer=core/ai-summarizer-action", "", 204, "")
	s.wants("PUT", "/api/favorites/"+b64("AGENTS.md"), "", 204, "")
	if dig(s.get(node, 200), "item", "isFavorite") != true {
		t.Error("no favourite")
	}
	s.wants("PUT", "/api/favorites/"+b64("no.md"), "", 404, "not-found")
	s.wants("DELETE", "/api/favorites/"+b64("AGENTS.md"), "", 204, "")
	s.wants("DELETE", "/api/favorites/"+b64("no.md"), "", 204, "")
	if dig(s.get(node, 200), "item", "isFavorite") != false {
		t.Error("a favourite still")
	}
}

func TestActionRoutes(t *testing.T) {
	s := queued(t)
	tags := `{"nodePath":"AGENTS.md","input":{"tags":["a"]}`
	s.wants("POST", "/api/actions/core/node-set-tags", tags+"}", 412, "confirm-required")
	got := s.wants("POST", "/api/actions/core/node-set-tags", tags+`,"confirm":true}`, 200, "")
	if got["kind"] != "action.applied" || dig(got, "value", "report", "ok") != true {
		t.Errorf("applied: %v", got)
	}
	s.wants("POST", "/api/actions/core/node-bump", `{"nodePath":"AGENTS.md","confirm":true}`, 400, "bad-query")
	s.wants("PATCH", "/api/plugins/core/extensions/node-bump", `{"enabled":true}`, 200, "")
	s.wants("POST", "/api/actions/core/node-bump", `{"nodePath":"AGENTS.md","confirm":true}`, 200, "")
	s.wants("POST", "/api/actions/core/node-bump", `{"nodePath":"AGENTS.md","confirm":true}`, 409, "fresh")
	s.wants("POST", "/api/actions/core/nope", `{"nodePath":"AGENTS.md","confirm":true}`, 404, "not-found")
	s.wants("POST", "/api/actions/core/node-bump", `{"nodePath":"no.md","confirm":true}`, 404, "not-found")
	s.wants("PATCH", "/api/plugins", `{"changes":[{"id":"core/node-bump","enabled":false},{"id":"nope","enabled":true}]}`, 404, "not-found")
	if !s.atlas.Settings().ExtensionEnabled("core/node-bump", false) {
		t.Error("half of a list is switched")
	}
	s.wants("PATCH", "/api/plugins/core/extensions/schema-violation", `{"enabled":false}`, 403, "locked")
	s.wants("PATCH", "/api/plugins/nope/trust", `{"trusted":true}`, 404, "not-found")
	s.wants("GET", "/api/agent/install", "", 400, "bad-query")
	if dig(s.get("/api/agent/install?provider=claude", 200), "installed") != true {
		t.Error("the skill is not seen")
	}
	s.wants("POST", "/api/agent/uninstall", `{"provider":"claude"}`, 412, "confirm-required")
	if got := s.wants("POST", "/api/agent/uninstall", `{"provider":"claude","confirm":true}`, 200, ""); got["removed"] != true || got["installed"] != false {
		t.Errorf("uninstalled: %v", got)
	}
	if got := s.wants("POST", "/api/agent/install", `{"provider":"codex","confirm":true}`, 200, ""); got["outcome"] != "installed" {
		t.Errorf("installed: %v", got)
	}
}

func TestPreferenceRoutes(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	s := queued(t)
	s.wants("PATCH", "/api/preferences", "{}", 400, "bad-query")
	s.wants("PATCH", "/api/preferences", `{"telemetry":{"anonymousId":"x"}}`, 400, "bad-query")
	if got := s.wants("PATCH", "/api/preferences", `{"ui":{"dismissedNotes":["a"]}}`, 200, ""); len(dig(got, "ui", "dismissedNotes").([]any)) != 1 {
		t.Errorf("preferences: %v", got)
	}
	s.wants("PATCH", "/api/project-preferences", "{}", 400, "bad-query")
	s.wants("PATCH", "/api/project-preferences", `{"ui":{"nope":true}}`, 400, "bad-query")
	if got := s.wants("PATCH", "/api/project-preferences", `{"mcpServerEnabled":true,"ui":{"changeSpark":false}}`, 200, ""); got["mcpServerEnabled"] != true || dig(got, "ui", "changeSpark") != false {
		t.Errorf("project preferences: %v", got)
	}
	s.wants("PATCH", "/api/project-preferences", `{"scan":{"followExternalSymlinks":true}}`, 412, "confirm-required")
	s.wants("PATCH", "/api/project-preferences", `{"scan":{"referencePaths":["/no/such/folder"]},"confirm":true}`, 400, "bad-query")
	s.wants("PATCH", "/api/project-preferences", `{"scan":{"followExternalSymlinks":true},"confirm":true}`, 200, "")
	s.wants("PATCH", "/api/project-ignore", `{"patterns":["a","a"]}`, 400, "bad-query")
	if got := s.wants("PATCH", "/api/project-ignore", `{"patterns":["drafts/"]}`, 200, ""); len(got["patterns"].([]any)) != 1 {
		t.Errorf("ignored: %v", got)
	}
	if got := s.wants("PATCH", "/api/active-provider", `{"activeProvider":"codex"}`, 200, ""); got["activeProvider"] != "codex" || dig(got, "switch", "dropped", "tableCount") == nil {
		t.Errorf("lens: %v", got)
	}
	s.wants("PATCH", "/api/active-provider", `{"activeProvider":"nope"}`, 400, "bad-query")
	s.wants("POST", "/api/active-provider/accept-markers", "", 200, "")
	view := `{"schemaVersion":1,"kind":"map-view","name":"Docs","overrides":[["docs","include"]],"pins":{"b.md":{"x":1,"y":2},"a.md":{"x":0,"y":0}}}`
	s.wants("PUT", "/api/map-views/docs", view, 200, "")
	s.wants("PUT", "/api/map-views/Bad", view, 400, "bad-query")
	s.wants("PUT", "/api/map-views/docs", `{"schemaVersion":1,"kind":"map-view","name":"","overrides":[],"pins":{}}`, 400, "bad-query")
	text, err := os.ReadFile(s.atlas.Project().Inside(filepath.Join("views", "docs.json")))
	if err != nil || !bytes.HasPrefix(text, []byte("{\n  \"schemaVersion\": 1,\n")) || bytes.Index(text, []byte("a.md")) > bytes.Index(text, []byte("b.md")) {
		t.Errorf("the file: %s, %v", text, err)
	}
	s.wants("DELETE", "/api/map-views/docs", "", 204, "")
	s.wants("DELETE", "/api/map-views/docs", "", 404, "not-found")
}

// A command in another process tells the server what it did; WebSocket and MCP
// clients hear of it, and a parked claim wakes.
func TestPushedEvents(t *testing.T) {
	s := queued(t)
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(s.url, "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	event := `{"type":"job.submitted","timestamp":5,"runId":"r-queue-x","jobId":"d-1","data":{"nodePath":"a.md"}}`
	s.wants("POST", "/api/job-events", event, 403, "token-mismatch")
	other := atlas.Open(s.atlas.Project(), atlas.Options{})
	defer other.Close()
	events, stop := other.Events.Listen(10)
	got := make(chan *atlas.Claimed)
	go func() {
		c, err := s.atlas.ClaimJob(t.Context(), sm.MCP, atlas.ClaimRequest{Wait: 1 << 40, Interval: 1 << 40})
		if err != nil {
			t.Error(err)
		}
		got <- c
	}()
	made, err := other.SubmitJob(t.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-tagger-action", Node: "AGENTS.md"})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	var told []sm.Event
	for e := range events {
		told = append(told, e)
	}
	api.Push(t.Context(), s.atlas.Project(), told)
	if c := <-got; c == nil || c.ID != made.Job.ID {
		t.Errorf("the parked claim got %+v", c)
	}
	for _, want := range []string{"job.submitted", "job.claimed"} {
		_, frame, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(frame), `"type":"`+want+`"`) || strings.Contains(string(frame), "nonce") {
			t.Errorf("heard %s, %v; want %s", frame, err, want)
		}
	}
	if got := s.get("/api/agent/presence", 200); got["lastClaimAt"] == nil {
		t.Errorf("presence: %v", got)
	}
}

func TestPushNeedsAnEventOfAJob(t *testing.T) {
	s := queued(t)
	var info api.ServeInfo
	load(t, s.atlas.Project().Inside(config.ServeFile), &info)
	for body, status := range map[string]int{
		`{"type":"job.submitted","timestamp":5,"runId":"r","jobId":"d","data":{}}`:       202,
		`{"type":"scan.completed","timestamp":5,"runId":"r","jobId":"d","data":{}}`:      400,
		`{"type":"job.submitted","timestamp":5,"runId":"r","jobId":null,"data":{}}`:      400,
		`{"type":"job.submitted","runId":"r","jobId":"d","data":{}}`:                     400,
		`{"type":"job.submitted","timestamp":5,"runId":"r","jobId":"d","data":{},"x":1}`: 400,
		`nonsense`: 400,
	} {
		if a := s.do("POST", "/api/job-events", body, "X-Skill-Map-Token", info.Token); a.status != status {
			t.Errorf("%s gives %d %s, want %d", body, a.status, a.body, status)
		}
	}
}

// The nonce is nowhere but in the answer to a claim: not in REST, not in
// events, not in the log of operations, not in the log of the server.
func TestNonceStaysWithTheClaim(t *testing.T) {
	s := queued(t)
	events, stop := s.atlas.Events.Listen(1000)
	node := "/api/nodes/" + b64("AGENTS.md")
	var seen bytes.Buffer
	keep := func(a answer) { seen.Write(a.body) }
	keep(s.send("POST", node+"/jobs", `{"extension":"core/ai-redundancy-analyzer","autoFix":true}`))
	c := s.claim("")
	keep(s.send("GET", "/api/jobs", ""))
	keep(s.send("GET", node+"/prob-extensions", ""))
	report := two
	if _, err := s.atlas.RecordJob(t.Context(), sm.MCP, atlas.RecordRequest{ID: c.ID, Nonce: c.Nonce, Status: job.Completed, Report: &report}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/jobs", node + "/findings", node + "/prob-extensions", "/api/scan"} {
		keep(s.send("GET", path, ""))
	}
	stop()
	for e := range events {
		seen.Write(mustJSON(t, e))
	}
	log, err := os.ReadFile(s.atlas.Project().Inside(config.OpsFile))
	if err != nil {
		t.Fatal(err)
	}
	seen.Write(log)
	if strings.Contains(seen.String(), c.Nonce) || strings.Contains(seen.String(), `"nonce"`) {
		t.Error("the nonce is told elsewhere")
	}
}
