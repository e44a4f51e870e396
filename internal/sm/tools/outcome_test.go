package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/sm/config"
	"skillforge/internal/sqldb"
)

// outcomes is every word that the contract lets a tool answer with, and the
// no-match and not-found of undismiss_finding, which it leaves open.
var outcomes = map[string][]string{
	"submit_job":        {"created", "duplicate", "job-running", "drift", "unreadable", "no-findings"},
	"record_job":        {"completed", "nonce-mismatch", "not-running", "not-found", "report-invalid", "schema-unresolved"},
	"cancel_job":        {"cancelled", "already-terminal", "not-found"},
	"fail_job":          {"failed", "already-terminal", "not-found"},
	"resolve_finding":   {"resolved", "already-fixed", "not-found"},
	"dismiss_finding":   {"dismissed", "already-dismissed", "not-found", "suppressed"},
	"reopen_finding":    {"reopened", "already-open", "not-found"},
	"undismiss_finding": {"unsuppressed", "no-match", "not-found"},
	"delete_finding":    {"deleted", "not-found"},
	"dismiss_issue":     {"suppressed", "already-suppressed"},
	"undismiss_issue":   {"unsuppressed", "not-found"},
}

// silent are the outcomes that changed nothing, so the log says nothing.
var silent = []string{
	"duplicate", "job-running", "drift", "unreadable", "no-findings", "nonce-mismatch", "not-running", "not-found", "schema-unresolved",
	"already-terminal", "already-fixed", "already-dismissed", "already-open", "no-match",
}

// operated is a project whose agent has the skill, and what its tools answered.
type operated struct {
	*client
	heard map[string]map[string]bool
}

func operate(t *testing.T) *operated {
	t.Helper()
	o := &operated{connect(t, files), map[string]map[string]bool{}}
	if _, _, err := o.atlas.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	return o
}

// operations counts the lines that this door wrote into the log.
func (o *operated) operations() int {
	o.t.Helper()
	text, err := os.ReadFile(o.project.Inside("operations.log"))
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.Count(string(text), `"channel":"mcp"`)
}

// did calls a tool and wants an outcome, with a line in the log exactly when
// something changed.
func (o *operated) did(tool, arguments, want string) map[string]any {
	o.t.Helper()
	before := o.operations()
	var got map[string]any
	o.call(tool, arguments, &got)
	if got["outcome"] != want {
		o.t.Fatalf("%s %s gives %v, want %s", tool, arguments, got, want)
	}
	lines := o.operations() - before
	if slices.Contains(silent, want) != (lines == 0) || lines > 1 {
		o.t.Errorf("%s %s (%s) leaves %d lines in the log", tool, arguments, want, lines)
	}
	if o.heard[tool] == nil {
		o.heard[tool] = map[string]bool{}
	}
	o.heard[tool][want] = true
	return got
}

// take claims the next job.
func (o *operated) take() (id, nonce string) {
	o.t.Helper()
	before := o.operations()
	var got struct{ ID, Nonce, Content string }
	o.call("claim_job", `{}`, &got)
	if got.Content == "" || o.operations() != before+1 {
		o.t.Fatalf("claim_job gives %+v and leaves %d lines in the log", got, o.operations()-before)
	}
	return got.ID, got.Nonce
}

// record is the arguments of record_job.
func record(id, nonce, report string) string {
	text, _ := json.Marshal(map[string]string{"id": id, "nonce": nonce, "status": "completed", "report": report})
	return string(text)
}

// refused wants a JSON-RPC error with a code, and nothing in the log.
func (o *operated) refused(tool, arguments, code, key string) {
	o.t.Helper()
	before := o.operations()
	a := o.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if a.Error == nil || a.Error.Code != -32602 || a.Error.Data["code"] != code {
		o.t.Fatalf("%s %s gives %+v, want -32602 with the code %s", tool, arguments, a, code)
	}
	if key != "" {
		details, _ := a.Error.Data["details"].(map[string]any)
		if details["key"] != key || !strings.Contains(a.Error.Message, "details.key = '"+key+"'") {
			o.t.Errorf("%s %s does not name %s: %+v", tool, arguments, key, a.Error)
		}
	}
	if o.operations() != before {
		o.t.Errorf("the refusal of %s %s is logged", tool, arguments)
	}
}

