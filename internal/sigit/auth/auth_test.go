package auth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/storetest"
)

var ctx = context.Background()

func newForge(t testing.TB) *forge.Forge {
	t.Helper()
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return forge.New(forge.Options{DB: storetest.Open(t), Git: g, Dir: t.TempDir(), Hashing: forge.Hashing{Memory: 8, Iterations: 1, Threads: 1, AtOnce: 4}})
}

func user(t testing.TB, f *forge.Forge, name string) sigit.User {
	t.Helper()
	u, err := f.AddUser(ctx, sigit.Operator(sigit.User{}), sigit.NewUser{Name: name, Email: name + "@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func mint(t testing.TB, f *forge.Forge, u sigit.User, n sigit.NewToken) string {
	t.Helper()
	_, secret, err := f.MintToken(ctx, sigit.SignedIn(u), n)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Reveal()
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

func TestCredentials(t *testing.T) {
	for _, c := range []struct {
		headers []string
		token   string
		ok      bool
	}{
		{nil, "", true},
		{[]string{"Bearer abc"}, "abc", true},
		{[]string{"bearer   abc "}, "abc", true},
		{[]string{"BEARER abc"}, "abc", true},
		{[]string{basic("alice", "abc")}, "abc", true},
		{[]string{basic("abc", "")}, "abc", true},
		{[]string{basic("a", "b:c")}, "b:c", true},
		{[]string{""}, "", false},
		{[]string{"Bearer"}, "", false},
		{[]string{"Bearer "}, "", false},
		{[]string{"Bearer a b"}, "a b", false},
		{[]string{"Bearer a\x00b"}, "a\x00b", false},
		{[]string{"Bearer ü"}, "ü", false},
		{[]string{"Basic !!!"}, "", false},
		{[]string{basic("", "")}, "", false},
		{[]string{"Token abc"}, "", false},
		{[]string{"Negotiate abc"}, "", false},
		{[]string{"Bearer a", "Bearer b"}, "", false},
		{[]string{"Bearer " + strings.Repeat("x", 5000)}, "", false},
		{[]string{"Bearer " + strings.Repeat("x", 50000)}, "", false},
	} {
		h := http.Header{}
		for _, v := range c.headers {
			h.Add("Authorization", v)
		}
		token, ok := auth.Credentials(h)
		if ok != c.ok || ok && token != c.token {
			t.Errorf("Credentials(%.60q) = %.30q, %v, want %q, %v", c.headers, token, ok, c.token, c.ok)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	f.Add("Bearer abc")
	f.Add(basic("a", "b"))
	f.Fuzz(func(t *testing.T, value string) {
		token, ok := auth.Credentials(http.Header{"Authorization": {value}})
		if !ok {
			return
		}
		if token == "" || len(token) > 4096 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("Credentials(%q) accepts %q", value, token)
		}
	})
}

func TestMCPChallenge(t *testing.T) {
	f := newForge(t)
	token := mint(t, f, user(t, f, "alice"), sigit.NewToken{})
	a := auth.New(auth.Local(f), "https://sigit.test", &httpd.Errors{Status: map[string]int{"bad-token": 401}}, nil)
	h := a.MCP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, sigit.ActorOf(r.Context()).User.Name)
	}))
	call := func(header string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/api/v1/mcp", nil)
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, header := range []string{"", "Bearer wrong", "Bearer " + token + "x", "Token " + token, basic("alice", "password"), "Bearer sgt_"} {
		w := call(header)
		const challenge = `Bearer realm="sigit", error="invalid_token", resource_metadata="https://sigit.test/.well-known/oauth-protected-resource"`
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") != challenge || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q: %d %v", header, w.Code, w.Header())
		}
		var body struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.JSONRPC != "2.0" || body.Error.Code != -32001 || body.Error.Message != "Unauthorized" {
			t.Errorf("%q: body %s", header, w.Body)
		}
	}
	if w := call("Bearer " + token); w.Code != 200 || w.Body.String() != "alice" {
		t.Errorf("a good token: %d %s", w.Code, w.Body)
	}
}

