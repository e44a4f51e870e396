package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/mcp"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// Options say how a project is served. Host and Port are settled already:
// flags over settings over defaults.
type Options struct {
	Host string // 127.0.0.1 when empty; always loopback
	Port int    // 0 picks a free one

	// MCP is what /mcp serves; nil while it is switched off.
	MCP *mcp.Server
	// Follow listens before the server answers; what each returns then runs
	// beside it until the context ends, such as what tells MCP clients of
	// changes. Each is waited for.
	Follow []func(ctx context.Context) (run func())
	// Page serves everything outside /api, /ws and /mcp; it may be nil.
	Page http.Handler

	// Watch follows the files while serving; nil leaves them alone.
	Watch *atlas.WatchOptions
	// Scan is what POST /api/scan scans with.
	Scan atlas.ScanOptions
	// Partial says that built-ins or plugins are off, so a scan from here
	// would not be the project's map. Scans are then refused.
	Partial bool

	// Browse opens the page for the user; nil leaves it to them.
	Browse func(url string) error
	// Banner replaces the two lines that say where the server is; nil
	// prints them.
	Banner func(w io.Writer, at Address)
	Err    io.Writer // for the lines; nothing when nil

	DevCORS bool // answer pages of other loopback ports, for work on the page
	Log     *slog.Logger
}

// Address is where a server listens.
type Address struct {
	URL      string // without a slash at the end
	Host     string
	Port     int
	Project  string
	Database string
	MCP      bool
}

// Server serves one project.
type Server struct {
	atlas   *atlas.Atlas
	opt     Options
	log     *slog.Logger
	errs    *httpd.Errors
	sockets *sockets
	agents  *presence
	started time.Time
	token   string
	handler http.Handler

	mu sync.Mutex // guards at
	at Address
}

// NewServer returns a server that does not listen yet. The error is the
// programmer's to mend.
func NewServer(a *atlas.Atlas, opt Options) (*Server, error) {
	opt.Host = cmp.Or(opt.Host, "127.0.0.1")
	s := &Server{atlas: a, opt: opt, log: opt.Log, started: time.Now(), token: newToken()}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.opt.Err == nil {
		s.opt.Err = io.Discard
	}
	s.errs = &httpd.Errors{Codes: codes, Status: statuses, Log: s.log}
	s.sockets = newSockets(s.log)
	s.agents = &presence{}
	var err error
	s.handler, err = s.stack()
	return s, err
}

// codes of the contract for faults that carry none.
var codes = map[fault.Kind]string{
	fault.Invalid:  "bad-query",
	fault.NotFound: "not-found",
	fault.TooLarge: "payload-too-large",
	fault.Denied:   "locked",
	fault.Conflict: "scan-busy",
	fault.Busy:     "scan-busy",
}

// statuses of codes that differ from their kind's.
var statuses = map[string]int{
	"confirm-required":            http.StatusPreconditionFailed,
	"issue-suppression-not-found": http.StatusConflict,
	"db-missing":                  http.StatusInternalServerError,
	"db-drift":                    http.StatusInternalServerError,
	"db-newer":                    http.StatusInternalServerError,
	"db-foreign":                  http.StatusInternalServerError,
}

// bodyLimit bounds requests to /api.
const bodyLimit = 1 << 20

// stack puts the layers around the routes, outermost last.
func (s *Server) stack() (http.Handler, error) {
	routes, err := httpd.Table{Routes: s.routes(), Errors: s.errs}.Handler()
	if err != nil {
		return nil, err
	}
	h := routes
	if s.opt.DevCORS {
		h = cors(h)
	}
	h = httpd.Capped(bodyLimit, isAPI, s.errs, h)
	h = httpd.Secure(h)
	h = httpd.Gate{Origins: s.checksOrigin, Errors: s.errs}.Wrap(h)
	return httpd.Logged(s.log, h), nil
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// checksOrigin says which paths a foreign page may not reach. /mcp counts only
// while there is something behind it.
func (s *Server) checksOrigin(path string) bool {
	return isAPI(path) || path == "/ws" || path == "/mcp" && s.opt.MCP != nil
}

// cors lets pages on other ports of this machine read answers. The gate has
// checked the Origin.
func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" || !isAPI(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Add("Vary", "Origin")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		w.WriteHeader(http.StatusNoContent)
	})
}

// Handler serves without listening, for tests. Nothing follows events until
// Run.
func (s *Server) Handler() http.Handler { return s.handler }

