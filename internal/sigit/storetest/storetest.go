// Package storetest opens databases of the forge for tests: SQLite always,
// PostgreSQL when SKILLFORGE_POSTGRES names a server. Each test has tables of
// its own.
package storetest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillforge/internal/sigit/store"
	"skillforge/internal/sqldb"
)

// Variable names the environment variable with the address of a PostgreSQL
// server on which tests may make schemas.
const Variable = "SKILLFORGE_POSTGRES"

// Each runs f once for each engine at hand.
func Each(t *testing.T, f func(t *testing.T, db *store.DB), options ...store.Option) {
	t.Helper()
	EachAddress(t, func(t *testing.T, address string) { f(t, open(t, address, options)) })
}

// EachAddress runs f once for each engine at hand, with the address of an
// empty database.
func EachAddress(t *testing.T, f func(t *testing.T, address string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// EachEngine runs f once for each engine at hand, with a function that gives
// the address of a fresh empty database at each call.
func EachEngine(t *testing.T, f func(t *testing.T, address func() string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, func() string { return SQLite(t) }) })
	t.Run("postgres", func(t *testing.T) {
		Postgres(t) // skips without a server
		f(t, func() string { return Postgres(t) })
	})
}

// Open opens an empty SQLite database for tests that need no other engine.
func Open(t testing.TB, options ...store.Option) *store.DB {
	t.Helper()
	return open(t, SQLite(t), options)
}

func open(t testing.TB, address string, options []store.Option) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), address, options...)
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

// SQLite is the address of an empty database in a folder of the test's own.
func SQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "sigit.db")
}

// Postgres is the address of an empty schema that goes with the test. The
// test is skipped when there is no server.
func Postgres(t testing.TB) string {
	t.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		t.Skipf("set %s to the address of a PostgreSQL server to run this on it too", Variable)
	}
	schema := "test_" + strings.ToLower(rand.Text())
	run(t, server, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

func run(t testing.TB, server, statement string) {
	t.Helper()
	db, err := sqldb.Open(context.Background(), server, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Writer().ExecContext(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}
