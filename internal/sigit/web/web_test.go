package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/web"
)

// evil is what a stranger writes wherever a text is taken.
const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`

// harbour fills a repository with one of each thing.
func (w *world) harbour(private bool) (sigit.Repo, int) {
	w.t.Helper()
	ctx := context.Background()
	repo := w.repo(w.alice, "alice/harbour", private)
	files := map[string]string{
		"README.md":     "# Title\n\n[style](docs/style.md) ![mark](mark.svg) ![out](https://elsewhere.example/x.png)\n\n" + evil + "\n\n[x](javascript:alert(3)) <a href=\"data:text/html,x\" onclick=\"alert(4)\">y</a> <iframe src=/></iframe> <form action=/x><input name=y></form> <p style=\"color:red\" class=\"card\" id=\"find\">z</p>\n\n```go\nfunc f() {} // <b>\n```\n",
		"docs/style.md": "# Style\n", "keel.go": "package keel\n\n// " + evil + "\nfunc f() string { return \"<i>\" }\n",
		"mark.svg":  `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(5)"><script>alert(6)</script></svg>`,
		"page.html": "<!doctype html><script>alert(7)</script>", "hull.bin": "\x00\x01\x02", "link": "-> docs/style.md",
		evil + ".txt": "needle " + evil + "\n", "a/größe: 1#?.txt": "needle\n", "empty": "",
		"old.txt": "caf\xe9\n", "trojan.go": "package x // \u202e reversed\n",
	}
	first := w.commit(w.alice, repo, "main", "First "+evil+"\n\nBody "+evil, nil, files)
	files["keel.go"] += "// more " + evil + "\n"
	delete(files, "empty")
	w.commit(w.alice, repo, "agent/42", "Second", []string{first}, files)
	issue, err := w.OpenIssue(ctx, w.alice, sigit.NewIssue{Repo: repo.Name, Title: "Title " + evil, Body: "Body " + evil})
	if err != nil {
		w.t.Fatal(err)
	}
	by := w.alice
	by.Client = evil
	if _, err := w.AddComment(ctx, by, sigit.NewComment{Repo: repo.Name, Number: issue.Number, Body: "Comment " + evil}); err != nil {
		w.t.Fatal(err)
	}
	pull, err := w.OpenPull(ctx, w.alice, sigit.NewPull{Repo: repo.Name, Title: "Pull " + evil, Body: evil, Head: "agent/42", Base: "main"})
	if err != nil {
		w.t.Fatal(err)
	}
	return repo, pull.Number
}

// views are addresses of harbour's pages.
var views = []string{
	"/alice/harbour", "/alice/harbour/tree/main", "/alice/harbour/tree/agent/42/docs", "/alice/harbour/blob/main/README.md", "/alice/harbour/blob/main/README.md?source=1",
	"/alice/harbour/blob/main/keel.go", "/alice/harbour/blob/agent/42/keel.go", "/alice/harbour/blob/main/mark.svg", "/alice/harbour/blob/main/page.html", "/alice/harbour/blob/main/hull.bin",
	"/alice/harbour/blob/main/link", "/alice/harbour/blob/main/empty", "/alice/harbour/blob/main/old.txt", "/alice/harbour/blob/main/" + url.PathEscape(evil+".txt"),
	"/alice/harbour/blob/main/a/gr%C3%B6%C3%9Fe:%201%23%3F.txt", "/alice/harbour/blame/main/keel.go", "/alice/harbour/commits", "/alice/harbour/commits/main/keel.go", "/alice/harbour/compare/main...agent/42",
	"/alice/harbour/branches", "/alice/harbour/search?q=needle", "/alice/harbour/search?q=" + url.QueryEscape(evil), "/alice/harbour/issues", "/alice/harbour/issues?state=all&q=" + url.QueryEscape(evil),
	"/alice/harbour/issues/1", "/alice/harbour/pulls", "/alice/harbour/pulls/2", "/alice/harbour/pulls/2/commits", "/alice/harbour/pulls/2/changes", "/alice/harbour/pulls/2/changes?view=split&space=ignore",
	"/alice/harbour/pulls/2/changes?path=keel.go",
}

