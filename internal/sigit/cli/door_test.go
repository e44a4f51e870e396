package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/api"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
)

// house is every door of a forge, with alice's private repository behind them.
func house(t *testing.T) (*opened, *httptest.Server) {
	t.Helper()
	ctx := context.Background()
	g := &globals{Data: t.TempDir()}
	log := slog.New(slog.DiscardHandler)
	o, err := g.open(ctx, log, func(o *forge.Options) { o.Site = "https://sigit.test" })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	for _, name := range []string{"alice", "mallory"} {
		if _, err := o.AddUser(ctx, operator, sigit.NewUser{Name: name, Email: name + "@example.org"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.CreateRepo(ctx, operator, sigit.NewRepo{Name: sigit.RepoName{Owner: "alice", Name: "secret"}, Private: true}); err != nil {
		t.Fatal(err)
	}
	c := &serveCmd{webSearch: webSearch{SearchProvider: "fake"}}
	live, cancel := context.WithCancel(ctx)
	t.Cleanup(cancel)
	handler, err := c.doors(live, o.Forge, auth.Local(o.Forge), api.NewOperations(o.Ping, log, ""), &chores{}, log)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return o, server
}

// attempt is something a caller tries, and the scope that it takes.
type attempt struct {
	door, method, path, body string
	needs                    []sigit.Scope
}

func call(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

var attempts = []attempt{
	{"git", "GET", "/alice/secret.git/info/refs?service=git-upload-pack", "", []sigit.Scope{sigit.Read(sigit.AreaRepo)}},
	{"git", "POST", "/alice/secret.git/git-upload-pack", "0000", []sigit.Scope{sigit.Read(sigit.AreaRepo)}},
	{"git", "GET", "/alice/secret.git/info/refs?service=git-receive-pack", "", []sigit.Scope{sigit.Write(sigit.AreaRepo)}},
	{"git", "POST", "/alice/secret.git/git-receive-pack", "0000", []sigit.Scope{sigit.Write(sigit.AreaRepo)}},
	{"rest", "GET", "/api/v1/repositories/alice/secret", "", []sigit.Scope{sigit.Read(sigit.AreaRepo)}},
	{"rest", "GET", "/api/v1/repositories/alice/secret/issues", "", []sigit.Scope{sigit.Read(sigit.AreaIssue)}},
	{"rest", "POST", "/api/v1/repositories/alice/secret/issues", `{"title":"t"}`, []sigit.Scope{sigit.Write(sigit.AreaIssue)}},
	{"rest", "PATCH", "/api/v1/repositories/alice/secret", `{"description":"d"}`, []sigit.Scope{sigit.Write(sigit.AreaRepo)}},
	{"rest", "GET", "/api/v1/users/me", "", []sigit.Scope{sigit.Read(sigit.AreaUser)}},
	{"rest", "GET", "/api/v1/tokens", "", []sigit.Scope{sigit.Write(sigit.AreaUser)}},
	{"mcp", "POST", "/api/v1/mcp", call("list_repositories", `{}`), []sigit.Scope{sigit.Read(sigit.AreaRepo)}},
	{"mcp", "POST", "/api/v1/mcp", call("list_issues", `{"repo":"alice/secret"}`), []sigit.Scope{sigit.Read(sigit.AreaIssue)}},
	{"mcp", "POST", "/api/v1/mcp", call("create_issue", `{"repo":"alice/secret","title":"t"}`), []sigit.Scope{sigit.Write(sigit.AreaIssue)}},
	{"mcp", "POST", "/api/v1/mcp", call("list_pull_requests", `{"repo":"alice/secret"}`), []sigit.Scope{sigit.Read(sigit.AreaIssue)}},
}

// send says how an attempt ended: "ok", "lacks" a scope, "hidden", "who" for
// 401, or the answer.
func (a attempt) send(t *testing.T, server *httptest.Server, scheme, token string) string {
	t.Helper()
	req, err := http.NewRequest(a.method, server.URL+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	switch scheme {
	case "bearer":
		req.Header.Set("Authorization", "Bearer "+token)
	case "basic":
		req.SetBasicAuth("anybody", token)
	case "basic user":
		req.SetBasicAuth(token, "")
	}
	if i := strings.LastIndexByte(a.path, '/'); a.door == "git" && a.method == "POST" {
		req.Header.Set("Content-Type", "application/x-"+a.path[i+1:]+"-request")
	} else if a.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") != "":
		return "who"
	case bytes.Contains(text, []byte("lacks the scope")):
		return "lacks"
	case bytes.Contains(text, []byte("not found")), resp.StatusCode == http.StatusNotFound:
		return "hidden"
	case resp.StatusCode < 300 && !bytes.Contains(text, []byte(`"isError":true`)):
		return "ok"
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

// Scheme × scope × route: what a token may do depends on the token alone.
func TestEveryDoorAsksForTheScope(t *testing.T) {
	o, server := house(t)
	ctx := context.Background()
	mint := func(user string, n sigit.NewToken) string {
		_, secret, err := o.MintTokenFor(ctx, operator, user, n)
		if err != nil {
			t.Fatal(err)
		}
		return secret.Reveal()
	}
	var scopes []sigit.Scope
	for _, s := range sigit.AllScopes() {
		scopes = append(scopes, sigit.Read(s.Area), s)
	}
	for _, have := range scopes {
		grant := sigit.Grant{Scopes: []sigit.Scope{have}}
		token := mint("alice", sigit.NewToken{Scopes: []sigit.Scope{have}})
		for _, a := range attempts {
			want := "ok"
			for _, s := range a.needs {
				if !grant.Has(s) {
					want = "lacks"
				}
			}
			for _, scheme := range []string{"bearer", "basic", "basic user"} {
				if got := a.send(t, server, scheme, token); got != want {
					t.Errorf("%s %s %s with %s by %s: %s, want %s", a.door, a.method, a.path, have, scheme, got, want)
				}
			}
		}
	}
	mallory := mint("mallory", sigit.NewToken{Scopes: sigit.AllScopes()})
	for _, a := range attempts {
		if !strings.Contains(a.path+a.body, "secret") {
			continue
		}
		for _, scheme := range []string{"bearer", "basic"} {
			if got := a.send(t, server, scheme, mallory); got != "hidden" {
				t.Errorf("%s %s %s by mallory: %s", a.door, a.method, a.path, got)
			}
			for what, token := range map[string]string{"a wrong token": "wrong", "a token with a slip": mallory[:len(mallory)-1] + "!"} {
				if got := a.send(t, server, scheme, token); got != "who" {
					t.Errorf("%s %s %s with %s: %s", a.door, a.method, a.path, what, got)
				}
			}
		}
		if got := a.send(t, server, "", ""); got != "who" && !(a.door == "rest" && a.method == "GET" && got == "hidden") {
			t.Errorf("%s %s %s by nobody: %s", a.door, a.method, a.path, got)
		}
	}
}

func TestForeignPagesCannotCallMCP(t *testing.T) {
	o, server := house(t)
	_, secret, err := o.MintTokenFor(context.Background(), operator, "alice", sigit.NewToken{})
	if err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]int{"": 200, "https://sigit.test": 200, "http://127.0.0.1:5173": 200, "https://evil.test": 403, "null": 403} {
		req, _ := http.NewRequest("POST", server.URL+"/api/v1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		req.Header.Set("Authorization", "Bearer "+secret.Reveal())
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Origin %q gives %d, want %d", origin, resp.StatusCode, want)
		}
	}
}
