package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sqldb"
)

// BackupFolder is where copies of the database go, beside it.
const BackupFolder = "backups"

// Backup copies the database to path, or under the moment's name into
// BackupFolder when path is empty, and returns where it went. The copy is one
// moment's, whoever writes meanwhile. The fault is Conflict for a path that is
// taken.
func (s *Store) Backup(ctx context.Context, path string) (string, error) {
	if s.db == nil {
		return "", missing(s.path)
	}
	if path == "" {
		path = s.backupName()
	} else if _, err := os.Stat(path); err == nil {
		return "", fault.New(fault.Conflict, "%s exists already; name another file.", path)
	}
	return path, s.explain(s.copyTo(ctx, path))
}

func (s *Store) backupName() string {
	stamp := s.now().UTC().Format("20060102T150405.000Z")
	folder := filepath.Join(filepath.Dir(s.path), BackupFolder)
	path := filepath.Join(folder, stamp+".db")
	for n := 2; ; n++ {
		if _, err := os.Stat(path); err != nil {
			return path
		}
		path = filepath.Join(folder, fmt.Sprintf("%s-%d.db", stamp, n))
	}
}

// copyTo writes a copy for its owner alone, whole or not at all.
func (s *Store) copyTo(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // gone after the rename
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := s.db.Writer().ExecContext(ctx, `VACUUM INTO $1`, f.Name()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Restore puts the copy at from in the place of the database at path. What
// stands there is backed up first, as far as it can be read, and saved says
// where. With dryRun the copy is only looked at. The fault is NotFound for no
// file at from, Invalid for one that is no map of ours.
func Restore(ctx context.Context, path, from string, dryRun bool, opt Options) (saved string, err error) {
	if err := restorable(ctx, from); err != nil || dryRun {
		return "", err
	}
	if saved, err = setAside(ctx, path, opt); err != nil {
		return "", explain(path, err)
	}
	draft := path + ".restoring"
	defer func() { _ = os.Remove(draft) }() // gone after the rename
	if err := copyFile(from, draft); err != nil {
		return saved, explain(path, err)
	}
	// The journal goes first: it belongs to the file that goes.
	if err := removeAll(path+"-wal", path+"-shm"); err != nil {
		return saved, explain(path, err)
	}
	return saved, explain(path, os.Rename(draft, path))
}

// restorable is a fault when the file is no map that this program can use.
func restorable(ctx context.Context, from string) error {
	db, err := sqldb.Open(ctx, "sqlite:"+from, sqldb.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "There is no file %s to restore from.", from)
	}
	if err != nil {
		return explain(from, err)
	}
	defer func() { _ = db.Close() }()
	c, err := inspect(ctx, db.Reader())
	if err != nil {
		return fault.New(fault.Invalid, "%s is no database.", from).Because(err)
	}
	if d := c.drift(); d == Foreign || d == Newer || d == Fresh {
		return fault.New(fault.Invalid, "%s is not a map that this program can use.", from)
	}
	if complaints, err := integrity(ctx, db, "quick_check"); err != nil || len(complaints) > 0 {
		return fault.New(fault.Invalid, "The copy %s is damaged itself.", from).Because(err)
	}
	return nil
}

// setAside backs up what stands at path. What cannot be opened is moved.
func setAside(ctx context.Context, path string, opt Options) (string, error) {
	if !Exists(path) {
		return "", nil
	}
	s, err := Open(ctx, path, Scanning, opt)
	if err == nil {
		saved, err := s.Backup(ctx, "")
		if err := errors.Join(err, s.Close()); err == nil {
			return saved, nil
		}
	}
	damaged := fmt.Sprintf("%s.damaged-%s", path, time.Now().UTC().Format("20060102T150405Z"))
	return damaged, os.Rename(path, damaged)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// TableRows counts the rows of one table.
type TableRows struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Zone selects tables by what they are for.
type Zone func(table string) bool

// ScanZone is what a scan makes again, StateZone what belongs to the user.
func ScanZone(table string) bool {
	return strings.HasPrefix(table, "scan_") || table == "node_enrichments"
}

// StateZone is what belongs to the user.
func StateZone(table string) bool { return strings.HasPrefix(table, "state_") }

// Count counts the rows of the tables of some zones.
func (s *Store) Count(ctx context.Context, zones ...Zone) (out []TableRows, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		out, err = tx.count(ctx, zones)
		return err
	})
	return out, err
}

func (tx *Tx) count(ctx context.Context, zones []Zone) ([]TableRows, error) {
	all, err := tables(ctx, tx)
	if err != nil {
		return nil, err
	}
	out := []TableRows{}
	for _, t := range all {
		if !slices.ContainsFunc(zones, func(z Zone) bool { return z(t) }) {
			continue
		}
		row := TableRows{Name: t}
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+quote(t)).Scan(&row.Rows); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// Clear deletes the rows of the tables of some zones and returns how many
// there were in each.
func (s *Store) Clear(ctx context.Context, zones ...Zone) (out []TableRows, err error) {
	if s.db == nil {
		return nil, missing(s.path)
	}
	err = s.db.Write(ctx, func(base *sqldb.Tx) error {
		tx := &Tx{Tx: base}
		g, err := cached(ctx, tx, cacheGeneration)
		if err != nil {
			return err
		}
		if out, err = tx.count(ctx, zones); err != nil {
			return err
		}
		for _, t := range out {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+quote(t.Name)); err != nil {
				return err
			}
		}
		if err := remember(ctx, base, cacheGeneration, g); err != nil { // it only ever grows
			return err
		}
		return bump(ctx, base)
	})
	if err != nil {
		return nil, s.explain(err)
	}
	_, err = s.db.Writer().ExecContext(ctx, `VACUUM`)
	return out, s.explain(err)
}

