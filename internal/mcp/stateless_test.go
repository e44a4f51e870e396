package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/mcp"
)

// whoKey finds the name that the door put into a context.
type whoKey struct{}

// statelessOptions are of a door that knows two names.
func statelessOptions() mcp.StatelessOptions {
	o := options()
	o.Info = mcp.Info{Name: "sigit", Title: "siGit Code", Version: "0.1.0", Instructions: "Tools for tests."}
	o.Resources, o.Templates = nil, nil
	o.Tools = append(o.Tools,
		mcp.Tool{Name: "whoami", Description: "Says who calls.", InputSchema: schema(""), Handler: func(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
			who, _ := ctx.Value(whoKey{}).(string)
			return mcp.Answer(map[string]string{"who": who, "args": string(c.Arguments)})
		}},
		mcp.Tool{Name: "fails", Description: "Fails inside.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
			return mcp.Result{}, errors.New("secret detail")
		}},
		mcp.Tool{Name: "refuses", Description: "Refuses in band.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
			return mcp.Result{Content: []byte(`[{"type":"text","text":"No."}]`), IsError: true}, nil
		}},
		mcp.Tool{Name: "lenient", Description: "Takes anything.", Lenient: true, InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
			Handler: func(_ context.Context, c *mcp.Call) (mcp.Result, error) {
				return mcp.Answer(map[string]json.RawMessage{"got": c.Arguments})
			}},
		mcp.Tool{Name: "large", Description: "Answers a megabyte.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
			return mcp.Result{JSON: fmt.Appendf(nil, `{"x":%q}`, strings.Repeat("x", 1<<20))}, nil
		}})
	return mcp.StatelessOptions{
		Options:  o,
		Versions: []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}, Fallback: "2025-06-18",
		Origins: []string{"https://sigit.example/"},
		Admit: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				who, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
				if !ok || who == "bad" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, who)))
			})
		},
	}
}

