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

// replayed are the recordings of what only reads, in the order of a session.
var replayed = []string{
	"initialize", "notifications-initialized", "ping", "tools-list", "resources-list", "resources-templates-list", "prompts-list-unsupported", "unknown-method",
	"call-query_graph", "call-query_graph-kind", "call-query_graph-has-issues", "call-query_graph-path-limit", "call-query_graph-bad-has", "call-query_graph-bad-limit",
	"call-get_node", "call-get_node-body", "call-get_node-unknown", "call-get_node-missing-arg",
	"call-list_issues", "call-list_issues-warn-page", "call-list_issues-analyzer", "call-list_issues-node",
	"call-get_branch", "call-get_branch-all", "call-get_branch-conflict", "call-get_branch-exclude-limit", "call-unknown-tool",
	"resources-read-graph", "resources-read-issues", "resources-read-activity", "resources-read-node", "resources-read-node-unknown", "resources-read-unknown",
	"resources-subscribe", "resources-unsubscribe",
}

func TestRecordedMCP(t *testing.T) {
	folder := shared(t, "wire", "mcp")
	c := &conversation{site: serve(t, copied(t, shared(t, "scan", "input", "fixtures__claude")))}
	d := &differences{wantedMCP, map[string]bool{}}
	for _, name := range replayed {
		var r exchange
		load(t, filepath.Join(folder, name+".json"), &r)
		a := c.post(string(r.Request))
		if id := a.header.Get("Mcp-Session-Id"); c.session == "" {
			c.session = id
		}
		t.Run(name, func(t *testing.T) {
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
			compareMessages(t, d, c.message(a), r.Response)
		})
	}
	d.stale(t)
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
