package forge

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/feed"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// Options of New. DB, Git and Dir are needed.
type Options struct {
	DB   *store.DB
	Git  *git.Git
	Dir  string     // folder of the repositories
	Site sigit.Site // base of the addresses in answers
	Log  *slog.Logger

	// Search answers searches for code; nil asks git grep. The commit is
	// resolved, the query checked.
	Search func(ctx context.Context, repo sigit.Repo, code *git.Repo, commit, query string, limit int) ([]git.Match, error)

	// Lookup finds the addresses of a host to import from; nil asks the system.
	Lookup LookupFunc
	// AllowPrivateImports lets imports reach addresses of the local network.
	AllowPrivateImports bool
	// MaxImport bounds the bytes of an imported repository; 0 means 10 GiB.
	MaxImport int64
	// ImportTime bounds an import that somebody waits for; 0 means 10 minutes.
	// The operator's own take as long as they take.
	ImportTime time.Duration
	// Imports is how many of them run at once, one for a user; 0 means 4.
	Imports int

	// Random draws secrets; nil is the system's source.
	Random io.Reader
	// Hashing says what a password costs; the zero value is Hashing's default.
	Hashing Hashing
}

// Forge does what callers ask. It may be used from many goroutines.
type Forge struct {
	db     *store.DB
	git    *git.Git
	dir    string
	site   sigit.Site
	log    *slog.Logger
	search func(ctx context.Context, repo sigit.Repo, code *git.Repo, commit, query string, limit int) ([]git.Match, error)
	guard  importGuard
	random io.Reader

	maxImport int64
	imports   imports
	hashing   *hasher
	events    feed.Feed[sigit.Event]
	maps      *maps
}

// New makes a forge of its parts. They stay the caller's to close.
func New(o Options) *Forge {
	f := &Forge{
		db: o.DB, git: o.Git, dir: o.Dir, site: o.Site, log: o.Log, search: o.Search, random: o.Random,
		guard:   importGuard{lookup: o.Lookup, allowPrivate: o.AllowPrivateImports},
		hashing: newHasher(o.Hashing),
		maps:    newMaps(),
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if f.random == nil {
		f.random = rand.Reader
	}
	if f.maxImport = o.MaxImport; f.maxImport == 0 {
		f.maxImport = 10 << 30
	}
	f.imports = imports{most: cmp.Or(o.Imports, 4), time: cmp.Or(o.ImportTime, 10*time.Minute), by: map[int64]bool{}}
	if f.search == nil {
		f.search = grep
	}
	return f
}

// Site is the base of the forge's addresses.
func (f *Forge) Site() sigit.Site { return f.site }

// Listen returns events from now on and the function that ends the listening;
// see feed.Feed.Listen. Who listens must ask for itself what it may show.
func (f *Forge) Listen(buffer int) (<-chan sigit.Event, func()) { return f.events.Listen(buffer) }

// Ping says whether the forge can work: its database answers.
func (f *Forge) Ping(ctx context.Context) error { return f.db.Ping(ctx) }

// code is the git repository of r.
func (f *Forge) code(r sigit.Repo) *git.Repo { return f.git.Open(f.folder(r.ID)) }

func (f *Forge) folder(id int64) string {
	return filepath.Join(f.dir, strconv.FormatInt(id, 10)+".git")
}

// in runs do on the repository by name after the gate let by through. Every
// verb about a repository passes here or through change.
func (f *Forge) in(ctx context.Context, by sigit.Actor, action sigit.Action, name sigit.RepoName, do func(*store.Tx, sigit.Repo) error) error {
	return f.db.Read(ctx, func(tx *store.Tx) error { return gate(ctx, tx, by, action, name, do) })
}

// change is in for verbs that store something.
func (f *Forge) change(ctx context.Context, by sigit.Actor, action sigit.Action, name sigit.RepoName, do func(*store.Tx, sigit.Repo) error) error {
	return f.db.Write(ctx, func(tx *store.Tx) error { return gate(ctx, tx, by, action, name, do) })
}

func gate(ctx context.Context, tx *store.Tx, by sigit.Actor, action sigit.Action, name sigit.RepoName, do func(*store.Tx, sigit.Repo) error) error {
	repo, err := tx.RepoFor(ctx, by, name)
	if err != nil && fault.Of(err) != fault.NotFound {
		return err
	}
	// A repository that is not there is asked about like any other, so that a
	// token without the scope hears the same of both.
	if err := by.May(action, repo); err != nil {
		return err
	}
	return do(tx, repo)
}

// done publishes what by did in a repository.
func (f *Forge) done(by sigit.Actor, kind sigit.EventKind, repo sigit.Repo, number int, at time.Time) {
	f.events.Publish(sigit.Event{At: at, RepoID: repo.ID, Repo: repo.Name, Kind: kind, Number: number, Actor: by.User.Name, Via: by.Via()})
}

// act records what by did in a repository.
func act(ctx context.Context, tx *store.Tx, by sigit.Actor, kind sigit.EventKind, repo sigit.Repo, number int, detail string) error {
	return tx.AddAct(ctx, by, store.Act{Kind: kind, RepoID: repo.ID, Repo: repo.Name.String(), Number: number, Detail: detail})
}

// gitFault turns what git says of the caller's words into a fault. ref is what
// the caller asked for, empty for the default branch.
func gitFault(err error, repo sigit.Repo, ref string) error {
	shown := sigit.Short(ref, 200)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, git.ErrEmpty):
		return fault.Coded(fault.NotFound, "empty", "%s has no commits yet; push a branch first", repo.Name).Because(err)
	case errors.Is(err, git.ErrNoRef), errors.Is(err, git.ErrRefName):
		if ref == "" || ref == "HEAD" {
			return fault.Coded(fault.NotFound, "no-ref", "the default branch %s of %s has no commits yet; name another branch, tag or commit", repo.DefaultBranch, repo.Name).Because(err)
		}
		return fault.Coded(fault.NotFound, "no-ref", "there is no branch, tag or commit %q in %s; its default branch is %s", shown, repo.Name, repo.DefaultBranch).Because(err)
	case errors.Is(err, git.ErrAmbiguous):
		return fault.Coded(fault.Invalid, "ambiguous-ref", "%q is the start of several commits; write more of it", shown).Because(err)
	case errors.Is(err, git.ErrBusy):
		return fault.Coded(fault.Busy, "busy", "the forge is busy; try again in a moment").Because(err)
	case errors.Is(err, git.ErrMissing):
		return fmt.Errorf("the files of repository %d are missing: %w", repo.ID, err)
	}
	return err
}

// now is the time of what is not stored in a transaction.
func (f *Forge) now() time.Time { return f.db.Now() }
