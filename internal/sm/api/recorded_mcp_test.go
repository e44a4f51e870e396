package api_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// exchange is one recorded call of the reference over MCP.
type exchange struct {
	Request  json.RawMessage
	Status   int
	Headers  map[string]string
	Response any
	Body     *string // of a plain HTTP exchange
}

// wantedMCP are the differences that are meant, by place.
var wantedMCP = map[string]string{
	"result.structuredContent.total":     "a cut is visible (design §4.15)",
	"result.structuredContent.truncated": "the same",
	"result.tools[].execution":           "noise of the reference's library",
	"result.tools[].annotations":         "hosts ask their user by them",
	"result.tools[].inputSchema.":        "compared exactly, in TestRecordedSchemas",
}

// conversation is a client that keeps its session.
type conversation struct {
	*site
	session string
}

func (c *conversation) post(body string, headers ...string) answer {
	h := append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)
	if c.session != "" {
		h = append(h, "Mcp-Session-Id", c.session)
	}
	return c.do("POST", "/mcp", body, h...)
}

// message is the one message of an event stream, nil when there is none.
func (c *conversation) message(a answer) any {
	c.t.Helper()
	data, ok := strings.CutPrefix(string(a.body), "event: message\ndata: ")
	if !ok {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(strings.TrimSuffix(data, "\n\n")), &v); err != nil {
		c.t.Fatalf("%s: %v", a.body, err)
	}
	return v
}

// bootPing are the recordings about a job that the reference queues by itself
// when it starts. Nothing is queued here that nobody asked for (design §4.16).
var bootPing = map[string]bool{"jobs-00-list-before": true, "jobs-01-claim-boot-ping": true, "jobs-02-record-boot-ping": true}

// TestRecordedMCP replays a whole session of the reference in its order: the
// map, the queue from submit to record, findings and suppressions.
func TestRecordedMCP(t *testing.T) {
	folder := shared(t, "wire", "mcp")
	var index []struct{ Name string }
	load(t, filepath.Join(folder, "INDEX.json"), &index)
	c := &conversation{site: serve(t, copied(t, shared(t, "scan", "input", "fixtures__claude")))}
	if _, _, err := c.atlas.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	d := &differences{wantedMCP, map[string]bool{}}
	ids := translator{}
	for _, entry := range index {
		if entry.Name == "" || bootPing[entry.Name] { // the former are TestRecordedHTTP's
			continue
		}
		var r exchange
		load(t, filepath.Join(folder, entry.Name+".json"), &r)
		a := c.post(ids.ours(string(r.Request)))
		if id := a.header.Get("Mcp-Session-Id"); c.session == "" {
			c.session = id
		}
		t.Run(entry.Name, func(t *testing.T) {
			if a.status != r.Status {
				t.Fatalf("status %d, recorded %d: %s", a.status, r.Status, a.body)
			}
			for _, h := range []string{"content-type", "cache-control", "x-accel-buffering"} {
				if got := a.header.Get(h); got != r.Headers[h] {
					t.Errorf("header %s is %q, recorded %q", h, got, r.Headers[h])
				}
			}
			if want := r.Headers["mcp-session-id"]; (want != "") != (a.header.Get("Mcp-Session-Id") != "") {
				t.Errorf("session header %q, recorded %q", a.header.Get("Mcp-Session-Id"), want)
			}
			got := c.message(a)
			compareMessages(t, d, got, r.Response)
			compareWords(t, got, r.Response)
			ids.learn(got, r.Response)
		})
	}
	d.stale(t)
	if len(ids) < 10 {
		t.Errorf("only %d ids were met", len(ids))
	}
}

// translator knows which of our ids and nonces stands for which recorded one.
type translator map[string]string

func (tr translator) ours(request string) string {
	for theirs, ours := range tr {
		request = strings.ReplaceAll(request, `"`+theirs+`"`, `"`+ours+`"`)
	}
	return request
}

func (tr translator) learn(got, want any) {
	for _, key := range []string{"id", "jobId", "nonce", "executionId"} {
		ours, ok := dig(got, "result", "structuredContent", key).(string)
		theirs, ok2 := dig(want, "result", "structuredContent", key).(string)
		if ok && ok2 {
			tr[theirs] = ours
		}
	}
}

// compareWords wants the same outcome, and lists of the same length with rows
// that stand the same.
func compareWords(t *testing.T, got, want any) {
	t.Helper()
	for _, key := range []string{"outcome", "status", "deletedIssues", "total"} {
		ours, theirs := dig(got, "result", "structuredContent", key), dig(want, "result", "structuredContent", key)
		if theirs != nil && ours != theirs {
			t.Errorf("%s is %v, recorded %v", key, ours, theirs)
		}
	}
	for _, key := range []string{"findings", "suppressions", "extensions"} {
		ours, _ := dig(got, "result", "structuredContent", key).([]any)
		theirs, _ := dig(want, "result", "structuredContent", key).([]any)
		if len(ours) != len(theirs) {
			t.Errorf("%d %s, recorded %d", len(ours), key, len(theirs))
			continue
		}
		for i := range theirs {
			for _, field := range []string{"id", "role", "kind", "resolution", "resolutionActor", "severity", "confidence", "stale", "analyzer", "value", "note"} {
				if a, b := dig(ours[i], field), dig(theirs[i], field); a != b {
					t.Errorf("%s[%d].%s is %v, recorded %v", key, i, field, a, b)
				}
			}
		}
	}
	if dig(want, "result", "content") == nil || dig(want, "result", "structuredContent") != nil || dig(want, "result", "isError") != nil {
		return
	}
	ours, _ := dig(got, "result", "content").([]any)
	theirs, _ := dig(want, "result", "content").([]any)
	if len(ours) != 1 || dig(ours[0], "text") != dig(theirs[0], "text") {
		t.Errorf("text %v, recorded %v", ours, theirs)
	}
}

