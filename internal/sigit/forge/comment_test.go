package forge_test

import (
	"context"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

func TestCommentIsChangedByWhoSaidIt(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", false)
	issue, err := w.OpenIssue(ctx, w.alice, sigit.NewIssue{Repo: repo.Name, Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	said, err := w.AddComment(ctx, w.bob, sigit.NewComment{Repo: repo.Name, Number: issue.Number, Body: "frist"})
	if err != nil || said.Edited() {
		t.Fatalf("a new comment is %+v (%v)", said, err)
	}
	for _, row := range []struct {
		by     sigit.Actor
		number int
		id     int64
		body   string
		want   fault.Kind
	}{
		{w.alice, issue.Number, said.ID, "mine now", fault.Denied}, // not even who owns the repository
		{w.mallory, issue.Number, said.ID, "mine now", fault.Denied},
		{sigit.Anonymous(), issue.Number, said.ID, "mine now", fault.Denied},
		{w.bob, issue.Number, said.ID, " \n", fault.Invalid},
		{w.bob, issue.Number, said.ID, strings.Repeat("x", sigit.MaxBody+1), fault.TooLarge},
		{w.bob, issue.Number, said.ID + 1, "first", fault.NotFound},
		{w.bob, issue.Number + 1, said.ID, "first", fault.NotFound},
	} {
		if _, err := w.ChangeComment(ctx, row.by, repo.Name, row.number, row.id, row.body); fault.Of(err) != row.want {
			t.Errorf("%s changes comment %d of #%d to %.10q: %v, want %v", row.by.User.Name, row.id, row.number, row.body, err, row.want)
		}
	}
	got, err := w.ChangeComment(ctx, w.bob, repo.Name, issue.Number, said.ID, "first")
	if err != nil || got.Body != "first" || got.Author != "bob" || got.ID != said.ID {
		t.Errorf("the changed comment is %+v (%v)", got, err)
	}
	list, err := w.Comments(ctx, w.alice, repo.Name, issue.Number, sigit.Page{})
	if err != nil || list.Total != 1 || list.Items[0].Body != "first" {
		t.Errorf("the comments are %+v (%v)", list, err)
	}
	acts, err := w.Acts(ctx, w.alice, repo.Name, 1)
	if err != nil || len(acts) != 1 || acts[0].Kind != sigit.CommentEdit || acts[0].Actor != "bob" {
		t.Errorf("what is noted of it is %+v (%v)", acts, err)
	}
}

func TestSignInWithAnotherIdentity(t *testing.T) {
	w := newWorld(t)
	whose := func(_ context.Context, token string) (sigit.Actor, error) {
		if token == "bob's" {
			return w.bob, nil
		}
		return sigit.Actor{}, forge.BadToken()
	}
	token, secret, err := w.SignInWith(ctx, "192.0.2.1", "", "bob's", whose)
	if err != nil || token.Kind != sigit.SessionToken {
		t.Fatalf("bob gets %+v (%v)", token, err)
	}
	if by, err := w.Authenticate(ctx, secret.Reveal()); err != nil || by.User.Name != "bob" {
		t.Errorf("the session stands for %+v (%v)", by.User, err)
	}
	if _, _, err := w.SignInWith(ctx, "192.0.2.1", "", "nobody's", whose); fault.Code(err) != "bad-token" {
		t.Errorf("a token of nobody gives %v", err)
	}
	_, own, err := w.MintToken(ctx, w.bob, sigit.NewToken{Label: "narrow"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.SignInWith(ctx, "192.0.2.1", "", own.Reveal(), w.Authenticate); fault.Code(err) != "bad-token" {
		t.Errorf("a token of the forge opens a session: %v", err)
	}
	for range 100 {
		_, _, err = w.SignInWith(ctx, "192.0.2.9", "", "guess", whose)
	}
	if fault.Code(err) != "rate-limit" {
		t.Errorf("the hundredth guess gives %v, want that they are too many", err)
	}
}
