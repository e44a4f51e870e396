package atlas

import (
	"context"
	"io"
)

// ResetScope says what Reset drops.
type ResetScope string

const (
	ResetScan  ResetScope = "scan"  // what a scan makes again
	ResetState ResetScope = "state" // jobs, findings, summaries and favourites too
	ResetHard  ResetScope = "hard"  // the file itself
)

// TableRows counts the rows of one table.
type TableRows struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Reset empties the database, or with dryRun only counts what it would drop.
// The fault is NotFound, code "db-missing", where there is none.
func (a *Atlas) Reset(ctx context.Context, scope ResetScope, dryRun bool) ([]TableRows, error) {
	return nil, nil
}

// Backup copies the database to path, into .skill-map/backups under the
// moment's name when path is empty, and returns where it went.
func (a *Atlas) Backup(ctx context.Context, path string) (string, error) { return "", nil }

// Restore puts a backup in the database's place; what stood there is backed
// up first. The fault is Invalid for a file that is no map.
func (a *Atlas) Restore(ctx context.Context, path string, dryRun bool) (saved string, err error) {
	return "", nil
}

// Dump writes the database as SQL text, all of it or the named tables.
func (a *Atlas) Dump(ctx context.Context, w io.Writer, tables []string) error { return nil }

// Migration is one step of the schema.
type Migration struct {
	Version     int    `json:"version"`
	Description string `json:"description"`
}

// Migrations says which steps stand and which are missing.
func (a *Atlas) Migrations(ctx context.Context) (applied, pending []Migration, err error) {
	return nil, nil, nil
}

// Migrate applies missing steps up to a version, all of them when to is 0,
// after a backup unless noBackup. It returns what it applied and where the
// backup lies.
func (a *Atlas) Migrate(ctx context.Context, to int, noBackup bool) (applied []Migration, backup string, err error) {
	return nil, "", nil
}

// Health is what a check of the database found.
type Health struct {
	Integrity []string // complaints of SQLite; none when sound
	Version   int      // of the schema
	Drift     string   // one sentence; empty when the schema is ours
	State     []TableRows
}

// CheckDatabase looks the database over. The fault is NotFound, code
// "db-missing", where there is none.
func (a *Atlas) CheckDatabase(ctx context.Context) (*Health, error) { return nil, nil }
