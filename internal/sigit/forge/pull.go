package forge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// OpenPull opens a pull request of one branch into another and pins both.
//
// The fault is Invalid for an empty title or equal branches, Denied for who
// may not write to the repository, NotFound for a branch that does not exist
// and for a repository hidden from by. A head that brings nothing yet is
// taken: see Brings.
func (f *Forge) OpenPull(ctx context.Context, by sigit.Actor, n sigit.NewPull) (sigit.Pull, error) {
	repo, err := f.allowed(ctx, by, sigit.OpenPull, n.Repo)
	if err != nil {
		return sigit.Pull{}, err
	}
	if err := n.Check(); err != nil {
		return sigit.Pull{}, err
	}
	head, err := f.branch(ctx, repo, "head", n.Head)
	if err != nil {
		return sigit.Pull{}, err
	}
	base, err := f.branch(ctx, repo, "base", n.Base)
	if err != nil {
		return sigit.Pull{}, err
	}
	var pull sigit.Pull
	err = f.change(ctx, by, sigit.OpenPull, n.Repo, func(tx *store.Tx, r sigit.Repo) error {
		if pull, err = tx.AddPull(ctx, r, by, n, head, base); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.PullOpened, r, pull.Number, n.Head+" into "+n.Base)
	})
	if err != nil {
		return sigit.Pull{}, err
	}
	f.pin(ctx, pull)
	f.done(by, sigit.PullOpened, repo, pull.Number, pull.CreatedAt)
	return pull, nil
}

// Brings says whether the head of a pull request has a commit that the base
// lacks. It is for who has just read or opened it.
func (f *Forge) Brings(ctx context.Context, p sigit.Pull) (bool, error) {
	if p.HeadID == p.BaseID {
		return false, nil
	}
	in, err := f.code(sigit.Repo{ID: p.RepoID}).IsAncestor(ctx, p.HeadID, p.BaseID)
	return !in, err
}

// allowed asks the gate alone.
func (f *Forge) allowed(ctx context.Context, by sigit.Actor, action sigit.Action, name sigit.RepoName) (repo sigit.Repo, err error) {
	err = f.in(ctx, by, action, name, func(_ *store.Tx, r sigit.Repo) error {
		repo = r
		return nil
	})
	return repo, err
}

// branch is the commit of a branch; side is "head" or "base".
func (f *Forge) branch(ctx context.Context, repo sigit.Repo, side, name string) (string, error) {
	commit, err := f.code(repo).Resolve(ctx, "refs/heads/"+name)
	if errors.Is(err, git.ErrNoRef) || errors.Is(err, git.ErrRefName) || errors.Is(err, git.ErrEmpty) {
		return "", fault.Coded(fault.NotFound, "no-branch", "the %s branch %q was not found in %s", side, sigit.Short(name, 200), repo.Name).Because(err)
	}
	return commit.OID, gitFault(err, repo, name)
}

// pin makes hidden refs of the ends of a pull request, so that their commits
// stay. The row has them already; a pin that fails is made good by the next
// look at the pull request.
func (f *Forge) pin(ctx context.Context, p sigit.Pull) {
	err := f.code(sigit.Repo{ID: p.RepoID}).UpdateRefs(ctx,
		git.Update{Ref: sigit.HeadRef(p.Number), New: p.HeadID}, git.Update{Ref: sigit.BaseRef(p.Number), New: p.BaseID})
	if err != nil {
		f.log.WarnContext(ctx, "a pull request is not pinned", "repo", p.Repo.String(), "number", p.Number, "err", err)
	}
}

// Pulls lists a repository's pull requests, the highest number first.
func (f *Forge) Pulls(ctx context.Context, by sigit.Actor, name sigit.RepoName, filter sigit.Filter, page sigit.Page) (list sigit.List[sigit.Pull], err error) {
	if err := checkFilter(filter, true); err != nil {
		return list, err
	}
	err = f.in(ctx, by, sigit.ReadIssues, name, func(tx *store.Tx, r sigit.Repo) error {
		list, err = tx.Pulls(ctx, r, filter, page)
		return err
	})
	return list, err
}

