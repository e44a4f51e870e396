package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	"skillforge/internal/sqldb"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// steps are the migrations of this program, current the last one's number,
// and fingerprint what they amount to.
var (
	steps       = mustSteps()
	current     = steps[len(steps)-1].Version
	fingerprint = sqldb.Fingerprint(steps)
)

// applicationID marks a file as ours ("SKFG"). The tables alone do not tell:
// other programs keep maps in tables of the same names.
const applicationID = 0x534b4647

func mustSteps() []sqldb.Migration {
	steps, err := sqldb.Migrations(schemaFiles, "schema")
	if err != nil {
		panic(err) // the files are part of the program
	}
	return steps
}

// SchemaVersion is the number of the newest migration.
func SchemaVersion() int { return current }

// ledger notes migrations in config_schema_versions and in the file's header.
type ledger struct{ now func() time.Time }

func (ledger) Applied(ctx context.Context, tx *sqldb.Tx) ([]int, error) {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'config_schema_versions'`).Scan(&n)
	if err != nil || n == 0 {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT version FROM config_schema_versions WHERE scope = 'kernel' AND owner_id = 'kernel' ORDER BY version`)
	return collect[int](rows, err)
}

func (l ledger) Record(ctx context.Context, tx *sqldb.Tx, m sqldb.Migration) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO config_schema_versions (scope, owner_id, version, description, applied_at)
		VALUES ('kernel', 'kernel', $1, $2, $3)`, m.Version, m.Description, l.now().UnixMilli())
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, m.Version))
	return err
}

// collect reads rows of one column.
func collect[T any](rows *sql.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	var out []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, v)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}