func TestPagesAnswer(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	nobody, alice := w.stranger(), w.as("alice")
	for _, path := range append(views, "/", "/?q=harb", "/alice", "/sign-in", "/sign-up") {
		got := nobody.get(path)
		if got.status != http.StatusOK && !(path == "/sign-up" && got.status == 200) {
			t.Errorf("GET %s gives %d", path, got.status)
		}
		check(t, path, got)
	}
	for _, path := range append(views, "/", "/settings", "/settings/tokens", "/admin", "/admin?look=1", "/admin/users", "/admin/repositories?q=harb", "/new", "/alice/harbour/settings",
		"/alice/harbour/issues/new", "/alice/harbour/pulls/new?base=main&head=agent/42", "/alice/harbour/pulls/2/merge") {
		got := alice.get(path)
		if got.status != http.StatusOK {
			t.Errorf("alice: GET %s gives %d", path, got.status)
		}
		check(t, path, got)
	}
}

// check reads a page as a browser would and looks for what must not be there.
func check(t *testing.T, path string, p page) {
	t.Helper()
	if got := p.header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "unsafe") {
		t.Errorf("%s: policy %q", path, got)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Content-Type": "text/html; charset=utf-8", "Cache-Control": "private, no-cache", "Referrer-Policy": "same-origin"} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", path, name, got, want)
		}
	}
	z := html.NewTokenizer(strings.NewReader(p.body))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				t.Errorf("%s: %v", path, z.Err())
			}
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tag := z.Token()
		for _, a := range tag.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
				t.Errorf("%s: attribute %s on %s", path, a.Key, tag)
			case a.Key == "href" || a.Key == "src" || a.Key == "action":
				if u, err := url.Parse(a.Val); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
					t.Errorf("%s: %s", path, tag)
				}
				if a.Key == "src" && !strings.HasPrefix(a.Val, "/") {
					t.Errorf("%s loads from elsewhere: %s", path, tag)
				}
			}
		}
		switch tag.Data {
		case "script":
			if src := attr(tag, "src"); !strings.HasPrefix(src, "/assets/") {
				t.Errorf("%s: a script: %s", path, tag)
			}
		case "iframe", "object", "embed", "base", "style":
			t.Errorf("%s: %s", path, tag)
		case "img":
			if src := attr(tag, "src"); strings.HasSuffix(src, "/x") && strings.Contains(tag.String(), "onerror") {
				t.Errorf("%s: %s", path, tag)
			}
		}
	}
}

