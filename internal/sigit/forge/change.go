package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// Changes lists the files that a pull request changes, at most limit of them;
// more tells whether there are others. The list is empty when the difference
// cannot be told any more; see Diff.
func (f *Forge) Changes(ctx context.Context, by sigit.Actor, name sigit.RepoName, number, limit int) (list []git.Change, more bool, err error) {
	pull, err := f.pull(ctx, by, sigit.ReadDiff, name, number)
	if err != nil {
		return nil, false, err
	}
	list, more, err = f.code(sigit.Repo{ID: pull.RepoID}).Changes(ctx, pull.BaseID, pull.HeadID, limit)
	if errors.Is(err, git.ErrNoMergeBase) || errors.Is(err, git.ErrNoRef) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("changes of pull request #%d of %s: %w", pull.Number, pull.Repo, err)
	}
	return list, more, nil
}

// cleanPaths takes paths of a repository to hand to git; Invalid for one that
// could never be, since git would fail on it.
func cleanPaths(paths []string) ([]string, error) {
	clean := make([]string, len(paths))
	for i, p := range paths {
		clean[i] = cleanPath(p)
		if len(p) > maxPath || strings.IndexByte(p, 0) >= 0 || clean[i] == "" || slices.Contains(strings.Split(clean[i], "/"), "..") {
			return nil, fault.New(fault.Invalid, "%q is no path in a repository", sigit.Short(p, 200))
		}
	}
	return clean, nil
}

// maxPath is the longest path that is handed to git.
const maxPath = 4096
