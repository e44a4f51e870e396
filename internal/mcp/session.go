package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"
)

// versions are the revisions of the handshake era, newest first. The newest is
// the answer to one that is not listed.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"}

// negotiate returns the revision to speak with a client that asked for one.
func negotiate(asked string) string {
	if slices.Contains(versions, asked) {
		return asked
	}
	return versions[0]
}

// A sink takes the messages that belong to one answer.
type sink interface {
	send(f frame) error
}

// session is one client of the handshake era: what it subscribed to, what it
// is waiting for, and what waits to be sent to it.
type session struct {
	server  *Server
	id      string
	serial  uint64 // order of creation
	client  Client
	done    chan struct{} // closed when the session ends
	waiting chan struct{} // has a token when queue may hold something

	mu               sync.Mutex // guards all below
	ended            bool
	lastSeen         time.Time // of a request, or of an answered ping
	unreachableSince time.Time // zero while the client answers
	subscribed       map[string][]string
	running          map[string][]*run
	asked            map[string]chan message
	nextAsk          int
	queue            []outgoing
	reader           *reader // of the queue; nil when the client has none
}

// run is one request being answered.
type run struct {
	cancel  context.CancelFunc
	dropped bool // the client wants no answer any more
}

// outgoing is a message for the client's own stream. One with the key of
// another that still waits says nothing new and is not queued. A lasting one
// survives until a stream takes it.
type outgoing struct {
	key     string
	lasting bool
	frame   frame
}

// reader is the one stream that takes messages from the queue.
type reader struct{ stop context.CancelFunc }

func newSession(server *Server, id string) *session {
	return &session{
		server: server, id: id, lastSeen: time.Now(),
		done: make(chan struct{}), waiting: make(chan struct{}, 1),
		subscribed: map[string][]string{}, running: map[string][]*run{}, asked: map[string]chan message{},
	}
}

// initialize answers the handshake. The error is a reason to refuse it.
func (s *session) initialize(params json.RawMessage) ([]byte, error) {
	var in initializeParams
	if err := in.read(params); err != nil {
		return nil, err
	}
	s.client = *in.ClientInfo
	out := map[string]any{
		"protocolVersion": negotiate(in.ProtocolVersion),
		"capabilities":    s.server.capabilities,
		"serverInfo":      s.server.info,
	}
	if s.server.info.Instructions != "" {
		out["instructions"] = s.server.info.Instructions
	}
	return Encode(out)
}

type initializeParams struct {
	ProtocolVersion string           `json:"protocolVersion"`
	Capabilities    *json.RawMessage `json:"capabilities"`
	ClientInfo      *Client          `json:"clientInfo"`
}

func (in *initializeParams) read(params json.RawMessage) error {
	if params == nil || json.Unmarshal(params, in) != nil ||
		in.ProtocolVersion == "" || in.Capabilities == nil || (*in.Capabilities)[0] != '{' || in.ClientInfo == nil || in.ClientInfo.Name == "" {
		return &Error{Code: CodeInvalidParams, Message: "initialize needs protocolVersion, capabilities and clientInfo"}
	}
	return nil
}

// accept takes one message. The frame is the answer to a request, nil when
// there is none to give. ctx ends when the client can no longer be answered.
func (s *session) accept(ctx context.Context, m *message, out sink) frame {
	switch {
	case m.isResponse():
		s.answered(m)
		return nil
	case m.isNotification():
		s.notified(m)
		return nil
	}
	ctx, r := s.begin(ctx, m.ID)
	result, err := s.handle(ctx, m, out)
	if s.finish(m.ID, r) {
		return nil
	}
	if err != nil {
		return errorFrame(m.ID, errorOf(err))
	}
	return resultFrame(m.ID, result)
}

// begin notes a request, so that it can be cancelled.
func (s *session) begin(ctx context.Context, id json.RawMessage) (context.Context, *run) {
	ctx, cancel := context.WithCancel(ctx)
	r := &run{cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		cancel()
	}
	s.running[string(id)] = append(s.running[string(id)], r)
	return ctx, r
}

// finish forgets a request and reports whether its answer is unwanted.
func (s *session) finish(id json.RawMessage, r *run) (dropped bool) {
	r.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := slices.DeleteFunc(s.running[string(id)], func(other *run) bool { return other == r })
	if len(rest) == 0 {
		delete(s.running, string(id))
	} else {
		s.running[string(id)] = rest
	}
	return r.dropped
}

var emptyObject = []byte("{}")