func attr(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestMarkdownStaysInItsPlace(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	body := w.stranger().get("/alice/harbour").body
	for _, want := range []string{`href="/alice/harbour/blob/main/docs/style.md"`, `src="/alice/harbour/raw/main/mark.svg"`, `<a href="https://elsewhere.example/x.png"`, `id="md-title"`, `<span class="nf">f</span>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the readme lacks %s", want)
		}
	}
	md := body[strings.Index(body, `class="md pad"`)+20:]
	md = md[:strings.Index(md, "</section>")]
	for _, bad := range []string{"<form", "<input", `class="card"`, `id="find"`, "javascript:", "data:text", "<script", "style="} {
		if strings.Contains(md, bad) {
			t.Errorf("the readme has %s", bad)
		}
	}
}

func TestHiddenRepositoryIsNotThere(t *testing.T) {
	w := newWorld(t)
	_, number := w.harbour(true)
	if number != 2 {
		t.Fatalf("the pull request is #%d", number)
	}
	ways := append([]string{"/alice/harbour/raw/main/keel.go", "/alice/harbour/branches?menu=1"}, views...)
	mallory, nobody, alice := w.as("mallory"), w.stranger(), w.as("alice")
	for _, path := range ways {
		absent := strings.Replace(path, "/harbour", "/nothing", 1)
		for who, b := range map[string]*browser{"mallory": mallory, "nobody": nobody} {
			got, want := b.get(path), b.get(absent)
			if got.status != http.StatusNotFound || normal(got.body, "harbour") != normal(want.body, "nothing") {
				t.Errorf("%s: GET %s gives %d, and differs from what is not there", who, path, got.status)
			}
		}
		if got := alice.get(path); got.status != http.StatusOK {
			t.Errorf("alice: GET %s gives %d", path, got.status)
		}
	}
	for _, path := range []string{"/alice/harbour/issues", "/alice/harbour/issues/1", "/alice/harbour/pulls", "/alice/harbour/pulls/2", "/alice/harbour/settings"} {
		for _, do := range []string{"comment", "close", "merge", "settle", "delete", "edit", ""} {
			if got := mallory.post(path, "do", do, "title", "x", "body", "x", "base", "main", "head", "agent/42", "confirm", "alice/harbour", "name", "y", "branch", "main"); got.status != http.StatusNotFound {
				t.Errorf("mallory: POST %s %s gives %d", path, do, got.status)
			}
		}
	}
	if got := nobody.get("/alice"); got.status != http.StatusNotFound {
		t.Errorf("a person with nothing to see gives %d", got.status)
	}
	if got := nobody.get("/"); strings.Contains(got.body, "harbour") {
		t.Error("the list tells a stranger of a private repository")
	}
}

// normal is a page without what repeats its address.
func normal(body, name string) string {
	return strings.ReplaceAll(body, name, "x")
}

func TestSessions(t *testing.T) {
	w := newWorld(t)
	w.repo(w.alice, "alice/secret", true)
	b := w.stranger()
	got := b.post("/sign-in", "email", "alice@example.org", "password", "password of alice", "to", "/alice/secret")
	cookie := got.header.Get("Set-Cookie")
	if got.header.Get("Location") != "/alice/secret" || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || !strings.Contains(cookie, "Path=/") {
		t.Errorf("signing in leads to %q with %q", got.header.Get("Location"), regexp.MustCompile(`sgt_\w+`).ReplaceAllString(cookie, "…"))
	}
	if got := b.get("/alice/secret"); got.status != http.StatusOK {
		t.Errorf("alice sees %d", got.status)
	}
	old := b.client.Jar.Cookies(mustURL(w.server.URL))
	if got := b.post("/sign-out"); got.status != http.StatusSeeOther {
		t.Errorf("signing out gives %d", got.status)
	}
	b.client.Jar.SetCookies(mustURL(w.server.URL), old)
	if got := b.get("/alice/secret"); got.status != http.StatusNotFound {
		t.Errorf("an ended session sees %d", got.status)
	}
	for _, to := range []string{"//evil.example", "https://evil.example", `/\evil.example`, "javascript:alert(1)", "/\t/evil.example"} {
		if got := w.stranger().post("/sign-in", "email", "alice@example.org", "password", "password of alice", "to", to); got.header.Get("Location") != "/" {
			t.Errorf("signing in with to=%q leads to %q", to, got.header.Get("Location"))
		}
	}
	if got := w.stranger().post("/sign-in", "email", "alice@example.org", "password", evil); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "wrong") {
		t.Errorf("a wrong password gives %d", got.status)
	}
	if got := w.stranger().get("/settings"); got.status != http.StatusSeeOther || got.header.Get("Location") != "/sign-in?to=%2Fsettings" {
		t.Errorf("a stranger's settings give %d to %q", got.status, got.header.Get("Location"))
	}
}

func mustURL(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

func TestTokensAreNoWayIn(t *testing.T) {
	w := newWorld(t)
	w.repo(w.alice, "alice/secret", true)
	_, secret, err := w.MintToken(context.Background(), w.alice, sigit.NewToken{Label: "agent", Scopes: sigit.AllScopes()})
	if err != nil {
		t.Fatal(err)
	}
	for what, header := range map[string]http.Header{
		"bearer": {"Authorization": {"Bearer " + secret.Reveal()}},
		"raw":    {"Authorization": {secret.Reveal()}},
		"cookie": {"Cookie": {"sigit=" + secret.Reveal()}},
	} {
		if got := w.stranger().send("GET", "/alice/secret", nil, header); got.status != http.StatusNotFound {
			t.Errorf("%s: a token shows %d", what, got.status)
		}
		if got := w.stranger().send("GET", "/settings", nil, header); got.status != http.StatusSeeOther {
			t.Errorf("%s: a token opens the settings with %d", what, got.status)
		}
	}
}

func TestChangesFromOtherSitesAreRefused(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	alice := w.as("alice")
	form := url.Values{"do": {"close"}}
	for what, header := range map[string]http.Header{
		"cross-site": {"Sec-Fetch-Site": {"cross-site"}},
		"same-site":  {"Sec-Fetch-Site": {"same-site"}},
		"origin":     {"Origin": {"https://evil.example"}},
		"null":       {"Origin": {"null"}},
	} {
		got := alice.send("POST", "/alice/harbour/issues/1", form, header)
		if got.status != http.StatusForbidden || !strings.Contains(got.body, "another site") {
			t.Errorf("%s: gives %d", what, got.status)
		}
	}
	issue, err := w.Issue(context.Background(), w.alice, name("alice/harbour"), 1)
	if err != nil || issue.State != sigit.Open {
		t.Errorf("the issue is %s (%v)", issue.State, err)
	}
	// Over plain http browsers say nothing but where a form comes from.
	if got := alice.send("POST", "/alice/harbour/issues/1", form, http.Header{"Origin": {w.server.URL}}); got.status != http.StatusSeeOther {
		t.Errorf("a form of our own gives %d", got.status)
	}
}

func TestRawRunsNothing(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	b := w.stranger()
	for path, want := range map[string]string{
		"page.html": "text/plain; charset=utf-8", "keel.go": "text/plain; charset=utf-8", "mark.svg": "image/svg+xml", "hull.bin": "application/octet-stream",
		"link": "text/plain; charset=utf-8", "empty": "text/plain; charset=utf-8", "README.md": "text/plain; charset=utf-8", "old.txt": "text/plain; charset=utf-8",
	} {
		got := b.get("/alice/harbour/raw/main/" + path)
		policy := got.header.Get("Content-Security-Policy")
		if got.status != http.StatusOK || got.header.Get("Content-Type") != want || got.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(policy, "sandbox") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") {
			t.Errorf("raw %s gives %d as %q with %q", path, got.status, got.header.Get("Content-Type"), policy)
		}
		if want == "application/octet-stream" && !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("raw %s is shown, not saved", path)
		}
	}
	if got := b.get("/alice/harbour/raw/main/old.txt"); got.body != "caf\xe9\n" {
		t.Errorf("raw changes bytes: %q", got.body)
	}
}

func TestIssueAndPullJourney(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	alice, bob := w.as("alice"), w.as("bob")
	got := bob.post("/alice/harbour/issues", "title", "A wish", "body", "line one\r\nline two")
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/alice/harbour/issues/3" {
		t.Fatalf("opening gives %d to %s", got.status, got.header.Get("Location"))
	}
	issue, err := w.Issue(context.Background(), w.bob, name("alice/harbour"), 3)
	if err != nil || issue.Body != "line one\nline two" || issue.Via != (sigit.Via{}) {
		t.Errorf("the issue is %+v (%v)", issue, err)
	}
	if got := bob.post("/alice/harbour/issues", "title", " ", "body", "kept draft"); got.status != http.StatusBadRequest || !strings.Contains(got.body, "kept draft") || !strings.Contains(got.body, `role="alert"`) {
		t.Errorf("an empty title gives %d", got.status)
	}
	for _, step := range []struct{ do, want string }{{"close", "Closed"}, {"reopen", "Open"}} {
		if got := bob.post("/alice/harbour/issues/3", "do", step.do, "body", "because"); got.status != http.StatusSeeOther {
			t.Errorf("%s gives %d", step.do, got.status)
		}
		if got := bob.get("/alice/harbour/issues/3"); !strings.Contains(got.body, "</svg>"+step.want+"</span>") {
			t.Errorf("after %s it does not say %s", step.do, step.want)
		}
	}
	if got := bob.post("/alice/harbour/issues/1", "do", "close"); got.status != http.StatusForbidden {
		t.Errorf("bob closes alice's issue with %d", got.status)
	}
	if got := alice.get("/alice/harbour/issues/2"); got.header.Get("Location") != "/alice/harbour/pulls/2" {
		t.Errorf("an issue's address of a pull request leads to %q", got.header.Get("Location"))
	}
	if got := bob.get("/alice/harbour/pulls/2/merge"); !strings.Contains(got.body, "cannot be merged") {
		t.Error("bob is not told why he cannot merge")
	}
	merge := alice.get("/alice/harbour/pulls/2/merge").body
	expect := regexp.MustCompile(`name="expect" value="([0-9a-f]{40})"`).FindStringSubmatch(merge)
	if expect == nil {
		t.Fatalf("the merge box has no commit: %s", merge)
	}
	if got := alice.post("/alice/harbour/pulls/2", "do", "merge", "style", "merge", "expect", strings.Repeat("0", 40)); got.status != http.StatusConflict {
		t.Errorf("a merge of another commit gives %d", got.status)
	}
	if got := alice.post("/alice/harbour/pulls/2", "do", "merge", "style", "merge", "expect", expect[1]); got.status != http.StatusSeeOther {
		t.Errorf("merging gives %d", got.status)
	}
	if got := alice.get("/alice/harbour/pulls/2"); !strings.Contains(got.body, "merged it") {
		t.Error("the page does not say that it is merged")
	}
	if got := alice.get("/alice/harbour/pulls/2/changes"); !strings.Contains(got.body, "keel.go") {
		t.Error("the changes are gone after the merge")
	}
}

func TestTokenIsShownOnce(t *testing.T) {
	w := newWorld(t)
	w.harbour(true)
	alice := w.as("alice")
	got := alice.post("/settings/tokens", "label", "agent "+evil, "scope-repo", "write", "scope-issue", "read", "ends", "7", "repos", "alice/harbour", "refs", "agent/*", "gentle", "1")
	secret := regexp.MustCompile(`sgt_[0-9A-Za-z]{49}`).FindString(got.body)
	if got.status != http.StatusOK || secret == "" || got.header.Get("Cache-Control") != "no-store" || got.header.Get("Content-Encoding") != "" {
		t.Fatalf("a token is made with %d, %q", got.status, got.header.Get("Cache-Control"))
	}
	by, err := w.Authenticate(context.Background(), secret)
	if err != nil || by.Grant.Has(sigit.Write(sigit.AreaIssue)) || !by.Grant.Has(sigit.Write(sigit.AreaRepo)) || by.Grant.AllRepos || by.Grant.MayPush("refs/heads/main") || !by.Grant.NoForce || by.Token.ExpiresAt == nil {
		t.Errorf("the token reaches %+v (%v)", by.Grant, err)
	}
	list := alice.get("/settings/tokens")
	if strings.Contains(list.body, secret) {
		t.Error("the token is shown again")
	}
	check(t, "/settings/tokens", list)
	id := regexp.MustCompile(`name="id" value="(\d+)"`).FindStringSubmatch(list.body)
	if id == nil {
		t.Fatal("the list has no token")
	}
	if got := w.as("mallory").post("/settings/tokens/revoke", "id", id[1]); got.status != http.StatusNotFound {
		t.Errorf("mallory revokes it with %d", got.status)
	}
	if got := alice.post("/settings/tokens/revoke", "id", id[1]); got.status != http.StatusSeeOther {
		t.Errorf("revoking gives %d", got.status)
	}
	if _, err := w.Authenticate(context.Background(), secret); err == nil {
		t.Error("the revoked token works")
	}
	for _, form := range [][]string{{"label", "x"}, {"label", "", "scope-repo", "read"}, {"label", "x", "scope-repo", "read", "ends", "-1"}, {"label", "x", "scope-repo", "all", "ends", "7"}, {"label", "x", "scope-repo", "read", "ends", "7", "repos", "bob/none"}} {
		if got := alice.post("/settings/tokens", form...); got.status < 400 || got.status >= 500 || !strings.Contains(got.body, `role="alert"`) {
			t.Errorf("a token of %q gives %d", form, got.status)
		}
	}
}

func TestSettings(t *testing.T) {
	w := newWorld(t)
	w.harbour(true)
	alice := w.as("alice")
	if got := alice.post("/alice/harbour/settings", "do", "add", "user", "bob", "role", "read"); got.status != http.StatusSeeOther {
		t.Errorf("adding bob gives %d", got.status)
	}
	bob := w.as("bob")
	if got := bob.get("/alice/harbour"); got.status != http.StatusOK {
		t.Errorf("bob sees %d", got.status)
	}
	if got := bob.get("/alice/harbour/settings"); got.status != http.StatusForbidden {
		t.Errorf("bob's settings give %d", got.status)
	}
	got := alice.post("/alice/harbour/settings", "do", "settle", "name", "port", "description", "d", "branch", "main", "branch-was", "main", "visibility", "private")
	if got.header.Get("Location") != "/alice/port/settings?done=saved" {
		t.Errorf("renaming leads to %q", got.header.Get("Location"))
	}
	if got := alice.get("/alice/harbour/blob/main/keel.go?page=1"); got.header.Get("Location") != "/alice/port/blob/main/keel.go?page=1" {
		t.Errorf("the old address leads to %q", got.header.Get("Location"))
	}
	if got := w.as("mallory").get("/alice/harbour/blob/main/keel.go"); got.status != http.StatusNotFound {
		t.Errorf("mallory learns the new name with %d", got.status)
	}
	if got := alice.post("/alice/port/settings", "do", "delete", "confirm", "alice/other"); got.status != http.StatusBadRequest {
		t.Errorf("deleting without the name gives %d", got.status)
	}
	if got := alice.post("/alice/port/settings", "do", "delete", "confirm", "alice/port"); got.header.Get("Location") != "/?done=deleted" {
		t.Errorf("deleting leads to %q with %d", got.header.Get("Location"), got.status)
	}
}

func TestAdministration(t *testing.T) {
	w := newWorld(t, func(o *web.Options) {
		o.Beside = func(context.Context) web.Beside {
			return web.Beside{SearchProvider: "brave", SearchTrouble: "BRAVE_SEARCH_API_KEY is missing", Chores: []web.Chore{{Name: "Tidy", Every: "hourly", State: "last at noon"}}}
		}
	})
	w.repo(w.bob, "bob/secret", true)
	alice, mallory := w.as("alice"), w.as("mallory")
	for _, path := range []string{"/admin", "/admin/users", "/admin/repositories"} {
		if got := mallory.get(path); got.status != http.StatusForbidden {
			t.Errorf("mallory: GET %s gives %d", path, got.status)
		}
	}
	if got := mallory.post("/admin/users", "do", "promote", "name", "mallory"); got.status != http.StatusForbidden {
		t.Errorf("mallory promotes herself with %d", got.status)
	}
	if got := alice.get("/admin"); !strings.Contains(got.body, "BRAVE_SEARCH_API_KEY is missing") || !strings.Contains(got.body, "last at noon") {
		t.Error("the health page does not tell what runs beside")
	}
	if got := alice.get("/admin/repositories"); !strings.Contains(got.body, "bob/secret") {
		t.Error("an administrator does not see that there is bob/secret")
	}
	if got := alice.get("/bob/secret"); got.status != http.StatusNotFound {
		t.Errorf("an administrator enters bob/secret with %d", got.status)
	}
	if got := alice.post("/admin/users", "do", "disable", "name", "mallory"); got.status != http.StatusSeeOther {
		t.Errorf("disabling gives %d", got.status)
	}
	if got := mallory.get("/settings"); got.status != http.StatusSeeOther {
		t.Errorf("a disabled account sees its settings with %d", got.status)
	}
	if got := alice.post("/admin/users", "do", "demote", "name", "alice"); got.status != http.StatusForbidden {
		t.Errorf("alice demotes herself with %d", got.status)
	}
}

func TestSignUp(t *testing.T) {
	open, closed := newWorld(t), newWorld(t, func(o *web.Options) { o.SignUp = false })
	if got := closed.stranger().post("/sign-up", "name", "dora", "email", "dora@example.org", "password", "a long password"); got.status != http.StatusNotFound {
		t.Errorf("signing up where it is off gives %d", got.status)
	}
	if got := closed.stranger().get("/"); strings.Contains(got.body, "/sign-up") {
		t.Error("a page offers to sign up where it is off")
	}
	b := open.stranger()
	if got := b.post("/sign-up", "name", "dora", "email", "dora@example.org", "password", "a long password", "admin", "1"); got.status != http.StatusSeeOther {
		t.Fatalf("signing up gives %d", got.status)
	}
	if got := b.get("/settings"); !strings.Contains(got.body, "dora@example.org") || strings.Contains(got.body, "administrator") {
		t.Error("dora's account is not as it should be")
	}
	if got := b.get("/admin"); got.status != http.StatusForbidden {
		t.Errorf("dora administers with %d", got.status)
	}
	if got := b.post("/new", "name", "boat", "visibility", "private"); got.header.Get("Location") != "/dora/boat" {
		t.Errorf("a new repository leads to %q", got.header.Get("Location"))
	}
	if got := b.get("/dora/boat"); got.status != http.StatusOK || !strings.Contains(got.body, "git push -u origin main") {
		t.Errorf("an empty repository gives %d", got.status)
	}
	if got := b.post("/new", "name", "../x"); got.status != http.StatusBadRequest || !strings.Contains(got.body, "../x") {
		t.Errorf("a bad name gives %d", got.status)
	}
	if got := b.post("/new", "name", "y", "source", "http://127.0.0.1/x.git"); got.status != http.StatusForbidden {
		t.Errorf("an import from the inner network gives %d", got.status)
	}
}

func TestPreview(t *testing.T) {
	w := newWorld(t)
	got := w.as("alice").post("/preview", "body", "**bold** "+evil, "repo", "alice/harbour")
	if got.status != http.StatusOK || !strings.Contains(got.body, "<strong>bold</strong>") || strings.Contains(got.body, "<script") || strings.Contains(got.body, "<html") {
		t.Errorf("the preview is %d %s", got.status, got.body)
	}
	if got := w.stranger().post("/preview", "body", "x"); got.status != http.StatusUnauthorized {
		t.Errorf("a stranger previews with %d", got.status)
	}
}

func TestTheme(t *testing.T) {
	w := newWorld(t)
	b := w.stranger()
	for theme, want := range map[string]string{"dark": `data-theme="dark"`, "light": `data-theme="light"`, evil: `<html lang="en">`} {
		if got := b.post("/theme", "theme", theme, "to", "/sign-in"); got.header.Get("Location") != "/sign-in" {
			t.Errorf("%s leads to %q", theme, got.header.Get("Location"))
		}
		if got := b.get("/"); !strings.Contains(got.body, want) {
			t.Errorf("with %s the page lacks %s", theme, want)
		}
	}
}

func TestAssets(t *testing.T) {
	w := newWorld(t)
	b := w.stranger()
	body := b.get("/").body
	for _, m := range regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllStringSubmatch(body, -1) {
		got := b.get(m[1])
		if got.status != http.StatusOK || !strings.Contains(got.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s gives %d, %q", m[1], got.status, got.header.Get("Cache-Control"))
		}
	}
	for _, path := range []string{"/assets/none.css", "/assets/..%2fweb.go"} {
		if got := b.get(path); got.status != http.StatusNotFound {
			t.Errorf("%s gives %d", path, got.status)
		}
	}
}

func TestHiddenCharactersAreTold(t *testing.T) {
	w := newWorld(t)
	w.harbour(false)
	if got := w.stranger().get("/alice/harbour/blob/main/trojan.go"); !strings.Contains(got.body, "cannot be seen") {
		t.Error("a reversed text is not warned of")
	}
	if got := w.stranger().get("/alice/harbour/blob/main/keel.go"); strings.Contains(got.body, "cannot be seen") {
		t.Error("a plain text is warned of")
	}
}

func TestNoJSONFromPages(t *testing.T) {
	w := newWorld(t)
	got := w.stranger().get("/a/b/c/d/e")
	if json.Valid([]byte(got.body)) || got.status != http.StatusNotFound {
		t.Errorf("an unknown address gives %d %s", got.status, got.body)
	}
}
