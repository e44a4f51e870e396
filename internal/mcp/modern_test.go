package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"skillforge/internal/mcp"
)

// modernly sends one request of the stateless era.
func (p *peer) modernly(ctx context.Context, id int, method, name, params string) *http.Request {
	p.t.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"0"}}`
	if params != "" {
		meta += "," + params
	}
	return p.request(ctx, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, meta),
		"Mcp-Session-Id", "", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)
}

func (p *peer) modern(method, name, params string) reply {
	p.t.Helper()
	res, err := p.client.Do(p.modernly(context.Background(), 1, method, name, params))
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(text), parseBody(p.t, res.Header, string(text))}
}

func TestStatelessEraOnTheSameURL(t *testing.T) {
	p := over(t, newServer(t, options()))
	rows := []struct {
		method, name, params string
		status, code         int
		holds                string
	}{
		{"server/discover", "", "", 200, 0, `"supportedVersions"`},
		{"tools/list", "", "", 200, 0, `"name":"echo"`},
		{"tools/call", "echo", `"name":"echo","arguments":{"text":"hi"}`, 200, 0, `"structuredContent":{"text":"hi"}`},
		{"tools/call", "echo", `"name":"echo","arguments":{}`, 400, -32602, "text: is required"},
		{"tools/call", "consent", `"name":"consent"`, 400, -32602, "allowEditSmFiles"},
		{"tools/call", "broken", `"name":"broken"`, 200, -32603, "Internal error"},
		{"tools/call", "none", `"name":"none"`, 400, -32602, "none"},
		{"resources/list", "", "", 200, 0, `"skillmap://graph"`},
		{"resources/templates/list", "", "", 200, 0, `skillmap://node/{+path}`},
		{"resources/read", "skillmap://graph", `"uri":"skillmap://graph"`, 200, 0, `"cacheScope":"private"`},
		{"resources/read", "skillmap://node/docs/a.md", `"uri":"skillmap://node/docs/a.md"`, 200, 0, `docs/a.md`},
		{"resources/read", "skillmap://nope", `"uri":"skillmap://nope"`, 400, -32602, "not found"},
		{"prompts/list", "", "", 404, -32601, "ethod not found"},
		{"no/such", "", "", 404, -32601, ""},
	}
	for _, row := range rows {
		t.Run(row.method+" "+row.name, func(t *testing.T) {
			p := *p
			p.t = t
			r := p.modern(row.method, row.name, row.params)
			if r.status != row.status || len(r.messages) != 1 || !strings.Contains(r.body, row.holds) {
				t.Fatalf("gives %d %s, want %d with %s", r.status, r.body, row.status, row.holds)
			}
			if e := r.messages[0].Error; (e == nil) != (row.code == 0) || e != nil && e.Code != row.code {
				t.Errorf("gives %s, want code %d", r.body, row.code)
			}
		})
	}
}

func TestStatelessEraIsRecognised(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	// Inside a session the header alone does not leave the handshake era.
	if r := p.do("POST", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "Mcp-Protocol-Version", "2026-07-28"); r.status != 400 || r.messages[0].Error.Code != -32000 {
		t.Errorf("gives %d %s", r.status, r.body)
	}
}

func TestListenHearsUpdates(t *testing.T) {
	s, err := mcp.New(options())
	if err != nil {
		t.Fatal(err)
	}
	p := over(t, s)
	res, err := p.client.Do(p.modernly(t.Context(), 9, "subscriptions/listen", "", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["skillmap://graph","skillmap://node/docs%2Fa.md"]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	next := func() msg {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var m msg
				if err := json.Unmarshal([]byte(data), &m); err != nil {
					t.Fatal(err)
				}
				return m
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return msg{}
	}
	if m := next(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("first comes %s", m.Method)
	}
	s.Updated("skillmap://graph")
	if m := next(); m.Method != "notifications/resources/updated" || !strings.Contains(string(m.Params), `"uri":"skillmap://graph"`) {
		t.Errorf("hears %s %s", m.Method, m.Params)
	}
	s.Updated("skillmap://node/docs/a.md")
	if m := next(); !strings.Contains(string(m.Params), `"uri":"skillmap://node/docs%2Fa.md"`) {
		t.Errorf("hears %s %s", m.Method, m.Params)
	}
	s.ResourcesChanged()
	if m := next(); m.Method != "notifications/resources/list_changed" {
		t.Errorf("hears %s %s", m.Method, m.Params)
	}
	s.Close()
	if m := next(); string(m.ID) != "9" || m.Result == nil {
		t.Errorf("at the end: %+v, want the result of the call", m)
	}
}

func TestListenRefusesStrangers(t *testing.T) {
	p := over(t, newServer(t, options()))
	r := p.modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["skillmap://nope"]}`)
	if len(r.messages) != 1 || r.messages[0].Error == nil || r.messages[0].Error.Code != -32602 {
		t.Errorf("gives %d %s, want -32602", r.status, r.body)
	}
}
