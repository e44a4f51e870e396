package smart

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Options of New. Forge and Caller are needed.
type Options struct {
	Forge *forge.Forge
	// Caller says who asks: an anonymous actor without credentials, an error
	// for credentials that are wrong.
	Caller func(*http.Request) (sigit.Actor, error)
	Log    *slog.Logger

	MaxPush int64         // bytes of one push; 0 means 2 GiB
	MaxRepo int64         // bytes of a repository that takes no more pushes; 0 means 10 GiB
	AtOnce  int           // exchanges at the same time; 0 means 16
	Idle    time.Duration // a connection that stands still for so long is closed; 0 means 5 minutes
	Wait    time.Duration // for a place among AtOnce; 0 means 30 seconds
}

// Handler serves the smart protocol. Mount it with Routes.
type Handler struct {
	Options
	places chan struct{}
}

// New fills in what Options leaves open.
func New(o Options) *Handler {
	if o.MaxPush == 0 {
		o.MaxPush = 2 << 30
	}
	if o.MaxRepo == 0 {
		o.MaxRepo = 10 << 30
	}
	if o.AtOnce == 0 {
		o.AtOnce = 16
	}
	if o.Idle == 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Wait == 0 {
		o.Wait = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{Options: o, places: make(chan struct{}, o.AtOnce)}
}

// Route is a pattern of net/http and what serves it. Every one goes through
// the forge's gate: reading asks for ReadCode, pushing for PushCode.
type Route struct {
	Pattern string
	Serve   http.HandlerFunc
}

// Routes of git's smart protocol. The name may end in ".git".
func (h *Handler) Routes() []Route {
	return []Route{
		{"GET /{owner}/{name}/info/refs", h.handle(h.advertise)},
		{"POST /{owner}/{name}/git-upload-pack", h.handle(h.fetch)},
		{"POST /{owner}/{name}/git-receive-pack", h.handle(h.push)},
	}
}

// exchange is one request about one repository.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	by   sigit.Actor
	name sigit.RepoName
}

func (h *Handler) handle(serve func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		guarded := &steady{ResponseWriter: w, control: http.NewResponseController(w), idle: h.Idle}
		r.Body = &steadyBody{ReadCloser: r.Body, control: guarded.control, idle: h.Idle}
		e := &exchange{w: guarded, r: r}
		err := h.start(e)
		if err == nil {
			err = serve(e)
		}
		if err != nil {
			h.refuse(e, guarded.begun, err)
		}
	}
}

func (h *Handler) start(e *exchange) error {
	h.noCache(e.w)
	by, err := h.Caller(e.r)
	if err != nil {
		return err
	}
	e.by = by
	e.name, err = sigit.ParseRepoName(e.r.PathValue("owner") + "/" + e.r.PathValue("name"))
	if err != nil { // what could never be a repository is one that does not exist
		return hidden(by)
	}
	return nil
}

// hidden is what is said of a repository that the caller does not see.
func hidden(by sigit.Actor) error {
	if !by.Known() {
		return errSignIn
	}
	return sigit.NoRepo()
}

var errSignIn = fault.Coded(fault.Denied, "sign-in", "sign in to reach this repository")

func (h *Handler) noCache(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
	w.Header().Set("Expires", "Fri, 01 Jan 1980 00:00:00 GMT")
	w.Header().Set("Pragma", "no-cache")
}

// open asks the gate for the service.
func (h *Handler) open(e *exchange, service git.Service) (sigit.Repo, *git.Repo, error) {
	enter := h.Forge.Fetch
	if service == git.ReceivePack {
		enter = h.Forge.Push
	}
	repo, code, err := enter(e.r.Context(), e.by, e.name)
	if fault.Of(err) == fault.NotFound {
		return repo, code, hidden(e.by)
	}
	return repo, code, err
}

