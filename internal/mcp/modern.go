package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstModern is the revision that did away with handshake and session.
const firstModern = "2026-07-28"

// modernKey is how a request of that era names its revision.
const modernKey = "io.modelcontextprotocol/protocolVersion"

// isModern reports whether a request belongs to the stateless era: it says so
// in its header and is in no session, or in its params.
func isModern(r *http.Request, body []byte) bool {
	if r.Header.Get(sessionHeader) == "" && r.Header.Get(versionHeader) >= firstModern {
		return true
	}
	if !bytes.Contains(body, []byte(modernKey)) {
		return false
	}
	var m struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	return json.Unmarshal(body, &m) == nil && m.Params.Meta[modernKey] != nil
}

// modern serves the stateless era with the go-sdk, from the tools of the same
// Server. It runs no sessions; its only long streams are subscriptions.
type modern struct {
	server  *Server
	sdk     *sdk.Server
	handler http.Handler
	offered sdk.ServerCapabilities
	carrier string // an address that the SDK knows, for every read
	again   func() // re-adds a resource, which the SDK announces as a changed list

	mu       sync.Mutex // guards all below
	closed   bool
	watched  map[string]map[string]int // canonical address -> spelling -> subscriptions
	changed  map[string]bool           // spellings that wait to be announced
	relisted bool                      // the list waits to be announced
	telling  bool                      // a goroutine announces
	told     sync.WaitGroup

	listening map[*context.CancelFunc]bool // open subscriptions
}

func newModern(s *Server) (*modern, error) {
	m := &modern{server: s, watched: map[string]map[string]int{}, changed: map[string]bool{}, listening: map[*context.CancelFunc]bool{}, again: func() {}}
	if err := json.Unmarshal(s.capabilities, &m.offered); err != nil {
		return nil, fmt.Errorf("read capabilities: %w", err)
	}
	m.sdk = sdk.NewServer(&sdk.Implementation{Name: s.info.Name, Title: s.info.Title, Version: s.info.Version}, &sdk.ServerOptions{
		Instructions: s.info.Instructions, Capabilities: &m.offered, PageSize: 1000,
		SubscribeHandler: m.subscribe, UnsubscribeHandler: m.unsubscribe, SetCacheable: cacheable,
	})
	for _, t := range s.tools.tools {
		m.addTool(t)
	}
	m.addResources()
	m.sdk.AddReceivingMiddleware(m.receive)
	m.handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return m.sdk }, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: s.limits.Body,
		DisableLocalhostProtection: true, // the gate before us does it, and knows more spellings
	})
	return m, nil
}

// offers reports whether methods of a group are advertised.
func (m *modern) offers(group string) bool {
	switch group {
	case "prompts":
		return m.offered.Prompts != nil
	case "completion":
		return m.offered.Completions != nil
	case "logging":
		return m.offered.Logging != nil
	case "resources":
		return m.offered.Resources != nil
	}
	return true
}

// cacheable says how long answers hold. The tools are fixed while the program
// runs; documents are live. All of it is one user's own.
func cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.CacheScope = "private"
	if _, ok := req.(*sdk.ListToolsRequest); ok {
		c.TTLMs = int(time.Minute / time.Millisecond)
	}
}

func (m *modern) addTool(t Tool) {
	tool := &sdk.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, Meta: t.Meta}
	if t.OutputSchema != nil {
		tool.OutputSchema = t.OutputSchema
	}
	if a := t.Annotations; a != nil {
		tool.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: a.ReadOnly, DestructiveHint: a.Destructive, OpenWorldHint: a.OpenWorld, IdempotentHint: a.Idempotent != nil && *a.Idempotent}
	}
	m.sdk.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result, err := m.server.call(ctx, m.newCall(t.Name, req))
		if err != nil {
			return nil, sdkError(err)
		}
		return sdkResult(result)
	})
}