// Pull reads one pull request, brought up to its branches. NotFound when the
// number is none's or an issue's.
func (f *Forge) Pull(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (sigit.Pull, error) {
	return f.pull(ctx, by, sigit.ReadIssues, name, number)
}

func (f *Forge) pull(ctx context.Context, by sigit.Actor, action sigit.Action, name sigit.RepoName, number int) (pull sigit.Pull, err error) {
	var repo sigit.Repo
	err = f.in(ctx, by, action, name, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		pull, err = tx.Pull(ctx, r, number)
		return err
	})
	if err != nil || pull.State != sigit.Open {
		return pull, err
	}
	return f.follow(ctx, repo, pull, nil)
}

// PullDiff is what a pull request would change, or did.
type PullDiff struct {
	// Patch is the three-dot difference; nil when it cannot be told any more.
	Patch     *string
	Truncated bool   // Patch stops at sigit.MaxDiff bytes, after a whole line
	Note      string // says why Patch is cut, empty or nil
	MergeBase string // the commit that Patch starts from
}

// Diff reads what a pull request changes, at the paths only when there are
// some.
func (f *Forge) Diff(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, paths ...string) (PullDiff, error) {
	pull, err := f.pull(ctx, by, sigit.ReadDiff, name, number)
	if err != nil {
		return PullDiff{}, err
	}
	return f.DiffOf(ctx, pull, paths...)
}

// DiffOf reads what a pull request changes, for who has just read it through
// a verb that asks for ReadDiff.
func (f *Forge) DiffOf(ctx context.Context, pull sigit.Pull, paths ...string) (PullDiff, error) {
	paths, err := cleanPaths(paths)
	if err != nil {
		return PullDiff{}, err
	}
	code := f.code(sigit.Repo{ID: pull.RepoID})
	for _, end := range []struct{ name, id string }{{pull.Head, pull.HeadID}, {pull.Base, pull.BaseID}} {
		c, err := code.Resolve(ctx, end.id)
		if errors.Is(err, git.ErrNoRef) || errors.Is(err, git.ErrEmpty) || err == nil && c.OID != end.id {
			return PullDiff{Note: fmt.Sprintf("The commit %.12s of the branch %s no longer exists, so there is no diff to show.", end.id, end.name)}, nil
		}
		if err != nil {
			return PullDiff{}, err
		}
	}
	diff, err := code.Diff(ctx, pull.BaseID, pull.HeadID, git.DiffOptions{Limit: sigit.MaxDiff, Paths: paths})
	if errors.Is(err, git.ErrNoMergeBase) {
		return PullDiff{Note: fmt.Sprintf("The branches %s and %s have no commit in common, so there is no diff to show.", pull.Base, pull.Head)}, nil
	}
	if err != nil {
		return PullDiff{}, fmt.Errorf("diff of pull request #%d of %s: %w", pull.Number, pull.Repo, err)
	}
	d := PullDiff{Patch: &diff.Patch, Truncated: diff.Truncated, MergeBase: diff.Base}
	if len(paths) == 0 && diff.Patch == "" {
		d.Note = fmt.Sprintf("The commits of %s change no file in the end.", pull.Head)
		if diff.Base == pull.HeadID {
			d.Note = sigit.NothingToMerge(pull)
		}
	}
	if diff.Truncated {
		d.Note = fmt.Sprintf("The diff is longer than %d bytes and is cut here. Fetch %s to see all of it.", sigit.MaxDiff, sigit.HeadRef(pull.Number))
	}
	return d, nil
}

