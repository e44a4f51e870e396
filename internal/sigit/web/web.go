package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/mappage"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Options of Handler. Forge is needed.
type Options struct {
	Forge *forge.Forge
	Log   *slog.Logger
	// From says where a request comes from, for the bounds on signing in; nil
	// is the address of the connection.
	From func(*http.Request) string
	// Elsewhere is another server whose accounts may sign in here; nil is none.
	Elsewhere *Elsewhere
	// SignUp lets everybody make an account.
	SignUp bool
	// Beside tells administrators of what runs beside the forge; nil is nothing.
	Beside func(context.Context) Beside
}

// Elsewhere is a server that knows accounts beside the forge's own.
type Elsewhere struct {
	Name string // as people know it
	// Authenticate finds whom an access token of that server stands for.
	Authenticate func(ctx context.Context, token string) (sigit.Actor, error)
}

// Beside is what an administrator sees of the rest of the program.
type Beside struct {
	SearchProvider string // name of the provider of web searches
	SearchTrouble  string // what is missing for it, empty when it is ready
	Chores         []Chore
}

// Chore is a piece of work in the background.
type Chore struct {
	Name  string
	Every string // how often, in words
	State string // how it stands, in words
	Bad   bool
}

// web is the door. It may be used from many goroutines.
type web struct {
	Options
	forge    *forge.Forge
	errors   *httpd.Errors
	secure   bool // cookies only over https
	pages    pages
	assets   assets
	markdown *markdown
	colours  *colourist
	diffs    *cache[string, diffPage]
	slow     chan struct{} // bounds the differences that are made at once

	mapPage    mappage.Page
	hasMapPage bool
}

// Handler serves the pages. It is an error for a template to be malformed or a
// route to declare no scope.
func Handler(o Options) (http.Handler, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.From == nil {
		o.From = remote
	}
	if o.Beside == nil {
		o.Beside = func(context.Context) Beside { return Beside{} }
	}
	d := &web{
		Options: o, forge: o.Forge, secure: strings.HasPrefix(string(o.Forge.Site()), "https://"),
		errors: &httpd.Errors{Log: o.Log, Status: map[string]int{"sign-in": 401, "bad-credentials": 401, "bad-token": 401, "rate-limit": 429}},
	}
	var err error
	if d.assets, err = readAssets(); err != nil {
		return nil, err
	}
	if d.pages, err = parsePages(d.assets); err != nil {
		return nil, err
	}
	d.mapPage, d.hasMapPage = mappage.Built()
	d.colours = newColourist()
	d.diffs = newCache[string, diffPage](32)
	d.slow = make(chan struct{}, diffsAtOnce)
	d.markdown = newMarkdown(d.colours)
	table := httpd.Table{Errors: d.errors}
	for _, r := range d.routes() {
		table.Routes = append(table.Routes, httpd.Route{Pattern: r.pattern, Scope: r.scope, Handle: d.handle(r)})
	}
	table.Routes = append(table.Routes, httpd.Route{Pattern: "GET /assets/{file}", Scope: everybody, Handle: d.asset})
	h, err := table.Handler()
	if err != nil {
		return nil, err
	}
	guard := http.NewCrossOriginProtection()
	if origin := originOf(o.Forge.Site()); origin != "" {
		if err := guard.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{web: d, w: w, r: r, by: sigit.Anonymous()}
		c.fail(fault.Coded(fault.Denied, "cross-origin", "This came from another site, so nothing was done. Go to the page here and try again."))
	}))
	return guard.Handler(h), nil
}

// originOf is the scheme and host of the forge's address.
func originOf(site sigit.Site) string {
	scheme, rest, ok := strings.Cut(string(site), "://")
	host, _, _ := strings.Cut(rest, "/")
	if !ok || host == "" {
		return ""
	}
	return scheme + "://" + host
}

func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// policy lets a page load this site's own files and send forms here, nothing
// else: a text that slipped through as markup could still not run or call.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// maxForm bounds the body of a form: the longest text, escaped at its worst.
const maxForm = 1 << 20

