package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"skillforge/internal/sqldb"
)

// saveFirst makes the database with its first map in it. It is written beside
// its place, fast and without a journal, and moved there when it is whole: a
// process that dies leaves no half of it.
func (s *Store) saveFirst(ctx context.Context, m *Map) (Saved, error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return Saved{}, err
	}
	s.sweep()
	done, draft, err := s.draft(ctx, m)
	if draft != "" {
		defer func() { _ = os.Remove(draft) }()
	}
	if err != nil {
		return done, err
	}
	if err := s.settle(draft); err != nil {
		if errors.Is(err, fs.ErrExist) { // somebody else made one meanwhile
			return s.saveOver(ctx, m)
		}
		return done, err
	}
	return done, s.open(ctx)
}

// sweep removes drafts of processes that died.
func (s *Store) sweep() {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), "."+filepath.Base(s.path)+".new-*"))
	if err != nil {
		return // a path with signs of a pattern: they stay
	}
	for _, f := range left {
		if info, err := os.Stat(f); err == nil && s.now().Sub(info.ModTime()) > time.Hour {
			_ = os.Remove(f)
		}
	}
}

// draft writes the database beside its place.
func (s *Store) draft(ctx context.Context, m *Map) (done Saved, path string, err error) {
	f, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".new-*")
	if err != nil {
		return Saved{}, "", err
	}
	path = f.Name()
	if err := f.Close(); err != nil {
		return Saved{}, path, err
	}
	db, err := sqldb.Open(ctx, "sqlite:"+path, sqldb.Options{Scratch: true})
	if err != nil {
		return Saved{}, path, err
	}
	v := &saver{m: m, now: s.now().UnixMilli()}
	_, err = db.Migrate(ctx, steps, ledger{s.now}, 0)
	if err == nil {
		err = db.Write(ctx, func(tx *sqldb.Tx) error {
			v.tx = tx
			return v.save(ctx)
		})
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return v.done, path, fmt.Errorf("write the first map: %w", err)
	}
	return v.done, path, flush(path)
}

// flush makes sure the file is on the disk before it gets its name.
func flush(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// settle gives the draft its name, unless a database has it. An empty file
// there is none.
func (s *Store) settle(draft string) error {
	if info, err := os.Stat(s.path); err == nil && info.Size() == 0 {
		if s.db != nil {
			_ = s.db.Close() // nothing was written through it
			s.db = nil
		}
		return os.Rename(draft, s.path)
	}
	err := os.Link(draft, s.path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(draft, s.path) // a file system without links
}

// saveOver saves into a database that appeared while the draft was written.
func (s *Store) saveOver(ctx context.Context, m *Map) (Saved, error) {
	if err := s.open(ctx); err != nil {
		return Saved{}, err
	}
	if s.before.drift() == Fresh {
		return Saved{}, fmt.Errorf("the database %s keeps vanishing", s.path)
	}
	m.Anew = true
	return s.Save(ctx, m)
}

// open opens the file that is there now.
func (s *Store) open(ctx context.Context) error {
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			return err
		}
		s.db = nil
	}
	db, err := sqldb.Open(ctx, "sqlite:"+s.path, sqldb.Options{MustExist: true})
	if err != nil {
		return err
	}
	s.db = db
	return s.admit(ctx)
}
