package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// StatelessOptions say what a Stateless offers: of Options its tools, and of
// Limits Body (5 MiB), Batch (50) and, for the stateless era, Write and
// Heartbeat. The numbers in parentheses are its own defaults.
type StatelessOptions struct {
	Options
	// Versions are the handshake revisions that initialize confirms; a client
	// that asks for any other is answered with Fallback.
	Versions []string
	Fallback string
	// Origins are the web pages, such as "https://sigit.example", that may call
	// besides programs and the pages of the user's own machine.
	Origins []string
	// Admit stands between what any request must be and the reading of its
	// body: it lets those through that it knows, with what it knows of them in
	// the context. Nil lets everybody through.
	Admit func(http.Handler) http.Handler
}

// Stateless serves tools over one URL without sessions: every request stands
// alone and is answered with one JSON body, or with 202 when it wants nothing.
// Requests of the stateless era are told apart and served by the same tools.
// It is an http.Handler and may be used from many goroutines.
//
// It is not Server without sessions, because it forgives more: batches, any
// Accept header, methods before a handshake, handles of sessions that a server
// before it gave out.
type Stateless struct {
	server   *Server // its tools, its limits, its stateless era
	versions []string
	fallback string
	origins  []string
	post     http.Handler
}

// NewStateless returns a Stateless; the error is as New's.
func NewStateless(o StatelessOptions) (*Stateless, error) {
	o.Limits.Body = cmp.Or(o.Limits.Body, 5<<20)
	o.Limits.Batch = cmp.Or(o.Limits.Batch, 50)
	if o.Capabilities == nil {
		o.Capabilities = json.RawMessage(`{"tools":{"listChanged":false}}`)
	}
	server, err := New(o.Options)
	if err != nil {
		return nil, err
	}
	s := &Stateless{server: server, versions: o.Versions, fallback: o.Fallback}
	for _, origin := range o.Origins {
		s.origins = append(s.origins, strings.ToLower(strings.TrimRight(origin, "/")))
	}
	s.post = http.HandlerFunc(s.serve)
	if o.Admit != nil {
		s.post = o.Admit(s.post)
	}
	return s, nil
}

// Close ends what the stateless era keeps open.
func (s *Stateless) Close() { s.server.Close() }

// How long a client may take to send one request, and to take its answer.
const (
	bodyTime   = time.Minute
	answerTime = time.Minute
)

// batchBytes is how large the answers to one batch may become before the rest
// of it is refused.
const batchBytes = 8 << 20

var (
	refuseOrigin = refusal{http.StatusForbidden, codeTransport, "Forbidden: this page may not call"}
	refuseEmpty  = refusal{http.StatusBadRequest, CodeInvalidRequest, "Invalid Request: a batch needs a message"}
)

// ServeHTTP checks what needs no body and no name, then asks to be admitted.
func (s *Stateless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !s.mayCome(r.Header.Values("Origin")) {
		refuseOrigin.write(w)
		return
	}
	if origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate")
		w.Header().Add("Vary", "Origin")
	}
	switch {
	case r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "":
		w.Header().Set("Access-Control-Allow-Methods", "POST")
		w.Header().Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id")
		w.Header().Set("Access-Control-Max-Age", "3600")
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		refuseMethod.write(w)
	case r.ContentLength > s.server.limits.Body:
		s.tooLarge().write(w)
	default:
		s.post.ServeHTTP(w, r)
	}
}

func (s *Stateless) tooLarge() *refusal {
	return &refusal{http.StatusRequestEntityTooLarge, codeTransport, fmt.Sprintf("Payload too large: a request is at most %d bytes", s.server.limits.Body)}
}

// mayCome reports whether a request with these Origin headers comes from a
// program, or from a page that may call. A foreign page could otherwise reach
// a server on the user's machine or network under a name that it lets resolve
// there; pages of the user's machine are tools that somebody started on it.
func (s *Stateless) mayCome(origins []string) bool {
	for _, origin := range origins {
		origin = strings.ToLower(origin)
		if origin != "" && !slices.Contains(s.origins, origin) && !ofThisMachine(origin) {
			return false
		}
	}
	return true
}

func ofThisMachine(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || u.Hostname() == "localhost"
}

// serve answers what was admitted.
func (s *Stateless) serve(w http.ResponseWriter, r *http.Request) {
	if f := s.refuses(w, r); f != nil {
		f.write(w)
	}
}

// refuses answers r, or says why not.
func (s *Stateless) refuses(w http.ResponseWriter, r *http.Request) *refusal {
	if !saysJSON(r) {
		return &refuseContentType
	}
	body, f := s.body(w, r)
	if f != nil {
		return f
	}
	messages, batch, err := parse(body)
	if err != nil || !utf8.Valid(body) {
		return &refuseNotJSON
	}
	// What a client remembers of a server before this one means nothing.
	r.Header.Del(sessionHeader)
	if isModern(r, body) {
		s.server.modern.serve(w, r, body)
		return nil
	}
	if batch {
		return s.answerBatch(w, r, messages)
	}
	answer := s.answer(r.Context(), &messages[0])
	status := http.StatusOK
	if messages[0].isNonsense() {
		status = http.StatusBadRequest
	}
	s.send(w, status, answer)
	return nil
}

// saysJSON reports whether a body is declared as JSON, or as nothing.
func saysJSON(r *http.Request) bool {
	declared := r.Header.Get("Content-Type")
	if declared == "" {
		return true
	}
	mediaType, _, _ := mime.ParseMediaType(declared)
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}

