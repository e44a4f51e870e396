package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/mcp"
)

func TestInitialize(t *testing.T) {
	p := over(t, newServer(t, options()))
	r := p.do("POST", hello)
	if r.status != 200 {
		t.Fatalf("status %d", r.status)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if id := r.header.Get("Mcp-Session-Id"); !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("session id %q is no version 4 UUID", id)
	}
	if !strings.HasPrefix(r.body, "event: message\ndata: {") || !strings.HasSuffix(r.body, "}\n\n") {
		t.Errorf("body %q", r.body)
	}
	var got, want any
	if err := json.Unmarshal(r.messages[0].Result, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}},"serverInfo":{"name":"skill-map","version":"9.9.9"}}`), &want); err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
		t.Errorf("result %s, want %s", a, b)
	}
}

func TestVersions(t *testing.T) {
	p := over(t, newServer(t, options()))
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": "2024-11-05", "2024-10-07": "2024-10-07", "1999-01-01": "2025-11-25", "2099-01-01": "2025-11-25",
	} {
		r := p.do("POST", strings.Replace(hello, "2025-06-18", asked, 1))
		var in struct{ ProtocolVersion string }
		if len(r.messages) != 1 || json.Unmarshal(r.messages[0].Result, &in) != nil || in.ProtocolVersion != want {
			t.Errorf("initialize with %s gives %s, want %s", asked, r.body, want)
		}
	}
}

// TestTransportErrors is the table of the contract: which request is refused
// with which status and code.
func TestTransportErrors(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	none := []string{"Mcp-Session-Id", ""}
	stale := []string{"Mcp-Session-Id", "nope"}
	rows := []struct {
		name         string
		method, body string
		headers      []string
		status, code int
		text         string
	}{
		{"no session", "POST", ping, none, 400, -32000, "Bad Request: Mcp-Session-Id header required"},
		{"no session on GET", "GET", "", none, 400, -32000, "Mcp-Session-Id header required"},
		{"no session on DELETE", "DELETE", "", none, 400, -32000, "Mcp-Session-Id header required"},
		{"initialize without clientInfo", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`, none, 400, -32000, "Mcp-Session-Id header required"},
		{"initialize without an id", "POST", strings.Replace(hello, `"id":1,`, "", 1), none, 400, -32000, "Mcp-Session-Id header required"},
		{"batch with initialize", "POST", "[" + hello + "]", none, 400, -32000, "Mcp-Session-Id header required"},
		{"JSON of another shape, no session", "POST", `{"hello":1}`, none, 400, -32000, "Mcp-Session-Id header required"},
		{"unknown session", "POST", ping, stale, 404, -32001, "Session not found"},
		{"unknown session on GET", "GET", "", stale, 404, -32001, "Session not found"},
		{"unknown session on DELETE", "DELETE", "", stale, 404, -32001, "Session not found"},
		{"not JSON", "POST", "{", nil, 400, -32700, "Parse error"},
		{"not JSON, no session", "POST", "{", none, 400, -32700, "Parse error"},
		{"empty body", "POST", "", nil, 400, -32700, "Parse error"},
		{"two values", "POST", ping + ping, nil, 400, -32700, "Parse error"},
		{"not JSON-RPC", "POST", `{"hello":1}`, nil, 400, -32700, "Parse error: Invalid JSON-RPC message"},
		{"a number", "POST", `12`, nil, 400, -32700, "Parse error: Invalid JSON-RPC message"},
		{"a method that is no string", "POST", `{"jsonrpc":"2.0","id":1,"method":5}`, nil, 400, -32700, "Invalid JSON-RPC message"},
		{"version 1.0", "POST", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, -32700, "Invalid JSON-RPC message"},
		{"id null", "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32700, "Invalid JSON-RPC message"},
		{"empty batch", "POST", `[]`, nil, 400, -32700, "Invalid JSON-RPC message"},
		{"batch with a stranger", "POST", "[" + ping + ",1]", nil, 400, -32700, "Invalid JSON-RPC message"},
		{"second initialize", "POST", hello, nil, 400, -32600, "Invalid Request: Server already initialized"},
		{"second initialize in a batch", "POST", "[" + ping + "," + hello + "]", nil, 400, -32600, "already initialized"},
		{"accepts JSON only", "POST", ping, []string{"Accept", "application/json"}, 406, -32000, "Not Acceptable"},
		{"accepts events only", "POST", ping, []string{"Accept", "text/event-stream"}, 406, -32000, "Not Acceptable"},
		{"accepts nothing", "POST", ping, []string{"Accept", ""}, 406, -32000, "Not Acceptable"},
		{"initialize accepts JSON only", "POST", hello, []string{"Mcp-Session-Id", "", "Accept", "application/json"}, 406, -32000, "Not Acceptable"},
		{"GET accepts JSON only", "GET", "", []string{"Accept", "application/json"}, 406, -32000, "Not Acceptable"},
		{"content type", "POST", ping, []string{"Content-Type", "text/plain"}, 415, -32000, "Content-Type"},
		{"no content type", "POST", ping, []string{"Content-Type", ""}, 415, -32000, "Content-Type"},
		{"content type of initialize", "POST", hello, []string{"Mcp-Session-Id", "", "Content-Type", "text/plain"}, 415, -32000, "Content-Type"},
		{"protocol version", "POST", ping, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, -32000, "2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07"},
		{"protocol version of tomorrow", "POST", ping, []string{"Mcp-Protocol-Version", "2099-01-01"}, 400, -32000, "Unsupported protocol version"},
		{"protocol version on GET", "GET", "", []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, -32000, "supported versions"},
		{"another method", "PUT", ping, nil, 405, -32000, "Method not allowed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := p.do(row.method, row.body, row.headers...)
			if r.status != row.status || r.header.Get("Content-Type") != "application/json" || len(r.messages) != 1 || r.messages[0].Error == nil {
				t.Fatalf("gives %d %s %s, want %d", r.status, r.header.Get("Content-Type"), r.body, row.status)
			}
			if e := r.messages[0].Error; e.Code != row.code || !strings.Contains(e.Message, row.text) {
				t.Errorf("gives %d %q, want %d %q", e.Code, e.Message, row.code, row.text)
			}
			if !strings.Contains(r.body, `"id":null`) || !strings.Contains(r.body, `"jsonrpc":"2.0"`) {
				t.Errorf("body %s", r.body)
			}
		})
	}
}

