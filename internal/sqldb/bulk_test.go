package sqldb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/sqldb"
)

const bulkSchema = `CREATE TABLE a (x TEXT, y INTEGER, z REAL, w BLOB, key TEXT PRIMARY KEY NOT NULL, unused TEXT DEFAULT 'd');
	CREATE INDEX a_x ON a (x);
	CREATE TABLE b (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
	CREATE INDEX b_name ON b (name);
	CREATE TABLE c (v TEXT)`

// scratch makes an empty file with the schema of the tests.
func scratch(t testing.TB, schema string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bulk.db")
	db, err := sqldb.Open(t.Context(), "sqlite:"+path, sqldb.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(schema)
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

type bulkRow struct {
	id     int64
	values []any
}

// rowsOf hands rows to Bulk; the values are in the order of the columns.
func rowsOf(table string, columns []string, rows []bulkRow) sqldb.Rows {
	return sqldb.Rows{
		Table: table, Count: len(rows),
		ID: func(i int) int64 { return rows[i].id },
		Row: func(i int, r *sqldb.Record) {
			for _, v := range rows[i].values {
				switch v := v.(type) {
				case nil:
					r.Null()
				case int64:
					r.Int(v)
				case float64:
					r.Float(v)
				case string:
					r.Write(func(b []byte) []byte { return append(b, v...) })
				case []byte:
					r.Blob(v)
				}
			}
		},
		Key: func(i int, column string) (string, bool) {
			s, ok := rows[i].values[slices.Index(columns, column)].(string)
			return s, ok
		},
	}
}

var (
	columnsOfA = []string{"x", "y", "z", "w", "key", "unused"}
	columnsOfB = []string{"id", "name"}
)

// randomRows are rows of table a whose texts are of all lengths that a page
// treats differently.
func randomRows(r *rand.Rand, n, longest int) []bulkRow {
	text := func() any {
		switch r.IntN(6) {
		case 0:
			return nil
		case 1:
			return strings.Repeat("long ", r.IntN(longest))
		case 2:
			return fmt.Sprintf("é\x00%d", r.IntN(5))
		}
		return fmt.Sprint("text ", r.IntN(n))
	}
	number := func() any {
		return []any{nil, int64(0), int64(1), int64(-1), int64(r.IntN(300)) - 150, int64(r.IntN(1 << 20)), r.Int64(), -r.Int64(), int64(math.MinInt64), int64(math.MaxInt64), int64(1)<<47 - 1, int64(1) << 47}[r.IntN(12)]
	}
	var id int64
	rows := make([]bulkRow, n)
	for i := range rows {
		id += 1 + int64(r.IntN(3))*int64(r.IntN(1000))
		key := fmt.Sprintf("%s%06d", strings.Repeat("k", r.IntN(3)*r.IntN(longest)), r.IntN(1<<20)*n+i)
		rows[i] = bulkRow{id, []any{text(), number(), r.NormFloat64(), []byte(fmt.Sprint(i)), key, nil}}
	}
	return rows
}

func TestBulk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 30, 31, 32, 33, 100, 500, 3000} {
		for _, longest := range []int{1, 40, 2000, 9000} {
			if n*longest > 1<<19 {
				continue
			}
			t.Run(fmt.Sprint(n, " rows up to ", longest*5), func(t *testing.T) {
				path := scratch(t, bulkSchema)
				a := randomRows(r, n, longest)
				b := make([]bulkRow, n)
				for i := range b {
					b[i] = bulkRow{int64(i+1) * 256, []any{nil, []any{nil, "same", fmt.Sprint(i % 7)}[i%3]}}
				}
				err := sqldb.Bulk(t.Context(), path, []sqldb.Rows{
					rowsOf("a", columnsOfA, a), rowsOf("b", columnsOfB, b),
				})
				if err != nil {
					t.Fatal(err)
				}
				checkBulk(t, path, a, b)
			})
		}
	}
}

// checkBulk lets SQLite judge the file, reads it back, and goes on using it.
func checkBulk(t *testing.T, path string, a, b []bulkRow) {
	t.Helper()
	db := open(t, path, sqldb.Options{MustExist: true})
	var verdict string
	if err := db.Reader().QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("SQLite says %q, %v", verdict, err)
	}
	if diff := cmp.Diff(a, readRows(t, db, `SELECT rowid, * FROM a ORDER BY rowid`), cmp.AllowUnexported(bulkRow{})); diff != "" {
		t.Fatalf("the rows come back otherwise:\n%.2000s", diff)
	}
	for i, row := range a {
		if i > 200 && i%17 > 0 {
			continue
		}
		var id int64
		if err := db.Reader().QueryRow(`SELECT rowid FROM a INDEXED BY sqlite_autoindex_a_1 WHERE key = $1`, row.values[4]).Scan(&id); err != nil || id != row.id {
			t.Fatalf("%.20q is row %d by its key, %v; want %d", row.values[4], id, err, row.id)
		}
	}
	if got := count(t, db, `SELECT count(*) FROM b INDEXED BY b_name WHERE name = 'same'`); got != (len(b)+1)/3 {
		t.Errorf("%d rows of b by name, want %d", got, (len(b)+1)/3)
	}
	exec(t, db, `INSERT INTO a (key, x) VALUES ('zz', 'new'), ('', NULL); INSERT INTO b (name) VALUES ('more'); DELETE FROM a WHERE rowid % 2 = 0; UPDATE a SET x = key`)
	if err := db.Reader().QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("after more statements SQLite says %q, %v", verdict, err)
	}
}