func (m *modern) newCall(name string, req *sdk.CallToolRequest) *Call {
	c := &Call{Tool: name, Arguments: req.Params.Arguments}
	if len(c.Arguments) == 0 || string(c.Arguments) == "null" {
		c.Arguments = emptyObject
	}
	if info := req.ClientInfo(); info != nil {
		c.Client = Client{info.Name, info.Version}
	}
	token := req.Params.GetProgressToken()
	if raw, err := json.Marshal(token); err == nil {
		c.token = tokenOf(raw)
	}
	c.notify = func(ctx context.Context, method string, params any) error {
		p, ok := params.(progressParams)
		if !ok {
			return fmt.Errorf("%s is not sent in the stateless era", method)
		}
		return req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: p.Progress, Total: p.Total, Message: p.Message})
	}
	return c
}

func sdkResult(r Result) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{IsError: r.IsError, Content: []sdk.Content{}}
	switch {
	case r.Content != nil:
		if err := json.Unmarshal(slices.Concat([]byte(`{"content":`), r.Content, []byte(`}`)), out); err != nil {
			return nil, fmt.Errorf("read content blocks: %w", err)
		}
		out.IsError = r.IsError
	case r.JSON != nil:
		out.Content = []sdk.Content{&sdk.TextContent{Text: string(r.JSON)}}
	}
	if r.JSON != nil && !r.TextOnly {
		out.StructuredContent = json.RawMessage(r.JSON)
	}
	return out, nil
}

func sdkError(err error) error {
	e := errorOf(err)
	out := &jsonrpc.Error{Code: int64(e.Code), Message: e.Message}
	if e.Data != nil {
		out.Data, _ = json.Marshal(e.Data)
	}
	return out
}

// addResources lists what the catalogue holds. All of it is read by readAsked.
func (m *modern) addResources() {
	for _, r := range m.server.catalogue.resources {
		listed := &sdk.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType}
		m.sdk.AddResource(listed, m.readAsked)
		m.again = func() { m.sdk.AddResource(listed, m.readAsked) }
		m.carrier = r.URI
	}
	for _, p := range m.server.catalogue.templates {
		m.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: p.URITemplate, Name: p.Name, Title: p.Title, Description: p.Description, MIMEType: p.MIMEType}, m.readAsked)
		if m.carrier == "" {
			m.carrier = p.before + "x" + p.after
		}
	}
}

// askedKey finds the address that a client asked for in a context.
type askedKey struct{}

// readAsked reads the document that was asked for. The SDK's templates match
// addresses by other rules than ours, so every read goes by one address that it
// surely knows, with the real one in the context.
func (m *modern) readAsked(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri, _ := ctx.Value(askedKey{}).(string)
	c, mime, err := m.server.read(ctx, uri)
	if err != nil {
		return nil, sdkError(err)
	}
	text := c.Text
	if c.JSON != nil {
		text = string(c.JSON)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mime, Text: text, Blob: c.Blob}}}, nil
}

// receive answers what the SDK would answer otherwise than we want: methods
// that are not advertised, and the order of tools.
func (m *modern) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		group, _, _ := strings.Cut(method, "/")
		if !m.offers(group) {
			return nil, &jsonrpc.Error{Code: CodeMethodNotFound, Message: "Method not found"}
		}
		if read, ok := req.(*sdk.ReadResourceRequest); ok && read.Params != nil {
			ctx = context.WithValue(ctx, askedKey{}, read.Params.URI)
			read.Params.URI = m.carrier
		}
		if method == "subscriptions/listen" {
			var leave func()
			ctx, leave = m.enter(ctx)
			defer leave()
		}
		var result sdk.Result
		err := guard(m.server.log, method, func() (err error) {
			result, err = next(ctx, method, req)
			return err
		})
		if list, ok := result.(*sdk.ListToolsResult); ok && list != nil {
			slices.SortStableFunc(list.Tools, func(a, b *sdk.Tool) int { return m.server.tools.rank(a.Name) - m.server.tools.rank(b.Name) })
		}
		return result, err
	}
}

