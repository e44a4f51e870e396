package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/api"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/storetest"
)

var ctx = context.Background()

type world struct {
	t      testing.TB
	forge  *forge.Forge
	server *httptest.Server
	log    *safeBuffer
}

// safeBuffer holds the log while requests still write to it.
type safeBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newWorld(t testing.TB) *world {
	t.Helper()
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	f := forge.New(forge.Options{DB: storetest.Open(t), Git: g, Dir: t.TempDir(), Site: "https://sigit.test", Hashing: forge.Hashing{Memory: 8, Iterations: 1, Threads: 1, AtOnce: 4}})
	w := &world{t: t, forge: f, log: &safeBuffer{}}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	errs := api.Errors(log)
	h, err := api.New(f, errs, nil).Handler()
	if err != nil {
		t.Fatal(err)
	}
	ops := api.NewOperations(f.Ping, log, "")
	mux := http.NewServeMux()
	mux.Handle(api.Prefix+"/", auth.New(auth.Local(f), f.Site(), errs, log).Optional(h))
	for _, r := range ops.Routes() {
		mux.HandleFunc(r.Pattern, func(w http.ResponseWriter, req *http.Request) {
			if err := r.Handle(w, req); err != nil {
				errs.Write(w, req, err)
			}
		})
	}
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("secret") })
	w.server = httptest.NewServer(ops.Observe(mux))
	t.Cleanup(w.server.Close)
	for _, name := range []string{"alice", "bob", "mallory"} {
		w.user(name, false)
	}
	return w
}

func (w *world) user(name string, admin bool) {
	w.t.Helper()
	_, err := w.forge.AddUser(ctx, sigit.Operator(sigit.User{}), sigit.NewUser{Name: name, Email: name + "@example.org", Password: "password of " + name, Admin: admin})
	if err != nil {
		w.t.Fatal(err)
	}
}

type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (a answer) code() string {
	e, _ := a.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

func (a answer) items() []any {
	items, _ := a.body["items"].([]any)
	return items
}

// do sends a request with a token (empty: none) and a body (nil: none).
func (w *world) do(token, method, path string, body any) answer {
	w.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	req, err := http.NewRequest(method, w.server.URL+path, in)
	if err != nil {
		w.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("User-Agent", "test/1 (x)")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, text: string(text)}
	if len(text) > 0 && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(text, &a.body); err != nil {
			w.t.Fatalf("%s %s answers %s: %v", method, path, text, err)
		}
	}
	return a
}

// want sends a request and checks the status and, of a refusal, the code.
func (w *world) want(status int, code, token, method, path string, body any) answer {
	w.t.Helper()
	a := w.do(token, method, path, body)
	if a.status != status || a.code() != code {
		w.t.Errorf("%s %s answers %d %s, want %d %s", method, path, a.status, a.text, status, code)
	}
	return a
}

func (w *world) signIn(name string) string {
	w.t.Helper()
	a := w.want(200, "", "", "POST", "auth/sign_in", map[string]any{"email": name + "@example.org", "password": "password of " + name})
	ready, _ := a.body["Ready"].(map[string]any)
	token, _ := ready["access_token"].(string)
	if !strings.HasPrefix(token, "sgt_") {
		w.t.Fatalf("sign in answers %s", a.text)
	}
	return token
}

