package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/sqldb"
)

// bringUp makes a file of another version one of ours before a map is saved
// in it, and notes in v what it did.
func (s *Store) bringUp(ctx context.Context, v *saver) error {
	switch s.before.drift() {
	case Ours:
		return nil
	case Older:
		if s.before.schema < current {
			return s.rise(ctx, v)
		}
		v.m.Anew = true // our tables, filled by an older program
		return nil
	case Newer: // our tables, filled by a newer program
		v.m.Anew = true
		return nil
	}
	return s.rebuild(ctx, v)
}

// rise applies the migrations that are missing, after a backup.
func (s *Store) rise(ctx context.Context, v *saver) error {
	backup := filepath.Join(filepath.Dir(s.path), BackupFolder, fmt.Sprintf("map-pre-migrate-v%d.db", s.before.schema))
	if err := s.copyTo(ctx, backup); err != nil {
		return fmt.Errorf("back up before migrating: %w", err)
	}
	v.done.Backup, v.done.Rebuilt, v.m.Anew = backup, true, true
	if _, err := s.db.Migrate(ctx, steps, ledger{s.now}, 0); err != nil {
		return s.rebuild(ctx, v) // not the steps we know: make the tables ourselves
	}
	return s.look(ctx)
}

// look notes the condition of the file as it is now.
func (s *Store) look(ctx context.Context) (err error) {
	s.before, err = inspect(ctx, s.db.Reader())
	return err
}

// rebuild makes all tables anew and carries over what belongs to the user, in
// one transaction. When there is any, the file is backed up first.
func (s *Store) rebuild(ctx context.Context, v *saver) error {
	v.done.Rebuilt, v.m.Anew = true, true
	holds, err := holdsState(ctx, s.db)
	if err != nil {
		return err
	}
	if holds && v.done.Backup == "" {
		if v.done.Backup, err = s.Backup(ctx, ""); err != nil {
			return fmt.Errorf("back up before making the tables anew: %w", err)
		}
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error { return remake(ctx, tx, ledger{s.now}) })
	if err != nil {
		return fmt.Errorf("make the tables anew: %w", err)
	}
	return s.look(ctx)
}

// tables lists the tables of a database without SQLite's own.
func tables(ctx context.Context, q querier) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	return collect[string](rows, err)
}

// isTheUsers reports whether the rows of a table cannot be made again.
func isTheUsers(table string) bool {
	return strings.HasPrefix(table, "state_") || table == "config_preferences"
}

func holdsState(ctx context.Context, db *sqldb.DB) (bool, error) {
	all, err := tables(ctx, db.Reader())
	if err != nil {
		return false, err
	}
	for _, t := range all {
		if !isTheUsers(t) {
			continue
		}
		var holds bool
		if err := db.Reader().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+quote(t)+`)`).Scan(&holds); err != nil || holds {
			return holds, err
		}
	}
	return false, nil
}

const aside = "old_of_"

func remake(ctx context.Context, tx *sqldb.Tx, l ledger) error {
	all, err := tables(ctx, tx)
	if err != nil {
		return err
	}
	if err := dropAround(ctx, tx); err != nil {
		return err
	}
	var carried []string
	for _, t := range all {
		query := `DROP TABLE ` + quote(t)
		if isTheUsers(t) {
			query = `ALTER TABLE ` + quote(t) + ` RENAME TO ` + quote(aside+t)
			carried = append(carried, t)
		}
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	for _, m := range steps {
		if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
			return err
		}
		if err := l.Record(ctx, tx, m); err != nil {
			return err
		}
	}
	for _, t := range carried {
		if err := carry(ctx, tx, t); err != nil {
			return fmt.Errorf("carry over %s: %w", t, err)
		}
	}
	return nil
}

// dropAround drops what hangs on the tables and would keep its name.
func dropAround(ctx context.Context, tx *sqldb.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT type || ' ' || '"' || replace(name, '"', '""') || '"' FROM sqlite_schema
		WHERE type IN ('index', 'trigger', 'view') AND sql IS NOT NULL`)
	all, err := collect[string](rows, err)
	if err != nil {
		return err
	}
	for _, thing := range all {
		if _, err := tx.ExecContext(ctx, `DROP `+thing); err != nil {
			return err
		}
	}
	return nil
}

// carry copies the rows of a table that was set aside, as far as the new one
// has their columns.
func carry(ctx context.Context, tx *sqldb.Tx, table string) error {
	old, err := columns(ctx, tx, aside+table)
	if err != nil {
		return err
	}
	now, err := columns(ctx, tx, table)
	if err != nil {
		return err
	}
	var both []string
	for _, c := range now {
		if slices.Contains(old, c) {
			both = append(both, quote(c))
		}
	}
	if list := strings.Join(both, ", "); list != "" {
		query := fmt.Sprintf(`INSERT OR IGNORE INTO %s (%s) SELECT %[2]s FROM %[3]s`, quote(table), list, quote(aside+table))
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, `DROP TABLE `+quote(aside+table))
	return err
}

func columns(ctx context.Context, tx *sqldb.Tx, table string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name FROM pragma_table_info($1)`, table)
	return collect[string](rows, err)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
