package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// refusal is a transport error: an HTTP status and a JSON-RPC error.
type refusal struct {
	status  int
	code    int
	message string
}

// The refusals of the transport. The pairs of status and code are the
// contract's, and clients act on them: 404 alone tells a client to shake
// hands again.
var (
	refuseClosing     = refusal{http.StatusServiceUnavailable, codeTransport, "Server is shutting down"}
	refuseNoSession   = refusal{http.StatusBadRequest, codeTransport, "Bad Request: Mcp-Session-Id header required"}
	refuseUnknown     = refusal{http.StatusNotFound, codeNoSession, "Session not found"}
	refuseNotJSON     = refusal{http.StatusBadRequest, CodeParse, "Parse error"}
	refuseNotRPC      = refusal{http.StatusBadRequest, CodeParse, "Parse error: Invalid JSON-RPC message"}
	refuseAgain       = refusal{http.StatusBadRequest, CodeInvalidRequest, "Invalid Request: Server already initialized"}
	refuseAccept      = refusal{http.StatusNotAcceptable, codeTransport, "Not Acceptable: the client must accept both application/json and text/event-stream"}
	refuseAcceptGet   = refusal{http.StatusNotAcceptable, codeTransport, "Not Acceptable: the client must accept text/event-stream"}
	refuseContentType = refusal{http.StatusUnsupportedMediaType, codeTransport, "Unsupported Media Type: Content-Type must be application/json"}
	refuseMethod      = refusal{http.StatusMethodNotAllowed, codeTransport, "Method not allowed"}
	refuseBroken      = refusal{http.StatusBadRequest, codeTransport, "Bad Request: the body ended early"}
)

func (f refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	for _, piece := range errorFrame(nil, &Error{Code: f.code, Message: f.message}) {
		_, _ = w.Write(piece) // the client may be gone
	}
}

// ServeHTTP serves the one URL of the Streamable HTTP transport, both eras.
// Whoever mounts it has checked Host and Origin.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var serve func(http.ResponseWriter, *http.Request) *refusal
	switch r.Method {
	case http.MethodPost:
		serve = s.post
	case http.MethodGet:
		serve = s.get
	case http.MethodDelete:
		serve = s.delete
	default:
		w.Header().Set("Allow", "DELETE, GET, POST")
		refuseMethod.write(w)
		return
	}
	if f := serve(w, r); f != nil {
		f.write(w)
	}
}

// post takes messages of the client and streams the answers.
func (s *Server) post(w http.ResponseWriter, r *http.Request) *refusal {
	body, f := s.body(w, r)
	if f != nil {
		return f
	}
	if isModern(r, body) {
		if s.sessions.isClosed() {
			return &refuseClosing
		}
		s.modern.serve(w, r, body)
		return nil
	}
	messages, batch, err := parse(body)
	if err != nil {
		return &refuseNotJSON
	}
	one, fresh, f := s.sessionFor(r, messages, batch)
	if f != nil {
		return f
	}
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		return &refuseAccept
	}
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/json" {
		return &refuseContentType
	}
	if fresh {
		return s.shake(w, r, &messages[0])
	}
	if f := s.check(r, messages); f != nil {
		return f
	}
	s.answer(w, r, one, messages)
	return nil
}

func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &refusal{http.StatusRequestEntityTooLarge, codeTransport, fmt.Sprintf("Payload too large: a request is at most %d bytes", s.limits.Body)}
	}
	if err != nil {
		return nil, &refuseBroken
	}
	return body, nil
}

// sessionFor returns the session that r belongs to. fresh means that it asks
// for a new one, which a handshake under a forgotten id does too: the client
// has outlived a restart of the server.
func (s *Server) sessionFor(r *http.Request, messages []message, batch bool) (one *session, fresh bool, f *refusal) {
	handshake := !batch && opens(&messages[0])
	id := r.Header.Get(sessionHeader)
	one, closed := s.sessions.get(id)
	switch {
	case closed:
		return nil, false, &refuseClosing
	case one != nil:
		one.touch()
		return one, false, nil
	case handshake:
		return nil, true, nil
	case id == "":
		return nil, false, &refuseNoSession
	}
	return nil, false, &refuseUnknown
}

