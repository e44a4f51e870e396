package sqldb_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sqldb"
)

// openPostgres opens the server that SKILLFORGE_POSTGRES names.
func openPostgres(t *testing.T, opt sqldb.Options) *sqldb.DB {
	t.Helper()
	address := os.Getenv("SKILLFORGE_POSTGRES")
	if address == "" {
		t.Skip("set SKILLFORGE_POSTGRES to the address of a PostgreSQL server to run this")
	}
	db, err := sqldb.Open(context.Background(), address, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestPostgresNamesWhatIsViolated(t *testing.T) {
	ctx := context.Background()
	db := openPostgres(t, sqldb.Options{})
	if db.Engine() != sqldb.Postgres {
		t.Errorf("the engine is %s", db.Engine())
	}
	// The table lives as long as the transaction; a savepoint keeps each
	// violation from ending it.
	err := db.Write(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `CREATE TEMPORARY TABLE things (a BIGINT NOT NULL, b TEXT CHECK (b <> 'x'), UNIQUE (a, b)) ON COMMIT DROP; INSERT INTO things VALUES (1, 'one')`); err != nil {
			return err
		}
		for statement, want := range map[string]sqldb.Rule{
			`INSERT INTO things VALUES (1, 'one')`:    sqldb.Unique,
			`INSERT INTO things VALUES (NULL, 'two')`: sqldb.NotNull,
			`INSERT INTO things VALUES (2, 'x')`:      sqldb.Check,
		} {
			if _, err := tx.ExecContext(ctx, `SAVEPOINT s`); err != nil {
				return err
			}
			_, failed := tx.ExecContext(ctx, statement)
			v, ok := sqldb.Violated(failed)
			if !ok || v.Rule != want || sqldb.ProblemOf(failed) != sqldb.Constraint {
				t.Errorf("%s gives %+v (%v)", statement, v, failed)
			}
			if want == sqldb.Unique && !v.On("things", "a", "b") {
				t.Errorf("the unique rule is %+v", v)
			}
			if _, err := tx.ExecContext(ctx, `ROLLBACK TO s`); err != nil {
				return err
			}
		}
		_, failed := tx.ExecContext(ctx, `SELECT * FROM no_such_table`)
		if sqldb.ProblemOf(failed) != sqldb.Outdated {
			t.Errorf("a missing table gives %v", failed)
		}
		return fault.New(fault.Invalid, "enough")
	})
	if fault.Text(err) != "enough" {
		t.Error(err)
	}
}

func TestPostgresReadsOnly(t *testing.T) {
	ctx := context.Background()
	for what, write := range map[string]func(*sqldb.DB, func(*sqldb.Tx) error) error{
		"a read":          func(db *sqldb.DB, f func(*sqldb.Tx) error) error { return db.Read(ctx, f) },
		"a read-only one": func(db *sqldb.DB, f func(*sqldb.Tx) error) error { return db.Write(ctx, f) },
	} {
		db := openPostgres(t, sqldb.Options{ReadOnly: what != "a read"})
		err := write(db, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `CREATE TABLE never (a BIGINT)`)
			return err
		})
		if sqldb.ProblemOf(err) != sqldb.ReadOnly {
			t.Errorf("%s lets a table be made: %v", what, err)
		}
	}
}

func TestPostgresAddressesStaySecret(t *testing.T) {
	for _, address := range []string{"postgres://u:hunter2@127.0.0.1:1/none?connect_timeout=1", "postgres://u:hunter2@[::1/none", "postgres://u:hunter2@host:notaport/none"} {
		db, err := sqldb.Open(context.Background(), address, sqldb.Options{})
		if err == nil {
			db.Close()
			t.Errorf("%s opens", address)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}
