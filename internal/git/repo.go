package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Repo is one bare repository. It may be used from many goroutines.
type Repo struct {
	git *Git
	dir string
}

// Open names the bare repository in a folder. It touches nothing; the first
// use reports ErrMissing when there is none.
func (g *Git) Open(dir string) *Repo { return &Repo{git: g, dir: dir} }

// Dir is the repository's folder.
func (r *Repo) Dir() string { return r.dir }

func (r *Repo) run(ctx context.Context, stdin io.Reader, limit int, args ...string) ([]byte, error) {
	return r.git.output(ctx, r.dir, stdin, limit, args...)
}

func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// Exists reports whether the folder holds a repository.
func (r *Repo) Exists() bool { return isRepository(r.dir) }

// Init makes an empty bare repository with the given default branch. The
// folder must not exist; it appears whole or not at all.
func (g *Git) Init(ctx context.Context, dir, branch string) (*Repo, error) {
	if !ValidRef(branch) {
		return nil, fmt.Errorf("%w: %q", ErrRefName, clip(branch))
	}
	return g.build(dir, func(tmp string) error {
		_, err := g.output(ctx, "", nil, 1<<16, "init", "--quiet", "--bare", "--template=", "--initial-branch="+branch, "--", tmp)
		return err
	})
}

// Import makes a bare copy of another repository: a path, or a URL of git's
// own http, https, git or ssh transport. Branches and tags come along, other
// refs do not.
func (g *Git) Import(ctx context.Context, dir, source string) (*Repo, error) {
	if strings.HasPrefix(source, "-") || strings.ContainsAny(source, "\x00\n") {
		return nil, fmt.Errorf("git: cannot import from %q", clip(source))
	}
	return g.build(dir, func(tmp string) error {
		_, err := g.output(ctx, "", nil, 1<<20,
			"-c", "http.followRedirects=false", "-c", "transfer.fsckObjects=true", "-c", "fetch.fsckObjects=true",
			"clone", "--quiet", "--bare", "--template=", "--no-local", "--", source, tmp)
		if err != nil {
			return err
		}
		// The source's address may hold a password; the copy has no use for it.
		_, err = g.output(ctx, tmp, nil, 1<<16, "config", "--remove-section", "remote.origin")
		if f, ok := errors.AsType[*Failure](err); ok && f.Exit == 128 {
			return nil // there is no such section
		}
		return err
	})
}

// build makes a repository beside its place and moves it there.
func (g *Git) build(dir string, fill func(tmp string) error) (*Repo, error) {
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("make a repository: %w", fs.ErrExist)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o750); err != nil {
		return nil, fmt.Errorf("make a repository: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("make a repository: %w", err)
	}
	defer os.RemoveAll(tmp)
	whole := filepath.Join(tmp, "repo.git")
	if err := fill(whole); err != nil {
		return nil, fmt.Errorf("make a repository: %w", err)
	}
	if err := os.Rename(whole, dir); err != nil {
		return nil, fmt.Errorf("make a repository: %w", err)
	}
	return g.Open(dir), nil
}

// Remove deletes the repository. Its readers are ended first.
func (r *Repo) Remove() error {
	r.git.pool.forget(r.dir)
	grave := filepath.Join(filepath.Dir(r.dir), ".gone-"+filepath.Base(r.dir))
	if err := os.Rename(r.dir, grave); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("remove a repository: %w", err)
	}
	r.git.pool.forget(r.dir)
	r.git.searches.found.forget(r.dir)
	r.git.sieves.forget(r.dir)
	if err := os.RemoveAll(grave); err != nil {
		return fmt.Errorf("remove a repository: %w", err)
	}
	return nil
}

// Head is the full ref name of the default branch, whether or not it has
// commits.
func (r *Repo) Head() (string, error) {
	b, err := os.ReadFile(filepath.Join(r.dir, "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrMissing
	}
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "ref: ")
	if !ok {
		return "", fmt.Errorf("%w: HEAD names no branch", ErrNoRef)
	}
	return ref, nil
}

// SetHead makes a branch the default one. It need not have commits yet.
func (r *Repo) SetHead(ctx context.Context, branch string) error {
	if !ValidRef(branch) {
		return fmt.Errorf("%w: %q", ErrRefName, clip(branch))
	}
	if _, err := r.run(ctx, nil, 1<<16, "symbolic-ref", "HEAD", "refs/heads/"+branch); err != nil {
		return fmt.Errorf("set the default branch: %w", err)
	}
	return nil
}

// Empty reports whether no branch has a commit.
func (r *Repo) Empty(ctx context.Context) (bool, error) {
	out, err := r.run(ctx, nil, 1<<10, "for-each-ref", "--count=1", "--format=%(objectname)", "--", "refs/heads/", "refs/tags/")
	if err != nil {
		return false, fmt.Errorf("look for commits: %w", err)
	}
	return len(out) == 0, nil
}

// Size is the number of bytes the repository's files take.
func (r *Repo) Size() (int64, error) {
	var total int64
	err := filepath.WalkDir(r.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a file that git moved meanwhile
			}
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure a repository: %w", err)
	}
	return total, nil
}
