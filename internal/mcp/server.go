package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say what a Server offers.
type Options struct {
	Info      Info
	Tools     []Tool
	Resources []Resource
	Templates []Template
	// Methods are further requests of the handshake era, by method name. A
	// method reads its params from Call.Arguments and returns its result.
	Methods map[string]Method
	// Capabilities replaces what initialize advertises, a JSON object. The
	// default is tools with listChanged and, when there are resources,
	// resources with subscribe and listChanged.
	Capabilities json.RawMessage
	// Stateless adds to what the stateless era offers, such as prompts; nil
	// adds nothing.
	Stateless func(*sdk.Server)
	Log       *slog.Logger
	Limits    Limits
}

// Info names the program to clients.
type Info struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
	// Instructions are read by the model, important things first; at most 2 kB.
	Instructions string `json:"-"`
}

// Method answers one JSON-RPC request with an encoded result.
type Method func(ctx context.Context, call *Call) (json.RawMessage, error)

// Limits bound what clients may hold and how long they may be silent. Zero
// fields take the value in parentheses.
type Limits struct {
	Sessions  int           // sessions at once; the oldest makes room (32)
	Ping      time.Duration // how long a client may take to answer a ping (1.5 s)
	Grace     time.Duration // how long it may be unreachable and silent (30 s)
	Sweep     time.Duration // between unattended looks for abandoned sessions (1 min)
	Heartbeat time.Duration // between comments on an open stream (15 s)
	FirstByte time.Duration // after which an answer in the making sends its headers (250 ms)
	Write     time.Duration // how long one write may block on a client that does not read (5 s)
	Body      int64         // bytes of one request (16 MiB)
	Batch     int           // messages of one request (100)
}

func (l *Limits) fill() {
	l.Sessions = cmp.Or(l.Sessions, 32)
	l.Ping = cmp.Or(l.Ping, 1500*time.Millisecond)
	l.Grace = cmp.Or(l.Grace, 30*time.Second)
	l.Sweep = cmp.Or(l.Sweep, time.Minute)
	l.Heartbeat = cmp.Or(l.Heartbeat, 15*time.Second)
	l.FirstByte = cmp.Or(l.FirstByte, 250*time.Millisecond)
	l.Write = cmp.Or(l.Write, 5*time.Second)
	l.Body = cmp.Or(l.Body, 16<<20)
	l.Batch = cmp.Or(l.Batch, 100)
}

// Server offers tools and resources to MCP clients. It is an http.Handler for
// one URL, and serves pipes through ServeStdio. It may be used from many
// goroutines.
type Server struct {
	info         Info
	capabilities json.RawMessage
	tools        *registry
	catalogue    *catalogue
	methods      map[string]Method
	log          *slog.Logger
	limits       Limits
	sessions     sessions
	modern       *modern
}

// New returns a Server. The error says which tool, schema or template is not
// well formed; it is the programmer's to mend.
func New(o Options) (*Server, error) {
	tools, err := newRegistry(o.Tools)
	if err != nil {
		return nil, err
	}
	catalogue, err := newCatalogue(o.Resources, o.Templates)
	if err != nil {
		return nil, err
	}
	s := &Server{info: o.Info, capabilities: o.Capabilities, tools: tools, catalogue: catalogue, methods: o.Methods, log: o.Log, limits: o.Limits}
	s.limits.fill()
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.capabilities == nil {
		s.capabilities = json.RawMessage(`{"tools":{"listChanged":true}}`)
		if s.hasResources() {
			s.capabilities = json.RawMessage(`{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true}}`)
		}
	}
	s.sessions.init(s)
	if s.modern, err = newModern(s); err != nil {
		return nil, err
	}
	if o.Stateless != nil {
		o.Stateless(s.modern.sdk)
	}
	return s, nil
}

func (s *Server) hasResources() bool {
	return len(s.catalogue.resources)+len(s.catalogue.templates) > 0
}

// Run looks after abandoned sessions until ctx ends, then closes the server.
func (s *Server) Run(ctx context.Context) {
	defer s.Close()
	tick := time.NewTicker(s.limits.Sweep)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Clients(ctx)
		}
	}
}

// Close ends every session and its calls, and refuses new ones. It does not
// wait for calls to return.
func (s *Server) Close() {
	s.sessions.close()
	s.modern.close()
}

// Clients counts the clients that are there: those that answer a ping now. It
// forgets sessions that have been unreachable and silent too long, and takes
// no longer than the ping limit.
func (s *Server) Clients(ctx context.Context) int { return s.sessions.sweep(ctx) }

// Updated tells subscribers that the document at uri changed. uri is the
// canonical spelling; a client that subscribed with another hears its own. It
// never blocks on a client.
func (s *Server) Updated(uri string) {
	for _, one := range s.sessions.all() {
		one.updated(uri)
	}
	s.modern.updated(uri)
}

// ResourcesChanged tells every client that the set of documents changed. It
// never blocks on a client.
func (s *Server) ResourcesChanged() {
	for _, one := range s.sessions.all() {
		one.tell("list", "notifications/resources/list_changed", nil)
	}
	s.modern.listChanged()
}

// call runs one tool, its panics caught and its errors logged.
func (s *Server) call(ctx context.Context, c *Call) (Result, error) {
	e := s.tools.byName[c.Tool]
	if e == nil {
		return Result{}, &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("Tool %s not found", c.Tool)}
	}
	if err := e.check(c.Arguments); err != nil {
		return Result{}, err
	}
	var result Result
	err := guard(s.log, c.Tool, func() (err error) {
		result, err = e.Handler(ctx, c)
		return err
	})
	if err != nil {
		report(s.log, c.Tool, err)
		return Result{}, err
	}
	return result, nil
}

// find returns the document at uri, panics of its resolver caught.
func (s *Server) find(ctx context.Context, uri string) (d document, err error) {
	err = guard(s.log, uri, func() (err error) {
		d, err = s.catalogue.find(ctx, uri)
		return err
	})
	return d, err
}

// read returns the content of the document at uri and its MIME type.
func (s *Server) read(ctx context.Context, uri string) (c Content, mime string, err error) {
	d, err := s.find(ctx, uri)
	if err != nil {
		return Content{}, "", err
	}
	err = guard(s.log, uri, func() (err error) {
		c, err = d.read(ctx)
		return err
	})
	if err != nil {
		report(s.log, uri, err)
	}
	return c, cmp.Or(c.MIMEType, d.mime), err
}