func newStateless(t testing.TB, o mcp.StatelessOptions) *mcp.Stateless {
	t.Helper()
	s, err := mcp.NewStateless(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask sends a body to h as alice; headers replace the usual ones, empty ones
// take them away.
func ask(h http.Handler, method, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/api/v1/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer alice")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestStateless(t *testing.T) {
	h := newStateless(t, statelessOptions())
	initialized := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"sigit","title":"siGit Code","version":"0.1.0"},"instructions":"Tools for tests."}}`
	}
	const (
		ping     = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		pong     = `{"jsonrpc":"2.0","id":1,"result":{}}`
		nonsense = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`
		notJSON  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
	)
	failed := func(id string, code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
	}
	whoami := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"{\"args\":\"{}\",\"who\":\"alice\"}"}],"structuredContent":{"args":"{}","who":"alice"}}}`
	}
	rows := []struct {
		name, body string
		status     int
		want       string
	}{
		{"initialize, newest", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, 200, initialized("2025-11-25")},
		{"initialize, 2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, 200, initialized("2025-06-18")},
		{"initialize, 2025-03-26", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`, 200, initialized("2025-03-26")},
		{"initialize, 2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, 200, initialized("2024-11-05")},
		{"initialize, unknown", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, 200, initialized("2025-06-18")},
		{"initialize, no params", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, 200, initialized("2025-06-18")},
		{"initialize, odd params", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}`, 200, initialized("2025-06-18")},
		{"ping", ping, 200, pong},
		{"ping, params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`, 200, pong},
		{"resources", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`},
		{"prompts", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, 200, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, 200, failed("1", -32601, "Method not found")},
		{"discover without marks", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, 200, failed("1", -32601, "Method not found")},
		{"notification name as a request", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, 200, failed("1", -32601, "Method not found")},
		{"string id", `{"jsonrpc":"2.0","id":"a\u0000\/b","method":"ping"}`, 200, `{"jsonrpc":"2.0","id":"a\u0000\/b","result":{}}`},
		{"large id", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":123456789012345678901234567890,"result":{}}`},
		{"fractional id", `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":1.50,"result":{}}`},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 200, `{"jsonrpc":"2.0","id":null,"result":{}}`},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, nonsense},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/no/such"}`, 202, ""},
		{"call without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"whoami"}}`, 202, ""},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, 202, ""},
		{"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, 202, ""},
		{"not 2.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 200, failed("1", -32600, "Invalid Request")},
		{"no method", `{"jsonrpc":"2.0","id":1}`, 200, failed("1", -32600, "Invalid Request")},
		{"method is a number", `{"jsonrpc":"2.0","id":1,"method":5}`, 400, nonsense},
		{"a number", `5`, 400, nonsense},
		{"null", `null`, 400, nonsense},
		{"empty object", `{}`, 400, nonsense},
		{"empty body", ``, 400, notJSON},
		{"half an object", `{"jsonrpc":"2.0","id":1,`, 400, notJSON},
		{"two objects", ping + ping, 400, notJSON},
		{"half a batch", `[` + ping, 400, notJSON},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", 400, notJSON},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`, 400, notJSON},
		{"batch", `[` + ping + `,{"jsonrpc":"2.0","id":"b","method":"no/such"},{"jsonrpc":"2.0","method":"notifications/x"}]`, 200, `[` + pong + `,` + failed(`"b"`, -32601, "Method not found") + `]`},
		{"batch of one", ` [` + ping + `]`, 200, `[` + pong + `]`},
		{"batch with equal ids", `[` + ping + `,` + ping + `]`, 200, `[` + pong + `,` + pong + `]`},
		{"batch of notifications", `[{"jsonrpc":"2.0","method":"notifications/a"},{"jsonrpc":"2.0","method":"notifications/b"}]`, 202, ""},
		{"batch with nonsense", `[1,` + ping + `,[]]`, 200, `[` + nonsense + `,` + pong + `,` + nonsense + `]`},
		{"batch with initialize", `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}},` + ping + `]`, 200, `[` + initialized("2025-03-26") + `,` + pong + `]`},
		{"empty batch", `[]`, 400, failed("null", -32600, "Invalid Request: a batch needs a message")},
		{"batch of 51", `[` + strings.Repeat(ping+",", 50) + ping + `]`, 400, failed("null", -32600, "Invalid Request: a batch has at most 50 messages")},
		{"call", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`, 200, whoami("2")},
		{"call without arguments", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}`, 200, whoami("2")},
		{"call with null arguments", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":null}}`, 200, whoami("2")},
		{"unknown tool", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"none"}}`, 200, failed("2", -32602, "Tool none not found")},
		{"odd tool name", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + strings.Repeat("é", 100) + `"}}`, 200, failed("2", -32602, "Unknown tool")},
		{"call without params", `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, 200, failed("2", -32602, "Invalid params: tools/call needs the name of a tool")},
		{"call with a list", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":["whoami"]}`, 200, failed("2", -32602, "Invalid params: tools/call needs the name of a tool")},
		{"tool refuses", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"refuses"}}`, 200, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"No."}],"isError":true}}`},
		{"tool fails", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fails"}}`, 200, failed("2", -32603, "Internal error")},
		{"tool panics", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"broken"}}`, 200, failed("2", -32603, "Internal error")},
		{"lenient tool", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lenient","arguments":[1]}}`, 200, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"got\":[1]}"}],"structuredContent":{"got":[1]}}}`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := ask(h, "POST", row.body)
			if w.Code != row.status || w.Body.String() != row.want {
				t.Errorf("gives %d %s\nwant  %d %s", w.Code, w.Body, row.status, row.want)
			}
			if got := w.Header().Get("Content-Type"); row.want != "" && got != "application/json" {
				t.Errorf("Content-Type %q", got)
			}
			if w.Header().Get("Mcp-Session-Id") != "" {
				t.Error("gives out a session")
			}
		})
	}
}

func TestStatelessListsInOrder(t *testing.T) {
	h := newStateless(t, statelessOptions())
	var answer struct {
		Result struct {
			Tools []struct{ Name string }
		}
	}
	if err := json.Unmarshal(ask(h, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	if got, want := strings.Join(names, " "), "echo consent broken nothing count whoami fails refuses lenient large"; got != want {
		t.Errorf("lists %s, want %s", got, want)
	}
}

func TestStatelessTransport(t *testing.T) {
	h := newStateless(t, statelessOptions())
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	rows := []struct {
		name, method string
		headers      []string
		status       int
		holds        string
	}{
		{"get", "GET", nil, 405, `"code":-32000`},
		{"get without a token", "GET", []string{"Authorization", ""}, 405, ""},
		{"delete", "DELETE", nil, 405, ""},
		{"put", "PUT", nil, 405, ""},
		{"no token", "POST", []string{"Authorization", ""}, 401, ""},
		{"bad token", "POST", []string{"Authorization", "Bearer bad"}, 401, ""},
		{"no accept", "POST", []string{"Accept", ""}, 200, `"result":{}`},
		{"json only", "POST", []string{"Accept", "application/json"}, 200, `"result":{}`},
		{"html", "POST", []string{"Accept", "text/html"}, 200, `"result":{}`},
		{"stale session", "POST", []string{"Mcp-Session-Id", "gone"}, 200, `"result":{}`},
		{"stale session of the stateless era", "POST", []string{"Mcp-Session-Id", "gone", "Mcp-Protocol-Version", "2026-07-28"}, 400, ""},
		{"old version", "POST", []string{"Mcp-Protocol-Version", "2024-11-05"}, 200, `"result":{}`},
		{"odd version", "POST", []string{"Mcp-Protocol-Version", "1.0"}, 200, `"result":{}`},
		{"charset", "POST", []string{"Content-Type", "application/json; charset=utf-8"}, 200, `"result":{}`},
		{"no type", "POST", []string{"Content-Type", ""}, 200, `"result":{}`},
		{"form", "POST", []string{"Content-Type", "text/plain"}, 415, `"code":-32000`},
		{"own origin", "POST", []string{"Origin", "https://SIGIT.example"}, 200, `"result":{}`},
		{"origin of this machine", "POST", []string{"Origin", "http://localhost:6274"}, 200, `"result":{}`},
		{"IPv6 origin of this machine", "POST", []string{"Origin", "http://[::1]:6274"}, 200, `"result":{}`},
		{"close to this machine", "POST", []string{"Origin", "http://localhost.evil.example"}, 403, ""},
		{"foreign origin", "POST", []string{"Origin", "https://evil.example"}, 403, `"code":-32000`},
		{"foreign origin, no token", "POST", []string{"Origin", "https://evil.example", "Authorization", ""}, 403, ""},
		{"close to ours", "POST", []string{"Origin", "https://sigit.example.evil.example"}, 403, ""},
		{"other scheme", "POST", []string{"Origin", "http://sigit.example"}, 403, ""},
		{"null origin", "POST", []string{"Origin", "null"}, 403, ""},
		{"foreign preflight", "OPTIONS", []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}, 403, ""},
		{"preflight", "OPTIONS", []string{"Origin", "https://sigit.example", "Access-Control-Request-Method", "POST", "Authorization", ""}, 204, ""},
		{"options", "OPTIONS", nil, 405, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := ask(h, row.method, ping, row.headers...)
			if w.Code != row.status || !strings.Contains(w.Body.String(), row.holds) {
				t.Errorf("gives %d %s, want %d with %s", w.Code, w.Body, row.status, row.holds)
			}
			if got := w.Header().Get("Allow"); (row.status == 405) != (got == "POST") {
				t.Errorf("Allow %q", got)
			}
		})
	}
}

// endless is a body that says how much of it was read.
type endless struct{ read int64 }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	e.read += int64(len(b))
	return len(b), nil
}

func TestStatelessLargeBody(t *testing.T) {
	h := newStateless(t, statelessOptions())
	const limit = 5 << 20
	for name, length := range map[string]int64{"declared": 1 << 40, "chunked": -1} {
		body := &endless{}
		r := httptest.NewRequest("POST", "/", body)
		r.ContentLength = length
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer alice")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 413 || !strings.Contains(w.Body.String(), `"code":-32000`) {
			t.Errorf("%s: %d %s, want 413", name, w.Code, w.Body)
		}
		if name == "declared" && body.read != 0 || body.read > limit+1<<20 {
			t.Errorf("%s: %d bytes were read", name, body.read)
		}
	}
	exact := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	exact += strings.Repeat(" ", limit-len(exact))
	if w := ask(h, "POST", exact); w.Code != 200 {
		t.Errorf("a body of the limit gives %d", w.Code)
	}
	if w := ask(h, "POST", exact+" "); w.Code != 413 {
		t.Errorf("a body over the limit gives %d", w.Code)
	}
}

func TestStatelessBodyThatEndsEarly(t *testing.T) {
	h := newStateless(t, statelessOptions())
	r := httptest.NewRequest("POST", "/", io.MultiReader(strings.NewReader(`{"jsonrpc"`), brokenReader{}))
	r.Header.Set("Authorization", "Bearer alice")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 400 {
		t.Errorf("gives %d %s, want 400", w.Code, w.Body)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestStatelessLargeBatchAnswers(t *testing.T) {
	h := newStateless(t, statelessOptions())
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large"}}`
	w := ask(h, "POST", `[`+strings.Repeat(call+",", 49)+`{"jsonrpc":"2.0","id":"last","method":"ping"}]`)
	if w.Code != 200 || w.Body.Len() > 12<<20 {
		t.Fatalf("gives %d with %d bytes", w.Code, w.Body.Len())
	}
	var answers []msg
	if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil || len(answers) != 50 {
		t.Fatalf("%d answers, %v; want 50", len(answers), err)
	}
	if answers[0].Error != nil || answers[49].Error == nil || string(answers[49].ID) != `"last"` {
		t.Errorf("first %+v, last %+v", answers[0].Error, answers[49])
	}
}

