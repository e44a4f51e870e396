package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/sqldb"
)

// saveFirst makes the database with its first map in it. It is written beside
// its place, fast and without a journal, and moved there when it is whole: a
// process that dies leaves no half of it.
func (s *Store) saveFirst(ctx context.Context, m *Map) (Saved, error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return Saved{}, err
	}
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

// abandoned is how long nobody has written to a draft whose process died.
const abandoned = time.Hour

// sweep removes drafts of processes that died.
func (s *Store) sweep() {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), "."+filepath.Base(s.path)+".new-*"))
	if err != nil {
		return // a path with signs of a pattern: they stay
	}
	for _, f := range left {
		if info, err := os.Stat(f); err == nil && s.now().Sub(info.ModTime()) > abandoned {
			_ = os.Remove(f)
		}
	}
}

// draft writes the database beside its place: the large tables in bulk where
// that can be done, the rest with statements.
func (s *Store) draft(ctx context.Context, m *Map) (done Saved, path string, err error) {
	done, path, err = s.draftOnce(ctx, m, true)
	if errors.Is(err, sqldb.ErrBulk) {
		if err := os.Remove(path); err != nil {
			return done, "", err
		}
		done, path, err = s.draftOnce(ctx, m, false)
	}
	if err != nil {
		return done, path, fmt.Errorf("write the first map: %w", err)
	}
	return done, path, flush(path)
}

func (s *Store) draftOnce(ctx context.Context, m *Map, bulk bool) (done Saved, path string, err error) {
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
	v := &saver{m: m, now: s.now().UnixMilli(), bulk: bulk && m.isSound()}
	var wait sync.WaitGroup
	if v.bulk {
		wait.Go(v.digest)
	}
	_, err = db.Migrate(ctx, steps, ledger{s.now}, 0)
	wait.Wait()
	if err == nil {
		err = db.Write(ctx, func(tx *sqldb.Tx) error {
			v.tx = tx
			return v.save(ctx)
		})
	}
	if err := errors.Join(err, db.Close()); err != nil || !v.bulk {
		return v.done, path, err
	}
	return v.done, path, sqldb.Bulk(ctx, path, v.rows())
}

// isSound reports whether the tables would take the map. Nothing else checks
// what is written in bulk; statements name what is wrong.
func (m *Map) isSound() bool {
	for i := range m.Result.Links {
		l := &m.Result.Links[i]
		switch l.Kind {
		case skillmap.Invokes, skillmap.References, skillmap.Mentions, skillmap.Points:
		default:
			return false
		}
		if !(l.Confidence >= 0 && l.Confidence <= 1) {
			return false
		}
	}
	return !slices.ContainsFunc(m.Result.Issues, func(i skillmap.Issue) bool { return i.Severity.Rank() == 0 })
}

// rows are those of the large tables, for a bulk.
func (v *saver) rows() []sqldb.Rows {
	out := make([]sqldb.Rows, len(lists), len(lists)+1)
	for which, l := range lists {
		ids := v.new.lists[which].ids
		out[which] = sqldb.Rows{
			Table: l.table, Count: len(ids),
			ID: func(i int) int64 { return ids[i] },
			Row: func(i int, r *sqldb.Record) {
				if which != nodes {
					r.Null() // the number by another name
				}
				v.fill(which, &row{record: r}, i)
			},
			Key: func(i int, column string) (string, bool) { return v.key(which, i, column) },
		}
	}
	return append(out, sqldb.Rows{
		Table: "scan_cache", Count: len(v.kept),
		ID: func(i int) int64 { return int64(i + 1) },
		Row: func(i int, r *sqldb.Record) {
			r.Text(v.kept[i].name)
			r.Last(v.kept[i].text())
		},
		Key: func(i int, _ string) (string, bool) { return v.kept[i].name, true },
	})
}

// key is the value of an indexed column, false for NULL.
func (v *saver) key(which, i int, column string) (string, bool) {
	var text string
	switch which {
	case nodes:
		n := &v.m.Result.Nodes[i]
		switch column {
		case "path":
			text = n.Path
		case "kind":
			text = n.Kind
		case "provider":
			text = n.Provider
		case "body_hash":
			text = n.BodyHash
		case "sidecar_status":
			if n.Sidecar.Status == nil {
				return "", false
			}
			text = *n.Sidecar.Status
		}
	case links:
		l := &v.m.Result.Links[i]
		switch column {
		case "source_path":
			text = l.Source
		case "target_path":
			text = l.Target
		case "normalized_trigger":
			return l.Normalized(), l.Trigger != nil
		case "resolved_target":
			return l.ResolvedTarget, l.ResolvedTarget != ""
		}
	case issues:
		is := &v.m.Result.Issues[i]
		if text = string(is.Severity); column == "analyzer_id" {
			text = is.AnalyzerID
		}
	}
	return text, true
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