func (h *Handler) advertise(e *exchange) error {
	service := git.Service(e.r.URL.Query().Get("service"))
	if service != git.UploadPack && service != git.ReceivePack {
		return fault.New(fault.Denied, "this server speaks git's smart protocol only; use a git client of version 1.6.6 or newer")
	}
	_, code, err := h.open(e, service)
	if err != nil {
		return err
	}
	leave, err := h.place(e.r.Context())
	if err != nil {
		return err
	}
	defer leave()
	opt := git.ServeOptions{Protocol: protocol(e.r)}
	e.w.Header().Set("Content-Type", "application/x-"+string(service)+"-advertisement")
	if service == git.ReceivePack {
		opt.Protocol = "" // pushing has no second version
	}
	if opt.Protocol != "version=2" {
		banner := "# service=" + string(service) + "\n"
		if _, err := fmt.Fprintf(e.w, "%04x%s0000", len(banner)+4, banner); err != nil {
			return err
		}
	}
	return code.Advertise(e.r.Context(), service, opt, e.w)
}

// protocol is the client's wish, as far as it is one of git's.
func protocol(r *http.Request) string {
	for part := range strings.SplitSeq(r.Header.Get("Git-Protocol"), ":") {
		if part == "version=2" || part == "version=1" {
			return part
		}
	}
	return ""
}

func (h *Handler) fetch(e *exchange) error {
	_, code, err := h.open(e, git.UploadPack)
	if err != nil {
		return err
	}
	// What a client wants and has is a list of ids: megabytes at most.
	body, err := h.body(e, git.UploadPack, 64<<20)
	if err != nil {
		return err
	}
	leave, err := h.place(e.r.Context())
	if err != nil {
		return err
	}
	defer leave()
	e.w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	return code.Serve(e.r.Context(), git.UploadPack, git.ServeOptions{Protocol: protocol(e.r)}, body, e.w)
}

func (h *Handler) push(e *exchange) error {
	repo, code, err := h.open(e, git.ReceivePack)
	if err != nil {
		return err
	}
	body, err := h.body(e, git.ReceivePack, h.MaxPush+1<<20)
	if err != nil {
		return err
	}
	leave, err := h.place(e.r.Context())
	if err != nil {
		return err
	}
	defer leave()
	in := bufio.NewReaderSize(body, 64<<10)
	if _, err := in.Peek(4); errors.Is(err, io.EOF) {
		in = bufio.NewReader(strings.NewReader("0000")) // git asks this way whether it may push at all
	}
	push, raw, err := git.ReadPush(in)
	if err != nil {
		return fault.New(fault.Invalid, "the push cannot be read").Because(err)
	}
	e.w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
	if refused := h.judge(e, code, push); len(refused) > 0 {
		if _, err := io.Copy(io.Discard, in); err != nil { // else the client never reads the answer
			return err
		}
		return push.RefuseAll(e.w, func(u git.Update) string { return reason(refused, u.Ref) })
	}
	opt := git.ServeOptions{MaxPush: h.MaxPush, Objects: git.PackedObjects(in), NoForce: e.by.Grant.NoForce, NoDelete: e.by.Grant.NoForce}
	err = code.Serve(e.r.Context(), git.ReceivePack, opt, io.MultiReader(strings.NewReader(string(raw)), in), e.w)
	return errors.Join(err, h.moved(e, repo, code, push))
}

// judge asks for each ref whether it may move, and whether the repository may
// grow.
func (h *Handler) judge(e *exchange, code *git.Repo, push git.Push) map[string]error {
	updates := make([]sigit.RefUpdate, len(push.Commands))
	grows := false
	for i, c := range push.Commands {
		updates[i] = sigit.RefUpdate{Ref: c.Ref, Old: c.Old, New: c.New}
		grows = grows || !updates[i].Deletes()
	}
	refused := h.Forge.CheckPush(e.by, updates)
	if size, err := code.Size(); grows && (err != nil || size > h.MaxRepo) {
		for _, u := range updates {
			refused[u.Ref] = fault.New(fault.TooLarge, "the repository has reached its limit of %d MiB; delete branches or ask the operator", h.MaxRepo>>20)
		}
	}
	return refused
}

func reason(refused map[string]error, ref string) string {
	if err := refused[ref]; err != nil {
		return fault.Text(err)
	}
	return "not moved, because another ref of this push was refused"
}