func TestWildcardAccept(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	for _, accept := range []string{"*/*", "application/*, text/*", "application/json;q=0.9, text/event-stream;q=0.5", "Application/JSON, TEXT/event-stream"} {
		if r := p.do("POST", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "Accept", accept); r.status != 200 {
			t.Errorf("Accept %q gives %d", accept, r.status)
		}
	}
}

func TestClosingServerRefuses(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	s.Close()
	for _, try := range []struct{ method, body string }{{"POST", hello}, {"POST", `{"jsonrpc":"2.0","id":7,"method":"ping"}`}, {"GET", ""}, {"DELETE", ""}} {
		r := p.do(try.method, try.body)
		if r.status != 503 || r.messages[0].Error.Code != -32000 || r.messages[0].Error.Message != "Server is shutting down" {
			t.Errorf("%s %s gives %d %s", try.method, try.body, r.status, r.body)
		}
	}
}

func TestDelete(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	if r := p.do("DELETE", ""); r.status != 200 || r.body != "" {
		t.Errorf("DELETE gives %d %q", r.status, r.body)
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if r := p.do(method, `{"jsonrpc":"2.0","id":7,"method":"ping"}`); r.status != 404 || r.messages[0].Error.Code != -32001 {
			t.Errorf("%s after DELETE gives %d %s", method, r.status, r.body)
		}
	}
	// A client that outlived its session shakes hands again, old id or not.
	if r := p.do("POST", hello); r.status != 200 || r.header.Get("Mcp-Session-Id") == p.session {
		t.Errorf("initialize with a stale id gives %d in session %s", r.status, r.header.Get("Mcp-Session-Id"))
	}
}