// follow brings an open pull request up to its branches: a head or base that
// moved is pinned anew, a head that a push brought into the base is merged.
// by is who pushed, nil when it is only looked at.
func (f *Forge) follow(ctx context.Context, repo sigit.Repo, p sigit.Pull, by *sigit.Actor) (sigit.Pull, error) {
	code := f.code(repo)
	for range 5 {
		head, base, err := f.tips(ctx, code, p)
		if err != nil {
			return p, err
		}
		if head == p.HeadID && base == p.BaseID {
			return p, nil
		}
		merged, err := f.arrived(ctx, code, p, head, base)
		if err != nil {
			return p, err
		}
		next, kind, ok, err := f.advance(ctx, repo, p, head, base, merged, by)
		if err != nil {
			return p, err
		}
		if ok {
			f.pin(ctx, next)
			actor := sigit.Actor{}
			if by != nil {
				actor = *by
			}
			f.done(actor, kind, repo, p.Number, next.UpdatedAt)
			return next, nil
		}
		// Another came first: look again.
		err = f.db.Read(ctx, func(tx *store.Tx) error {
			p, err = tx.Pull(ctx, repo, p.Number)
			return err
		})
		if err != nil || p.State != sigit.Open {
			return p, err
		}
	}
	return p, nil // the next look goes on
}

// tips are the commits that the branches of p have now; a branch that is gone
// stays where it was.
func (f *Forge) tips(ctx context.Context, code *git.Repo, p sigit.Pull) (head, base string, err error) {
	head, base = p.HeadID, p.BaseID
	for _, end := range []struct {
		branch string
		id     *string
	}{{p.Head, &head}, {p.Base, &base}} {
		commit, err := code.Resolve(ctx, "refs/heads/"+end.branch)
		switch {
		case err == nil:
			*end.id = commit.OID
		case !errors.Is(err, git.ErrNoRef) && !errors.Is(err, git.ErrEmpty):
			return "", "", fmt.Errorf("look at the branches of pull request #%d: %w", p.Number, err)
		}
	}
	return head, base, nil
}

// arrived says whether the base came to contain the head since p was pinned.
func (f *Forge) arrived(ctx context.Context, code *git.Repo, p sigit.Pull, head, base string) (bool, error) {
	if base == p.BaseID {
		return false, nil
	}
	in, err := code.IsAncestor(ctx, head, base)
	if err != nil || !in {
		return false, err
	}
	before, err := code.IsAncestor(ctx, head, p.BaseID)
	return err == nil && !before, err
}

// advance stores the new ends of p. A merged one keeps the base it had, so
// that its diff stays what it brought.
func (f *Forge) advance(ctx context.Context, repo sigit.Repo, p sigit.Pull, head, base string, merged bool, by *sigit.Actor) (next sigit.Pull, kind sigit.EventKind, ok bool, err error) {
	err = f.db.Write(ctx, func(tx *store.Tx) error {
		next, kind, ok = p, sigit.PullUpdated, false
		pinBase := base
		if merged {
			pinBase = p.BaseID
		}
		if next, ok, err = tx.PinPull(ctx, p, head, pinBase); err != nil || !ok || !merged {
			return err
		}
		kind = sigit.PullMerged
		var who sigit.Actor
		if by != nil {
			who = *by
		}
		if next, err = tx.SetPullState(ctx, next, who.User, sigit.Merged, base); err != nil {
			return err
		}
		return act(ctx, tx, who, kind, repo, p.Number, "by a push")
	})
	return next, kind, ok, err
}

// ChangePull changes the title or the body. Its author may, and who may write
// to the repository.
func (f *Forge) ChangePull(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, c sigit.TextChange) (sigit.Pull, error) {
	if err := c.Check(); err != nil {
		return sigit.Pull{}, err
	}
	return f.movePull(ctx, by, name, number, sigit.PullChanged, func(tx *store.Tx, p sigit.Pull) (sigit.Pull, error) {
		if c.Title != nil {
			p.Title = *c.Title
		}
		if c.Body != nil {
			p.Body = *c.Body
		}
		return tx.SetPullText(ctx, p)
	})
}

