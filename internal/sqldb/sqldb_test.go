package sqldb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
	"skillforge/internal/sqldb"
)

func open(t *testing.T, path string, opt sqldb.Options) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t *testing.T, db *sqldb.DB, query string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func count(t *testing.T, db *sqldb.DB, query string) (n int) {
	t.Helper()
	if err := db.Reader().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are other there")
	}
	path := filepath.Join(t.TempDir(), "map.db")
	db := open(t, path, sqldb.Options{})
	exec(t, db, `CREATE TABLE a (x INTEGER)`)
	for _, end := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + end)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("map.db%s has mode %v, want 0600", end, info.Mode().Perm())
		}
	}
}

func TestPathsWithSignsOfURIs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.db", "what?.db", "50%41.db", "c#.db", "ü&x=1.db", "'.db"} {
		path := filepath.Join(dir, name)
		db := open(t, path, sqldb.Options{})
		exec(t, db, `CREATE TABLE a (x INTEGER)`)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: the database is somewhere else (%v)", name, err)
		}
	}
}

func TestMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	for _, opt := range []sqldb.Options{{MustExist: true}, {ReadOnly: true}} {
		if _, err := sqldb.Open(t.Context(), "sqlite:"+path, opt); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Open(%+v) of no file gives %v, want not exist", opt, err)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the file was made all the same")
	}
}

func TestUnknownAddress(t *testing.T) {
	if _, err := sqldb.Open(t.Context(), "mysql://x", sqldb.Options{}); fault.Of(err) != fault.Invalid {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestReadSeesOneMoment(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), sqldb.Options{})
	exec(t, db, `CREATE TABLE a (x INTEGER)`)
	err := db.Read(t.Context(), func(tx *sqldb.Tx) error {
		var before, after int
		if err := tx.QueryRow(`SELECT count(*) FROM a`).Scan(&before); err != nil {
			return err
		}
		exec(t, db, `INSERT INTO a VALUES (1)`)
		if err := tx.QueryRow(`SELECT count(*) FROM a`).Scan(&after); err != nil {
			return err
		}
		if before != after {
			t.Errorf("one read sees %d rows, then %d", before, after)
		}
		if _, err := tx.Exec(`INSERT INTO a VALUES (2)`); err == nil {
			t.Error("a read could write")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, `SELECT count(*) FROM a`); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), sqldb.Options{})
	exec(t, db, `CREATE TABLE a (x INTEGER)`)
	no := errors.New("no")
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		if _, err := tx.Exec(`INSERT INTO a VALUES (1)`); err != nil {
			return err
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Errorf("Write gives %v, want the function's error", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, _ = tx.Exec(`INSERT INTO a VALUES (1)`)
			panic("mid-way")
		})
	}()
	if n := count(t, db, `SELECT count(*) FROM a`); n != 0 {
		t.Errorf("%d rows, want none", n)
	}
	exec(t, db, `INSERT INTO a VALUES (1)`) // the writer is free again
}

