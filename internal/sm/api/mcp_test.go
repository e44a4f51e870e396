package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"skillforge/internal/mcp"
)

const shake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// talk opens a session.
func talk(s *site) *conversation {
	c := &conversation{site: s}
	c.session = c.post(shake).header.Get("Mcp-Session-Id")
	return c
}

// structured is what a tool answers.
func (c *conversation) structured(name, arguments string) map[string]any {
	c.t.Helper()
	a := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments))
	v, ok := dig(c.message(a), "result", "structuredContent").(map[string]any)
	if !ok {
		c.t.Fatalf("%s %s gives %s", name, arguments, a.body)
	}
	return v
}

// undecorated is a node as the map has it.
func undecorated(v any) any {
	n, _ := v.(map[string]any)
	for _, k := range []string{"isFavorite", "tags", "contributions"} {
		delete(n, k)
	}
	return n
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("%s: MCP gives\n%.600s, REST\n%.600s", what, a, b)
	}
}

// TestMCPAndRESTAgree: one map behind both doors.
func TestMCPAndRESTAgree(t *testing.T) {
	s := serve(t, project(t, small))
	c := talk(s)

	rest := s.get("/api/nodes/"+b64("AGENTS.md")+"?include=body", 200)
	tool := c.structured("get_node", `{"path":"AGENTS.md","includeBody":true}`)
	same(t, "item", tool["item"], undecorated(rest["item"]))
	same(t, "links", tool["links"], rest["links"])
	same(t, "issues", tool["issues"], rest["issues"])

	rest = s.get("/api/issues", 200)
	tool = c.structured("list_issues", `{}`)
	same(t, "issues", tool["items"], rest["items"])
	same(t, "total", tool["total"], dig(rest, "counts", "total"))

	rest = s.get("/api/branch?path=docs&path=.claude&exclude=.claude/skills", 200)
	tool = c.structured("get_branch", `{"path":["docs",".claude"],"exclude":[".claude/skills"]}`)
	nodes, _ := rest["nodes"].([]any)
	for _, n := range nodes {
		undecorated(n)
	}
	for _, k := range []string{"branch", "nodes", "links", "issues"} {
		same(t, "branch "+k, tool[k], rest[k])
	}

	rest = s.get("/api/nodes?kind=agent", 200)
	tool = c.structured("query_graph", `{"kind":"agent"}`)
	same(t, "query", paths(tool["nodes"]), paths(rest["items"]))

	contents, _ := dig(c.message(c.post(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"skillmap://graph"}}`)), "result", "contents").([]any)
	if text := dig(contents[0], "text"); text != string(s.do("GET", "/api/scan", "").body) {
		t.Errorf("skillmap://graph is %.200v, not what GET /api/scan gives", text)
	}
}

// stream opens the session's own stream.
func (c *conversation) stream() *http.Response {
	c.t.Helper()
	req, err := http.NewRequest("GET", c.url+"/mcp", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", c.session)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestStatusCountsWhoAnswers(t *testing.T) {
	s := serve(t, project(t, small), func(o *options) { o.tools.Limits = mcp.Limits{Ping: 5 * time.Second} })
	talk(s) // a session without a stream is no client
	c := talk(s)
	res := c.stream()
	go func() { // answers pings
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			var m struct{ ID json.RawMessage }
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &m) == nil {
				c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
			}
		}
	}()
	v := s.get("/api/mcp/status", 200)
	if v["clients"] != 1.0 || v["connected"] != true || v["enabled"] != true {
		t.Errorf("status %v, want one client", v)
	}
}

func TestStopEndsMCPStreams(t *testing.T) {
	s := serve(t, project(t, small))
	c := talk(s)
	res := c.stream()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		}
	}()
	start := time.Now()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	<-ended
	if took := time.Since(start); took > soon {
		t.Errorf("stopping took %v with a stream open", took)
	}
}