func (s *Stateless) body(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a writer without deadlines has none to keep
	defer control.SetReadDeadline(time.Time{})
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.server.limits.Body))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, s.tooLarge()
	}
	if err != nil {
		return nil, &refuseBroken
	}
	return body, nil
}

// send writes an answer, or that there is none.
func (s *Stateless) send(w http.ResponseWriter, status int, answer frame) {
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	length := 0
	for _, piece := range answer {
		length += len(piece)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.Header().Set("Cache-Control", "no-store")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	w.WriteHeader(status)
	for _, piece := range answer {
		_, _ = w.Write(piece) // the client may be gone
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// answerBatch answers the messages of a batch one after the other, in order.
func (s *Stateless) answerBatch(w http.ResponseWriter, r *http.Request, messages []message) *refusal {
	if len(messages) == 0 {
		return &refuseEmpty
	}
	if len(messages) > s.server.limits.Batch {
		return &refusal{http.StatusBadRequest, CodeInvalidRequest, fmt.Sprintf("Invalid Request: a batch has at most %d messages", s.server.limits.Batch)}
	}
	var all bytes.Buffer
	for i := range messages {
		if r.Context().Err() != nil {
			return nil // nobody listens any more
		}
		var answer frame
		if all.Len() > batchBytes && messages[i].isCall() {
			answer = errorFrame(messages[i].ID, &Error{Code: codeTransport, Message: "The answers to this batch are too large together; send this request alone"})
		} else {
			answer = s.answer(r.Context(), &messages[i])
		}
		for j, piece := range answer {
			if j == 0 && all.Len() > 0 {
				all.WriteByte(',')
			}
			all.Write(piece)
		}
	}
	if all.Len() == 0 {
		s.send(w, http.StatusAccepted, nil)
		return nil
	}
	s.send(w, http.StatusOK, frame{[]byte("["), all.Bytes(), []byte("]")})
	return nil
}

// isCall reports whether m wants an answer: it has a method and an id, which
// may be null.
func (m *message) isCall() bool {
	return m.Method != "" && m.Version == "2.0" && m.ID != nil && (isID(m.ID) || string(m.ID) == "null")
}

// isSilent reports whether m wants no answer: a notification, or an answer to
// something that we did not ask.
func (m *message) isSilent() bool {
	return m.Method != "" && m.ID == nil || m.Method == "" && (m.Result != nil || m.Error != nil)
}

// isNonsense reports whether m is no message at all, nor names a request that
// an error could be about.
func (m *message) isNonsense() bool {
	return !m.isCall() && !m.isSilent() && (m.ID == nil || !isID(m.ID))
}

// answer is what is said to m, nil when nothing is.
func (s *Stateless) answer(ctx context.Context, m *message) frame {
	if m.isSilent() {
		return nil
	}
	id := m.ID
	if id != nil && !isID(id) {
		id = nil
	}
	if !m.isCall() {
		return errorFrame(id, &Error{Code: CodeInvalidRequest, Message: "Invalid Request"})
	}
	var result []byte
	err := guard(s.server.log, m.Method, func() (err error) {
		result, err = s.dispatch(ctx, m)
		return err
	})
	if err != nil {
		return errorFrame(id, errorOf(err))
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	return resultFrame(id, result)
}

var (
	emptyResult    = []byte(`{}`)
	emptyResources = []byte(`{"resources":[]}`)
	emptyPrompts   = []byte(`{"prompts":[]}`)
)

// dispatch answers one request.
func (s *Stateless) dispatch(ctx context.Context, m *message) ([]byte, error) {
	switch m.Method {
	case "initialize":
		return s.initialize(m.Params)
	case "ping":
		return emptyResult, nil
	case "tools/list":
		return s.server.tools.listing, nil
	case "tools/call":
		return s.call(ctx, m.Params)
	case "resources/list":
		return emptyResources, nil
	case "prompts/list":
		return emptyPrompts, nil
	}
	return nil, &Error{Code: CodeMethodNotFound, Message: "Method not found"}
}

// initialize answers the handshake, whatever it says: nothing is kept of it.
func (s *Stateless) initialize(params json.RawMessage) ([]byte, error) {
	var asked struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &asked)
	version := s.fallback
	if slices.Contains(s.versions, asked.Version) {
		version = asked.Version
	}
	return Encode(struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		Server       Info            `json:"serverInfo"`
		Instructions string          `json:"instructions,omitempty"`
	}{version, s.server.capabilities, s.server.info, s.server.info.Instructions})
}

// call runs a tool.
func (s *Stateless) call(ctx context.Context, params json.RawMessage) ([]byte, error) {
	var asked struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &asked); err != nil || asked.Name == "" {
		return nil, &Error{Code: CodeInvalidParams, Message: "Invalid params: tools/call needs the name of a tool"}
	}
	if !toolName.MatchString(asked.Name) { // not repeated: it may be megabytes
		return nil, &Error{Code: CodeInvalidParams, Message: "Unknown tool"}
	}
	if len(asked.Arguments) == 0 || string(asked.Arguments) == "null" {
		asked.Arguments = emptyObject
	}
	result, err := s.server.call(ctx, &Call{Tool: asked.Name, Arguments: asked.Arguments, notify: unheard})
	if err != nil {
		return nil, err
	}
	return result.encode(), nil
}

// unheard is how a client without a stream is told something.
func unheard(context.Context, string, any) error {
	return errors.New("this client has no stream to be told on")
}