// Two openings of one file are what two processes are to SQLite.
func TestWritersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	dbs := []*sqldb.DB{open(t, path, sqldb.Options{}), open(t, path, sqldb.Options{})}
	exec(t, dbs[0], `CREATE TABLE a (n INTEGER); INSERT INTO a VALUES (0)`)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			err := dbs[i%2].Write(t.Context(), func(tx *sqldb.Tx) error {
				var n int
				if err := tx.QueryRow(`SELECT n FROM a`).Scan(&n); err != nil {
					return err
				}
				_, err := tx.Exec(`UPDATE a SET n = $1`, n+1)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := count(t, dbs[0], `SELECT n FROM a`); n != 20 {
		t.Errorf("n = %d, want 20: an update was lost", n)
	}
}

func TestViolated(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "a.db"), sqldb.Options{})
	exec(t, db, `CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT NOT NULL, y TEXT, n INTEGER CHECK (n > 0), CONSTRAINT small CHECK (n < 9));
		CREATE UNIQUE INDEX a_pair ON a (x, y) WHERE n IS NULL;
		CREATE TABLE b (a INTEGER REFERENCES a (id));
		INSERT INTO a VALUES (1, 'x', 'y', NULL)`)
	for query, want := range map[string]sqldb.Violation{
		`INSERT INTO a VALUES (2, 'x', 'y', NULL)`: {Rule: sqldb.Unique, Table: "a", Columns: []string{"x", "y"}},
		`INSERT INTO a VALUES (1, 'z', 'y', NULL)`: {Rule: sqldb.Unique, Table: "a", Columns: []string{"id"}},
		`INSERT INTO a VALUES (2, NULL, 'y', 1)`:   {Rule: sqldb.NotNull, Table: "a", Columns: []string{"x"}},
		`INSERT INTO a VALUES (2, 'a', 'y', 0)`:    {Rule: sqldb.Check, Name: "n > 0"},
		`INSERT INTO a VALUES (2, 'a', 'y', 10)`:   {Rule: sqldb.Check, Name: "small"},
		`INSERT INTO b VALUES (7)`:                 {Rule: sqldb.ForeignKey},
	} {
		err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(query)
			return err
		})
		got, ok := sqldb.Violated(err)
		if !ok || sqldb.ProblemOf(err) != sqldb.Constraint {
			t.Errorf("%s gives %v, want a violation", query, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	if v := (sqldb.Violation{Rule: sqldb.Unique, Table: "a", Columns: []string{"x", "y"}}); !v.On("a", "x", "y") || v.On("a", "x") {
		t.Error("On does not tell pairs of columns apart")
	}
}

func TestProblemOf(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.db")
	if err := os.WriteFile(bad, []byte("this is a text and no database at all, is it not"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := open(t, filepath.Join(dir, "good.db"), sqldb.Options{})
	for _, row := range []struct {
		name, query string
		db          *sqldb.DB
		want        sqldb.Problem
	}{
		{"text", `SELECT * FROM sqlite_schema`, open(t, bad, sqldb.Options{}), sqldb.Corrupt},
		{"no table", `SELECT * FROM absent`, good, sqldb.Outdated},
		{"bad words", `SELEKT`, good, sqldb.Other},
	} {
		_, err := row.db.Reader().Exec(row.query)
		if got := sqldb.ProblemOf(err); got != row.want {
			t.Errorf("%s: ProblemOf(%v) = %v, want %v", row.name, err, got, row.want)
		}
	}
	if sqldb.ProblemOf(nil) != sqldb.Other || sqldb.ProblemOf(os.ErrClosed) != sqldb.Other {
		t.Error("an error of somebody else is taken for a database's")
	}
}

// ledger notes steps in a table of the test.
type ledger struct{}

func (ledger) Applied(ctx context.Context, tx *sqldb.Tx) (versions []int, err error) {
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS ledger (version INTEGER PRIMARY KEY)`); err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT version FROM ledger`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var v int
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, rows.Err()
}

func (ledger) Record(ctx context.Context, tx *sqldb.Tx, m sqldb.Migration) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO ledger VALUES ($1)`, m.Version)
	return err
}

func TestMigrate(t *testing.T) {
	steps, err := sqldb.Migrations(fstest.MapFS{
		"sql/002_more.sql":      {Data: []byte(`ALTER TABLE a ADD COLUMN y TEXT;`)},
		"sql/001_first_one.sql": {Data: []byte(`CREATE TABLE a (x TEXT); CREATE INDEX ix ON a (x);`)},
		"sql/003_broken.sql":    {Data: []byte(`CREATE TABLE half (x TEXT); CREATE TABLE a (x TEXT);`)},
		"sql/notes.txt":         {Data: []byte(`no step`)},
	}, "sql")
	if err != nil {
		t.Fatal(err)
	}
	if steps[0].Description != "first one" || steps[1].Version != 2 {
		t.Errorf("steps read as %+v", steps)
	}
	db := open(t, filepath.Join(t.TempDir(), "a.db"), sqldb.Options{})
	if done, err := db.Migrate(t.Context(), steps, ledger{}, 1); err != nil || len(done) != 1 {
		t.Fatalf("up to 1: %d steps, %v", len(done), err)
	}
	done, err := db.Migrate(t.Context(), steps, ledger{}, 0)
	if err == nil || len(done) != 1 || done[0].Version != 2 {
		t.Errorf("with a broken step: %+v, %v; want step 2 and an error", done, err)
	}
	if n := count(t, db, `SELECT count(*) FROM sqlite_schema WHERE name = 'half'`); n != 0 {
		t.Error("half of a broken step stands")
	}
	if done, err := db.Migrate(t.Context(), steps[:2], ledger{}, 0); err != nil || len(done) != 0 {
		t.Errorf("once more: %d steps, %v; want none", len(done), err)
	}
}

func TestMigrateTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	steps := []sqldb.Migration{{Version: 1, SQL: `CREATE TABLE a (x TEXT)`}, {Version: 2, SQL: `CREATE TABLE b (x TEXT)`}}
	var wait sync.WaitGroup
	total := make(chan int, 4)
	for range 4 {
		db := open(t, path, sqldb.Options{})
		wait.Go(func() {
			done, err := db.Migrate(t.Context(), steps, ledger{}, 0)
			if err != nil {
				t.Error(err)
			}
			total <- len(done)
		})
	}
	wait.Wait()
	close(total)
	sum := 0
	for n := range total {
		sum += n
	}
	if sum != len(steps) {
		t.Errorf("%d steps were applied, want each once", sum)
	}
}

func TestMigrationsRefuses(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"same number": {"001_a.sql": {}, "01_b.sql": {}},
		"no number":   {"first_a.sql": {}},
		"no name":     {"001.sql": {}},
		"zero":        {"000_a.sql": {}},
	} {
		if _, err := sqldb.Migrations(files, "."); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a := []sqldb.Migration{{Version: 1, Description: "x", SQL: "y"}}
	b := []sqldb.Migration{{Version: 1, Description: "x", SQL: "y "}}
	if sqldb.Fingerprint(a) == sqldb.Fingerprint(b) || len(sqldb.Fingerprint(nil)) != 64 {
		t.Error("the fingerprint does not tell schemas apart")
	}
}