// moved tells the forge which of the commands took effect, whatever became of
// the connection.
func (h *Handler) moved(e *exchange, repo sigit.Repo, code *git.Repo, push git.Push) error {
	if len(push.Commands) == 0 {
		return nil
	}
	ctx := context.WithoutCancel(e.r.Context())
	refs := make([]string, len(push.Commands))
	for i, c := range push.Commands {
		refs[i] = c.Ref
	}
	now, err := code.RefOIDs(ctx, refs)
	if err != nil {
		return fmt.Errorf("look at the refs after a push: %w", err)
	}
	var updates []sigit.RefUpdate
	for i, c := range push.Commands {
		u := sigit.RefUpdate{Ref: c.Ref, Old: c.Old, New: c.New}
		if c.Old != c.New && (now[i] == c.New || u.Deletes() && now[i] == "") {
			updates = append(updates, u)
		}
	}
	return h.Forge.Pushed(ctx, e.by, repo, updates)
}

// body checks the request's type and unpacks it.
func (h *Handler) body(e *exchange, service git.Service, limit int64) (io.Reader, error) {
	if e.r.Header.Get("Content-Type") != "application/x-"+string(service)+"-request" {
		return nil, fault.Coded(fault.Invalid, "media-type", "the request must have the type application/x-%s-request", service)
	}
	body := io.Reader(http.MaxBytesReader(e.w, e.r.Body, limit))
	switch encoding := e.r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, fault.New(fault.Invalid, "the request is not the gzip it says it is").Because(err)
		}
		return &limited{unpacked, limit}, nil
	default:
		return nil, fault.Coded(fault.Invalid, "media-type", "the encoding %q is not known; send gzip or none", sigit.Short(encoding, 40))
	}
}

// limited ends a body that unpacks to more than it may.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fault.New(fault.TooLarge, "the request unpacks to more than is taken")
	}
	n, err := l.Reader.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// place waits for room among the exchanges that run at once.
func (h *Handler) place(ctx context.Context) (func(), error) {
	wait := time.NewTimer(h.Wait)
	defer wait.Stop()
	select {
	case h.places <- struct{}{}:
		return func() { <-h.places }, nil
	case <-wait.C:
		return nil, fault.New(fault.Busy, "the server is busy with other clones and pushes; try again in a minute")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// refuse answers with err in words for git's user, unless the answer has
// begun: then the broken stream says it.
func (h *Handler) refuse(e *exchange, begun bool, err error) {
	if e.r.Context().Err() != nil {
		h.Log.Debug("git client left", "path", e.r.URL.Path, "err", err)
		return
	}
	status := map[fault.Kind]int{fault.Invalid: 400, fault.Denied: 403, fault.NotFound: 404, fault.Conflict: 409, fault.TooLarge: 413, fault.Busy: 503}[fault.Of(err)]
	switch {
	case sigit.NeedsSignIn(err), fault.Code(err) == "bad-credentials":
		status = http.StatusUnauthorized
		e.w.Header().Set("WWW-Authenticate", `Basic realm="sigit", charset="UTF-8"`)
	case fault.Code(err) == "media-type":
		status = http.StatusUnsupportedMediaType
	case status == http.StatusServiceUnavailable:
		e.w.Header().Set("Retry-After", "60")
	case status == 0:
		status = http.StatusInternalServerError
		h.Log.Error("git exchange failed", "path", e.r.URL.Path, "begun", begun, "err", err)
	}
	if begun {
		return
	}
	e.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	e.w.WriteHeader(status)
	fmt.Fprintln(e.w, fault.Text(err))
}

// progress is the size below which a write is a line for the user rather than
// a piece of a pack, and is sent at once.
const progress = 4 << 10

// steady is a connection that may take as long as it likes as long as it
// moves.
type steady struct {
	http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration
	begun   bool
}

func (s *steady) WriteHeader(status int) {
	s.begun = true
	s.ResponseWriter.WriteHeader(status)
}

func (s *steady) Write(p []byte) (int, error) {
	s.begun = true
	if err := s.control.SetWriteDeadline(time.Now().Add(s.idle)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := s.ResponseWriter.Write(p)
	if err == nil && len(p) < progress {
		_ = s.control.Flush() // a writer without Flush needs none
	}
	return n, err
}

func (s *steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

type steadyBody struct {
	io.ReadCloser
	control *http.ResponseController
	idle    time.Duration
}

func (s *steadyBody) Read(p []byte) (int, error) {
	if err := s.control.SetReadDeadline(time.Now().Add(s.idle)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return s.ReadCloser.Read(p)
}
