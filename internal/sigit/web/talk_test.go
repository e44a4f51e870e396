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