// ClosePull closes an open pull request without merging it. Its author may,
// and who may write to the repository. Conflict when it is not open.
func (f *Forge) ClosePull(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (sigit.Pull, error) {
	return f.movePull(ctx, by, name, number, sigit.PullClosed, func(tx *store.Tx, p sigit.Pull) (sigit.Pull, error) {
		return tx.SetPullState(ctx, p, by.User, sigit.Closed, "")
	})
}

// ReopenPull opens a closed pull request again; see ClosePull. Conflict when
// it is not closed or its branches are gone.
func (f *Forge) ReopenPull(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int) (sigit.Pull, error) {
	pull, err := f.movePull(ctx, by, name, number, sigit.PullReopen, func(tx *store.Tx, p sigit.Pull) (sigit.Pull, error) {
		for _, branch := range []string{p.Head, p.Base} {
			if _, err := f.code(sigit.Repo{ID: p.RepoID}).Resolve(ctx, "refs/heads/"+branch); err != nil {
				return p, fault.Coded(fault.Conflict, "no-branch", "the branch %s is gone; push it again to reopen #%d", branch, number).Because(err)
			}
		}
		return tx.SetPullState(ctx, p, by.User, sigit.Open, "")
	})
	if err != nil {
		return pull, err
	}
	return f.follow(ctx, sigit.Repo{ID: pull.RepoID, Name: pull.Repo}, pull, &by)
}

func (f *Forge) movePull(ctx context.Context, by sigit.Actor, name sigit.RepoName, number int, kind sigit.EventKind, move func(*store.Tx, sigit.Pull) (sigit.Pull, error)) (pull sigit.Pull, err error) {
	var repo sigit.Repo
	err = f.change(ctx, by, sigit.AddComment, name, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if pull, err = tx.Pull(ctx, r, number); err != nil {
			return err
		}
		if err := by.MayChange(pull.AuthorID, r); err != nil {
			return err
		}
		if pull, err = move(tx, pull); err != nil {
			return err
		}
		return act(ctx, tx, by, kind, r, number, "")
	})
	if err == nil {
		f.done(by, kind, repo, number, pull.UpdatedAt)
	}
	return pull, err
}

// MergePull merges an open pull request into its base, without a work tree.
//
// The fault is Denied for who may not write to the repository or, with this
// token, to the base; Conflict for one that is not open, whose head is not
// the expected one, that does not merge cleanly (the paths are in the
// details), or whose base moved meanwhile.
func (f *Forge) MergePull(ctx context.Context, by sigit.Actor, m sigit.MergePull) (sigit.Pull, error) {
	if err := m.Check(); err != nil {
		return sigit.Pull{}, err
	}
	repo, err := f.allowed(ctx, by, sigit.MergeCode, m.Repo)
	if err != nil {
		return sigit.Pull{}, err
	}
	pull, err := f.pull(ctx, by, sigit.MergeCode, m.Repo, m.Number)
	if err != nil {
		return sigit.Pull{}, err
	}
	baseRef := "refs/heads/" + pull.Base
	if err := by.MayMove(sigit.RefUpdate{Ref: baseRef, Old: pull.BaseID, New: pull.HeadID}); err != nil {
		return sigit.Pull{}, err
	}
	switch {
	case pull.State != sigit.Open:
		return pull, fault.Coded(fault.Conflict, "state", "pull request #%d is %s already", pull.Number, pull.State)
	case m.Expect != "" && !strings.EqualFold(m.Expect, pull.HeadID):
		return pull, fault.Coded(fault.Conflict, "head-moved", "the head of #%d is %s now, not %s; look again and merge that", pull.Number, pull.HeadID, sigit.Short(m.Expect, 64)).With("head", pull.HeadID)
	}
	base, err := f.branch(ctx, repo, "base", pull.Base)
	if err != nil {
		return pull, err
	}
	merge, err := f.mergeCommit(ctx, by, repo, pull, base, m)
	if err != nil {
		return pull, err
	}
	err = f.change(ctx, by, sigit.MergeCode, m.Repo, func(tx *store.Tx, r sigit.Repo) error {
		now, ok, err := tx.PinPull(ctx, pull, pull.HeadID, base)
		if err != nil {
			return err
		}
		if !ok {
			return fault.Coded(fault.Conflict, "head-moved", "pull request #%d changed meanwhile; look again", pull.Number)
		}
		if now, err = tx.SetPullState(ctx, now, by.User, sigit.Merged, merge); err != nil {
			return err
		}
		if err := act(ctx, tx, by, sigit.PullMerged, r, pull.Number, merge); err != nil {
			return err
		}
		if err := tx.TouchRepo(ctx, r.ID); err != nil {
			return err
		}
		pull = now
		// Last, because it cannot be undone: if it fails nothing is stored.
		return f.moveBase(ctx, repo, pull, baseRef, base, merge)
	})
	if err != nil {
		return sigit.Pull{}, err
	}
	f.pin(ctx, pull)
	f.done(by, sigit.PullMerged, repo, pull.Number, *pull.MergedAt)
	f.followAll(ctx, repo, pull.Base, &by)
	return pull, nil
}