// enter gives a subscription a context of its own, which close ends: the
// SDK's own way of ending it would lose the last answer.
func (m *modern) enter(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		cancel()
	}
	key := new(context.CancelFunc)
	*key = cancel
	m.listening[key] = true
	return ctx, func() {
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.listening, key)
	}
}

func (m *modern) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	d, err := m.server.find(ctx, req.Params.URI)
	if err != nil {
		return sdkError(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched[d.canonical] == nil {
		m.watched[d.canonical] = map[string]int{}
	}
	m.watched[d.canonical][req.Params.URI]++
	return nil
}

func (m *modern) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for canonical, spellings := range m.watched {
		if spellings[req.Params.URI]--; spellings[req.Params.URI] <= 0 {
			delete(spellings, req.Params.URI)
		}
		if len(spellings) == 0 {
			delete(m.watched, canonical)
		}
	}
	return nil
}

// updated announces a changed document to subscriptions. The SDK writes to
// one stream after the other, so this happens apart; changes that come while
// it writes are announced once, after.
func (m *modern) updated(canonical string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for spelling := range m.watched[canonical] {
		m.changed[spelling] = true
	}
	m.start()
}

func (m *modern) listChanged() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.relisted = true
	m.start()
}

// start runs tell if there is something to tell. The caller holds mu.
func (m *modern) start() {
	if m.telling || m.closed || len(m.changed) == 0 && !m.relisted {
		return
	}
	m.telling = true
	m.told.Go(m.tell)
}

func (m *modern) tell() {
	for {
		uris, relisted, ok := m.news()
		if !ok {
			return
		}
		for _, uri := range uris {
			_ = m.sdk.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: uri}) // a client that is gone is no error
		}
		if relisted {
			m.again()
		}
	}
}

// news takes what waits to be announced; ok is false, and telling over, when
// that is nothing.
func (m *modern) news() (uris []string, relisted, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || len(m.changed) == 0 && !m.relisted {
		m.telling = false
		return nil, false, false
	}
	uris, relisted = slices.Sorted(maps.Keys(m.changed)), m.relisted
	clear(m.changed)
	m.relisted = false
	return uris, relisted, true
}

// close completes open subscriptions and waits for the last announcement.
func (m *modern) close() {
	m.mu.Lock()
	m.closed = true
	for cancel := range m.listening {
		(*cancel)()
	}
	m.mu.Unlock()
	m.told.Wait()
}

func (m *modern) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	g := &guardedWriter{stream: stream{w: w, control: http.NewResponseController(w), limit: m.server.limits.Write, heartbeat: m.server.limits.Heartbeat}}
	g.timer = time.AfterFunc(time.Hour, func() {})
	g.timer.Stop()
	defer g.finish()
	m.handler.ServeHTTP(g, r)
}

// guardedWriter puts the SDK's writes under the same limits as ours, and
// comments into its event streams while they are quiet.
type guardedWriter struct {
	stream
}

func (g *guardedWriter) Header() http.Header { return g.w.Header() }

func (g *guardedWriter) WriteHeader(status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open(status)
}

// open sends the headers once; an event stream starts to be kept alive.
func (g *guardedWriter) open(status int) {
	if g.begun {
		return
	}
	g.begun = true
	if strings.HasPrefix(g.w.Header().Get("Content-Type"), "text/event-stream") {
		g.w.Header().Set("X-Accel-Buffering", "no")
		g.timer = time.AfterFunc(g.heartbeat, g.beat)
	}
	g.w.WriteHeader(status)
}

func (g *guardedWriter) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return 0, errEnded
	}
	g.open(http.StatusOK)
	g.put(b)
	if g.err != nil {
		return 0, g.err
	}
	return len(b), nil
}

func (g *guardedWriter) FlushError() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return errEnded
	}
	g.flush()
	return g.err
}

func (g *guardedWriter) Flush() { _ = g.FlushError() }

// finish ends the response without inventing headers for it.
func (g *guardedWriter) finish() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.timer.Stop()
}
