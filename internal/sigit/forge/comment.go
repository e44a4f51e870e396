package forge

import (
	"context"

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