func TestOptional(t *testing.T) {
	f := newForge(t)
	token := mint(t, f, user(t, f, "alice"), sigit.NewToken{Label: "ci"})
	a := auth.New(auth.Local(f), "https://sigit.test", &httpd.Errors{Status: map[string]int{"bad-token": 401}}, nil)
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by := sigit.ActorOf(r.Context())
		fmt.Fprintf(w, "%s %s %s", by.User.Name, by.Token.Label, by.Client)
	})
	h := a.Optional(show)
	for header, want := range map[string]string{"": "  git/2.47", "Bearer " + token: "alice ci git/2.47", basic("x", token): "alice ci git/2.47", "Bearer bad": "401", basic("alice", "bad"): "401"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("User-Agent", "git/2.47 (linux) \u202e")
		if header != "" {
			r.Header.Set("Authorization", header)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := w.Body.String()
		if w.Code == 401 {
			got = "401"
			if !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer ") {
				t.Errorf("%q: challenge %q", header, w.Header().Get("WWW-Authenticate"))
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
	if by := sigit.ActorOf(ctx); by.Known() || by.MayAlone(sigit.ListRepos) == nil {
		t.Error("a context without an actor grants something")
	}
}

// Two users, a thousand interleaved requests: nobody becomes the other.
func TestIdentitiesDoNotMix(t *testing.T) {
	f := newForge(t)
	names := []string{"alice", "bob"}
	tokens := map[string]string{}
	for _, n := range names {
		tokens[n] = mint(t, f, user(t, f, n), sigit.NewToken{})
	}
	a := auth.New(auth.Local(f), "https://sigit.test", &httpd.Errors{Status: map[string]int{"bad-token": 401}}, nil)
	h := a.Optional(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, sigit.ActorOf(r.Context()).User.Name) }))
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 125 {
				name := names[(i+worker)%2]
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Authorization", "Bearer "+tokens[name])
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if got := w.Body.String(); got != name {
					t.Errorf("%s's request was %q's", name, got)
				}
			}
		})
	}
	wg.Wait()
}

// cloud is a stand-in for the identity server.
type cloud struct {
	*httptest.Server
	asked  atomic.Int32
	status atomic.Int32 // what it answers instead, 0 for the truth
}

func newCloud(t *testing.T) *cloud {
	c := &cloud{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked.Add(1)
		if s := int(c.status.Load()); s != 0 {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(s)
			fmt.Fprint(w, "<html>secret of the server</html>")
			return
		}
		switch token := r.Header.Get("Authorization"); {
		case r.URL.Path != "/v1/me" || r.URL.Query().Get("client_id") != "sigit" || r.Method != "GET":
			http.Error(w, "wrong question", http.StatusTeapot)
		case token == "good":
			fmt.Fprint(w, `{"id":7,"email":"carol@cloud.test","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}`)
		case token == "broken":
			fmt.Fprint(w, `[]`)
		default:
			http.Error(w, `{"error":"no"}`, http.StatusUnauthorized)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func TestSmbCloud(t *testing.T) {
	f, c := newForge(t), newCloud(t)
	var now atomic.Int64
	id, err := auth.NewSmbCloud(f, c.URL+"?client_id=sigit", func() time.Time { return time.Unix(now.Load(), 0) })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(token string) (sigit.Actor, error) { return id.Authenticate(ctx, token) }
	asked := func(want int32) {
		t.Helper()
		if got := c.asked.Swap(0); got != want {
			t.Errorf("the server was asked %d times, want %d", got, want)
		}
	}
	by, err := ask("good")
	if err != nil || by.User.Name != "carol" || by.User.Email != "carol@cloud.test" || by.User.Origin != "smbcloud" || by.User.OriginID != "7" || !by.Grant.Has(sigit.Write(sigit.AreaRepo)) {
		t.Fatalf("carol is %+v, %v", by, err)
	}
	again, err := ask("good")
	if err != nil || again.User.ID != by.User.ID {
		t.Errorf("carol again is %+v, %v", again, err)
	}
	asked(1)
	for range 3 {
		if _, err := ask("bad"); fault.Code(err) != "bad-token" {
			t.Errorf("a bad token gives %v", err)
		}
	}
	asked(1)
	now.Add(61)
	if _, err := ask("good"); err != nil {
		t.Error(err)
	}
	asked(1)

	now.Add(61)
	for _, status := range []int32{500, 302, 200} {
		c.status.Store(status)
		if _, err := ask("good"); fault.Of(err) != fault.Busy || strings.Contains(fault.Text(err), "secret") || strings.Contains(err.Error(), "client_id") {
			t.Errorf("status %d gives %v", status, err)
		}
	}
	c.status.Store(0)
	if _, err := ask("broken"); fault.Of(err) != fault.Busy {
		t.Errorf("an answer that is no account gives %v", err)
	}
	if _, err := ask("good"); err != nil {
		t.Errorf("a failure was remembered: %v", err)
	}

	yes := true
	if _, err := f.SetUser(ctx, sigit.Operator(sigit.User{}), "carol", nil, &yes); err != nil {
		t.Fatal(err)
	}
	if _, err := ask("good"); fault.Code(err) != "bad-token" {
		t.Errorf("a disabled mirror gives %v", err)
	}

	c.asked.Store(0)
	own := mint(t, f, user(t, f, "alice"), sigit.NewToken{})
	if by, err := ask(own); err != nil || by.User.Name != "alice" {
		t.Errorf("the forge's own token gives %+v, %v", by, err)
	}
	asked(0)

	c.CloseClientConnections()
	c.Close()
	now.Add(100)
	if _, err := ask("good"); fault.Of(err) != fault.Busy || strings.Contains(err.Error(), "client_id") {
		t.Errorf("a server that is gone gives %v", err)
	}
	for _, base := range []string{"", "ftp://x", "x", "https://"} {
		if _, err := auth.NewSmbCloud(f, base, nil); err == nil {
			t.Errorf("NewSmbCloud(%q) succeeds", base)
		}
	}
}
