package forge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

const standardBranch = "main"

// CreateRepo makes an empty repository of the caller, or of anybody for the
// operator. Invalid for a bad name, Conflict for one that is taken.
func (f *Forge) CreateRepo(ctx context.Context, by sigit.Actor, n sigit.NewRepo) (sigit.Repo, error) {
	if n.DefaultBranch == "" {
		n.DefaultBranch = standardBranch
	}
	return f.addRepo(ctx, by, n, func(dir string, n *sigit.NewRepo) error {
		_, err := f.git.Init(ctx, dir, n.DefaultBranch)
		return err
	})
}

// addRepo makes a repository whose files fill makes in a folder of its own;
// fill may settle the default branch. The files move to their place with the
// row, both or neither.
func (f *Forge) addRepo(ctx context.Context, by sigit.Actor, n sigit.NewRepo, fill func(dir string, n *sigit.NewRepo) error) (repo sigit.Repo, err error) {
	if err := by.MayAlone(sigit.CreateRepo); err != nil {
		return repo, err
	}
	if err := n.Check(); err != nil {
		return repo, err
	}
	owner, err := f.ownerFor(ctx, by, n.Name)
	if err != nil {
		return repo, err
	}
	if err := os.MkdirAll(f.dir, 0o750); err != nil {
		return repo, fmt.Errorf("make the folder of repositories: %w", err)
	}
	tmp, err := os.MkdirTemp(f.dir, ".make-*")
	if err != nil {
		return repo, fmt.Errorf("make repository %s: %w", n.Name, err)
	}
	defer os.RemoveAll(tmp)
	at := filepath.Join(tmp, "new.git")
	if err := fill(at, &n); err != nil {
		return repo, fmt.Errorf("make repository %s: %w", n.Name, err)
	}
	err = f.db.Write(ctx, func(tx *store.Tx) error {
		if repo, err = tx.AddRepo(ctx, owner, n); err != nil {
			return err
		}
		if err := act(ctx, tx, by, sigit.RepoCreated, repo, 0, ""); err != nil {
			return err
		}
		// The number is new, so a folder in its place is what a crash left.
		place := f.folder(repo.ID)
		if err := os.RemoveAll(place); err != nil {
			return fmt.Errorf("make repository %s: %w", n.Name, err)
		}
		if err := os.Rename(at, place); err != nil {
			return fmt.Errorf("make repository %s: %w", n.Name, err)
		}
		at = place // where another run of this function finds it
		return nil
	})
	if err != nil {
		os.RemoveAll(at)
		return sigit.Repo{}, err
	}
	f.done(by, sigit.RepoCreated, repo, 0, repo.CreatedAt)
	return repo, nil
}

// ownerFor is the user whose repository it would be: the caller, or anybody
// for the operator.
func (f *Forge) ownerFor(ctx context.Context, by sigit.Actor, name sigit.RepoName) (sigit.User, error) {
	if by.Operator {
		return f.UserNamed(ctx, by, name.Owner)
	}
	if name.Owner != "" && !strings.EqualFold(name.Owner, by.User.Name) {
		return sigit.User{}, fault.Coded(fault.Denied, "role", "not authorized to create repositories for %s", sigit.Short(name.Owner, 60))
	}
	return by.User, nil
}