const (
	calm  = `"confidence":0.8,"safety":{"injectionDetected":false,"contentQuality":"clean"}`
	clean = `{` + calm + `,"findings":[]}`
	three = `{` + calm + `,"findings":[{"type":"redundancy","severity":"warn","message":"a"},{"type":"redundancy","severity":"info","message":"b"},{"type":"redundancy","severity":"info","message":"c"}]}`
)

// TestEveryOutcome walks through the queue, the findings and the suppressions
// until each tool has answered with each word it has.
func TestEveryOutcome(t *testing.T) {
	o := operate(t)
	submit := func(node, extension string) string {
		return fmt.Sprintf(`{"node":%q,"extension":%q}`, node, extension)
	}
	finder := submit("AGENTS.md", "ai-redundancy-analyzer")

	// What is no request at all is an error.
	o.refused("submit_job", submit("none.md", "ai-redundancy-analyzer"), "not-found", "")
	o.refused("submit_job", submit("AGENTS.md", "ai-nothing"), "not-found", "")
	o.refused("submit_job", submit("AGENTS.md", "core/node-bump"), "deterministic", "")
	o.refused("submit_job", `{"node":"AGENTS.md","extension":"ai-scope-analyzer","ttl":-1}`, "invalid", "")
	o.refused("submit_job", `{"node":"AGENTS.md","extension":"ai-scope-analyzer","findingIds":[1]}`, "invalid", "")
	o.refused("get_job", `{"id":"d-0"}`, "not-found", "")
	o.refused("get_node", `{"path":"none.md"}`, "not-found", "")

	o.did("submit_job", submit("AGENTS.md", "ai-redundancy-action"), "no-findings")
	first := o.did("submit_job", finder, "created")["jobId"].(string)
	o.did("submit_job", finder, "duplicate")
	o.did("submit_job", `{"node":"AGENTS.md","extension":"ai-redundancy-analyzer","force":true}`, "duplicate")
	o.did("record_job", record(first, strings.Repeat("0", 32), clean), "nonce-mismatch")
	id, nonce := o.take()
	o.did("submit_job", finder, "job-running")
	o.did("record_job", record("d-0", nonce, clean), "not-found")
	o.did("record_job", record(id, strings.Repeat("0", 32), clean), "nonce-mismatch")
	o.refused("record_job", fmt.Sprintf(`{"id":%q,"nonce":%q,"status":"completed"}`, id, nonce), "invalid", "")
	o.refused("record_job", fmt.Sprintf(`{"id":%q,"nonce":%q,"status":"failed","failureReason":"bored"}`, id, nonce), "invalid", "")
	o.did("record_job", record(id, nonce, three), "completed")
	o.did("record_job", record(id, nonce, three), "not-running")

	// A file that changed, or went, since the map was made.
	o.write("docs/style.md", "# Another style\n")
	o.did("submit_job", submit("docs/style.md", "ai-scope-analyzer"), "drift")
	if err := os.Remove(o.project.Path("docs/style.md")); err != nil {
		t.Fatal(err)
	}
	o.did("submit_job", submit("docs/style.md", "ai-scope-analyzer"), "unreadable")
	o.write("docs/style.md", files["docs/style.md"])

	// A report that breaks its contract, one that tells of a failure, one
	// whose contract is gone.
	o.did("submit_job", submit("AGENTS.md", "ai-scope-analyzer"), "created")
	id, nonce = o.take()
	o.did("record_job", record(id, nonce, `{"confidence":2}`), "report-invalid")
	o.did("submit_job", submit("AGENTS.md", "ai-scope-analyzer"), "created")
	id, nonce = o.take()
	if got := o.did("record_job", fmt.Sprintf(`{"id":%q,"nonce":%q,"status":"failed","report":"No model answered."}`, id, nonce), "completed"); got["status"] != "failed" {
		t.Errorf("a failure is recorded as %v", got)
	}
	if _, err := o.atlas.CreatePlugin("house-style", "finder"); err != nil {
		t.Fatal(err)
	}
	o.did("submit_job", submit("AGENTS.md", "house-style/house-style-analyzer"), "created")
	id, nonce = o.take()
	if err := os.RemoveAll(o.project.Inside("plugins")); err != nil {
		t.Fatal(err)
	}
	o.did("record_job", record(id, nonce, clean), "schema-unresolved")
	o.did("cancel_job", fmt.Sprintf(`{"id":%q}`, id), "cancelled")
	o.did("cancel_job", fmt.Sprintf(`{"id":%q}`, id), "already-terminal")
	o.did("cancel_job", `{"id":"d-0"}`, "not-found")
	id = o.did("submit_job", submit("AGENTS.md", "ai-scope-analyzer"), "created")["jobId"].(string)
	o.did("fail_job", fmt.Sprintf(`{"id":%q}`, id), "failed")
	o.did("fail_job", fmt.Sprintf(`{"id":%q}`, id), "already-terminal")
	o.did("fail_job", `{"id":"d-0"}`, "not-found")

	// Findings.
	o.did("resolve_finding", `{"id":1,"note":"n"}`, "resolved")
	o.did("resolve_finding", `{"id":1}`, "already-fixed")
	o.did("resolve_finding", `{"id":9}`, "not-found")
	o.did("reopen_finding", `{"id":1}`, "reopened")
	o.did("reopen_finding", `{"id":1}`, "already-open")
	o.did("reopen_finding", `{"id":9}`, "not-found")
	o.did("dismiss_finding", `{"id":1}`, "dismissed")
	o.did("dismiss_finding", `{"id":1}`, "already-dismissed")
	o.did("dismiss_finding", `{"id":9}`, "not-found")
	o.did("dismiss_finding", `{"id":9,"class":true,"confirm":true}`, "not-found")
	o.did("dismiss_finding", `{"id":2,"class":true,"confirm":true}`, "suppressed")
	class := `"extension":"ai-redundancy-analyzer","type":"redundancy","confirm":true}`
	o.did("undismiss_finding", `{"node":"AGENTS.md",`+class, "unsuppressed")
	o.did("undismiss_finding", `{"node":"AGENTS.md",`+class, "no-match")
	o.did("undismiss_finding", `{"node":"none.md",`+class, "not-found")
	o.did("delete_finding", `{"id":3}`, "deleted")
	o.did("delete_finding", `{"id":3}`, "not-found")

	// Suppressions of issues.
	broken := `{"node":"AGENTS.md","analyzer":"reference-broken","value":"docs/none.md","confirm":true}`
	o.refused("dismiss_issue", strings.Replace(broken, "reference-broken", "no-rule", 1), "bad-query", "")
	o.refused("dismiss_issue", strings.Replace(broken, "AGENTS.md", "none.md", 1), "not-found", "")
	if got := o.did("dismiss_issue", broken, "suppressed"); got["deletedIssues"] != 1.0 {
		t.Errorf("dismissed: %v", got)
	}
	o.did("dismiss_issue", broken, "already-suppressed")
	o.did("undismiss_issue", strings.Replace(broken, "reference-broken", "no-rule", 1), "not-found")
	o.did("undismiss_issue", strings.Replace(broken, "AGENTS.md", "none.md", 1), "not-found")
	o.did("undismiss_issue", broken, "unsuppressed")
	o.did("undismiss_issue", broken, "not-found")
	o.refused("list_issue_suppressions", `{"node":"none.md"}`, "not-found", "")

	for tool, words := range outcomes {
		for _, word := range words {
			if !o.heard[tool][word] {
				t.Errorf("%s never answered %s", tool, word)
			}
		}
		if len(o.heard[tool]) != len(words) {
			t.Errorf("%s answers %v, the contract has %v", tool, o.heard[tool], words)
		}
	}
}