// handle answers one request.
func (s *session) handle(ctx context.Context, m *message, out sink) ([]byte, error) {
	switch m.Method {
	case "ping":
		return emptyObject, nil
	case "initialize":
		return nil, &Error{Code: CodeInvalidRequest, Message: "Invalid Request: Server already initialized"}
	case "tools/list":
		return s.list(m.Params, s.server.tools.listing)
	case "tools/call":
		return s.callTool(ctx, m, out)
	}
	if s.server.hasResources() {
		switch m.Method {
		case "resources/list":
			return s.list(m.Params, s.server.catalogue.listing)
		case "resources/templates/list":
			return s.list(m.Params, s.server.catalogue.patterns)
		case "resources/read":
			return s.readResource(ctx, m.Params)
		case "resources/subscribe":
			return emptyObject, s.subscribe(ctx, m.Params)
		case "resources/unsubscribe":
			return emptyObject, s.unsubscribe(ctx, m.Params)
		}
	}
	if method := s.server.methods[m.Method]; method != nil {
		return s.callMethod(ctx, method, m, out)
	}
	return nil, &Error{Code: CodeMethodNotFound, Message: "Method not found"}
}

// list returns a whole listing. There is one page, so a cursor is never ours.
func (s *session) list(params json.RawMessage, listing []byte) ([]byte, error) {
	var in struct {
		Cursor string `json:"cursor"`
	}
	if params != nil && json.Unmarshal(params, &in) != nil || in.Cursor != "" {
		return nil, &Error{Code: CodeInvalidParams, Message: "This list has one page; ask without a cursor."}
	}
	return listing, nil
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      requestMeta     `json:"_meta"`
}

type requestMeta struct {
	ProgressToken json.RawMessage `json:"progressToken"`
}

func (s *session) callTool(ctx context.Context, m *message, out sink) ([]byte, error) {
	var in callParams
	if m.Params == nil || json.Unmarshal(m.Params, &in) != nil || in.Name == "" {
		return nil, &Error{Code: CodeInvalidParams, Message: "tools/call needs the name of a tool and an object of arguments"}
	}
	c := s.newCall(in.Name, in.Arguments, in.Meta, out)
	result, err := s.server.call(ctx, c)
	if err != nil {
		return nil, err
	}
	return result.encode(), nil
}

func (s *session) callMethod(ctx context.Context, method Method, m *message, out sink) (result []byte, err error) {
	var in struct {
		Meta requestMeta `json:"_meta"`
	}
	if m.Params != nil && json.Unmarshal(m.Params, &in) != nil {
		return nil, &Error{Code: CodeInvalidParams, Message: m.Method + " needs an object of params"}
	}
	err = guard(s.server.log, m.Method, func() (err error) {
		result, err = method(ctx, s.newCall(m.Method, m.Params, in.Meta, out))
		return err
	})
	report(s.server.log, m.Method, err)
	return result, err
}

func (s *session) newCall(name string, arguments json.RawMessage, meta requestMeta, out sink) *Call {
	if arguments == nil || string(arguments) == "null" {
		arguments = emptyObject
	}
	return &Call{
		Tool: name, Arguments: arguments, Session: s.id, Client: s.client, token: tokenOf(meta.ProgressToken),
		notify: func(ctx context.Context, method string, params any) error {
			f, err := requestFrame(nil, method, params)
			if err != nil {
				return err
			}
			return out.send(f)
		},
		ask: func(ctx context.Context, method string, params any) (json.RawMessage, error) {
			return s.ask(ctx, method, params, func(_ string, f frame) error { return out.send(f) })
		},
	}
}

// tokenOf returns a progress token that may be echoed: a string or a number.
func tokenOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || !isID(raw) {
		return nil
	}
	return raw
}

func (s *session) readResource(ctx context.Context, params json.RawMessage) ([]byte, error) {
	uri, err := uriOf(params)
	if err != nil {
		return nil, err
	}
	c, mime, err := s.server.read(ctx, uri)
	if err != nil {
		return nil, err
	}
	return readResult(uri, mime, c), nil
}

func uriOf(params json.RawMessage) (string, error) {
	var in struct {
		URI string `json:"uri"`
	}
	if params == nil || json.Unmarshal(params, &in) != nil || in.URI == "" {
		return "", &Error{Code: CodeInvalidParams, Message: "uri: is required"}
	}
	return in.URI, nil
}

func (s *session) subscribe(ctx context.Context, params json.RawMessage) error {
	uri, err := uriOf(params)
	if err != nil {
		return err
	}
	d, err := s.server.find(ctx, uri)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.subscribed[d.canonical], uri) {
		return nil
	}
	if len(s.subscribed) >= subscriptionsMax || len(s.subscribed[d.canonical]) >= spellingsMax {
		return &Error{Code: CodeInvalidParams, Message: "Too many subscriptions in this session; let go of some first."}
	}
	s.subscribed[d.canonical] = append(s.subscribed[d.canonical], uri)
	return nil
}

// A session remembers so many documents, and so many spellings of one: both
// are the client's to choose.
const (
	subscriptionsMax = 10_000
	spellingsMax     = 8
)