// ImportRepo makes a repository with the branches and tags of another: an
// http or https address, or for the operator a path or any address of git's.
// It ends with ctx; what it got until then goes.
//
// The fault is Busy when the caller, or too many others, import already, and
// Invalid or TooLarge for a source that cannot be read, takes too long or is
// over the bound. Both of the last say what to do instead.
func (f *Forge) ImportRepo(ctx context.Context, by sigit.Actor, n sigit.NewRepo, source string) (sigit.Repo, error) {
	if err := by.MayAlone(sigit.CreateRepo); err != nil {
		return sigit.Repo{}, err
	}
	pins, err := f.guard.check(ctx, by, source)
	if err != nil {
		return sigit.Repo{}, err
	}
	ctx, leave, err := f.imports.enter(ctx, by)
	if err != nil {
		return sigit.Repo{}, err
	}
	defer leave()
	return f.addRepo(ctx, by, n, func(dir string, n *sigit.NewRepo) error {
		code, err := f.git.ImportFrom(ctx, dir, source, git.ImportOptions{Resolve: pins, MaxBytes: f.maxImport})
		if err != nil {
			return f.importFault(err, n.Name, source)
		}
		if n.DefaultBranch != "" {
			return code.SetHead(ctx, n.DefaultBranch)
		}
		n.DefaultBranch, err = importedBranch(ctx, code)
		if err != nil {
			return err
		}
		return code.SetHead(ctx, n.DefaultBranch)
	})
}

// importedBranch is the branch that an imported repository opens with: its
// HEAD, or where that has no commits main, master or the first that has.
func importedBranch(ctx context.Context, code *git.Repo) (string, error) {
	head, err := code.Head()
	if err != nil {
		head = ""
	}
	branches, err := code.Refs(ctx, "refs/heads/", "", 1000)
	if err != nil {
		return "", err
	}
	first, rank := standardBranch, 4
	if len(branches) == 0 && sigit.CheckBranch(git.ShortRef(head)) == nil {
		return git.ShortRef(head), nil
	}
	for _, b := range branches {
		name := git.ShortRef(b.Ref)
		at := 3
		switch {
		case sigit.CheckBranch(name) != nil || sigit.CheckNewRef(b.Ref) != nil:
			continue
		case b.Ref == head:
			at = 0
		case name == "main":
			at = 1
		case name == "master":
			at = 2
		}
		if at < rank {
			first, rank = name, at
		}
	}
	return first, nil
}

// RepoFilter narrows a list of repositories.
type RepoFilter = store.RepoFilter

// Repos lists the repositories that the caller sees, the latest change first.
func (f *Forge) Repos(ctx context.Context, by sigit.Actor, filter RepoFilter, page sigit.Page) (list sigit.List[sigit.Repo], err error) {
	if err := by.MayAlone(sigit.ListRepos); err != nil {
		return list, err
	}
	if err := checkQuery(filter.Query); err != nil {
		return list, err
	}
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Repos(ctx, by, filter, page)
		return err
	})
	return list, err
}

func checkQuery(query string) error {
	if len(query) > sigit.MaxQuery {
		return fault.New(fault.Invalid, "the query has %d bytes; at most %d are searched for", len(query), sigit.MaxQuery)
	}
	if strings.IndexByte(query, 0) >= 0 || strings.ToValidUTF8(query, "") != query {
		return fault.New(fault.Invalid, "the query must be UTF-8 text without NUL")
	}
	return nil
}

// Repo reads a repository that the caller sees. A former name leads to it;
// the noun has the present one.
func (f *Forge) Repo(ctx context.Context, by sigit.Actor, name sigit.RepoName) (repo sigit.Repo, err error) {
	err = f.in(ctx, by, sigit.SeeRepo, name, func(_ *store.Tx, r sigit.Repo) error {
		repo = r
		return nil
	})
	return repo, err
}

// ChangeRepo changes a repository's name, description, visibility or default
// branch. Conflict for a name that is taken; NotFound for a branch that does
// not exist, unless the repository has none.
func (f *Forge) ChangeRepo(ctx context.Context, by sigit.Actor, name sigit.RepoName, c sigit.RepoChange) (repo sigit.Repo, err error) {
	if err := c.Check(); err != nil {
		return repo, err
	}
	err = f.change(ctx, by, sigit.SettleRepo, name, func(tx *store.Tx, r sigit.Repo) error {
		former := r.Name.Name
		if c.Name != nil {
			r.Name.Name = *c.Name
		}
		if c.Description != nil {
			r.Description = *c.Description
		}
		if c.Private != nil {
			r.Private = *c.Private
		}
		if c.DefaultBranch != nil {
			r.DefaultBranch = *c.DefaultBranch
		}
		if repo, err = tx.SetRepo(ctx, r, former); err != nil {
			return err
		}
		if err := act(ctx, tx, by, sigit.RepoChanged, repo, 0, changed(c)); err != nil {
			return err
		}
		if c.DefaultBranch == nil {
			return nil
		}
		return f.setHead(ctx, repo) // last: it cannot be undone
	})
	if err == nil {
		f.done(by, sigit.RepoChanged, repo, 0, repo.UpdatedAt)
	}
	return repo, err
}