// Remove deletes the database at path with its companions.
func Remove(path string) error {
	return explain(path, removeAll(path+"-wal", path+"-shm", path))
}

// Dump writes the database as SQL text, or only some of its tables. The rows
// of scan_cache are left out unless it is named: they mean nothing to others.
// The fault is NotFound for a table that is none.
func (s *Store) Dump(ctx context.Context, w io.Writer, only []string) error {
	return s.Read(ctx, func(tx *Tx) error {
		all, err := tables(ctx, tx)
		if err != nil {
			return err
		}
		for _, t := range only {
			if !slices.Contains(all, t) {
				return fault.New(fault.NotFound, "There is no table %s; the tables are %s.", t, strings.Join(all, ", "))
			}
		}
		out := bufio.NewWriter(w)
		fmt.Fprintf(out, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\nBEGIN TRANSACTION;\n", applicationID, current)
		for _, t := range all {
			if len(only) > 0 && !slices.Contains(only, t) {
				continue
			}
			if err := tx.dumpTable(ctx, out, t, slices.Contains(only, t)); err != nil {
				return fmt.Errorf("dump %s: %w", t, err)
			}
		}
		fmt.Fprint(out, "COMMIT;\n")
		return out.Flush()
	})
}

func (tx *Tx) dumpTable(ctx context.Context, w *bufio.Writer, table string, asked bool) error {
	rows, err := tx.QueryContext(ctx, `SELECT sql FROM sqlite_schema WHERE tbl_name = $1 AND sql IS NOT NULL ORDER BY type DESC, name`, table)
	texts, err := collect[string](rows, err)
	if err != nil {
		return err
	}
	for _, t := range texts {
		fmt.Fprintf(w, "%s;\n", t)
	}
	if table == "scan_cache" && !asked {
		return nil
	}
	names, err := columns(ctx, tx.Tx, table)
	if err != nil {
		return err
	}
	for i, n := range names {
		names[i] = "quote(" + quote(n) + ")"
	}
	lines, err := tx.QueryContext(ctx, `SELECT `+strings.Join(names, " || ',' || ")+` FROM `+quote(table)+` ORDER BY rowid`)
	if err != nil {
		return err
	}
	for lines.Next() {
		var values string
		if err := lines.Scan(&values); err != nil {
			return errors.Join(err, lines.Close())
		}
		fmt.Fprintf(w, "INSERT INTO %s VALUES(%s);\n", quote(table), values)
	}
	return errors.Join(lines.Err(), lines.Close())
}

// Migrations says which steps of the schema stand and which are missing.
func (s *Store) Migrations(ctx context.Context) (applied, pending []sqldb.Migration, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		versions, err := ledger{}.Applied(ctx, tx.Tx)
		for _, m := range steps {
			if slices.Contains(versions, m.Version) {
				applied = append(applied, m)
			} else {
				pending = append(pending, m)
			}
		}
		return err
	})
	return applied, pending, err
}

// Migrate applies missing steps up to a version, all when to is 0, after a
// backup unless noBackup. It returns what it applied and where the backup is.
func (s *Store) Migrate(ctx context.Context, to int, noBackup bool) (applied []sqldb.Migration, backup string, err error) {
	_, pending, err := s.Migrations(ctx)
	if err != nil || len(pending) == 0 || to > 0 && pending[0].Version > to {
		return nil, "", err
	}
	if !noBackup {
		backup = filepath.Join(filepath.Dir(s.path), BackupFolder, fmt.Sprintf("map-pre-migrate-v%d.db", s.before.schema))
		if err := s.copyTo(ctx, backup); err != nil {
			return nil, "", s.explain(err)
		}
	}
	was := sqldb.Fingerprint(steps[:len(steps)-len(pending)])
	if applied, err = s.db.Migrate(ctx, steps, ledger{s.now}, to); err != nil {
		return applied, backup, s.explain(err)
	}
	now := sqldb.Fingerprint(steps[:len(steps)-len(pending)+len(applied)])
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error { // tables that were ours are ours still
		_, err := tx.ExecContext(ctx, `UPDATE scan_meta SET schema_fingerprint = $1 WHERE schema_fingerprint = $2`, now, was)
		return err
	})
	return applied, backup, s.explain(err)
}

// Health is what a check of the database found.
type Health struct {
	Integrity []string // complaints of SQLite; none when it is sound
	Version   int      // of the schema
	Drift     string   // one sentence; empty when the tables are ours
	State     []TableRows
}

// Check looks the whole database over.
func (s *Store) Check(ctx context.Context) (*Health, error) {
	if s.db == nil {
		return nil, missing(s.path)
	}
	h := &Health{Version: s.before.schema, Drift: s.Advice()}
	var err error
	if h.Integrity, err = integrity(ctx, s.db, "integrity_check"); err != nil {
		return nil, s.explain(err)
	}
	h.State, err = s.Count(ctx, StateZone)
	return h, err
}

func integrity(ctx context.Context, db *sqldb.DB, pragma string) ([]string, error) {
	rows, err := db.Reader().QueryContext(ctx, `PRAGMA `+pragma)
	lines, err := collect[string](rows, err)
	if sqldb.ProblemOf(err) == sqldb.Corrupt {
		return []string{err.Error()}, nil
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "ok" }), err
}