// unsubscribe forgets uri, whatever it was: a client may let go of a document
// that is no longer served.
func (s *session) unsubscribe(ctx context.Context, params json.RawMessage) error {
	uri, err := uriOf(params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for canonical, spellings := range s.subscribed {
		rest := slices.DeleteFunc(spellings, func(other string) bool { return other == uri })
		if len(rest) == 0 {
			delete(s.subscribed, canonical)
		} else {
			s.subscribed[canonical] = rest
		}
	}
	return nil
}

// updated tells the client that a document changed, if it subscribed to it.
func (s *session) updated(canonical string) {
	s.mu.Lock()
	spellings := slices.Clone(s.subscribed[canonical])
	s.mu.Unlock()
	for _, uri := range spellings {
		s.tell(uri, "notifications/resources/updated", map[string]string{"uri": uri})
	}
}

// tell queues a notification for the client's own stream.
func (s *session) tell(key, method string, params any) {
	f, err := requestFrame(nil, method, params)
	if err != nil {
		s.server.log.Error("mcp", "in", method, "err", err)
		return
	}
	s.push(outgoing{method + " " + key, true, f})
}

// push queues o and reports whether it will be delivered to a stream that is
// open now.
func (s *session) push(o outgoing) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.reader == nil && !o.lasting {
		return false
	}
	if !slices.ContainsFunc(s.queue, func(other outgoing) bool { return other.key == o.key }) {
		s.queue = append(s.queue, o)
	}
	s.wake()
	return s.reader != nil
}

// wake lets the reader look at the queue. The caller holds mu.
func (s *session) wake() {
	select {
	case s.waiting <- struct{}{}:
	default:
	}
}

// pop takes the first message of the queue.
func (s *session) pop() (outgoing, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return outgoing{}, false
	}
	o := s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	return o, true
}

// putBack returns a message that could not be written to the head of the
// queue, for the next stream.
func (s *session) putBack(o outgoing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.lasting && !slices.ContainsFunc(s.queue, func(other outgoing) bool { return other.key == o.key }) {
		s.queue = slices.Insert(s.queue, 0, o)
	}
}

// attach makes r the reader of the queue. An older one is told to stop: the
// client that opened a new stream does not read the old one any more.
func (s *session) attach(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil {
		s.reader.stop()
	}
	s.reader = r
	s.wake()
}

// detach forgets r, and with it what only an open stream may carry.
func (s *session) detach(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != r {
		return
	}
	s.reader = nil
	s.queue = slices.DeleteFunc(s.queue, func(o outgoing) bool { return !o.lasting })
}

// drain writes the queue to out until it is empty.
func (s *session) drain(out sink) error {
	for {
		o, ok := s.pop()
		if !ok {
			return nil
		}
		if err := out.send(o.frame); err != nil {
			s.putBack(o)
			return err
		}
	}
}

var errUnreachable = errors.New("the client has no stream to be asked on")

// ask sends a request to the client with send, and waits for its answer.
func (s *session) ask(ctx context.Context, method string, params any, send func(id string, f frame) error) (json.RawMessage, error) {
	id, answer := s.expect()
	defer s.unexpect(id)
	f, err := requestFrame(json.RawMessage(id), method, params)
	if err != nil {
		return nil, err
	}
	if err := send(id, f); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, clientError(m.Error)
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.done:
		return nil, errUnreachable
	}
}

func clientError(raw json.RawMessage) error {
	e := &Error{Code: CodeInternal, Message: "the client answered with an error that is none"}
	if json.Unmarshal(raw, e) != nil {
		e.Data = nil
	}
	return e
}

func (s *session) expect() (id string, answer chan message) {
	answer = make(chan message, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	id = strconv.Itoa(s.nextAsk)
	s.nextAsk++
	s.asked[id] = answer
	return id, answer
}

func (s *session) unexpect(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, id)
	s.queue = slices.DeleteFunc(s.queue, func(o outgoing) bool { return o.key == askKey(id) })
}

// answered hands a response of the client to whoever asked. One that nobody
// waits for is too late, and ignored.
func (s *session) answered(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.asked[string(m.ID)]; c != nil {
		delete(s.asked, string(m.ID))
		c <- *m
	}
}

// askKey is the queue key of a request of ours, so that it can be taken back
// unsent when nobody waits for the answer any more.
func askKey(id string) string { return "ask " + id }

// ping reports whether the client is there: whether it answers before ctx
// ends, even if only to say that it does not know the method.
func (s *session) ping(ctx context.Context) bool {
	_, err := s.ask(ctx, "ping", nil, func(id string, f frame) error {
		if !s.push(outgoing{askKey(id), false, f}) {
			return errUnreachable
		}
		return nil
	})
	var refused *Error
	return err == nil || errors.As(err, &refused)
}

func (s *session) notified(m *message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	var in struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if m.Params == nil || json.Unmarshal(m.Params, &in) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.running[string(bytes.TrimSpace(in.RequestID))] {
		r.dropped = true
		r.cancel()
	}
}

// touch notes that the client is there.
func (s *session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSeen = time.Now()
}

// close ends the session: its calls are cancelled, its stream is told to stop.
// Calls that take no notice of their context run on, unheard.
func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	close(s.done)
	for _, runs := range s.running {
		for _, r := range runs {
			r.cancel()
		}
	}
	if s.reader != nil {
		s.reader.stop()
	}
}