func TestSubmitNeedsAnAgentHere(t *testing.T) {
	o := &operated{client: connect(t, files)}
	// What is wrong with the request comes first.
	for _, arguments := range []string{`{"node":"none.md","extension":"ai-scope-analyzer"}`, `{"node":"AGENTS.md","extension":"ai-nothing"}`} {
		if a := o.rpc("tools/call", `{"name":"submit_job","arguments":`+arguments+`}`); a.Error == nil || a.Error.Data["code"] != "not-found" {
			t.Errorf("%s gives %+v", arguments, a.Error)
		}
	}
	a := o.rpc("tools/call", `{"name":"submit_job","arguments":{"node":"AGENTS.md","extension":"ai-scope-analyzer"}}`)
	if a.Error == nil || a.Error.Code != -32602 || a.Error.Data["code"] != "no-processing-agent" || !strings.Contains(a.Error.Message, "sm agent install") {
		t.Errorf("without an agent: %+v", a.Error)
	}
}

// TestConsentOverMCP is the ladder at this door, for each tool that writes a
// sidecar: nothing, once, for ever, a standing grant, the team's policy.
func TestConsentOverMCP(t *testing.T) {
	const sidecar = "identity:\n  path: docs/style.md\n  bodyHash: \"0000000000000000000000000000000000000000000000000000000000000000\"\n  frontmatterHash: \"0000000000000000000000000000000000000000000000000000000000000000\"\nannotations:\n  suppressions:\n    - {extension: core/x, type: t}\n  issueSuppressions:\n    - {analyzer: a, value: v}\n"
	writers := []struct{ tool, arguments, outcome, file string }{
		{"dismiss_finding", `{"id":1,"class":true`, "suppressed", "AGENTS.sm"},
		{"undismiss_finding", `{"node":"docs/style.md","extension":"core/x","type":"t"`, "unsuppressed", "docs/style.sm"},
		{"delete_finding", `{"id":2`, "deleted", "docs/a b%25.sm"},
		{"dismiss_issue", `{"node":"AGENTS.md","analyzer":"core/reference-broken","value":"docs/none.md"`, "suppressed", "AGENTS.sm"},
		{"undismiss_issue", `{"node":"docs/style.md","analyzer":"a","value":"v"`, "unsuppressed", "docs/style.sm"},
	}
	prepare := func(t *testing.T) *operated {
		t.Helper()
		o := operate(t)
		o.write("docs/style.sm", sidecar)
		o.scan()
		for _, node := range []string{"AGENTS.md", "docs/a b%25.md"} {
			o.did("submit_job", fmt.Sprintf(`{"node":%q,"extension":"ai-redundancy-analyzer"}`, node), "created")
			id, nonce := o.take()
			o.did("record_job", record(id, nonce, `{`+calm+`,"findings":[{"type":"redundancy","severity":"warn","message":"a"}]}`), "completed")
		}
		o.did("dismiss_finding", `{"id":2,"class":true,"confirm":true}`, "suppressed")
		return o
	}
	for _, w := range writers {
		t.Run(w.tool, func(t *testing.T) {
			o := prepare(t)
			text := func() string {
				b, _ := os.ReadFile(o.project.Path(w.file)) // one that is not there is empty
				return string(b)
			}
			before := text()
			o.refused(w.tool, w.arguments+`}`, "confirm-required", "allowEditSmFiles")
			o.refused(w.tool, w.arguments+`,"confirm":false,"always":false}`, "confirm-required", "allowEditSmFiles")
			o.write(".skill-map/settings.json", `{"schemaVersion":1,"activeProvider":"claude","allowEditSmFiles":true,"allowSidecarWriters":false}`)
			for _, consent := range []string{`}`, `,"confirm":true}`, `,"always":true}`} {
				o.refused(w.tool, w.arguments+consent, "sidecar-writers-forbidden", "allowSidecarWriters")
			}
			// A grant that came with the repository is none.
			o.write(".skill-map/settings.json", `{"schemaVersion":1,"activeProvider":"claude","allowEditSmFiles":true}`)
			o.refused(w.tool, w.arguments+`}`, "confirm-required", "allowEditSmFiles")
			if text() != before {
				t.Errorf("a refusal wrote %s", w.file)
			}
			o.did(w.tool, w.arguments+`,"confirm":true}`, w.outcome)
			if text() == before {
				t.Errorf("%s is as it was", w.file)
			}
			if o.atlas.Settings().AllowEditSmFiles {
				t.Error("consent for once is kept")
			}

			o = prepare(t)
			o.did(w.tool, w.arguments+`,"always":true}`, w.outcome)
			if !o.atlas.Settings().AllowEditSmFiles {
				t.Error("consent for ever is not kept")
			}

			o = prepare(t)
			if _, err := o.project.Set("allowEditSmFiles", true, config.SetOptions{}); err != nil {
				t.Fatal(err)
			}
			o.did(w.tool, w.arguments+`}`, w.outcome)
		})
	}
}