// opens reports whether m is a handshake that can be answered.
func opens(m *message) bool {
	return m.Method == "initialize" && m.isRequest() && m.valid() && new(initializeParams).read(m.Params) == nil
}

// check refuses what a live session does not take.
func (s *Server) check(r *http.Request, messages []message) *refusal {
	if len(messages) == 0 || len(messages) > s.limits.Batch {
		return &refuseNotRPC
	}
	for i := range messages {
		if !messages[i].valid() {
			return &refuseNotRPC
		}
	}
	for i := range messages {
		if messages[i].Method == "initialize" {
			return &refuseAgain
		}
	}
	return checkVersion(r)
}

func checkVersion(r *http.Request) *refusal {
	v := r.Header.Get(versionHeader)
	if v == "" || slices.Contains(versions, v) {
		return nil
	}
	return &refusal{http.StatusBadRequest, codeTransport, fmt.Sprintf("Bad Request: Unsupported protocol version: %q (supported versions: %s)", v, strings.Join(versions, ", "))}
}

// shake answers the handshake with a new session.
func (s *Server) shake(w http.ResponseWriter, r *http.Request, m *message) *refusal {
	one, ok := s.sessions.open(r.Context())
	if !ok {
		return &refuseClosing
	}
	result, err := one.initialize(m.Params)
	if err != nil {
		s.sessions.end(one)
		return &refuseNoSession
	}
	w.Header().Set(sessionHeader, one.id)
	out := newStream(w, s.limits.FirstByte, s.limits)
	defer out.end()
	_ = out.last(resultFrame(m.ID, result))
	return nil
}

// answer serves the messages of one request: each answer is sent when it is
// ready, and the stream ends with the last.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, one *session, messages []message) {
	requests := 0
	for i := range messages {
		if messages[i].isRequest() {
			requests++
		}
	}
	if requests == 0 {
		for i := range messages {
			one.accept(r.Context(), &messages[i], nil)
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set(sessionHeader, one.id)
	out := newStream(w, s.limits.FirstByte, s.limits)
	defer out.end()
	if len(messages) == 1 {
		if f := one.accept(r.Context(), &messages[0], out); f != nil {
			_ = out.last(f)
		}
		return
	}
	var answers sync.WaitGroup
	for i := range messages {
		answers.Go(func() {
			if f := one.accept(r.Context(), &messages[i], out); f != nil {
				_ = out.send(f)
			}
		})
	}
	answers.Wait()
}

// get holds the stream on which the server speaks first.
func (s *Server) get(w http.ResponseWriter, r *http.Request) *refusal {
	one, f := s.existing(r)
	if f != nil {
		return f
	}
	if !accepts(r, "text/event-stream") {
		return &refuseAcceptGet
	}
	if f := checkVersion(r); f != nil {
		return f
	}
	w.Header().Set(sessionHeader, one.id)
	out := newStream(w, s.limits.Heartbeat, s.limits)
	defer out.end()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	me := &reader{stop}
	one.attach(me)
	defer one.detach(me)
	out.beat()
	for {
		if one.drain(out) != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-one.done:
			return nil
		case <-one.waiting:
		}
	}
}

// delete ends a session at the client's wish, and with it its calls.
func (s *Server) delete(w http.ResponseWriter, r *http.Request) *refusal {
	one, f := s.existing(r)
	if f != nil {
		return f
	}
	if f := checkVersion(r); f != nil {
		return f
	}
	s.sessions.end(one)
	w.WriteHeader(http.StatusOK)
	return nil
}

// existing returns the live session that r names.
func (s *Server) existing(r *http.Request) (*session, *refusal) {
	id := r.Header.Get(sessionHeader)
	one, closed := s.sessions.get(id)
	switch {
	case closed:
		return nil, &refuseClosing
	case id == "":
		return nil, &refuseNoSession
	case one == nil:
		return nil, &refuseUnknown
	}
	one.touch()
	return one, nil
}

// accepts reports whether the Accept header covers the media type. A request
// without the header accepts nothing: the contract wants it said.
func accepts(r *http.Request, mediaType string) bool {
	group, _, _ := strings.Cut(mediaType, "/")
	for _, header := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(header, ",") {
			item, _, _ = strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(item)) {
			case mediaType, group + "/*", "*/*":
				return true
			}
		}
	}
	return false
}
