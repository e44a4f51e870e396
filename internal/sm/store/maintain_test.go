package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm/store"
	"skillforge/internal/sqldb"
)

func TestBackupAndRestore(t *testing.T) {
	p := kept(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s, err := store.Open(t.Context(), p, store.Writing, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	copied, err := s.Backup(t.Context(), "")
	if err != nil || copied != filepath.Join(filepath.Dir(p), "backups", "20260102T030405.000Z.db") {
		t.Fatalf("Backup = %q, %v", copied, err)
	}
	if again, err := s.Backup(t.Context(), ""); err != nil || again == copied {
		t.Errorf("a second one of the same moment = %q, %v", again, err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v, %v", info.Mode(), err)
	}
	if _, err := s.Backup(t.Context(), copied); fault.Of(err) != fault.Conflict {
		t.Errorf("a path that is taken gives %v, want conflict", err)
	}
	run(t, s, `DELETE FROM state_node_favorites`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if saved, err := store.Restore(t.Context(), p, copied, true, store.Options{}); saved != "" || err != nil {
		t.Errorf("a dry run gives %q, %v", saved, err)
	}
	saved, err := store.Restore(t.Context(), p, copied, false, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, open(t, p, store.Reading), `SELECT count(*) FROM state_node_favorites`); n != 1 {
		t.Errorf("%d favourites after the restore, want 1", n)
	}
	if n := ask[int](t, open(t, saved, store.Reading), `SELECT count(*) FROM state_node_favorites`); n != 0 {
		t.Errorf("%d favourites in what stood there before, want 0", n)
	}
}

func TestRestoreOverDamage(t *testing.T) {
	p := kept(t)
	s := open(t, p, store.Writing)
	copied, err := s.Backup(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("damaged beyond reading, as it goes"), 0o600); err != nil {
		t.Fatal(err)
	}
	saved, err := store.Restore(t.Context(), p, copied, false, store.Options{})
	if err != nil || !strings.Contains(saved, "damaged") {
		t.Fatalf("Restore = %q, %v", saved, err)
	}
	same(t, open(t, p, store.Reading), world(12))
}

func TestRestoreRefuses(t *testing.T) {
	p := kept(t)
	dir := t.TempDir()
	text, foreign := filepath.Join(dir, "text"), filepath.Join(dir, "foreign.db")
	if err := os.WriteFile(text, []byte("a text of some length that is no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	raw(t, foreign, func(tx *sqldb.Tx) error {
		_, err := tx.Exec(`CREATE TABLE scan_meta (id)`)
		return err
	})
	for from, want := range map[string]fault.Kind{filepath.Join(dir, "none"): fault.NotFound, text: fault.Invalid, foreign: fault.Invalid} {
		if _, err := store.Restore(t.Context(), p, from, false, store.Options{}); fault.Of(err) != want {
			t.Errorf("%s gives %v, want %v", from, err, want)
		}
	}
	same(t, open(t, p, store.Reading), world(12))
}

func TestClear(t *testing.T) {
	p := kept(t)
	s := open(t, p, store.Scanning)
	before, _ := s.Generation(t.Context())
	gone, err := s.Clear(t.Context(), store.ScanZone)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, g := range gone {
		rows[g.Name] = g.Rows
	}
	if rows["scan_nodes"] != 12 || rows["scan_links"] != 36 || rows["state_node_favorites"] != 0 {
		t.Errorf("cleared %v", rows)
	}
	if after, _ := s.Generation(t.Context()); after.Rows <= before.Rows {
		t.Errorf("generation %d after %d", after.Rows, before.Rows)
	}
	if n := ask[int](t, s, `SELECT count(*) FROM state_node_favorites`); n != 1 {
		t.Errorf("%d favourites are left, want 1", n)
	}
	r := world(4)
	save(t, s, &store.Map{Result: r})
	same(t, s, r)
	if _, err := s.Clear(t.Context(), store.ScanZone, store.StateZone); err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, s, `SELECT count(*) FROM state_node_favorites`); n != 0 {
		t.Errorf("%d favourites are left, want none", n)
	}
	if err := store.Remove(p); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(p + "*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDumpMakesTheSameDatabase(t *testing.T) {
	p := kept(t)
	s := open(t, p, store.Reading)
	var text bytes.Buffer
	if err := s.Dump(t.Context(), &text, nil); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.db")
	raw(t, again, func(tx *sqldb.Tx) error {
		sql := strings.NewReplacer("BEGIN TRANSACTION;\n", "", "COMMIT;\n", "").Replace(text.String())
		_, err := tx.Exec(sql)
		return err
	})
	same(t, open(t, again, store.Writing), world(12))
	text.Reset()
	if err := s.Dump(t.Context(), &text, []string{"state_node_favorites"}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(text.String(), "INSERT") != 1 || strings.Contains(text.String(), "scan_nodes") {
		t.Errorf("one table dumps as\n%s", text.String())
	}
	if err := s.Dump(t.Context(), &text, []string{"nothing"}); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown table gives %v", err)
	}
}

func TestMigrationsAndCheck(t *testing.T) {
	s := open(t, kept(t), store.Writing)
	applied, pending, err := s.Migrations(t.Context())
	if err != nil || len(applied) != store.SchemaVersion() || len(pending) != 0 {
		t.Errorf("Migrations = %v, %v, %v", applied, pending, err)
	}
	if done, backup, err := s.Migrate(t.Context(), 0, false); len(done) != 0 || backup != "" || err != nil {
		t.Errorf("Migrate = %v, %q, %v; want nothing to do", done, backup, err)
	}
	h, err := s.Check(t.Context())
	if err != nil || len(h.Integrity) > 0 || h.Version != store.SchemaVersion() || h.Drift != "" || len(h.State) == 0 {
		t.Errorf("Check = %+v, %v", h, err)
	}
}
