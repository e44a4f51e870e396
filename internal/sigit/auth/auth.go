package auth

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// Auth puts actors into requests. It may be used from many goroutines.
type Auth struct {
	identity Identity
	site     sigit.Site
	errors   *httpd.Errors
	log      *slog.Logger
}

// New returns an Auth for the site at that address.
func New(identity Identity, site sigit.Site, errors *httpd.Errors, log *slog.Logger) *Auth {
	return &Auth{identity: identity, site: site, errors: errors, log: log}
}

// Actor finds out who sent the request: Anonymous without a token, a fault
// (see Identity) for a token that stands for nobody.
func (a *Auth) Actor(r *http.Request) (sigit.Actor, error) {
	token, ok := Credentials(r.Header)
	if !ok {
		return sigit.Actor{}, forge.BadToken()
	}
	actor := sigit.Anonymous()
	if token != "" {
		var err error
		if actor, err = a.identity.Authenticate(r.Context(), token); err != nil {
			return sigit.Actor{}, err
		}
	}
	actor.Client = Client(r.Header.Get("User-Agent"))
	return actor, nil
}

// Client is the name that a program gives itself in its User-Agent: the first
// word, such as "curl/8.5" or "claude-code/2.1".
func Client(userAgent string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(userAgent), " ")
	return sigit.Short(sigit.Clean(strings.ToValidUTF8(name, "")), 60)
}

// Optional lets everybody through but those with a bad token: they hear 401
// with a challenge.
func (a *Auth) Optional(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		actor, err := a.Actor(r)
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(sigit.WithActor(r.Context(), actor)))
	})
}

// refuse answers for the REST door.
func (a *Auth) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isBadToken(err) {
		w.Header().Set("WWW-Authenticate", Challenge)
	}
	a.errors.Write(w, r, err)
}

// Challenge is what REST answers to a bad token with.
const Challenge = `Bearer realm="sigit", error="invalid_token"`

func isBadToken(err error) bool { return fault.Code(err) == "bad-token" }

// MCP lets only those through whose token is good. The others hear 401 with
// a JSON-RPC error and the challenge that MCP clients know.
func (a *Auth) MCP(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		actor, err := a.Actor(r)
		switch {
		case isBadToken(err), err == nil && !actor.Known():
			w.Header().Set("WWW-Authenticate", a.MCPChallenge())
			httpd.Bytes(w, http.StatusUnauthorized, "application/json", []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}`))
		case err != nil:
			status, _, text, _ := a.errors.Of(err)
			if a.log != nil && status >= http.StatusInternalServerError {
				a.log.ErrorContext(r.Context(), "the caller was not recognised", "err", err)
			}
			httpd.Bytes(w, status, "application/json", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":%q}}`, text))
		default:
			next.ServeHTTP(w, r.WithContext(sigit.WithActor(r.Context(), actor)))
		}
	})
}

// MCPChallenge names the place where a client learns how to get a token.
func (a *Auth) MCPChallenge() string {
	return fmt.Sprintf(`Bearer realm="sigit", error="invalid_token", resource_metadata="%s/.well-known/oauth-protected-resource"`, a.site)
}

// Resource answers with the metadata of the protected resource (RFC 9728):
// where it is and that tokens go into the header.
func (a *Auth) Resource(w http.ResponseWriter, _ *http.Request) error {
	return httpd.JSON(w, http.StatusOK, map[string]any{
		"resource": string(a.site) + "/api/v1/mcp", "resource_name": "siGit Code",
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         sigit.AllScopes(),
	})
}
