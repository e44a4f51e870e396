package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm/config"
	"skillforge/internal/sqldb"
)

// Posture says what a caller is about to do, and so what a file of another
// version means to it.
type Posture int

const (
	// Reading goes on with a file of an older version, and Advice says so.
	Reading Posture = iota
	// Writing refuses such a file.
	Writing
	// Scanning brings such a file up to date when a map is saved, and makes a
	// missing one.
	Scanning
)

// Store is an open database. It may be used from many goroutines.
type Store struct {
	path    string
	posture Posture
	before  condition
	db      *sqldb.DB // nil while Scanning has not made the file
	now     func() time.Time
}

// Options of Open. The zero value is right.
type Options struct {
	Now func() time.Time // time.Now when nil
}

// Open opens the database at path.
//
// The fault is NotFound with the code "db-missing" where there is no map (not
// for Scanning), "db-newer" or "db-foreign" for a file that is not ours to
// touch, "db-drift" for one of another version when Writing, "db-corrupt" for
// a damaged one.
func Open(ctx context.Context, path string, posture Posture, opt Options) (*Store, error) {
	s := &Store{path: path, posture: posture, now: opt.Now}
	if s.now == nil {
		s.now = time.Now
	}
	db, err := sqldb.Open(ctx, "sqlite:"+path, sqldb.Options{MustExist: true, ReadOnly: posture == Reading})
	if errors.Is(err, fs.ErrNotExist) {
		if posture == Scanning {
			return s, nil
		}
		return nil, missing(path)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	s.db = db
	if err := s.admit(ctx); err != nil {
		return nil, errors.Join(s.explain(err), db.Close())
	}
	return s, nil
}

// Exists reports whether a file is at path.
func Exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// admit looks at the file and refuses what the posture forbids.
func (s *Store) admit(ctx context.Context) (err error) {
	if s.before, err = inspect(ctx, s.db.Reader()); err != nil {
		return err
	}
	switch drift := s.before.drift(); {
	case drift == Ours:
		return nil
	case drift == Foreign || drift == Newer && (s.posture != Scanning || s.before.schema > current):
		return s.before.refusal(s.path)
	case s.posture == Scanning:
		return nil
	case drift == Fresh:
		return missing(s.path)
	case s.posture == Writing:
		return s.before.refusal(s.path)
	}
	return nil
}

func missing(path string) error {
	return fault.Coded(fault.NotFound, "db-missing", "There is no map yet: %s does not exist. `sm scan` makes it.", path)
}

// Close closes the database.
func (s *Store) Close() error {
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// Path is where the database lies.
func (s *Store) Path() string { return s.path }

// Drift is how the file stood to this program when it was opened.
func (s *Store) Drift() Drift {
	if s.db == nil {
		return Fresh
	}
	return s.before.drift()
}

// Advice is one sentence for a reader of a file of another version, empty for
// one of ours.
func (s *Store) Advice() string { return s.before.sentence(s.path) }

// Tx is a transaction on the store.
type Tx struct {
	*sqldb.Tx
	Now int64 // unix milliseconds, the same all through
}

// Write runs fn in a transaction. The fault has the code "db-drift" when the
// file became one of another version since it was opened.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error {
	if s.db == nil {
		return missing(s.path)
	}
	return s.explain(s.db.Write(ctx, func(tx *sqldb.Tx) error {
		c, err := inspect(ctx, tx)
		if err != nil {
			return err
		}
		if c.drift() != Ours {
			return c.refusal(s.path)
		}
		return fn(&Tx{Tx: tx, Now: s.now().UnixMilli()})
	}))
}

// Read runs fn on the database as it is at one moment. Whoever opened it for
// Writing reads what a write depends on, so a file that became one of another
// version since is refused like by Write.
func (s *Store) Read(ctx context.Context, fn func(*Tx) error) error {
	if s.db == nil {
		return missing(s.path)
	}
	return s.explain(s.db.Read(ctx, func(tx *sqldb.Tx) error {
		if s.posture == Writing {
			if c, err := inspect(ctx, tx); err != nil {
				return err
			} else if c.drift() != Ours {
				return c.refusal(s.path)
			}
		}
		return fn(&Tx{Tx: tx, Now: s.now().UnixMilli()})
	}))
}

// explain gives a database's complaint a sentence for the caller. A fault that
// is one already, and an error that is no database's, stay as they are.
func (s *Store) explain(err error) error { return explain(s.path, err) }

func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	switch sqldb.ProblemOf(err) {
	case sqldb.Corrupt:
		if isOther(path) {
			return fault.Coded(fault.Internal, "db-foreign", "%s is no database of sm. Name another file with --db.", path).Because(err)
		}
		return fault.Coded(fault.Internal, "db-corrupt", "The database %s is damaged. `sm db reset --hard` removes it and `sm scan` makes the map anew; jobs and findings in it are lost unless a copy lies in %s (`sm db restore`).",
			path, filepath.Join(filepath.Dir(path), BackupFolder)).Because(err)
	case sqldb.Busy:
		return fault.Coded(fault.Busy, "db-busy", "Another program has been writing to %s for more than five seconds. Try again when it is done.", path).Because(err)
	case sqldb.ReadOnly, sqldb.CannotOpen:
		return cannotWrite(path, err)
	case sqldb.Full:
		return fault.Coded(fault.Internal, "disk-full", "There is no room left on the disk of %s. Nothing was changed.", path).Because(err)
	case sqldb.Outdated:
		return fault.Coded(fault.Internal, "db-drift", "The tables of the database %s are not those of this version. `sm scan` makes its map anew and keeps jobs and findings.", path).Because(err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return cannotWrite(path, err)
	}
	return err
}

// isOther reports whether a file that is no database was somebody's to begin
// with: it has another name than the program gives, and another beginning than
// a database.
func isOther(path string) bool {
	if filepath.Base(path) == config.DatabaseFile {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, len(sqliteHead))
	_, err = io.ReadFull(f, head)
	return err != nil || string(head) != sqliteHead
}

const sqliteHead = "SQLite format 3\x00"

func cannotWrite(path string, err error) error {
	return fault.Coded(fault.Invalid, "not-writable", "Cannot use the database %s. Check that its folder exists and that you may write there.", path).Because(err)
}