func TestMethods(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	rows := []struct {
		method, params string
		result         string // exact JSON
		code           int
		text           string
	}{
		{method: "ping", params: `{}`, result: `{}`},
		{method: "no/such", params: `{}`, code: -32601, text: "Method not found"},
		{method: "prompts/list", params: `{}`, code: -32601, text: "Method not found"},
		{method: "logging/setLevel", params: `{"level":"info"}`, code: -32601, text: "Method not found"},
		{method: "completion/complete", params: `{}`, code: -32601, text: "Method not found"},
		{method: "tools/list", params: `{"cursor":"x"}`, code: -32602, text: "cursor"},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"hi"}}`, result: `{"content":[{"type":"text","text":"{\"text\":\"hi\"}"}],"structuredContent":{"text":"hi"}}`},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"a","times":3.0,"unknown":true}}`, result: `{"content":[{"type":"text","text":"{\"text\":\"aaa\"}"}],"structuredContent":{"text":"aaa"}}`},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"a\\\"<b>&\n\u2028"}}`, result: `{"content":[{"type":"text","text":"{\"text\":\"a\\\\\\\"<b>&\\n\\u2028\"}"}],"structuredContent":{"text":"a\\\"<b>&\n\u2028"}}`},
		{method: "tools/call", params: `{"name":"nothing"}`, result: `{"content":[{"type":"text","text":"null"}]}`},
		{method: "tools/call", params: `{"name":"nothing","arguments":null}`, result: `{"content":[{"type":"text","text":"null"}]}`},
		{method: "tools/call", params: `{"name":"echo"}`, code: -32602, text: "text: is required"},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":5}}`, code: -32602, text: "text: must be string, not number"},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"a","times":0}}`, code: -32602, text: "times: must be greater than 0"},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"a","times":1.5}}`, code: -32602, text: "times: must be integer"},
		{method: "tools/call", params: `{"name":"echo","arguments":{"text":"a","times":1e999999999}}`, code: -32602, text: "Bad arguments"},
		{method: "tools/call", params: `{"name":"echo","arguments":[]}`, code: -32602, text: "must be object"},
		{method: "tools/call", params: `{"name":"none","arguments":{}}`, code: -32602, text: "Tool none not found"},
		{method: "tools/call", params: `{}`, code: -32602, text: "name of a tool"},
		{method: "tools/call", params: `{"name":"consent"}`, code: -32602, text: "details.key = 'allowEditSmFiles'"},
		{method: "tools/call", params: `{"name":"broken"}`, code: -32603, text: "Internal error"},
		{method: "resources/read", params: `{"uri":"skillmap://graph"}`, result: `{"contents":[{"uri":"skillmap://graph","mimeType":"application/json","text":"{\"n\":\"\\\"1\\\"\"}"}]}`},
		{method: "resources/read", params: `{"uri":"skillmap://node/docs/a.md"}`, result: `{"contents":[{"uri":"skillmap://node/docs/a.md","mimeType":"application/json","text":"{\"path\":\"docs/a.md\"}"}]}`},
		{method: "resources/read", params: `{"uri":"skillmap://node/docs%2Fa.md"}`, result: `{"contents":[{"uri":"skillmap://node/docs%2Fa.md","mimeType":"application/json","text":"{\"path\":\"docs/a.md\"}"}]}`},
		{method: "resources/read", params: `{"uri":"skillmap://node/nope.md"}`, code: -32602, text: "Unknown node path: nope.md"},
		{method: "resources/read", params: `{"uri":"skillmap://nope"}`, code: -32602, text: "Resource skillmap://nope not found"},
		{method: "resources/read", params: `{}`, code: -32602, text: "uri"},
		{method: "resources/subscribe", params: `{"uri":"skillmap://nope"}`, code: -32602, text: "not found"},
		{method: "resources/subscribe", params: `{"uri":"skillmap://node/nope.md"}`, code: -32602, text: "Unknown node path"},
		{method: "resources/subscribe", params: `{"uri":"skillmap://graph"}`, result: `{}`},
		{method: "resources/unsubscribe", params: `{"uri":"skillmap://nope"}`, result: `{}`},
	}
	for _, row := range rows {
		t.Run(row.method+row.params, func(t *testing.T) {
			p := *p
			p.t = t
			m := p.call(row.method, row.params)
			switch {
			case row.code != 0 && m.Error == nil:
				t.Errorf("gives %s, want error %d", m.Result, row.code)
			case row.code != 0 && (m.Error.Code != row.code || !strings.Contains(m.Error.Message, row.text)):
				t.Errorf("gives %d %q, want %d %q", m.Error.Code, m.Error.Message, row.code, row.text)
			case row.code == 0 && m.Error != nil:
				t.Errorf("gives error %d %q", m.Error.Code, m.Error.Message)
			case row.code == 0 && normal(t, m.Result) != normal(t, []byte(row.result)):
				t.Errorf("gives\n%s, want\n%s", m.Result, row.result)
			}
		})
	}
}

