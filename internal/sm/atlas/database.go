package atlas

import (
	"context"
	"errors"
	"io"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sm/store"
	"skillforge/internal/sqldb"
)

// ResetScope says what Reset drops.
type ResetScope string

// From least to most.
const (
	ResetScan  ResetScope = "scan"  // what a scan makes again
	ResetState ResetScope = "state" // jobs, findings, summaries and favourites too
	ResetHard  ResetScope = "hard"  // the file itself
)

// TableRows counts the rows of one table.
type TableRows = store.TableRows

// with runs fn on the open database.
func (a *Atlas) with(ctx context.Context, p store.Posture, fn func(*store.Store) error) error {
	if !a.Exists() {
		p = store.Reading // says that there is none
	}
	s, err := a.open(ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.Close())
}

// Reset empties the database, or with dryRun only counts what it would drop.
// A database that cannot be read can still be reset hard; then no rows are
// counted. The fault is NotFound, code "db-missing", where there is none, and
// has the code "db-foreign" for a file that is not ours to delete.
func (a *Atlas) Reset(ctx context.Context, scope ResetScope, dryRun bool) ([]TableRows, error) {
	release, err := a.turn(ctx, false)
	if err != nil {
		return nil, err
	}
	defer release()
	zones := []store.Zone{store.ScanZone}
	if scope != ResetScan {
		zones = append(zones, store.StateZone)
	}
	rows, err := a.reset(ctx, scope, zones, dryRun)
	if err != nil || dryRun {
		return rows, err
	}
	a.memory = memory{}
	a.Log(sm.Operation{Op: "db.reset", Target: "*", Channel: sm.CLI, Outcome: "ok", Detail: "scope=" + string(scope)})
	return rows, nil
}

func (a *Atlas) reset(ctx context.Context, scope ResetScope, zones []store.Zone, dryRun bool) (rows []TableRows, err error) {
	count := dryRun || scope == ResetHard
	err = a.with(ctx, store.Scanning, func(s *store.Store) error {
		if count {
			rows, err = s.Count(ctx, zones...)
		} else {
			rows, err = s.Clear(ctx, zones...)
		}
		return err
	})
	if code := fault.Code(err); scope != ResetHard || code == "db-missing" || code == "db-foreign" {
		return rows, err
	}
	if err != nil {
		rows = []TableRows{} // nobody can count what cannot be read
	}
	if dryRun {
		return rows, nil
	}
	return rows, errors.Join(a.release(), store.Remove(a.database))
}

// Backup copies the database to path, into .skill-map/backups under the
// moment's name when path is empty, and returns where it went.
func (a *Atlas) Backup(ctx context.Context, path string) (to string, err error) {
	err = a.with(ctx, store.Scanning, func(s *store.Store) error {
		to, err = s.Backup(ctx, path)
		return err
	})
	return to, err
}

// Restore puts a backup in the database's place; what stood there is backed
// up first. With dryRun the backup is only looked at. The fault is NotFound for
// no file, Invalid for one that is no map of ours.
func (a *Atlas) Restore(ctx context.Context, path string, dryRun bool) (saved string, err error) {
	release, err := a.turn(ctx, false)
	if err != nil {
		return "", err
	}
	defer release()
	saved, err = store.Restore(ctx, a.database, path, dryRun, store.Options{Now: a.now})
	if err != nil || dryRun {
		return saved, err
	}
	a.Log(sm.Operation{Op: "db.restore", Target: "*", Channel: sm.CLI, Outcome: "ok"})
	return saved, a.release()
}

// Dump writes the database as SQL text, all of it or the named tables. The
// fault is NotFound for a table that is none.
func (a *Atlas) Dump(ctx context.Context, w io.Writer, tables []string) error {
	return a.with(ctx, store.Reading, func(s *store.Store) error { return s.Dump(ctx, w, tables) })
}

// Migration is one step of the schema.
type Migration struct {
	Version     int    `json:"version"`
	Description string `json:"description"`
}

func migrations(steps []sqldb.Migration) []Migration {
	out := []Migration{}
	for _, m := range steps {
		out = append(out, Migration{m.Version, m.Description})
	}
	return out
}

// Migrations says which steps of the schema stand and which are missing.
func (a *Atlas) Migrations(ctx context.Context) (applied, pending []Migration, err error) {
	err = a.with(ctx, store.Reading, func(s *store.Store) error {
		done, missing, err := s.Migrations(ctx)
		applied, pending = migrations(done), migrations(missing)
		return err
	})
	return applied, pending, err
}

// Migrate applies missing steps up to a version, all of them when to is 0,
// after a backup unless noBackup. It returns what it applied and where the
// backup lies.
func (a *Atlas) Migrate(ctx context.Context, to int, noBackup bool) (applied []Migration, backup string, err error) {
	err = a.with(ctx, store.Scanning, func(s *store.Store) error {
		done, saved, err := s.Migrate(ctx, to, noBackup)
		applied, backup = migrations(done), saved
		return err
	})
	if err == nil && len(applied) > 0 {
		a.Log(sm.Operation{Op: "db.migrate", Target: "*", Channel: sm.CLI, Outcome: "ok", Detail: "applied=" + itoa(len(applied))})
	}
	return applied, backup, err
}

// Health is what a check of the database found.
type Health = store.Health

// CheckDatabase looks the database over. The fault is NotFound, code
// "db-missing", where there is none.
func (a *Atlas) CheckDatabase(ctx context.Context) (h *Health, err error) {
	err = a.with(ctx, store.Reading, func(s *store.Store) error {
		h, err = s.Check(ctx)
		return err
	})
	return h, err
}