func TestStatelessLeaksNothing(t *testing.T) {
	var log bytes.Buffer
	o := statelessOptions()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	h := newStateless(t, o)
	for _, tool := range []string{"broken", "fails"} {
		log.Reset()
		w := ask(h, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`"}}`)
		if strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "secret detail") {
			t.Errorf("%s: answer %s, log %s", tool, w.Body, log.String())
		}
	}
}

func TestStatelessStopsForWhoLeft(t *testing.T) {
	var log bytes.Buffer
	o := statelessOptions()
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	calls := 0
	o.Tools = []mcp.Tool{{Name: "wait", Description: "Waits.", InputSchema: schema(""), Handler: func(ctx context.Context, _ *mcp.Call) (mcp.Result, error) {
		calls++
		<-ctx.Done()
		return mcp.Result{}, fmt.Errorf("ask the database: %w", ctx.Err())
	}}}
	h := newStateless(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`
	r := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(`[`+call+`,`+call+`]`))
	r.Header.Set("Authorization", "Bearer alice")
	cancel()
	h.ServeHTTP(httptest.NewRecorder(), r)
	if calls != 0 || log.Len() > 0 {
		t.Errorf("%d calls for a client that left; log %s", calls, log.String())
	}
}

// TestStatelessEras calls as two people at once in both eras.
func TestStatelessEras(t *testing.T) {
	web := httptest.NewServer(newStateless(t, statelessOptions()))
	defer web.Close()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	var all sync.WaitGroup
	for _, who := range []string{"alice", "bob"} {
		all.Go(func() {
			for i := range 50 {
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`
				r, _ := http.NewRequest("POST", web.URL, nil)
				if i%2 == 1 {
					body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami",` + meta + `}}`
					r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
					r.Header.Set("Mcp-Method", "tools/call")
					r.Header.Set("Mcp-Name", "whoami")
					r.Header.Set("Mcp-Session-Id", "gone")
				}
				r.Body = io.NopCloser(strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				r.Header.Set("Authorization", "Bearer "+who)
				res, err := web.Client().Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				text, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if res.StatusCode != 200 || !strings.Contains(string(text), `"who":"`+who+`"`) {
					t.Errorf("%s, call %d: %d %s", who, i, res.StatusCode, text)
				}
			}
		})
	}
	all.Wait()
}