// Address is where the server listens; zero before it does.
func (s *Server) Address() Address {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// Run serves until ctx ends and everything under way is finished.
//
// The fault is Invalid, code "already-serving", when another process serves
// this project, naming its address; and Invalid for an address that cannot be
// listened on. A follower that fails ends nothing.
func (s *Server) Run(ctx context.Context) error {
	if err := s.refuseSecond(ctx); err != nil {
		return err
	}
	l, err := httpd.Listen(s.opt.Host, s.opt.Port)
	if err != nil {
		return err
	}
	s.listensOn(l)
	// What runs beside starts first, so that whoever reaches the server hears
	// all that happens from then on. It also ends first: files are no longer
	// followed, then clients are let go, then the listener closes.
	ctx, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	s.start(ctx, &beside)
	serving := s.serve(l)
	defer func() {
		end()
		beside.Wait()
		s.retract()
		serving.stop()
	}()
	if err := s.announce(ctx); err != nil {
		return err
	}
	s.say()
	select {
	case <-ctx.Done():
		return nil
	case err := <-serving.failed:
		return err
	}
}

func (s *Server) listensOn(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	port := 0
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		port = a.Port
	}
	s.at = Address{URL: httpd.URL(l), Host: strings.Trim(s.opt.Host, "[]"), Port: port, Project: s.scopeRoot(), Database: s.atlas.Database(), MCP: s.opt.MCP != nil}
}

// start runs what lives beside the server. All of it ends with ctx.
func (s *Server) start(ctx context.Context, beside *sync.WaitGroup) {
	events, stop := s.atlas.Events.Listen(followed)
	beside.Go(func() { s.follow(ctx, events, stop) })
	for _, follow := range s.opt.Follow {
		beside.Go(follow(ctx))
	}
	if s.opt.MCP != nil {
		beside.Go(func() { s.opt.MCP.Run(ctx) })
	}
	if s.opt.Watch != nil {
		beside.Go(func() { s.watch(ctx) })
	}
}

// watch follows the files. A failure leaves the server up: the map is only as
// old as its last scan, and listeners are told.
func (s *Server) watch(ctx context.Context) {
	err := s.atlas.Watch(ctx, *s.opt.Watch)
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	s.log.Warn("files are not followed", "err", err)
	s.atlas.Events.Publish(sm.Event{
		Type: sm.WatcherError, Timestamp: time.Now().UnixMilli(), RunID: sm.NewRunID(sm.ScanRun, time.Now()),
		Data: map[string]string{"message": fault.Text(err)},
	})
}

// followed is how many events may wait for the sockets.
const followed = 4096

// follow hands events to the WebSocket clients and to what watches agents.
func (s *Server) follow(ctx context.Context, events <-chan sm.Event, stop func()) {
	defer s.sockets.close()
	for {
		again := s.hand(ctx, events)
		stop()
		if !again {
			return
		}
		s.log.Warn("events were lost: a burst outran the server")
		events, stop = s.atlas.Events.Listen(followed)
	}
}

// hand passes events on until ctx ends; true says that some were lost.
func (s *Server) hand(ctx context.Context, events <-chan sm.Event) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case e, ok := <-events:
			if !ok {
				return true
			}
			s.agents.see(e)
			s.sockets.send(e)
		}
	}
}

// serving is the HTTP server at work.
type serving struct {
	web    *http.Server
	failed chan error
}

// serve answers on l from now on. There is no limit on the time of a whole
// answer: event streams have none, and bound each write instead.
func (s *Server) serve(l net.Listener) *serving {
	v := &serving{failed: make(chan error, 1), web: &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}}
	go func() {
		if err := v.web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			v.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	return v
}

// farewell is how long answers under way may take once the server stops.
const farewell = 3 * time.Second

// stop waits a moment for answers under way, then closes what is left.
func (v *serving) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if v.web.Shutdown(ctx) != nil {
		_ = v.web.Close()
	}
}

// say tells the user where the server is, and takes them there.
func (s *Server) say() {
	at := s.Address()
	if s.opt.Banner != nil {
		s.opt.Banner(s.opt.Err, at)
	} else {
		verb := "visit %s/ in your browser"
		if s.opt.Browse != nil {
			verb = "opening %s/ in your browser"
		}
		_, _ = fmt.Fprintf(s.opt.Err, "sm serve: listening on %s (db=%s)\nsm serve: "+verb+". Press Ctrl+C to stop.\n", at.URL, at.Database, at.URL)
	}
	if s.opt.Browse == nil {
		return
	}
	if err := s.opt.Browse(at.URL + "/"); err != nil {
		s.log.Warn("no browser opened", "url", at.URL, "err", err)
	}
}

// scopeRoot is the absolute path of the project.
func (s *Server) scopeRoot() string {
	root, err := filepath.Abs(s.atlas.Project().Path("."))
	if err != nil {
		return s.atlas.Project().Path(".")
	}
	return root
}