func (w *world) commit(repo, branch string, files map[string]string, parents ...string) string {
	w.t.Helper()
	name, _ := sigit.ParseRepoName(repo)
	r, code, err := w.forge.Fetch(ctx, sigit.Operator(sigit.User{}), name)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []git.TreeFile
	for path, text := range files {
		list = append(list, git.TreeFile{Path: path, Mode: git.ModeFile, Data: []byte(text)})
	}
	tree, err := code.WriteTree(ctx, list)
	if err != nil {
		w.t.Fatal(err)
	}
	who := git.Signature{Name: "A", Email: "a@example.org", When: time.Unix(1700000000, 0)}
	id, err := code.Commit(ctx, tree, parents, who, who, "c")
	if err == nil {
		err = code.UpdateRefs(ctx, git.Update{Ref: "refs/heads/" + branch, New: id})
	}
	if err == nil {
		err = w.forge.Pushed(ctx, sigit.Operator(sigit.User{}), r, []sigit.RefUpdate{{Ref: "refs/heads/" + branch, Old: git.Zero, New: id}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func TestSignInAnswersAsClientsKnowIt(t *testing.T) {
	w := newWorld(t)
	token := w.signIn("alice")
	if a := w.want(200, "", token, "GET", "users/me", nil); a.body["name"] != "alice" || a.body["email"] != "alice@example.org" {
		t.Errorf("me is %s", a.text)
	}
	w.want(401, "bad-credentials", "", "POST", "auth/sign_in", map[string]any{"email": "alice@example.org", "password": "no"})
	w.want(400, "invalid", "", "POST", "auth/sign_in", `{"email":`)
	w.want(400, "invalid", "", "POST", "auth/sign_in", map[string]any{"user": "alice"})
	for range 9 {
		w.want(401, "bad-credentials", "", "POST", "auth/sign_in", map[string]any{"email": "alice@example.org", "password": "no"})
	}
	if a := w.want(429, "rate-limit", "", "POST", "auth/sign_in", map[string]any{"email": "alice@example.org", "password": "no"}); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.want(204, "", token, "DELETE", "auth/session", nil)
	if a := w.want(401, "bad-token", token, "GET", "users/me", nil); !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
		t.Errorf("challenge %q", a.header.Get("WWW-Authenticate"))
	}
}

func TestRepositoriesIssuesPullsComments(t *testing.T) {
	w := newWorld(t)
	alice, bob, mallory := w.signIn("alice"), w.signIn("bob"), w.signIn("mallory")
	a := w.want(201, "", alice, "POST", "repositories", map[string]any{"name": "notes", "description": "d", "private": true})
	if a.body["full_name"] != "alice/notes" || a.body["url"] != "https://sigit.test/alice/notes" || a.body["clone_url"] != "https://sigit.test/alice/notes.git" {
		t.Errorf("repository is %s", a.text)
	}
	w.want(409, "taken", alice, "POST", "repositories", map[string]any{"name": "Notes"})
	w.want(403, "role", alice, "POST", "repositories", map[string]any{"name": "bob/notes"})
	w.want(403, "private-address", alice, "POST", "repositories", map[string]any{"name": "x", "import": "http://127.0.0.1:1/x"})
	one := w.commit("alice/notes", "main", map[string]string{"a.md": "first\n", "bin": "\x00\x01"})
	w.commit("alice/notes", "feature", map[string]string{"a.md": "second\n"}, one)

	// Everything about the repository answers mallory as if it were not there.
	for _, path := range []string{"", "/issues", "/issues/1", "/issues/1/comments", "/pulls", "/pulls/1", "/pulls/1/diff", "/contents?path=a.md", "/search?query=first", "/branches", "/collaborators"} {
		hidden := w.want(404, "not_found", mallory, "GET", "repositories/alice/notes"+path, nil)
		absent := w.want(404, "not_found", mallory, "GET", "repositories/alice/absent"+path, nil)
		if hidden.text != absent.text || !strings.Contains(hidden.text, "Repository not found or not accessible") {
			t.Errorf("%s: %s against %s", path, hidden.text, absent.text)
		}
	}
	w.want(404, "not_found", mallory, "POST", "repositories/alice/notes/issues", map[string]any{"title": "t"})
	w.want(404, "not_found", "", "GET", "repositories/alice/notes", nil)
	w.want(401, "sign-in", "", "DELETE", "repositories/alice/notes", nil)
	if got := w.want(200, "", mallory, "GET", "repositories", nil); len(got.items()) != 0 || got.body["total"] != 0.0 {
		t.Errorf("mallory lists %s", got.text)
	}

	w.want(204, "", alice, "PUT", "repositories/alice/notes/collaborators/bob", map[string]any{"role": "write"})
	w.want(400, "invalid", alice, "PUT", "repositories/alice/notes/collaborators/bob", map[string]any{"role": "owner"})
	if got := w.want(200, "", bob, "GET", "repositories?query=NOT&limit=1", nil); len(got.items()) != 1 {
		t.Errorf("bob lists %s", got.text)
	}
	i := w.want(201, "", bob, "POST", "repositories/alice/notes/issues", map[string]any{"title": "Broken", "body": "It *is*."})
	if i.body["number"] != 1.0 || i.body["author"] != "bob" || i.body["url"] != "https://sigit.test/alice/notes/issues/1" || fmt.Sprint(i.body["via"]) != "map[client:test/1]" {
		t.Errorf("issue is %s", i.text)
	}
	w.want(400, "invalid", bob, "POST", "repositories/alice/notes/issues", map[string]any{"title": " "})
	w.want(413, "too_large", bob, "POST", "repositories/alice/notes/issues", map[string]any{"title": strings.Repeat("t", 600)})
	w.want(413, "too_large", bob, "POST", "repositories/alice/notes/issues", `{"title":"`+strings.Repeat("t", api.MaxBody)+`"}`)
	w.want(200, "", alice, "PATCH", "repositories/alice/notes/issues/1", map[string]any{"title": "Mended"})
	w.want(200, "", alice, "POST", "repositories/alice/notes/issues/1/close", nil)
	w.want(409, "state", alice, "POST", "repositories/alice/notes/issues/1/close", nil)
	w.want(200, "", alice, "POST", "repositories/alice/notes/issues/1/reopen", nil)
	w.want(404, "not_found", alice, "GET", "repositories/alice/notes/issues/99", nil)
	w.want(400, "invalid", alice, "GET", "repositories/alice/notes/issues/x", nil)
	w.want(400, "invalid", alice, "GET", "repositories/alice/notes/issues?state=ajar", nil)
	w.want(400, "invalid", alice, "GET", "repositories/alice/notes/issues?cursor=%21", nil)

	p := w.want(201, "", bob, "POST", "repositories/alice/notes/pulls", map[string]any{"title": "Change", "head": "feature", "base": "main"})
	if p.body["number"] != 2.0 || p.body["state"] != "open" || p.body["base_id"] != one {
		t.Errorf("pull request is %s", p.text)
	}
	c := w.want(201, "", alice, "POST", "repositories/alice/notes/issues/2/comments", map[string]any{"body": "fine"})
	if c.body["url"] != fmt.Sprintf("https://sigit.test/alice/notes/pulls/2#comment-%v", c.body["id"]) {
		t.Errorf("comment is %s", c.text)
	}
	if d := w.want(200, "", alice, "GET", "repositories/alice/notes/pulls/2/diff", nil); !strings.Contains(d.body["diff"].(string), "+second") {
		t.Errorf("diff is %s", d.text)
	}
	w.want(409, "head-moved", bob, "POST", "repositories/alice/notes/pulls/2/merge", map[string]any{"expect": one})
	if m := w.want(200, "", bob, "POST", "repositories/alice/notes/pulls/2/merge", map[string]any{}); m.body["state"] != "merged" || m.body["merged_by"] != "bob" {
		t.Errorf("merged is %s", m.text)
	}
	if l := w.want(200, "", bob, "GET", "repositories/alice/notes/pulls?state=merged", nil); len(l.items()) != 1 {
		t.Errorf("merged are %s", l.text)
	}
	if f := w.want(200, "", bob, "GET", "repositories/alice/notes/contents?path=a.md", nil); f.body["content"] != "second\n" || f.body["encoding"] != "utf-8" {
		t.Errorf("file is %s", f.text)
	}
	if f := w.want(200, "", bob, "GET", "repositories/alice/notes/contents?path=bin&ref="+one, nil); f.body["content"] != "AAE=" || f.body["encoding"] != "base64" {
		t.Errorf("binary file is %s", f.text)
	}
	w.want(404, "no-file", bob, "GET", "repositories/alice/notes/contents?path=nope", nil)
	if s := w.want(200, "", bob, "GET", "repositories/alice/notes/search?query=SECOND", nil); len(s.items()) != 1 {
		t.Errorf("found %s", s.text)
	}
	if b := w.want(200, "", bob, "GET", "repositories/alice/notes/branches?limit=1", nil); len(b.items()) != 1 {
		t.Errorf("branches are %s", b.text)
	}
	if acts := w.want(200, "", alice, "GET", "repositories/alice/notes/acts", nil); len(acts.items()) < 8 {
		t.Errorf("acts are %s", acts.text)
	}
	w.want(200, "", alice, "PATCH", "repositories/alice/notes", map[string]any{"name": "book", "private": false})
	if r := w.want(200, "", "", "GET", "repositories/alice/notes", nil); r.body["full_name"] != "alice/book" {
		t.Errorf("the former name leads to %s", r.text)
	}
	w.want(403, "role", bob, "DELETE", "repositories/alice/book", nil)
	w.want(204, "", alice, "DELETE", "repositories/alice/book", nil)
	w.want(404, "not_found", alice, "GET", "repositories/alice/book", nil)
}

func TestTokens(t *testing.T) {
	w := newWorld(t)
	alice := w.signIn("alice")
	w.want(201, "", alice, "POST", "repositories", map[string]any{"name": "one"})
	minted := w.want(201, "", alice, "POST", "tokens", map[string]any{"label": "agent", "scopes": []string{"repo:read", "user:write"}, "repositories": []string{"alice/one"}, "refs": []string{"agent/*"}, "no_force": true})
	text, _ := minted.body["token"].(string)
	if len(text) != 53 || minted.header.Get("Cache-Control") != "no-store" || fmt.Sprint(minted.body["repositories"]) != "[alice/one]" {
		t.Errorf("minted %s", minted.text)
	}
	if l := w.want(200, "", text, "GET", "tokens", nil); len(l.items()) != 1 || strings.Contains(l.text, text) {
		t.Errorf("listed %s", l.text)
	}
	w.want(403, "exceeds-parent", text, "POST", "tokens", map[string]any{"scopes": []string{"repo:write"}})
	w.want(403, "insufficient-scope", text, "GET", "repositories/alice/one/issues", nil)
	w.want(403, "insufficient-scope", text, "GET", "repositories/alice/absent/issues", nil)
	w.want(400, "invalid", alice, "POST", "tokens", map[string]any{"scopes": []string{"everything"}})
	w.want(400, "invalid", alice, "POST", "tokens", map[string]any{"refs": []string{"a b"}})
	w.want(404, "not_found", alice, "POST", "tokens", map[string]any{"repositories": []string{"alice/absent"}})
	w.want(204, "", alice, "DELETE", fmt.Sprintf("tokens/%v", minted.body["id"]), nil)
	w.want(404, "not_found", alice, "DELETE", fmt.Sprintf("tokens/%v", minted.body["id"]), nil)
	w.want(401, "bad-token", text, "GET", "repositories", nil)
	if strings.Contains(w.log.String(), text) || strings.Contains(w.log.String(), "password of") {
		t.Errorf("secrets in the log: %s", w.log)
	}
}

func TestAdministrators(t *testing.T) {
	w := newWorld(t)
	w.user("root", true)
	root, alice := w.signIn("root"), w.signIn("alice")
	w.want(403, "role", alice, "GET", "users", nil)
	w.want(403, "role", alice, "POST", "users", map[string]any{"name": "eve", "email": "e@e"})
	w.want(201, "", root, "POST", "users", map[string]any{"name": "eve", "email": "e@e"})
	w.want(400, "invalid", root, "POST", "users", map[string]any{"name": "api", "email": "e2@e"})
	w.want(200, "", root, "PATCH", "users/alice", map[string]any{"disabled": true})
	w.want(401, "bad-token", alice, "GET", "users/me", nil)
	if l := w.want(200, "", root, "GET", "users?limit=2", nil); len(l.items()) != 2 || l.body["total"] != 5.0 || l.body["next_cursor"] == "" {
		t.Errorf("users are %s", l.text)
	}
	w.want(204, "", root, "PUT", "users/me/password", map[string]any{"old": "password of root", "new": "another one"})
}

// Every route × every token: nothing answers a caller whose token lacks the
// scope that the table declares, whatever scheme carries the token.
func TestEveryRouteAsksForItsScope(t *testing.T) {
	w := newWorld(t)
	w.user("root", true)
	root := w.signIn("root")
	w.want(201, "", root, "POST", "repositories", map[string]any{"name": "r"})
	doc := w.want(200, "", "", "GET", "openapi.json", nil)
	paths := doc.body["paths"].(map[string]any)
	tokens := map[string]string{}
	all := []string{"repo:read", "repo:write", "issue:read", "issue:write", "user:read", "user:write", "admin:read", "admin:write"}
	for _, s := range all {
		m := w.want(201, "", root, "POST", "tokens", map[string]any{"scopes": []string{s}})
		tokens[s] = m.body["token"].(string)
	}
	includes := func(have, need string) bool {
		return have == need || strings.TrimSuffix(have, ":write")+":read" == need
	}
	asked := 0
	for path, ops := range paths {
		for method, op := range ops.(map[string]any) {
			need := op.(map[string]any)["x-scope"].(string)
			if need == "public" || need == "signed-in" {
				continue
			}
			// What cannot exist, so that an allowed attempt changes nothing.
			target := strings.NewReplacer("{owner}", "root", "{name}", "absent", "{number}", "1", "{user}", "absent", "{id}", "0").Replace(path)
			for have, token := range tokens {
				for _, scheme := range []string{"Bearer ", "Basic "} {
					asked++
					req, _ := http.NewRequest(strings.ToUpper(method), w.server.URL+api.Prefix+target, strings.NewReader(`{"no such member":1}`))
					if scheme == "Bearer " {
						req.Header.Set("Authorization", scheme+token)
					} else {
						req.SetBasicAuth("anything", token)
					}
					resp, err := http.DefaultClient.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					lacks := resp.StatusCode == 403 && bytes.Contains(body, []byte(`"insufficient-scope"`))
					if !includes(have, need) && !lacks {
						t.Errorf("%s %s with %s by %sanswers %d %s, want it to lack %s", method, path, have, scheme, resp.StatusCode, body, need)
					}
					if includes(have, need) && lacks && !bytes.Contains(body, []byte("issue:")) && !bytes.Contains(body, []byte("repo:")) {
						t.Errorf("%s %s with %s by %sanswers %s", method, path, have, scheme, body)
					}
					if resp.StatusCode >= 500 {
						t.Errorf("%s %s answers %d %s", method, path, resp.StatusCode, body)
					}
				}
			}
		}
	}
	if asked < 400 {
		t.Errorf("only %d combinations were asked", asked)
	}
}

func TestOpenAPIDescribesEveryRoute(t *testing.T) {
	w := newWorld(t)
	doc := w.want(200, "", "", "GET", "openapi.json", nil)
	ids := map[string]bool{}
	for path, ops := range doc.body["paths"].(map[string]any) {
		for method, op := range ops.(map[string]any) {
			o := op.(map[string]any)
			id, _ := o["operationId"].(string)
			if id == "" || ids[id] || o["summary"] == "" || o["x-scope"] == "" {
				t.Errorf("%s %s is described as %v", method, path, o)
			}
			ids[id] = true
		}
	}
	if len(ids) < 38 {
		t.Errorf("%d operations are described", len(ids))
	}
	a := w.want(404, "not_found", "", "GET", "nothing/here", nil)
	if !strings.Contains(a.text, "openapi.json") {
		t.Errorf("an unknown route answers %s", a.text)
	}
}

func TestOperations(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ok", "/metrics": "sigit_http_requests_total"} {
		if a := w.do("", "GET", path, nil); a.status != 200 || !strings.Contains(a.text, want) || a.header.Get("X-Request-Id") == "" {
			if path != "/metrics" || a.status != 200 {
				t.Errorf("%s answers %d %s", path, a.status, a.text)
			}
		}
	}
	if a := w.do("", "GET", "/metrics", nil); !strings.Contains(a.text, `sigit_http_requests_total{door="operations",method="GET",status="200"}`) {
		t.Errorf("figures are %.500s", a.text)
	}
	if a := w.do("", "GET", "/panic", nil); a.status != 500 || strings.Contains(a.text, "secret") {
		t.Errorf("a panic answers %d %s", a.status, a.text)
	}
	if !strings.Contains(w.log.String(), "request panicked") {
		t.Error("a panic leaves no line in the log")
	}
	token := w.signIn("alice")
	w.do(token, "GET", "users/me", nil)
	if !strings.Contains(w.log.String(), `"actor":"alice"`) {
		t.Errorf("the log does not say who: %s", w.log)
	}
}