func TestStatelessModern(t *testing.T) {
	web := httptest.NewServer(newStateless(t, statelessOptions()))
	defer web.Close()
	rows := []struct {
		method, name, params string
		headers              []string
		status               int
		holds                string
	}{
		{"server/discover", "", "", nil, 200, `"capabilities":{"tools":{}}`},
		{"tools/list", "", "", nil, 200, `"name":"whoami"`},
		{"tools/call", "whoami", `,"name":"whoami"`, nil, 200, `"who":"alice"`},
		{"tools/call", "lenient", `,"name":"lenient"`, nil, 200, `{"got":{}}`},
		{"tools/call", "refuses", `,"name":"refuses"`, nil, 200, `"isError":true`},
		{"tools/call", "fails", `,"name":"fails"`, nil, 200, `Internal error`},
		{"tools/call", "none", `,"name":"none"`, nil, 400, `-32602`},
		{"tools/call", "echo", `,"name":"whoami"`, nil, 400, `-32020`},
		{"prompts/list", "", "", nil, 404, `-32601`},
		{"resources/list", "", "", nil, 404, `-32601`},
		{"no/such", "", "", nil, 404, `-32601`},
		{"tools/list", "", "", []string{"Mcp-Protocol-Version", "2099-01-01"}, 400, ""},
		{"tools/list", "", "", []string{"Authorization", ""}, 401, ""},
	}
	for _, row := range rows {
		t.Run(row.method+" "+row.name, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"` + row.method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}` + row.params + `}}`
			r, err := http.NewRequestWithContext(t.Context(), "POST", web.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			headers := append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Authorization", "Bearer alice",
				"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", row.method, "Mcp-Name", row.name}, row.headers...)
			for i := 0; i < len(headers); i += 2 {
				if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
					r.Header.Del(headers[i])
				}
			}
			res, err := web.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			if res.StatusCode != row.status || !strings.Contains(string(text), row.holds) || strings.Contains(string(text), "secret") {
				t.Errorf("gives %d %s, want %d with %s", res.StatusCode, text, row.status, row.holds)
			}
		})
	}
}

// FuzzStateless sends any body. Whatever comes back is JSON-RPC, never an
// internal error, and every call with an id of its own is answered.
func FuzzStateless(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","method":"notifications/x"}]`,
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"lenient","arguments":{"n":[null]}}}`,
		`{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, `[]`, `[1]`, `{}`, `"`, "\xff", `{"id":1,"ID":2}`,
	} {
		f.Add([]byte(seed))
	}
	o := statelessOptions()
	h := newStateless(f, o)
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("io.modelcontextprotocol")) || bytes.Contains(body, []byte("broken")) || bytes.Contains(body, []byte("fails")) {
			return // the other era, and tools that fail on purpose
		}
		w := ask(h, "POST", string(body))
		if w.Code == 202 {
			if w.Body.Len() > 0 {
				t.Fatalf("202 with %s", w.Body)
			}
			return
		}
		if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("gives %d %s", w.Code, w.Body)
		}
		var one msg
		if json.Unmarshal(w.Body.Bytes(), &one) == nil && one.Error != nil && one.Error.Code == -32603 {
			t.Fatalf("an internal error: %s", w.Body)
		}
	})
}