// mutating is a call of each tool that writes, good enough to reach the
// database.
var mutating = map[string]string{
	"submit_job": `{"node":"AGENTS.md","extension":"ai-scope-analyzer"}`, "claim_job": `{}`,
	"record_job": `{"id":"d-0","nonce":"0","status":"failed"}`, "cancel_job": `{"id":"d-0"}`, "fail_job": `{"id":"d-0"}`,
	"resolve_finding": `{"id":1}`, "dismiss_finding": `{"id":1}`, "reopen_finding": `{"id":1}`, "delete_finding": `{"id":1,"confirm":true}`,
	"undismiss_finding": `{"node":"AGENTS.md","extension":"core/x","confirm":true}`,
	"dismiss_issue":     `{"node":"AGENTS.md","analyzer":"reference-broken","value":"docs/none.md","confirm":true}`,
	"undismiss_issue":   `{"node":"AGENTS.md","analyzer":"reference-broken","value":"docs/none.md","confirm":true}`,
}

// reading is a call of each other tool.
var reading = map[string]string{
	"query_graph": `{}`, "get_node": `{"path":"AGENTS.md"}`, "list_issues": `{}`, "get_branch": `{"path":["docs"]}`,
	"list_extensions": `{}`, "list_jobs": `{}`, "list_findings": `{}`, "list_issue_suppressions": `{}`,
}

