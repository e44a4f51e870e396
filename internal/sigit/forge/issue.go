package forge

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// OpenIssue opens an issue in a repository that the caller sees.
//
// The fault is Invalid for an empty title, TooLarge for a text over its
// limit, NotFound for a repository hidden from by.
func (f *Forge) OpenIssue(ctx context.Context, by sigit.Actor, n sigit.NewIssue) (issue sigit.Issue, err error) {
	if err := n.Check(); err != nil {
		return issue, err
	}
	var repo sigit.Repo
	err = f.change(ctx, by, sigit.OpenIssue, n.Repo, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if issue, err = tx.AddIssue(ctx, r, by, n); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.IssueOpened, r, issue.Number, "")
	})
	if err == nil {
		f.done(by, sigit.IssueOpened, repo, issue.Number, issue.CreatedAt)
	}
	return issue, err
}

// Issues lists a repository's issues, the highest number first.
func (f *Forge) Issues(ctx context.Context, by sigit.Actor, name sigit.RepoName, filter sigit.Filter, page sigit.Page) (list sigit.List[sigit.Issue], err error) {
	if err := checkFilter(filter, false); err != nil {
		return list, err
	}
	err = f.in(ctx, by, sigit.ReadIssues, name, func(tx *store.Tx, r sigit.Repo) error {
		list, err = tx.Issues(ctx, r, filter, page)
		return err
	})
	return list, err
}

func checkFilter(filter sigit.Filter, pulls bool) error {
	switch filter.State {
	case "", sigit.Open, sigit.Closed, sigit.Any:
	case sigit.Merged:
		if pulls {
			break
		}
		fallthrough
	default:
		states := "open, closed or all"
		if pulls {
			states = "open, closed, merged or all"
		}
		return fault.New(fault.Invalid, "the state %q is unknown; it is %s", sigit.Short(string(filter.State), 40), states)
	}
	return checkQuery(filter.Query)
}

// Issue reads one issue. NotFound when the number is none's or a pull request's.
func (f *Forge) Issue(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (issue sigit.Issue, err error) {
	err = f.in(ctx, by, sigit.ReadIssues, name, func(tx *store.Tx, r sigit.Repo) error {
		issue, err = tx.Issue(ctx, r, number)
		return err
	})
	return issue, err
}

// ChangeIssue changes the title or the body. Its author may, and who may
// write to the repository.
func (f *Forge) ChangeIssue(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, c sigit.TextChange) (sigit.Issue, error) {
	if err := c.Check(); err != nil {
		return sigit.Issue{}, err
	}
	return f.moveIssue(ctx, by, name, number, sigit.IssueChanged, func(tx *store.Tx, i sigit.Issue) (sigit.Issue, error) {
		if c.Title != nil {
			i.Title = *c.Title
		}
		if c.Body != nil {
			i.Body = *c.Body
		}
		return tx.SetIssueText(ctx, i)
	})
}

// CloseIssue closes an open issue. Its author may, and who may write to the
// repository. Conflict when it is closed already.
func (f *Forge) CloseIssue(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (sigit.Issue, error) {
	return f.moveIssue(ctx, by, name, number, sigit.IssueClosed, func(tx *store.Tx, i sigit.Issue) (sigit.Issue, error) {
		return tx.SetIssueState(ctx, i, by.User, sigit.Closed)
	})
}

// ReopenIssue opens a closed issue again; see CloseIssue.
func (f *Forge) ReopenIssue(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (sigit.Issue, error) {
	return f.moveIssue(ctx, by, name, number, sigit.IssueReopen, func(tx *store.Tx, i sigit.Issue) (sigit.Issue, error) {
		return tx.SetIssueState(ctx, i, by.User, sigit.Open)
	})
}

func (f *Forge) moveIssue(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, kind sigit.EventKind, move func(*store.Tx, sigit.Issue) (sigit.Issue, error)) (issue sigit.Issue, err error) {
	var repo sigit.Repo
	err = f.change(ctx, by, sigit.AddComment, name, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if issue, err = tx.Issue(ctx, r, number); err != nil {
			return err
		}
		if err := by.MayChange(issue.AuthorID, r); err != nil {
			return err
		}
		if issue, err = move(tx, issue); err != nil {
			return err
		}
		return act(ctx, tx, by, kind, r, number, "")
	})
	if err == nil {
		f.done(by, kind, repo, number, issue.UpdatedAt)
	}
	return issue, err
}
