package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
)

const object = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{%s}}`

func schema(properties string) json.RawMessage { return fmt.Appendf(nil, object, properties) }

// options are of a small server whose tools show what the transport must carry.
func options() mcp.Options {
	return mcp.Options{
		Info: mcp.Info{Name: "skill-map", Version: "9.9.9"},
		Tools: []mcp.Tool{
			{Name: "echo", Description: "Says it again.", Annotations: mcp.Reads(),
				InputSchema: json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"text":{"type":"string"},"times":{"type":"integer","exclusiveMinimum":0,"maximum":9007199254740991}},"required":["text"]}`),
				Handler: func(_ context.Context, c *mcp.Call) (mcp.Result, error) {
					var in struct {
						Text  string
						Times int
					}
					if err := c.Bind(&in); err != nil {
						return mcp.Result{}, err
					}
					return mcp.Answer(map[string]any{"text": strings.Repeat(in.Text, max(in.Times, 1))})
				}},
			{Name: "consent", Description: "Always refused.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
				return mcp.Result{}, fault.Coded(fault.Denied, "confirm-required", "Writing needs consent.").With("key", "allowEditSmFiles")
			}},
			{Name: "broken", Description: "Panics.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
				panic("secret detail")
			}},
			{Name: "nothing", Description: "Answers null.", InputSchema: schema(""), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
				return mcp.Result{JSON: []byte("null"), TextOnly: true}, nil
			}},
			{Name: "count", Description: "Counts to three, with progress.", InputSchema: schema(""), Handler: func(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
				for i := 1; i <= 3; i++ {
					if err := c.Progress(ctx, float64(i), 3, ""); err != nil {
						return mcp.Result{}, err
					}
				}
				return mcp.Answer(map[string]bool{"asked": c.WantsProgress()})
			}},
		},
		Resources: []mcp.Resource{
			{URI: "skillmap://graph", Name: "graph", MIMEType: "application/json", Read: func(context.Context) (mcp.Content, error) {
				return mcp.Content{JSON: []byte(`{"n":"\"1\""}`)}, nil
			}},
		},
		Templates: []mcp.Template{{
			URITemplate: "skillmap://node/{+path}", Name: "node", MIMEType: "application/json",
			Resolve: func(_ context.Context, path string) (string, error) {
				if path == "docs%2Fa.md" {
					path = "docs/a.md"
				}
				if path != "docs/a.md" {
					return "", fault.New(fault.NotFound, "Unknown node path: %s", path)
				}
				return path, nil
			},
			Read: func(_ context.Context, path string) (mcp.Content, error) {
				return mcp.Content{JSON: []byte(`{"path":"` + path + `"}`)}, nil
			},
		}},
	}
}

// peer is a client that speaks HTTP itself, so that it can be wrong on purpose.
type peer struct {
	t       *testing.T
	url     string
	client  *http.Client
	session string
	nextID  int
}

// over serves h on loopback and returns a client of it.
func over(t *testing.T, h http.Handler) *peer {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return &peer{t: t, url: web.URL, client: web.Client(), nextID: 1}
}

func newServer(t *testing.T, o mcp.Options) *mcp.Server {
	t.Helper()
	s, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// reply is an HTTP answer with its messages, whether they came as one JSON
// body or as events.
type reply struct {
	status   int
	header   http.Header
	body     string
	messages []msg
}

type msg struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data"`
	} `json:"error"`
}

func (p *peer) do(method, body string, headers ...string) reply {
	p.t.Helper()
	return p.within(context.Background(), method, body, headers...)
}

func (p *peer) within(ctx context.Context, method, body string, headers ...string) reply {
	p.t.Helper()
	res, err := p.client.Do(p.request(ctx, method, body, headers...))
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, body, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, body, err)
	}
	return reply{res.StatusCode, res.Header, string(text), parseBody(p.t, res.Header, string(text))}
}

// request builds a well-formed request; headers given as name, value replace
// or, with an empty value, remove the usual ones.
func (p *peer) request(ctx context.Context, method, body string, headers ...string) *http.Request {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, p.url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
		if headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	return req
}

func parseBody(t *testing.T, h http.Header, body string) []msg {
	t.Helper()
	var list []msg
	take := func(data string) {
		var m msg
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatalf("message %q: %v", data, err)
		}
		list = append(list, m)
	}
	switch kind := h.Get("Content-Type"); {
	case strings.HasPrefix(kind, "text/event-stream"):
		for line := range strings.SplitSeq(body, "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				take(data)
			}
		}
	case strings.HasPrefix(kind, "application/json"):
		take(body)
	}
	return list
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}`

// open shakes hands and remembers the session.
func (p *peer) open() *peer {
	p.t.Helper()
	p.session = ""
	r := p.do("POST", hello)
	if r.status != 200 || r.header.Get("Mcp-Session-Id") == "" {
		p.t.Fatalf("initialize gives %d %s", r.status, r.body)
	}
	p.session = r.header.Get("Mcp-Session-Id")
	if r := p.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); r.status != 202 || r.body != "" {
		p.t.Fatalf("initialized gives %d %q", r.status, r.body)
	}
	return p
}

// another is a second client of the same server.
func (p *peer) another() *peer {
	q := *p
	return q.open()
}

// call sends one request of the session and returns its answer.
func (p *peer) call(method, params string) msg {
	p.t.Helper()
	p.nextID++
	r := p.do("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.nextID, method, params))
	if r.status != 200 || len(r.messages) != 1 {
		p.t.Fatalf("%s gives %d %s", method, r.status, r.body)
	}
	if string(r.messages[0].ID) != fmt.Sprint(p.nextID) {
		p.t.Fatalf("%s: id %s, want %d", method, r.messages[0].ID, p.nextID)
	}
	return r.messages[0]
}

// listener is a client's own stream.
type listener struct {
	messages chan msg // closed when the stream ends
	close    func()
}

// listen opens the stream on which the server speaks first, and answers pings
// on it while answer is true.
func (p *peer) listen(answer bool) *listener {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res, err := p.client.Do(p.request(ctx, "GET", ""))
	if err != nil {
		p.t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		p.t.Fatalf("GET gives %d %s", res.StatusCode, res.Header)
	}
	l := &listener{make(chan msg, 100), cancel}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(l.messages)
		defer res.Body.Close()
		p.follow(res.Body, answer, l.messages)
	}()
	p.t.Cleanup(func() { cancel(); <-done })
	return l
}

func (p *peer) follow(body io.Reader, answer bool, to chan<- msg) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var m msg
		if json.Unmarshal([]byte(data), &m) != nil {
			return
		}
		if m.Method == "ping" && answer {
			res, err := p.client.Do(p.request(context.Background(), "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)))
			if err != nil {
				return
			}
			res.Body.Close()
			continue
		}
		to <- m
	}
}

// next waits for a message on the stream.
func (l *listener) next(t *testing.T) msg {
	t.Helper()
	m, ok := <-l.messages
	if !ok {
		t.Fatal("the stream ended")
	}
	return m
}

// piped serves h on connections that live in this process, so that synctest
// can see when everything waits.
func piped(t *testing.T, h http.Handler) *peer {
	t.Helper()
	l := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	web := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); _ = web.Serve(l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) }}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = web.Close()
		<-served
	})
	return &peer{t: t, url: "http://127.0.0.1/mcp", client: &http.Client{Transport: transport}, nextID: 1}
}

type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *pipes) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.accepted <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { close(l.closed); return nil }
func (l *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// logged collects log lines.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
