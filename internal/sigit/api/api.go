package api

import (
	"log/slog"
	"net"
	"net/http"
	"strconv"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Prefix is where the door is.
const Prefix = "/api/v1"

// MaxBody bounds the body of a request: the longest text, escaped at its worst.
const MaxBody = 1 << 20

// Errors turns faults into this door's answers; other doors of the forge that
// speak HTTP use it too.
func Errors(log *slog.Logger) *httpd.Errors {
	return &httpd.Errors{
		Log:    log,
		Status: map[string]int{"bad-token": 401, "sign-in": 401, "bad-credentials": 401, "rate-limit": 429},
	}
}

// API is the door. Its routes want the actor in the request's context.
type API struct {
	forge  *forge.Forge
	errors *httpd.Errors
	from   func(*http.Request) string
}

// New returns the door to a forge. from says where a request comes from, for
// the bounds on signing in; nil is the address of the connection.
func New(f *forge.Forge, errors *httpd.Errors, from func(*http.Request) string) *API {
	if from == nil {
		from = Remote
	}
	return &API{forge: f, errors: errors, from: from}
}

// Remote is the host that a request's connection comes from.
func Remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Handler serves the door. It is an error for a route to declare no scope.
func (a *API) Handler() (http.Handler, error) {
	list := a.routes()
	document, err := openAPI(list, a.forge.Site())
	if err != nil {
		return nil, err
	}
	table := httpd.Table{Errors: a.errors}
	for _, r := range list {
		table.Routes = append(table.Routes, httpd.Route{Pattern: r.method + " " + Prefix + r.path, Scope: r.scope, Handle: a.handle(r)})
	}
	table.Routes = append(table.Routes, httpd.Route{
		Pattern: "GET " + Prefix + "/openapi.json", Scope: public,
		Handle: func(w http.ResponseWriter, _ *http.Request) error {
			httpd.Bytes(w, http.StatusOK, "application/json", document)
			return nil
		},
	})
	table.Routes = append(table.Routes, httpd.Route{
		Pattern: Prefix + "/", Scope: public,
		Handle: func(_ http.ResponseWriter, r *http.Request) error {
			return fault.New(fault.NotFound, "there is no %s %s; see %s/openapi.json", r.Method, sigit.Short(r.URL.Path, 200), Prefix)
		},
	})
	h, err := table.Handler()
	if err != nil {
		return nil, err
	}
	return httpd.Capped(MaxBody, func(string) bool { return true }, a.errors, h), nil
}

// Scopes of routes that need no area: everybody, and everybody signed in.
const (
	public   httpd.Scope = "public"
	signedIn httpd.Scope = "signed-in"
)

// handle puts the scope check before a route and the headers that go with
// some errors after it.
func (a *API) handle(route route) httpd.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c := &call{API: a, w: w, r: r, by: sigit.ActorOf(r.Context())}
		err := admit(c.by, route.scope)
		if err == nil {
			err = route.serve(c)
		}
		switch {
		case err == nil:
			return nil
		case sigit.NeedsSignIn(err):
			w.Header().Set("WWW-Authenticate", `Bearer realm="sigit"`)
		case fault.Code(err) == "rate-limit":
			if seconds, ok := fault.Details(err)["retry_after"].(int); ok {
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
			}
		case fault.Of(err) == fault.Busy:
			w.Header().Set("Retry-After", "1")
		}
		return err
	}
}

// admit asks the actor's token for the scope that a route declares. The verb
// asks again, and for the role.
func admit(by sigit.Actor, scope httpd.Scope) error {
	switch scope {
	case public:
		return nil
	case signedIn:
		if !by.Known() {
			return fault.Coded(fault.Denied, "sign-in", "sign in first")
		}
		return nil
	}
	s, err := sigit.ParseScope(string(scope))
	if err != nil {
		return err
	}
	return by.MayAlone(sigit.Action{Name: "ask this", Scopes: []sigit.Scope{s}})
}