func normal(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestErrorDetails(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	e := p.call("tools/call", `{"name":"consent"}`).Error
	if details, _ := e.Data["details"].(map[string]any); details["key"] != "allowEditSmFiles" || e.Data["code"] != "confirm-required" {
		t.Errorf("data %v, want details.key and a code", e.Data)
	}
	e = p.call("tools/call", `{"name":"broken"}`).Error
	if strings.Contains(fmt.Sprint(e), "secret") {
		t.Errorf("a panic is told to the client: %v", e)
	}
	e = p.call("tools/call", `{"name":"echo","arguments":{"times":0}}`).Error
	details, _ := e.Data["details"].(map[string]any)
	wrong, _ := details["arguments"].([]any)
	if len(wrong) != 2 {
		t.Errorf("data %v, want two arguments named", e.Data)
	}
}

func TestToolsList(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       map[string]any
			Annotations       map[string]any
		}
	}
	if err := json.Unmarshal(p.call("tools/list", `{}`).Result, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"echo", "consent", "broken", "nothing", "count"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v in this order", names, want)
	}
	if list.Tools[0].InputSchema["$schema"] != "http://json-schema.org/draft-07/schema#" || list.Tools[0].Annotations["readOnlyHint"] != true {
		t.Errorf("first tool is %v", list.Tools[0])
	}
}

func TestBatch(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	r := p.do("POST", `[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"no/such"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if r.status != 200 || len(r.messages) != 3 {
		t.Fatalf("gives %d %s, want three frames", r.status, r.body)
	}
	var ids []string
	for _, m := range r.messages {
		ids = append(ids, string(m.ID))
	}
	slices.Sort(ids)
	if want := []string{`"a"`, "2", "2"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
	r = p.do("POST", `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":99,"result":{}}]`)
	if r.status != 202 || r.body != "" {
		t.Errorf("a batch without requests gives %d %q", r.status, r.body)
	}
}

func TestProgress(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	r := p.do("POST", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":"tok"}}}`)
	if len(r.messages) != 4 {
		t.Fatalf("gives %s, want three notifications and the answer", r.body)
	}
	for i, m := range r.messages[:3] {
		if want := fmt.Sprintf(`{"progressToken":"tok","progress":%d,"total":3}`, i+1); m.Method != "notifications/progress" || string(m.Params) != want {
			t.Errorf("message %d is %s %s, want %s", i, m.Method, m.Params, want)
		}
	}
	if m := p.call("tools/call", `{"name":"count"}`); !strings.Contains(string(m.Result), `"asked":false`) {
		t.Errorf("without a token: %s", m.Result)
	}
}

func TestBodyLimit(t *testing.T) {
	o := options()
	o.Limits.Body = 1000
	p := over(t, newServer(t, o)).open()
	r := p.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("a", 1000)+`"}}`)
	if r.status != http.StatusRequestEntityTooLarge || r.messages[0].Error.Code != -32000 {
		t.Errorf("gives %d %s", r.status, r.body)
	}
}

func TestUpdatesReachSubscribersOnly(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	other := p.another()
	mine, theirs := p.listen(true), other.listen(true)
	for _, uri := range []string{"skillmap://graph", "skillmap://node/docs%2Fa.md", "skillmap://node/docs/a.md"} {
		p.call("resources/subscribe", `{"uri":"`+uri+`"}`)
	}
	s.Updated("skillmap://graph")
	s.Updated("skillmap://node/docs/a.md")
	s.Updated("skillmap://node/other.md")
	s.ResourcesChanged()
	var got []string
	for range 4 {
		m := mine.next(t)
		got = append(got, m.Method+string(m.Params))
	}
	want := []string{
		`notifications/resources/updated{"uri":"skillmap://graph"}`,
		`notifications/resources/updated{"uri":"skillmap://node/docs%2Fa.md"}`,
		`notifications/resources/updated{"uri":"skillmap://node/docs/a.md"}`,
		`notifications/resources/list_changed`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("subscriber hears %v, want %v", got, want)
	}
	if m := theirs.next(t); m.Method != "notifications/resources/list_changed" {
		t.Errorf("the other hears %s %s, want the changed list only", m.Method, m.Params)
	}
	p.call("resources/unsubscribe", `{"uri":"skillmap://graph"}`)
	s.Updated("skillmap://graph")
	s.ResourcesChanged()
	if m := mine.next(t); m.Method != "notifications/resources/list_changed" {
		t.Errorf("after unsubscribe: %s %s", m.Method, m.Params)
	}
}

func TestSpellingsAreBounded(t *testing.T) {
	o := options()
	o.Templates[0].Resolve = func(context.Context, string) (string, error) { return "docs/a.md", nil }
	p := over(t, newServer(t, o)).open()
	for i := range 9 {
		m := p.call("resources/subscribe", fmt.Sprintf(`{"uri":"skillmap://node/%d"}`, i))
		if (m.Error != nil) != (i == 8) {
			t.Errorf("spelling %d gives %+v", i, m.Error)
		}
	}
}

func TestUpdatesWaitForTheStream(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	p.call("resources/subscribe", `{"uri":"skillmap://graph"}`)
	s.Updated("skillmap://graph")
	s.Updated("skillmap://graph") // says nothing new
	s.ResourcesChanged()
	l := p.listen(true)
	if m := l.next(t); m.Method != "notifications/resources/updated" {
		t.Errorf("first is %s", m.Method)
	}
	if m := l.next(t); m.Method != "notifications/resources/list_changed" {
		t.Errorf("second is %s", m.Method)
	}
}

func TestNewestStreamWins(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	old := p.listen(true)
	young := p.listen(true)
	if m, ok := <-old.messages; ok {
		t.Errorf("the old stream says %s, want its end", m.Method)
	}
	s.ResourcesChanged()
	if m := young.next(t); m.Method != "notifications/resources/list_changed" {
		t.Errorf("the new stream says %s", m.Method)
	}
}

// parked is a server with a tool that waits until its context ends.
func parked(t *testing.T) (s *mcp.Server, started, left chan string) {
	started, left = make(chan string, 10), make(chan string, 10)
	o := options()
	o.Tools = append(o.Tools, mcp.Tool{Name: "park", Description: "Waits.", InputSchema: schema(""), Handler: func(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
		started <- c.Session
		<-ctx.Done()
		left <- c.Session
		return mcp.Result{}, ctx.Err()
	}})
	return newServer(t, o), started, left
}

const park = `{"jsonrpc":"2.0","id":50,"method":"tools/call","params":{"name":"park"}}`

func TestVanishedClientEndsItsCall(t *testing.T) {
	s, started, left := parked(t)
	p := over(t, s).open()
	ctx, hangUp := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if res, err := p.client.Do(p.request(ctx, "POST", park)); err == nil {
			res.Body.Close()
		}
	}()
	<-started
	hangUp()
	<-done
	if id := <-left; id != p.session {
		t.Errorf("session %q left", id)
	}
}

