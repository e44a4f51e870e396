package forge

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// AddComment comments on an issue or a pull request by its number, in a
// repository that the caller sees.
//
// The fault is Invalid for an empty body, NotFound for a number that is
// none's.
func (f *Forge) AddComment(ctx context.Context, by sigit.Actor, n sigit.NewComment) (c sigit.Comment, err error) {
	if err := n.Check(); err != nil {
		return c, err
	}
	var repo sigit.Repo
	err = f.change(ctx, by, sigit.AddComment, n.Repo, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if c, err = tx.AddComment(ctx, r, by, n); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.Commented, r, n.Number, "")
	})
	if err == nil {
		f.done(by, sigit.Commented, repo, n.Number, c.CreatedAt)
	}
	return c, err
}

// historyLength bounds what History lists.
const historyLength = 200

// History lists what was done with an issue or a pull request beside comments,
// oldest first: who, through what, and when. NotFound when the number is
// none's.
func (f *Forge) History(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (list []store.Act, err error) {
	err = f.in(ctx, by, sigit.ReadIssues, name, func(tx *store.Tx, r sigit.Repo) error {
		if _, err := tx.Thread(ctx, r, number); err != nil {
			return err
		}
		list, err = tx.ActsOn(ctx, r.ID, number, historyLength)
		return err
	})
	return list, err
}

// ChangeComment gives a comment another body. Only who said it may: words that
// others could change would not be theirs.
//
// The fault is Invalid for an empty body, NotFound for a comment that is not
// on that number, Denied for one of somebody else.
func (f *Forge) ChangeComment(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, id int64, body string) (c sigit.Comment, err error) {
	if err := sigit.CheckComment(body); err != nil {
		return c, err
	}
	var repo sigit.Repo
	err = f.change(ctx, by, sigit.AddComment, name, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if c, err = tx.Comment(ctx, r, number, id); err != nil {
			return err
		}
		if c.AuthorID != by.User.ID {
			return fault.Coded(fault.Denied, "role", "only %s may change what %s said", c.Author, c.Author)
		}
		if c.Body == body {
			return nil
		}
		if c, err = tx.ChangeComment(ctx, c, body); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.CommentEdit, r, number, "")
	})
	if err == nil && c.Edited() {
		f.done(by, sigit.CommentEdit, repo, number, c.UpdatedAt)
	}
	return c, err
}

// Comments lists what was said on an issue or a pull request, oldest first.
// NotFound when the number is none's.
func (f *Forge) Comments(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, page sigit.Page) (list sigit.List[sigit.Comment], err error) {
	err = f.in(ctx, by, sigit.ReadIssues, name, func(tx *store.Tx, r sigit.Repo) error {
		if _, err := tx.Thread(ctx, r, number); err != nil {
			return err
		}
		list, err = tx.Comments(ctx, r, number, page)
		return err
	})
	return list, err
}
