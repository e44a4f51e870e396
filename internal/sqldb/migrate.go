package sqldb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Migration is one step of a schema. Steps only go up, and one that was
// released is never edited.
type Migration struct {
	Version     int
	Description string
	SQL         string
}

// Migrations reads the steps in a folder: files such as
// "001_first_tables.sql", in order of their numbers. Two files of one number
// are an error.
func Migrations(fsys fs.FS, dir string) ([]Migration, error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.sql"))
	if err != nil {
		return nil, err
	}
	steps := make([]Migration, 0, len(names))
	for _, name := range names {
		m, err := migration(fsys, name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, m)
	}
	sort.Slice(steps, func(i, j int) bool { return steps[i].Version < steps[j].Version })
	for i := 1; i < len(steps); i++ {
		if steps[i].Version == steps[i-1].Version {
			return nil, fmt.Errorf("two migrations have the number %d", steps[i].Version)
		}
	}
	return steps, nil
}

func migration(fsys fs.FS, name string) (Migration, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return Migration{}, err
	}
	number, rest, ok := strings.Cut(strings.TrimSuffix(path.Base(name), ".sql"), "_")
	version, err := strconv.Atoi(number)
	if !ok || err != nil || version < 1 {
		return Migration{}, fmt.Errorf("migration %s is not named NNN_what_it_does.sql", name)
	}
	return Migration{Version: version, Description: strings.ReplaceAll(rest, "_", " "), SQL: string(text)}, nil
}

// Fingerprint is a digest of the steps: two programs with the same one make
// the same schema.
func Fingerprint(steps []Migration) string {
	h := sha256.New()
	for _, m := range steps {
		fmt.Fprintf(h, "%d\x00%s\x00%d\x00%s", m.Version, m.Description, len(m.SQL), m.SQL)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Ledger remembers which steps stand. Each program keeps its own.
type Ledger interface {
	// Applied lists the versions that stand, none where there is no ledger yet.
	Applied(ctx context.Context, tx *Tx) ([]int, error)
	// Record notes a step that was just applied.
	Record(ctx context.Context, tx *Tx, m Migration) error
}

// Migrate applies the steps that are missing, up to a version or all of them
// when to is 0, each in a transaction with its line in the ledger. It returns
// those it applied.
func (db *DB) Migrate(ctx context.Context, steps []Migration, ledger Ledger, to int) ([]Migration, error) {
	var done []Migration
	for _, m := range steps {
		if to > 0 && m.Version > to {
			break
		}
		applied, err := db.step(ctx, m, ledger)
		if err != nil {
			return done, fmt.Errorf("migrate to %d (%s): %w", m.Version, m.Description, err)
		}
		if applied {
			done = append(done, m)
		}
	}
	return done, nil
}

// step applies m unless it stands. It looks inside the transaction, because
// another process may migrate at the same time.
func (db *DB) step(ctx context.Context, m Migration, ledger Ledger) (applied bool, err error) {
	err = db.Write(ctx, func(tx *Tx) error {
		if err := tx.lockSchema(ctx); err != nil {
			return err
		}
		standing, err := ledger.Applied(ctx, tx)
		if err != nil || slices.Contains(standing, m.Version) {
			return err
		}
		if _, err := tx.ExecContext(ctx, m.SQL); err != nil {
			return err
		}
		applied = true
		return ledger.Record(ctx, tx, m)
	})
	return applied && err == nil, err
}

// lockSchema lets one process migrate at a time. A SQLite transaction that
// writes is alone already.
func (tx *Tx) lockSchema(ctx context.Context) error {
	if tx.Engine != Postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(7265910)`)
	return err
}