// compareMessages compares two answers. Where the reference answers a failed
// call with a result that says so, ours is a JSON-RPC error (design §4.9).
func compareMessages(t *testing.T, d *differences, got, want any) {
	t.Helper()
	if dig(want, "result", "isError") == true {
		if code := dig(got, "error", "code"); code != -32602.0 {
			t.Errorf("a failed call is %v, want error -32602", got)
		}
		return
	}
	if code := dig(want, "error", "code"); code != nil && dig(got, "error", "code") != code {
		t.Errorf("error %v, recorded %v", dig(got, "error"), dig(want, "error"))
	}
	checkText(t, got)
	compareShapes(t, d, unfold(t, got), unfold(t, want))
}

// unfold replaces the JSON in the text of a document by what it says.
func unfold(t *testing.T, v any) any {
	t.Helper()
	contents, _ := dig(v, "result", "contents").([]any)
	for _, c := range contents {
		m := c.(map[string]any)
		var inner any
		if err := json.Unmarshal([]byte(m["text"].(string)), &inner); err != nil {
			t.Fatal(err)
		}
		m["text"] = inner
	}
	return v
}

// checkText wants the text of a tool's answer to be its structured content,
// compact.
func checkText(t *testing.T, v any) {
	t.Helper()
	structured := dig(v, "result", "structuredContent")
	if structured == nil {
		return
	}
	text, _ := dig(v, "result", "content").([]any)[0].(map[string]any)["text"].(string)
	var said any
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(said)
	b, _ := json.Marshal(structured)
	if string(a) != string(b) || strings.Contains(text, "\n") || strings.Contains(text, `": `) && len(text) > 2*len(a) {
		t.Errorf("text %.200s is not the structured content", text)
	}
}

func TestRecordedSchemas(t *testing.T) {
	folder := shared(t, "wire", "mcp")
	var want struct {
		Response struct {
			Result struct {
				Tools []map[string]any
			}
		}
	}
	load(t, filepath.Join(folder, "tools-list.json"), &want)
	c := &conversation{site: serve(t, project(t, small))}
	c.session = c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`).header.Get("Mcp-Session-Id")
	listed, _ := dig(c.message(c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)), "result", "tools").([]any)
	if len(listed) == 0 {
		t.Fatal("no tools")
	}
	for i, tool := range listed {
		got, theirs := tool.(map[string]any), want.Response.Result.Tools[i]
		if got["name"] != theirs["name"] || got["title"] != theirs["title"] {
			t.Errorf("tool %d is %v %q, recorded %v %q", i, got["name"], got["title"], theirs["name"], theirs["title"])
		}
		a, _ := json.Marshal(plain(got["inputSchema"]))
		b, _ := json.Marshal(plain(theirs["inputSchema"]))
		if string(a) != string(b) {
			t.Errorf("schema of %v is\n%s, recorded\n%s", got["name"], a, b)
		}
	}
}

// plain is a schema without its descriptions.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if _, isText := e.(string); k == "description" && isText {
				continue
			}
			out[k] = plain(e)
		}
		return out
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	}
	return v
}

func TestRecordedHTTP(t *testing.T) {
	folder := shared(t, "wire", "mcp")
	c := &conversation{site: serve(t, project(t, small))}
	open := func() string {
		return c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`).header.Get("Mcp-Session-Id")
	}
	session := open()
	for _, name := range []string{"http-bad-json", "http-no-session", "http-bad-session", "http-bad-accept", "http-evil-origin", "http-delete-session", "http-after-delete"} {
		t.Run(name, func(t *testing.T) {
			var r struct {
				Request struct {
					Method  string
					Headers map[string]string
					Body    *string
				}
				Status  int
				Headers map[string]string
				Body    string
			}
			load(t, filepath.Join(folder, name+".json"), &r)
			var headers []string
			for k, v := range r.Request.Headers {
				if k == "mcp-session-id" && len(v) == 36 { // the session of the recording
					v = session
				}
				headers = append(headers, k, v)
			}
			body := ""
			if r.Request.Body != nil {
				body = *r.Request.Body
			}
			a := c.do(r.Request.Method, "/mcp", body, headers...)
			if a.status != r.Status || a.header.Get("Content-Type") != r.Headers["content-type"] {
				t.Fatalf("gives %d %s %s, recorded %d %s", a.status, a.header.Get("Content-Type"), a.body, r.Status, r.Headers["content-type"])
			}
			if r.Body == "" {
				if len(a.body) > 0 {
					t.Errorf("body %s, recorded none", a.body)
				}
				return
			}
			got, want := object(t, a.body), object(t, []byte(r.Body))
			if dig(got, "error", "code") != dig(want, "error", "code") || len(shapes(got)) != len(shapes(want)) {
				t.Errorf("body %s, recorded %s", a.body, r.Body)
			}
			if strings.HasPrefix(name, "http-bad-json") || strings.Contains(name, "session") {
				if dig(got, "error", "message") != dig(want, "error", "message") {
					t.Errorf("says %v, recorded %v", dig(got, "error", "message"), dig(want, "error", "message"))
				}
			}
		})
	}
}
