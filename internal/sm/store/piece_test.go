package store_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"skillforge/internal/sm/store"
	"skillforge/internal/sqldb"
)

// Of a long value only the pieces that are in it now are kept, and those that
// were there are not asked for again.
func TestPieces(t *testing.T) {
	p := filepath.Join(t.TempDir(), "map.db")
	s := open(t, p, store.Scanning)
	a, b, c := pieces("a")[0], pieces("b")[0], pieces("c")[0]
	save(t, s, &store.Map{Result: world(3), Cache: []store.Piece{a, b, a}})
	if got := piecesKept(t, p); !slices.Equal(got, sorted(a, b)) {
		t.Fatalf("after the first scan %q is kept", got)
	}
	known := store.Piece{Sum: a.Sum, Text: func() []byte { t.Error("what is kept is asked for"); return nil }}
	save(t, s, &store.Map{Result: world(4), Cache: []store.Piece{known, c}})
	if got := piecesKept(t, p); !slices.Equal(got, sorted(a, c)) {
		t.Errorf("after the second scan %q is kept", got)
	}
	save(t, s, &store.Map{Result: world(5)})
	if got := piecesKept(t, p); len(got) != 0 {
		t.Errorf("without a cache %q is kept", got)
	}
}

func sorted(list ...store.Piece) (names []string) {
	for _, p := range list {
		names = append(names, "survey/"+p.Sum)
	}
	slices.Sort(names)
	return names
}

func piecesKept(t *testing.T, path string) (names []string) {
	t.Helper()
	db, err := sqldb.Open(context.Background(), "sqlite:"+path, sqldb.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.Reader().Query(`SELECT name FROM scan_cache WHERE name LIKE 'survey/%' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
