package cli

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/api"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/smart"
	"skillforge/internal/sigit/tools"
)

// doors puts the ways in together: MCP, REST, git over HTTP, the operator's
// pages and pages for people. Each has a table whose routes declare what they
// need; all look at the same Authorization header through the same Auth.
func (c *serveCmd) doors(ctx context.Context, f *forge.Forge, identity auth.Identity, ops *api.Operations, work *chores, log *slog.Logger) (http.Handler, error) {
	errs := api.Errors(log)
	gate := auth.New(identity, f.Site(), errs, log)
	from := proxies(c.TrustedProxies).from
	rest, err := api.New(f, errs, from).Handler()
	if err != nil {
		return nil, err
	}
	mcp, err := c.mcp(ctx, f, gate, log)
	if err != nil {
		return nil, err
	}
	git := http.NewServeMux()
	for _, r := range smart.New(smart.Options{Forge: f, Caller: noted(gate), Log: log, MaxPush: c.MaxPush << 20, MaxRepo: c.MaxRepo << 20}).Routes() {
		git.Handle(r.Pattern, r.Serve)
	}
	plain := httpd.Table{Errors: errs, Routes: append(ops.Routes(), httpd.Route{
		Pattern: "GET /.well-known/oauth-protected-resource", Scope: "public", Handle: gate.Resource,
	}, httpd.Route{
		Pattern: "GET /.well-known/oauth-protected-resource/api/v1/mcp", Scope: "public", Handle: gate.Resource,
	})}
	operator, err := plain.Handler()
	if err != nil {
		return nil, err
	}
	pages, err := c.pages(f, identity, from, work, log)
	if err != nil {
		return nil, err
	}
	restDoor := timely(gate.Optional(rest))
	return ops.Observe(httpd.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == tools.Path:
			mcp.ServeHTTP(w, r)
		case path == api.Prefix || strings.HasPrefix(path, api.Prefix+"/"):
			restDoor.ServeHTTP(w, r)
		case path == "/healthz", path == "/readyz", path == "/metrics", strings.HasPrefix(path, "/.well-known/"):
			operator.ServeHTTP(w, r)
		case isGit(path):
			git.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	}))), nil
}

// isGit says whether a path is one of git's smart protocol.
func isGit(path string) bool {
	switch strings.Count(path, "/") {
	case 3:
		return strings.HasSuffix(path, "/git-upload-pack") || strings.HasSuffix(path, "/git-receive-pack")
	case 4:
		return strings.HasSuffix(path, "/info/refs")
	}
	return false // a file of that name in a repository
}

// noted tells the log who uses git.
func noted(gate *auth.Auth) func(*http.Request) (sigit.Actor, error) {
	return func(r *http.Request) (sigit.Actor, error) {
		by, err := gate.Actor(r)
		if err == nil {
			sigit.Note(r.Context(), by)
		}
		return by, err
	}
}

// timely bounds how long a small body may take to come in. The work that
// follows may take longer: once the body is read the bound is lifted, or the
// server would take the connection for dead.
func timely(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			control := http.NewResponseController(w)
			_ = control.SetReadDeadline(time.Now().Add(time.Minute)) // fails where there is no connection, as in tests
			r.Body = &timelyBody{r.Body, control}
		}
		next.ServeHTTP(w, r)
	})
}

// timelyBody lifts the deadline of its connection when it was read.
type timelyBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timelyBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// proxies are the networks whose word is taken for where a request comes from.
type proxies []netip.Prefix

// from is the address that a request comes from: the connection's, or where a
// proxy that is believed stands in between, the last one it names that is no
// such proxy.
func (p proxies) from(r *http.Request) string {
	at := api.Remote(r)
	if !p.has(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop := strings.TrimSpace(hops[i])
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		if at = hop; !p.has(at) {
			break
		}
	}
	return at
}

func (p proxies) has(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	for _, network := range p {
		if network.Contains(a.Unmap().WithZone("")) {
			return true
		}
	}
	return false
}