func (f *Forge) moveBase(ctx context.Context, repo sigit.Repo, p sigit.Pull, ref, from, to string) error {
	err := f.code(repo).UpdateRefs(ctx, git.Update{Ref: ref, Old: from, New: to})
	if errors.Is(err, git.ErrStale) {
		return fault.Coded(fault.Conflict, "base-moved", "%s moved while #%d was being merged; try again", p.Base, p.Number).Because(err)
	}
	return err
}

// mergeCommit makes the commit that the base is to have after the merge. No
// ref moves yet.
func (f *Forge) mergeCommit(ctx context.Context, by sigit.Actor, repo sigit.Repo, p sigit.Pull, base string, m sigit.MergePull) (string, error) {
	code := f.code(repo)
	if done, err := code.IsAncestor(ctx, p.HeadID, base); err != nil || done {
		if err == nil {
			err = fault.Coded(fault.Conflict, "nothing-to-merge", "%s contains all of #%d already", p.Base, p.Number)
		}
		return "", err
	}
	if m.Style == sigit.FastForward {
		ahead, err := code.IsAncestor(ctx, base, p.HeadID)
		if err == nil && !ahead {
			err = fault.Coded(fault.Conflict, "not-fast-forward", "%s has gone on since %s left it; merge with a commit or update the branch", p.Base, p.Head)
		}
		return p.HeadID, err
	}
	tree, err := code.MergeTree(ctx, base, p.HeadID)
	if conflict, ok := errors.AsType[*git.Conflict](err); ok {
		return "", fault.Coded(fault.Conflict, "merge-conflict", "#%d does not merge cleanly into %s: %s", p.Number, p.Base, someOf(conflict.Paths)).With("paths", conflict.Paths)
	}
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", fault.Coded(fault.Conflict, "unrelated", "%s and %s have no commit in common", p.Base, p.Head).Because(err)
	}
	if err != nil {
		return "", err
	}
	committer := git.Signature{Name: by.User.Name, Email: by.User.Email, When: f.now()}
	author, parents := committer, []string{base, p.HeadID}
	message := fmt.Sprintf("Merge pull request #%d from %s\n\n%s", p.Number, p.Head, p.Title)
	if m.Style == sigit.Squash {
		if author, err = f.authorOf(ctx, p, committer.When); err != nil {
			return "", err
		}
		parents, message = parents[:1], fmt.Sprintf("%s (#%d)\n\n%s", p.Title, p.Number, p.Body)
	}
	if m.Message != "" {
		message = m.Message
	}
	return code.Commit(ctx, tree, parents, author, committer, message)
}

func (f *Forge) authorOf(ctx context.Context, p sigit.Pull, when time.Time) (git.Signature, error) {
	var u sigit.User
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.UserByID(ctx, p.AuthorID)
		return err
	})
	return git.Signature{Name: u.Name, Email: u.Email, When: when}, err
}

func someOf(paths []string) string {
	if len(paths) > 10 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:10], ", "), len(paths)-10)
	}
	return strings.Join(paths, ", ")
}
