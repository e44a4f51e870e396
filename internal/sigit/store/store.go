package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"skillforge/internal/fault"
	"skillforge/internal/sqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// DB is the forge's database. It may be used from many goroutines.
type DB struct {
	db  *sqldb.DB
	d   dialect
	now func() time.Time
}

// Option changes how a DB works.
type Option func(*DB)

// WithClock makes the DB read the time from now.
func WithClock(now func() time.Time) Option { return func(db *DB) { db.now = now } }

// Open opens the database that the address names, "sqlite:PATH" or
// "postgres://…", and brings its tables to this version, one process at a time.
func Open(ctx context.Context, address string, options ...Option) (*DB, error) {
	db, err := sqldb.Open(ctx, address, sqldb.Options{})
	if err != nil {
		return nil, err
	}
	s := &DB{db: db, d: dialectOf(db.Engine()), now: time.Now}
	for _, o := range options {
		o(s)
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// steps are the migrations in the engine's words.
func (db *DB) steps() ([]sqldb.Migration, error) {
	steps, err := sqldb.Migrations(migrations, "migrations")
	for i := range steps {
		steps[i].SQL = db.d.render(steps[i].SQL)
	}
	return steps, err
}

func (db *DB) migrate(ctx context.Context) error {
	steps, err := db.steps()
	if err != nil {
		return err
	}
	if _, err := db.db.Migrate(ctx, steps, ledger{}, 0); err != nil {
		return fmt.Errorf("bring the forge's tables to this version: %w", err)
	}
	return nil
}

// ledger remembers the migrations that stand in a table of its own.
type ledger struct{}

func (ledger) Applied(ctx context.Context, tx *sqldb.Tx) ([]int, error) {
	_, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, description TEXT NOT NULL, at BIGINT NOT NULL)`)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT version FROM migrations`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []int
	for rows.Next() {
		var version int
		if err := rows.Scan(&version); err != nil {
			return nil, err
		}
		list = append(list, version)
	}
	return list, rows.Err()
}

func (ledger) Record(ctx context.Context, tx *sqldb.Tx, m sqldb.Migration) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (version, description, at) VALUES ($1, $2, $3)`, m.Version, m.Description, time.Now().UnixMicro())
	return err
}

// Close closes the database. Transactions under way end first.
func (db *DB) Close() error { return db.db.Close() }

// Engine is "sqlite" or "postgres".
func (db *DB) Engine() string { return db.d.name }

// Name is where the database is; it holds no password.
func (db *DB) Name() string { return db.db.Name() }

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return db.Read(ctx, func(tx *Tx) error {
		var n int
		return tx.one(ctx, nil, []any{&n}, `SELECT COUNT(*) FROM migrations`)
	})
}

// Tx is one transaction with one time. It belongs to the goroutine that got it.
type Tx struct {
	tx  *sql.Tx
	d   dialect
	now time.Time
}

// Now is the time of everything that the transaction does.
func (tx *Tx) Now() time.Time { return tx.now }

// Read runs f on one consistent view of the database.
func (db *DB) Read(ctx context.Context, f func(*Tx) error) error {
	return db.db.Read(ctx, func(tx *sqldb.Tx) error { return f(db.tx(tx)) })
}

// attempts is how often a transaction runs that the database turns away
// because of another one.
const attempts = 5

// Write runs f in a transaction that is stored when f returns nil. Where the
// engine asks to try again, f runs again: it must have no effects of its own
// that a second run would double.
func (db *DB) Write(ctx context.Context, f func(*Tx) error) error {
	var err error
	for range attempts {
		err = db.db.Write(ctx, func(tx *sqldb.Tx) error { return f(db.tx(tx)) })
		if err == nil || sqldb.ProblemOf(err) != sqldb.Busy || ctx.Err() != nil {
			return err
		}
	}
	return fault.Coded(fault.Busy, "busy", "the forge is busy; try again in a moment").Because(err)
}

func (db *DB) tx(tx *sqldb.Tx) *Tx {
	return &Tx{tx: tx.Tx, d: db.d, now: db.now().UTC().Truncate(time.Microsecond)}
}

// unique says whether a statement would have made a double of what is unique.
func unique(err error) bool {
	v, ok := sqldb.Violated(err)
	return ok && v.Rule == sqldb.Unique
}

// fold makes texts equal that differ in the case of their letters or in how
// these are composed.
func fold(text string) string { return norm.NFC.String(cases.Fold().String(text)) }

// seam parts the title from the body in a folded text. It is taken from both
// and from queries, so no query matches across it.
const seam = "\x1f"

func foldBoth(title, body string) string {
	return strings.ReplaceAll(fold(title), seam, " ") + seam + strings.ReplaceAll(fold(body), seam, " ")
}

// query is a text to look for in folded texts.
func query(text string) string { return strings.ReplaceAll(fold(text), seam, " ") }

// micros and moment turn times into what is stored and back.
func micros(t time.Time) int64 { return t.UnixMicro() }

func microsOf(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

func moment(us int64) time.Time { return time.UnixMicro(us).UTC() }

func momentOf(us sql.NullInt64) *time.Time {
	if !us.Valid {
		return nil
	}
	t := moment(us.Int64)
	return &t
}

// one runs a query that gives one row at most; absent is its error for none.
func (tx *Tx) one(ctx context.Context, absent error, into []any, text string, args ...any) error {
	err := tx.tx.QueryRowContext(ctx, text, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return absent
	}
	return err
}

// rows runs a query and gives each row to each.
func (tx *Tx) rows(ctx context.Context, each func(scan func(...any) error) error, text string, args ...any) error {
	rows, err := tx.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (tx *Tx) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := tx.tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// where collects conditions and their arguments; "?" in a condition stands
// for its next argument.
type where struct {
	conditions []string
	args       []any
}

func (w *where) add(condition string, args ...any) {
	var b strings.Builder
	for i, part := range strings.Split(condition, "?") {
		if i > 0 {
			w.args = append(w.args, args[i-1])
			fmt.Fprintf(&b, "$%d", len(w.args))
		}
		b.WriteString(part)
	}
	w.conditions = append(w.conditions, b.String())
}

func (w *where) clone() where {
	return where{slices.Clone(w.conditions), slices.Clone(w.args)}
}

func (w *where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// Now is the time by the DB's clock.
func (db *DB) Now() time.Time { return db.now().UTC() }