// call is one request for a page.
type call struct {
	*web
	w  http.ResponseWriter
	r  *http.Request
	by sigit.Actor
}

// handle finds out who asks, and turns what a page could not do into a page.
func (d *web) handle(r route) httpd.Handler {
	return func(w http.ResponseWriter, req *http.Request) error {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// Without any referrer browsers send forms from the origin "null", and a
		// form from here could not be told from a foreign one over plain http.
		h.Set("Referrer-Policy", "same-origin")
		c := &call{web: d, w: w, r: req, by: sigit.Anonymous()}
		var err error
		if c.by, err = d.actor(req); err != nil {
			c.fail(err)
			return nil
		}
		c.r = req.WithContext(sigit.WithActor(req.Context(), c.by))
		if req.Method == http.MethodPost {
			c.r.Body = http.MaxBytesReader(w, c.r.Body, maxForm)
			if err := c.r.ParseForm(); err != nil {
				c.fail(fault.New(fault.Invalid, "The form could not be read.").Because(err))
				return nil
			}
		}
		if err = c.admit(r.scope); err == nil {
			err = r.page(c)
		}
		if err != nil {
			c.fail(err)
		}
		return nil
	}
}

// Scopes of routes. What a page shows is decided by the verbs; these keep
// strangers from even asking.
const (
	everybody httpd.Scope = "everybody"
	people    httpd.Scope = "people" // who is signed in
	admins    httpd.Scope = "administrators"
)

func (c *call) admit(scope httpd.Scope) error {
	switch {
	case scope == everybody:
		return nil
	case !c.by.Known():
		return fault.Coded(fault.Denied, "sign-in", "Sign in to see this page.")
	case scope == admins && !c.by.User.Admin:
		return fault.Coded(fault.Denied, "role", "This page is for administrators.")
	}
	return nil
}

// fail answers with a page that says what is wrong.
func (c *call) fail(err error) {
	if fault.Code(err) == "sign-in" && !c.by.Known() && c.r.Method == http.MethodGet && c.r.Header.Get("HX-Request") == "" {
		c.leave("/sign-in?to=" + escapeQuery(c.here()))
		return
	}
	status, _, text, details := c.errors.Of(err)
	if status >= http.StatusInternalServerError && c.r.Context().Err() == nil {
		c.Log.ErrorContext(c.r.Context(), "a page failed", "method", c.r.Method, "path", c.r.URL.Path, "err", err)
	}
	if seconds, ok := details["retry_after"].(int); ok {
		c.w.Header().Set("Retry-After", itoa(seconds))
	}
	if e := c.show(status, "error", frame{Title: statusWords(status), Data: errorPage{Status: status, Text: sentence(text), Hidden: status == http.StatusNotFound && !c.by.Known()}}); e != nil {
		c.Log.ErrorContext(c.r.Context(), "a page failed", "path", c.r.URL.Path, "err", e)
		http.Error(c.w, "internal error", http.StatusInternalServerError)
	}
}

type errorPage struct {
	Status int
	Text   string
	Hidden bool // it may be there for somebody who signs in
}

func statusWords(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusForbidden, http.StatusUnauthorized:
		return "Not allowed"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return "Later, please"
	case http.StatusInternalServerError:
		return "Something broke here"
	}
	return "That did not work"
}

// leave sends the browser to another page here.
func (c *call) leave(to string) {
	c.w.Header().Set("Location", to)
	c.w.WriteHeader(http.StatusSeeOther)
}

// here is the address that was asked for, to come back to.
func (c *call) here() string {
	if c.r.Method != http.MethodGet {
		return "/"
	}
	return c.r.URL.RequestURI()
}

// form is a value of the form that was sent, with plain line ends.
func (c *call) form(name string) string {
	return strings.ReplaceAll(c.r.PostFormValue(name), "\r\n", "\n")
}

// query is a value of the address.
func (c *call) query(name string) string { return c.r.URL.Query().Get(name) }