// changed says in a word or two what a change is of, for the record.
func changed(c sigit.RepoChange) string {
	var words []string
	if c.Name != nil {
		words = append(words, "name "+*c.Name)
	}
	if c.Description != nil {
		words = append(words, "description")
	}
	if c.DefaultBranch != nil {
		words = append(words, "default branch "+*c.DefaultBranch)
	}
	if c.Private != nil && *c.Private {
		words = append(words, "private")
	}
	if c.Private != nil && !*c.Private {
		words = append(words, "public")
	}
	return strings.Join(words, ", ")
}

func (f *Forge) setHead(ctx context.Context, repo sigit.Repo) error {
	code := f.code(repo)
	_, err := code.Resolve(ctx, "refs/heads/"+repo.DefaultBranch)
	if err != nil && !errors.Is(err, git.ErrEmpty) {
		return gitFault(err, repo, repo.DefaultBranch)
	}
	return code.SetHead(ctx, repo.DefaultBranch)
}

// DeleteRepo deletes a repository with everything in it. Only its owner may.
func (f *Forge) DeleteRepo(ctx context.Context, by sigit.Actor, name sigit.RepoName) error {
	var repo sigit.Repo
	err := f.change(ctx, by, sigit.DeleteRepo, name, func(tx *store.Tx, r sigit.Repo) error {
		repo = r
		if err := act(ctx, tx, by, sigit.RepoDeleted, r, 0, ""); err != nil {
			return err
		}
		repo.UpdatedAt = tx.Now()
		return tx.DeleteRepo(ctx, r.ID)
	})
	if err != nil {
		return err
	}
	f.done(by, sigit.RepoDeleted, repo, 0, repo.UpdatedAt)
	if err := f.code(repo).Remove(); err != nil {
		// The row is gone and with it the repository; Sweep takes the rest.
		f.log.WarnContext(ctx, "the files of a deleted repository remain", "repo", repo.ID, "err", err)
	}
	return nil
}

// Acts lists what was done in a repository, latest first, for those who may
// change its settings.
func (f *Forge) Acts(ctx context.Context, by sigit.Actor, name sigit.RepoName, limit int) (list []store.Act, err error) {
	err = f.in(ctx, by, sigit.SettleRepo, name, func(tx *store.Tx, r sigit.Repo) error {
		list, err = tx.Acts(ctx, r.ID, limit)
		return err
	})
	return list, err
}

// Sweep takes away what crashes left: folders of repositories that are not in
// the database. It is for the start of the only process on the folder.
func (f *Forge) Sweep(ctx context.Context) error {
	known := map[string]bool{}
	err := f.db.Read(ctx, func(tx *store.Tx) error {
		ids, err := tx.RepoIDs(ctx)
		for _, id := range ids {
			known[filepath.Base(f.folder(id))] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the repositories: %w", err)
	}
	for _, e := range entries {
		ours := strings.HasSuffix(e.Name(), ".git") || strings.HasPrefix(e.Name(), ".make-") || strings.HasPrefix(e.Name(), ".gone-") || strings.HasPrefix(e.Name(), ".new-")
		if !e.IsDir() || !ours || known[e.Name()] {
			continue
		}
		f.log.InfoContext(ctx, "a leftover folder is removed", "folder", e.Name())
		if err := os.RemoveAll(filepath.Join(f.dir, e.Name())); err != nil {
			return fmt.Errorf("remove a leftover: %w", err)
		}
	}
	return nil
}
