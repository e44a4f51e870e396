package store

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sqldb"
)

// TestNewerProgramMigrates plays the next version of the program on a file of
// this one.
func TestNewerProgramMigrates(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "map.db")
	m := func() *Map {
		r := skillmap.Empty(1)
		r.Nodes = append(r.Nodes, skillmap.Node{Path: "a.md", Kind: "markdown", Frontmatter: map[string]any{}})
		return &Map{Result: r}
	}
	within(t, path, Scanning, func(s *Store) error {
		if _, err := s.Save(ctx, m()); err != nil {
			return err
		}
		return s.Write(ctx, func(tx *Tx) error { return tx.SetFavorite(ctx, "a.md", true) })
	})
	next := sqldb.Migration{Version: current + 1, Description: "moods", SQL: `ALTER TABLE state_node_favorites ADD COLUMN mood TEXT DEFAULT 'good'`}
	restore := version2(next)
	defer restore()
	if _, err := Open(ctx, path, Writing, Options{}); fault.Code(err) != "db-drift" {
		t.Errorf("writing gives %v, want db-drift", err)
	}
	within(t, path, Reading, func(s *Store) error {
		_, pending, err := s.Migrations(ctx)
		if s.Drift() != Older || s.Advice() == "" || len(pending) != 1 {
			t.Errorf("reading sees drift %v, advice %q, pending %v", s.Drift(), s.Advice(), pending)
		}
		return err
	})
	within(t, path, Scanning, func(s *Store) error {
		done, err := s.Save(ctx, m())
		if done.Backup != filepath.Join(filepath.Dir(path), BackupFolder, "map-pre-migrate-v1.db") {
			t.Errorf("the backup is %q", done.Backup)
		}
		return err
	})
	within(t, path, Writing, func(s *Store) error {
		return s.Read(ctx, func(tx *Tx) error {
			var mood string
			err := tx.QueryRowContext(ctx, `SELECT mood FROM state_node_favorites WHERE node_path = 'a.md'`).Scan(&mood)
			if mood != "good" {
				t.Errorf("mood is %q", mood)
			}
			return err
		})
	})
	restore()
	if _, err := Open(ctx, path, Scanning, Options{}); fault.Code(err) != "db-newer" {
		t.Errorf("the older program gets %v, want db-newer", err)
	}
}

func TestMigrateByHand(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "map.db")
	within(t, path, Scanning, func(s *Store) error {
		_, err := s.Save(ctx, &Map{Result: skillmap.Empty(1)})
		return err
	})
	defer version2(sqldb.Migration{Version: current + 1, Description: "moods", SQL: `CREATE TABLE state_moods (mood TEXT)`})()
	within(t, path, Scanning, func(s *Store) error {
		applied, backup, err := s.Migrate(ctx, 0, true)
		if len(applied) != 1 || backup != "" {
			t.Errorf("applied %v, backup %q", applied, backup)
		}
		return err
	})
	within(t, path, Writing, func(s *Store) error { // nothing drifts
		if s.Drift() != Ours {
			t.Errorf("drift is %v", s.Drift())
		}
		return nil
	})
}

// version2 makes this the next version of the program until it is undone.
func version2(next sqldb.Migration) (undo func()) {
	s, c, f := steps, current, fingerprint
	steps = append(slices.Clone(steps), next)
	current, fingerprint = next.Version, sqldb.Fingerprint(steps)
	return func() { steps, current, fingerprint = s, c, f }
}

func within(t *testing.T, path string, p Posture, do func(*Store) error) {
	t.Helper()
	s, err := Open(context.Background(), path, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := do(s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