func TestDeleteAndCloseEndCalls(t *testing.T) {
	for _, how := range []string{"DELETE", "Close", "cancelled"} {
		t.Run(how, func(t *testing.T) {
			s, started, left := parked(t)
			p := over(t, s).open()
			answer := make(chan reply, 1)
			go func() { answer <- p.do("POST", park) }()
			<-started
			switch how {
			case "DELETE":
				p.do("DELETE", "")
			case "Close":
				s.Close()
			case "cancelled":
				p.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}`)
			}
			<-left
			r := <-answer
			if how == "cancelled" && (r.status != 200 || len(r.messages) != 0) {
				t.Errorf("a cancelled call is answered: %d %s", r.status, r.body)
			}
			if how != "cancelled" && !strings.Contains(r.body, `"code":-32000,"message":"The call was cut short`) {
				t.Errorf("a call cut short by %s is answered %d %s", how, r.status, r.body)
			}
		})
	}
}

func TestMalformedTools(t *testing.T) {
	fine := func() mcp.Tool {
		return mcp.Tool{Name: "ok", Description: "d", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) { return mcp.Result{}, nil }}
	}
	for name, spoil := range map[string]func(*mcp.Tool){
		"name":        func(t *mcp.Tool) { t.Name = "Not OK" },
		"long name":   func(t *mcp.Tool) { t.Name = strings.Repeat("x", 41) },
		"description": func(t *mcp.Tool) { t.Description = "" },
		"handler":     func(t *mcp.Tool) { t.Handler = nil },
		"schema":      func(t *mcp.Tool) { t.InputSchema = json.RawMessage(`{"type":"string"}`) },
		"no schema":   func(t *mcp.Tool) { t.InputSchema = nil },
	} {
		tool := fine()
		spoil(&tool)
		if _, err := mcp.New(mcp.Options{Tools: []mcp.Tool{tool}}); err == nil {
			t.Errorf("%s: a malformed tool is taken", name)
		}
	}
	if _, err := mcp.New(mcp.Options{Tools: []mcp.Tool{fine(), fine()}}); err == nil {
		t.Error("a tool is declared twice")
	}
}
