package web_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/web"
)

func TestCommentIsEdited(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", false)
	issue, err := w.OpenIssue(t.Context(), w.alice, sigit.NewIssue{Repo: repo.Name, Title: "t", Body: "b"})
	if err != nil {
		t.Fatal(err)
	}
	b, path := w.as("bob"), "/alice/notes/issues/1"
	if got := b.post(path, "do", "comment", "body", "frist"); issue.Number != 1 || got.status != http.StatusSeeOther {
		t.Fatalf("a comment gives %d", got.status)
	}
	page := b.get(path)
	id := regexp.MustCompile(`name="comment" value="(\d+)"`).FindStringSubmatch(page.body)
	if id == nil || strings.Contains(page.body, "edited") {
		t.Fatal("who said it cannot edit it, or it is edited already")
	}
	if got := w.as("alice").get(path); strings.Contains(got.body, `name="comment"`) {
		t.Error("alice may edit what bob said")
	}
	got := b.post(path, "do", "comment-edit", "comment", id[1], "body", "first "+evil)
	if got.status != http.StatusSeeOther || !strings.HasSuffix(got.header.Get("Location"), path+"#comment-"+id[1]) {
		t.Errorf("saving gives %d to %s", got.status, got.header.Get("Location"))
	}
	if page = b.get(path); !strings.Contains(page.body, "edited") || strings.Contains(page.body, "frist") || strings.Contains(page.body, "<img src=x onerror") {
		t.Error("the page does not show the new text, or it became markup")
	}
	if got := w.as("mallory").post(path, "do", "comment-edit", "comment", id[1], "body", "mine"); got.status != http.StatusForbidden || !strings.Contains(got.body, "only bob may change") && !strings.Contains(got.body, "Only bob may change") {
		t.Errorf("mallory gets %d", got.status)
	}
	if got := b.post(path, "do", "comment-edit", "comment", "x", "body", "mine"); got.status != http.StatusBadRequest {
		t.Errorf("a comment that is none gives %d", got.status)
	}
}

func TestSignInWithAnotherServer(t *testing.T) {
	var w *world
	w = newWorld(t, func(o *web.Options) {
		o.Elsewhere = &web.Elsewhere{Name: "smbCloud", Authenticate: func(_ context.Context, token string) (sigit.Actor, error) {
			if token == "bob's token" {
				return w.bob, nil
			}
			return sigit.Actor{}, forge.BadToken()
		}}
	})
	b := w.stranger()
	if got := b.get("/sign-in?to=/settings"); !strings.Contains(got.body, "Sign in with smbCloud") {
		t.Fatal("the page does not offer it")
	}
	if got := b.post("/sign-in", "to", "/settings", "elsewhere", "1", "token", "guess"); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "token is not valid") || strings.Contains(got.body, "guess") {
		t.Errorf("a token of nobody gives %d", got.status)
	}
	if got := b.post("/sign-in", "to", "/settings", "elsewhere", "1", "token", " bob's token "); got.status != http.StatusSeeOther || got.header.Get("Location") != "/settings" {
		t.Errorf("bob gets %d to %s", got.status, got.header.Get("Location"))
	}
	if got := b.get("/settings"); got.status != http.StatusOK || !strings.Contains(got.body, "bob") {
		t.Errorf("bob's account is %d", got.status)
	}
	if plain := newWorld(t).stranger(); strings.Contains(plain.get("/sign-in").body, "smbCloud") || plain.post("/sign-in", "elsewhere", "1", "token", "x").status != http.StatusUnauthorized {
		t.Error("a forge without another server offers one")
	}
}

func TestWhatWasDoneStandsAmongWhatWasSaid(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", false)
	agent := w.alice
	agent.Token = sigit.Token{Label: "agent on the quay"}
	agent.Client = "claude-code/2.1"
	if _, err := w.OpenIssue(t.Context(), w.alice, sigit.NewIssue{Repo: repo.Name, Title: "t"}); err != nil {
		t.Fatal(err)
	}
	say := func(body string) {
		t.Helper()
		if _, err := w.AddComment(t.Context(), w.alice, sigit.NewComment{Repo: repo.Name, Number: 1, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	say("before")
	if _, err := w.CloseIssue(t.Context(), agent, repo.Name, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReopenIssue(t.Context(), w.alice, repo.Name, 1); err != nil {
		t.Fatal(err)
	}
	for range 49 {
		say("after")
	}
	if _, err := w.CloseIssue(t.Context(), w.alice, repo.Name, 1); err != nil {
		t.Fatal(err)
	}
	say("last")
	first := w.stranger().get("/alice/notes/issues/1").body
	order := []string{"before", "</strong> closed it", "via <bdi>claude-code/2.1", "</strong> reopened it", "after", "Later comments"}
	at := 0
	for _, want := range order {
		i := strings.Index(first[at:], want)
		if i < 0 {
			t.Fatalf("%q does not stand after what came before it", want)
		}
		at += i
	}
	later := regexp.MustCompile(`href="(\?cursor=[^"]+)"`).FindStringSubmatch(first)
	if later == nil {
		t.Fatal("there is no second page")
	}
	second := w.stranger().get("/alice/notes/issues/1" + strings.ReplaceAll(later[1], "&amp;", "&")).body
	if strings.Count(first, "</strong> closed it") != 1 || strings.Count(second, "</strong> closed it") != 1 || strings.Contains(second, "reopened it") || !strings.Contains(second, "last") {
		t.Error("what was done is lost between two pages, or told twice")
	}
}