// A tree of many levels: five entries fill a page.
func TestBulkDeepTree(t *testing.T) {
	var a []bulkRow
	for i := range 4000 {
		key := fmt.Sprintf("%05d%s", i*7919%4000, strings.Repeat("k", 1500))
		a = append(a, bulkRow{int64(i), []any{key[:i%1500], nil, 0.5, []byte{1}, key, nil}})
	}
	path := scratch(t, bulkSchema)
	if err := sqldb.Bulk(t.Context(), path, []sqldb.Rows{rowsOf("a", columnsOfA, a)}); err != nil {
		t.Fatal(err)
	}
	checkBulk(t, path, a, nil)
}

func readRows(t *testing.T, db *sqldb.DB, query string) []bulkRow {
	t.Helper()
	rows, err := db.Reader().Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := []bulkRow{}
	for rows.Next() {
		r := bulkRow{values: make([]any, 6)}
		if err := rows.Scan(&r.id, &r.values[0], &r.values[1], &r.values[2], &r.values[3], &r.values[4], &r.values[5]); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// Long values are not copied, and come back whole.
func TestBulkLast(t *testing.T) {
	path := scratch(t, `CREATE TABLE a (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL)`)
	var values [][]byte
	for _, n := range []int{0, 1, 20, 7000, 8140, 8150, 8160, 8188, 8200, 16400, 3 << 20} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i * 131 >> 3)
		}
		values = append(values, b)
	}
	err := sqldb.Bulk(t.Context(), path, []sqldb.Rows{{
		Table: "a", Count: len(values),
		ID: func(i int) int64 { return int64(i + 1) },
		Row: func(i int, r *sqldb.Record) {
			r.Text(fmt.Sprint("key ", i))
			r.Last(values[i])
		},
		Key: func(i int, _ string) (string, bool) { return fmt.Sprint("key ", i), true },
	}})
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, path, sqldb.Options{MustExist: true})
	for i, want := range values {
		var got []byte
		if err := db.Reader().QueryRow(`SELECT value FROM a WHERE key = $1`, fmt.Sprint("key ", i)).Scan(&got); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes come back as %d, %v", len(want), len(got), err)
		}
	}
	var verdict string
	if err := db.Reader().QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("SQLite says %q, %v", verdict, err)
	}
}

func TestBulkRefuses(t *testing.T) {
	twice := []bulkRow{{1, []any{"k", "x"}}, {2, []any{"k", "y"}}}
	fine := []bulkRow{{1, []any{"k", "x"}}}
	for _, row := range []struct {
		name, schema string
		rows         []bulkRow
	}{
		{"two rows of one key", `CREATE TABLE a (key TEXT PRIMARY KEY, x TEXT)`, twice},
		{"an index of two columns", `CREATE TABLE a (key TEXT, x TEXT); CREATE INDEX i ON a (x, key)`, fine},
		{"a partial index", `CREATE TABLE a (key TEXT, x TEXT); CREATE INDEX i ON a (x) WHERE key > 'a'`, fine},
		{"an index downwards", `CREATE TABLE a (key TEXT, x TEXT); CREATE INDEX i ON a (x DESC)`, fine},
		{"an index without case", `CREATE TABLE a (key TEXT, x TEXT); CREATE INDEX i ON a (x COLLATE NOCASE)`, fine},
		{"an index of an expression", `CREATE TABLE a (key TEXT, x TEXT); CREATE INDEX i ON a (lower(x))`, fine},
		{"no row numbers", `CREATE TABLE a (key TEXT PRIMARY KEY, x TEXT) WITHOUT ROWID`, fine},
		{"a table with rows", `CREATE TABLE a (key TEXT, x TEXT); INSERT INTO a VALUES ('q', 'r')`, fine},
	} {
		path := scratch(t, row.schema)
		err := sqldb.Bulk(t.Context(), path, []sqldb.Rows{rowsOf("a", []string{"key", "x"}, row.rows)})
		if !errors.Is(err, sqldb.ErrBulk) {
			t.Errorf("%s: %v, want ErrBulk", row.name, err)
		}
		db := open(t, path, sqldb.Options{MustExist: true})
		if n := count(t, db, `SELECT count(*) FROM a WHERE key = 'k'`); n != 0 {
			t.Errorf("%s: %d rows were written", row.name, n)
		}
	}
	if err := sqldb.Bulk(t.Context(), scratch(t, bulkSchema), []sqldb.Rows{rowsOf("none", nil, nil)}); err == nil {
		t.Error("a table that is none can be filled")
	}
	if err := sqldb.Bulk(t.Context(), scratch(t, bulkSchema), []sqldb.Rows{rowsOf("c", nil, fine)}); err == nil {
		t.Error("a row of too many values is taken")
	}
}

func BenchmarkBulk(b *testing.B) {
	rows := randomRows(rand.New(rand.NewPCG(1, 2)), 40000, 20)
	for b.Loop() {
		path := scratch(b, bulkSchema)
		if err := sqldb.Bulk(b.Context(), path, []sqldb.Rows{rowsOf("a", columnsOfA, rows)}); err != nil {
			b.Fatal(err)
		}
	}
}
