package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sqldb"
)

// Drift says how a file relates to this program.
type Drift int

// From best to worst.
const (
	Ours    Drift = iota // made by this version, or one that makes the same
	Fresh                // holds nothing yet
	Older                // made by an older version; a scan brings it up to date
	Altered              // of our version, but not as we make it
	Newer                // made by a newer version: hands off
	Foreign              // made by another program: hands off
)

// condition is what a file says of its origin.
type condition struct {
	application int64
	schema      int
	tables      int
	scanned     bool // a scan was kept in it
	by          string
	prints      string
}

// querier is a connection or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func inspect(ctx context.Context, q querier) (condition, error) {
	var c condition
	err := q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&c.application, &c.schema, &c.tables)
	if err != nil || c.tables == 0 {
		return c, err
	}
	var print sql.NullString
	err = q.QueryRowContext(ctx, `SELECT scanned_by_version, schema_fingerprint FROM scan_meta WHERE id = 1`).Scan(&c.by, &print)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return c, nil
	case sqldb.ProblemOf(err) == sqldb.Outdated: // of a shape we do not know
		return c, nil
	case err != nil:
		return c, err
	}
	c.scanned, c.prints = true, print.String
	return c, nil
}

// drift judges the condition.
func (c condition) drift() Drift {
	switch {
	case c.tables == 0:
		return Fresh
	case c.application != applicationID:
		return Foreign
	case c.schema > current:
		return Newer
	case c.schema < current:
		return Older
	case !c.scanned:
		return Ours
	case c.prints != fingerprint:
		return Altered
	}
	return compareVersions(c.by, sm.Version)
}

// compareVersions judges a file by the program that scanned last: another
// major version, or a newer minor one, may mean other things by the same rows.
func compareVersions(by, ours string) Drift {
	a, okA := majorMinor(by)
	b, okB := majorMinor(ours)
	switch {
	case !okA || !okB || a == b:
		return Ours
	case a[0] > b[0] || a[0] == b[0] && a[1] > b[1]:
		return Newer
	}
	return Older
}

func majorMinor(v string) (out [2]int, ok bool) {
	parts := strings.SplitN(v, ".", 3)
	if len(parts) < 2 {
		return out, false
	}
	for i := range out {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return out, false
		}
		out[i] = n
	}
	return out, true
}

// sentence says what is the matter, empty for a file of ours.
func (c condition) sentence(path string) string {
	switch c.drift() {
	case Older:
		return fmt.Sprintf("The database %s was made by an older version. `sm scan` brings it up to date.", path)
	case Altered:
		return fmt.Sprintf("The tables of the database %s are not those of this version. `sm scan` makes its map anew and keeps jobs and findings.", path)
	case Newer:
		return fmt.Sprintf("The database %s was made by a newer version of this program. Update this one, or move the file away.", path)
	case Foreign:
		return fmt.Sprintf("The file %s was made by another program. Move it away, or name another file with --db.", path)
	}
	return ""
}

// refusal is the fault of a posture that a file in this condition stops.
func (c condition) refusal(path string) error {
	code := "db-drift"
	switch c.drift() {
	case Newer:
		code = "db-newer"
	case Foreign:
		code = "db-foreign"
	}
	return fault.Coded(fault.Internal, code, "%s", c.sentence(path))
}
