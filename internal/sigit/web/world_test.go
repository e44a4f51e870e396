package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"skillforge/internal/git"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/storetest"
	"skillforge/internal/sigit/web"
)

var operator = sigit.Operator(sigit.User{})

// world is a forge with its pages on a server, and alice, who administers,
// bob and mallory.
type world struct {
	*forge.Forge
	t                   testing.TB
	server              *httptest.Server
	alice, bob, mallory sigit.Actor
}

func newWorld(t testing.TB, change ...func(*web.Options)) *world {
	t.Helper()
	db := storetest.Open(t)
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	w := &world{t: t, Forge: forge.New(forge.Options{
		DB: db, Git: g, Dir: t.TempDir(), Site: "http://sigit.test", Hashing: forge.Hashing{Memory: 8, Iterations: 1, Threads: 1, AtOnce: 8},
	})}
	w.alice, w.bob, w.mallory = w.user("alice", true), w.user("bob", false), w.user("mallory", false)
	o := web.Options{Forge: w.Forge, SignUp: true}
	for _, f := range change {
		f(&o)
	}
	h, err := web.Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	w.server = httptest.NewServer(httpd.Secure(h))
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) user(name string, admin bool) sigit.Actor {
	w.t.Helper()
	u, err := w.AddUser(context.Background(), operator, sigit.NewUser{Name: name, Email: name + "@example.org", Password: "password of " + name, Admin: admin})
	if err != nil {
		w.t.Fatal(err)
	}
	return sigit.SignedIn(u)
}

func name(text string) sigit.RepoName {
	n, err := sigit.ParseRepoName(text)
	if err != nil {
		panic(err)
	}
	return n
}

func (w *world) repo(by sigit.Actor, n string, private bool) sigit.Repo {
	w.t.Helper()
	r, err := w.CreateRepo(context.Background(), by, sigit.NewRepo{Name: name(n), Private: private})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// commit puts files on a branch and tells the forge, as a push would. A text
// that starts with "-> " is a symbolic link.
func (w *world) commit(by sigit.Actor, repo sigit.Repo, branch, message string, parents []string, files map[string]string) string {
	w.t.Helper()
	ctx := context.Background()
	_, code, err := w.Fetch(ctx, operator, repo.Name)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []git.TreeFile
	for path, text := range files {
		f := git.TreeFile{Path: path, Mode: git.ModeFile, Data: []byte(text)}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			f.Mode, f.Data = git.ModeSymlink, []byte(to)
		}
		list = append(list, f)
	}
	tree, err := code.WriteTree(ctx, list)
	if err != nil {
		w.t.Fatal(err)
	}
	who := git.Signature{Name: evil, Email: "a@example.org", When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	id, err := code.Commit(ctx, tree, parents, who, who, message)
	if err != nil {
		w.t.Fatal(err)
	}
	ref, old := "refs/heads/"+branch, git.Zero
	if c, err := code.Resolve(ctx, ref); err == nil {
		old = c.OID
	}
	if err := code.UpdateRefs(ctx, git.Update{Ref: ref, New: id}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.Pushed(ctx, by, repo, []sigit.RefUpdate{{Ref: ref, Old: old, New: id}}); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// browser is somebody at the pages.
type browser struct {
	w      *world
	client *http.Client
}

// stranger is nobody in particular.
func (w *world) stranger() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// as is somebody who signed in.
func (w *world) as(name string) *browser {
	w.t.Helper()
	b := w.stranger()
	got := b.post("/sign-in", "email", name+"@example.org", "password", "password of "+name)
	if got.status != http.StatusSeeOther {
		w.t.Fatalf("%s signs in with %d", name, got.status)
	}
	return b
}

type page struct {
	status int
	header http.Header
	body   string
}

func (b *browser) get(path string) page { return b.send("GET", path, nil, nil) }

// post sends a form of names and values in turn.
func (b *browser) post(path string, form ...string) page {
	values := url.Values{}
	for i := 0; i < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	return b.send("POST", path, values, http.Header{"Sec-Fetch-Site": {"same-origin"}})
}

func (b *browser) send(method, path string, form url.Values, header http.Header) page {
	b.w.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, b.w.server.URL+path, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	for k, v := range header {
		r.Header[k] = v
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.client.Do(r)
	if err != nil {
		b.w.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		b.w.t.Fatal(err)
	}
	return page{resp.StatusCode, resp.Header, string(text)}
}
