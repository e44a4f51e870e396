package forge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// Check is one thing that Doctor looked at.
type Check struct {
	OK   bool
	Text string // what was found, and for a problem what to do
}

// Doctor looks whether the parts of the forge fit together: the database, git,
// the folder of repositories and each repository in it.
func (f *Forge) Doctor(ctx context.Context) []Check {
	var checks []Check
	report := func(err error, good string, args ...any) {
		if err != nil {
			checks = append(checks, Check{false, err.Error()})
			return
		}
		checks = append(checks, Check{true, fmt.Sprintf(good, args...)})
	}
	report(f.db.Ping(ctx), "the database %s answers", f.db.Name())
	version, err := f.git.Version(ctx)
	report(err, "git is %s", version)
	report(writable(f.dir), "repositories can be written to %s", f.dir)
	repos, err := f.everyRepo(ctx)
	if err != nil {
		report(err, "")
		return checks
	}
	sick := 0
	for _, r := range repos {
		if err := f.examine(ctx, r); err != nil {
			sick++
			report(fmt.Errorf("%s (folder %s): %w", r.Name, filepath.Base(f.folder(r.ID)), err), "")
		}
	}
	checks = append(checks, Check{sick == 0, fmt.Sprintf("%d of %d repositories are well", len(repos)-sick, len(repos))})
	return checks
}

func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("the folder of repositories cannot be made: %w", err)
	}
	tmp, err := os.MkdirTemp(dir, ".make-*")
	if err != nil {
		return fmt.Errorf("the folder of repositories cannot be written to: %w", err)
	}
	return os.Remove(tmp)
}

func (f *Forge) everyRepo(ctx context.Context) ([]sigit.Repo, error) {
	var repos []sigit.Repo
	err := f.db.Read(ctx, func(tx *store.Tx) error {
		ids, err := tx.RepoIDs(ctx)
		for _, id := range ids {
			r, e := tx.RepoByID(ctx, sigit.Operator(sigit.User{}), id)
			if e != nil {
				return e
			}
			repos = append(repos, r)
		}
		return err
	})
	return repos, err
}

// examine says what is wrong with a repository.
func (f *Forge) examine(ctx context.Context, r sigit.Repo) error {
	head, err := f.code(r).Head()
	if errors.Is(err, git.ErrMissing) {
		return errors.New("its files are missing; restore them from a backup, or delete the repository")
	}
	if err != nil {
		return err
	}
	if git.ShortRef(head) != r.DefaultBranch {
		return fmt.Errorf("its HEAD is %s, but its default branch is %s; set the default branch again", git.ShortRef(head), r.DefaultBranch)
	}
	_, err = f.code(r).Resolve(ctx, "")
	if errors.Is(err, git.ErrEmpty) || errors.Is(err, git.ErrNoRef) {
		return nil
	}
	return err
}

// Bounds from which a repository is tidied: as git's own housekeeping has it.
const (
	manyPacks = 50
	manyLoose = 27 // files in one of 256 folders of loose objects
)

// Tidy packs a repository whose pushes left many small files. It is for the
// background, one at a time.
func (f *Forge) Tidy(ctx context.Context, repoID int64) error {
	dir := f.folder(repoID)
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil {
		return err
	}
	loose, err := os.ReadDir(filepath.Join(dir, "objects", "17"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look at a repository's objects: %w", err)
	}
	if len(packs) <= manyPacks && len(loose) <= manyLoose {
		return nil
	}
	return f.code(sigit.Repo{ID: repoID}).Optimize(ctx)
}

// Chores forgets what has ended: tokens a month after, uses of what is
// rationed a day after.
func (f *Forge) Chores(ctx context.Context) error {
	now := f.now()
	return f.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.SweepTokens(ctx, now.Add(-30*24*time.Hour)); err != nil {
			return err
		}
		return tx.SweepHits(ctx, now.Add(-24*time.Hour))
	})
}