func TestWritesRefuseADriftedDatabaseHere(t *testing.T) {
	o := operate(t)
	job := o.did("submit_job", `{"node":"AGENTS.md","extension":"ai-tagger-action"}`, "created")["jobId"]
	o.sql(`UPDATE scan_meta SET schema_fingerprint = 'another'`)
	reads := map[string]string{"get_job": fmt.Sprintf(`{"id":%q}`, job)}
	for tool, arguments := range reading {
		reads[tool] = arguments
	}
	if len(reads)+len(mutating) != 21 {
		t.Errorf("%d tools are tried, there are 21", len(reads)+len(mutating))
	}
	for tool, arguments := range mutating {
		o.refused(tool, arguments, "db-drift", "")
	}
	for tool, arguments := range reads {
		if a := o.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)); a.Error != nil {
			t.Errorf("%s on a drifted database: %+v", tool, a.Error)
		}
	}
	for _, uri := range []string{"skillmap://graph", "skillmap://issues", "skillmap://activity", "skillmap://node/AGENTS.md"} {
		if a := o.rpc("resources/read", fmt.Sprintf(`{"uri":%q}`, uri)); a.Error != nil {
			t.Errorf("%s on a drifted database: %+v", uri, a.Error)
		}
	}
	if _, err := os.Stat(o.project.Path("AGENTS.sm")); err == nil {
		t.Error("a sidecar was written")
	}
}

// sql changes the database behind the program's back.
func (o *operated) sql(text string) {
	o.t.Helper()
	db, err := sqldb.Open(o.t.Context(), "sqlite:"+o.atlas.Database(), sqldb.Options{MustExist: true})
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := db.Writer().ExecContext(o.t.Context(), text); err != nil {
		o.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		o.t.Fatal(err)
	}
}

func TestWritesNeedAMap(t *testing.T) {
	o := operate(t)
	if err := os.Remove(o.atlas.Database()); err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range mutating {
		o.refused(tool, arguments, "db-missing", "")
	}
	for _, tool := range []string{"list_jobs", "list_findings", "list_issue_suppressions"} {
		var got map[string][]any
		o.call(tool, `{}`, &got)
		for key, list := range got {
			if list == nil || len(list) > 0 {
				t.Errorf("%s without a map: %s is %v", tool, key, list)
			}
		}
	}
}

// TestClaimPassesOverALostText: the job is failed, the next one is handed out.
func TestClaimPassesOverALostText(t *testing.T) {
	o := operate(t)
	lost := o.did("submit_job", `{"node":"AGENTS.md","extension":"ai-tagger-action","priority":1}`, "created")["jobId"].(string)
	o.sql(`DELETE FROM state_job_contents`)
	whole := o.did("submit_job", `{"node":"AGENTS.md","extension":"ai-scope-analyzer"}`, "created")["jobId"].(string)
	var got struct{ ID string }
	o.call("claim_job", `{}`, &got)
	if got.ID != whole {
		t.Errorf("claimed %s, want %s", got.ID, whole)
	}
	var job struct {
		Item struct{ Status, FailureReason string }
	}
	o.call("get_job", fmt.Sprintf(`{"id":%q}`, lost), &job)
	if job.Item.Status != "failed" || job.Item.FailureReason != "job-file-missing" {
		t.Errorf("the job without a text is %+v", job.Item)
	}
}
