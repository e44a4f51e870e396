package forge

import (
	"context"
	"errors"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// Mergeable says why the caller cannot merge an open pull request now: the
// fault that MergePull would give, nil when it would go through. Nothing is
// stored. fastForward tells whether the base could simply be moved.
func (f *Forge) Mergeable(ctx context.Context, by sigit.Actor, pull sigit.Pull) (fastForward bool, err error) {
	repo, err := f.allowed(ctx, by, sigit.MergeCode, pull.Repo)
	if err != nil {
		return false, err
	}
	if err := by.MayMove(sigit.RefUpdate{Ref: "refs/heads/" + pull.Base, Old: pull.BaseID, New: pull.HeadID}); err != nil {
		return false, err
	}
	if pull.State != sigit.Open {
		return false, fault.Coded(fault.Conflict, "state", "pull request #%d is %s already", pull.Number, pull.State)
	}
	base, err := f.branch(ctx, repo, "base", pull.Base)
	if err != nil {
		return false, err
	}
	code := f.code(repo)
	if done, err := code.IsAncestor(ctx, pull.HeadID, base); err != nil || done {
		if err == nil {
			err = fault.Coded(fault.Conflict, "nothing-to-merge", "%s contains all of #%d already", pull.Base, pull.Number)
		}
		return false, err
	}
	if ahead, err := code.IsAncestor(ctx, base, pull.HeadID); err != nil || ahead {
		return ahead, err
	}
	_, err = code.MergeTree(ctx, base, pull.HeadID)
	if conflict, ok := errors.AsType[*git.Conflict](err); ok {
		return false, fault.Coded(fault.Conflict, "merge-conflict", "#%d does not merge cleanly into %s", pull.Number, pull.Base).With("paths", conflict.Paths)
	}
	if errors.Is(err, git.ErrNoMergeBase) {
		return false, fault.Coded(fault.Conflict, "unrelated", "%s and %s have no commit in common", pull.Base, pull.Head).Because(err)
	}
	return false, err
}
