//go:build unix

package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sm/store"
)

func TestPostures(t *testing.T) {
	for _, row := range []struct {
		name          string
		change        []string
		read, write   string // codes of faults, empty when it opens
		scan          string
		advice        bool
		rebuilt, kept bool
	}{
		{name: "ours", kept: true},
		{name: "altered", change: []string{`UPDATE scan_meta SET schema_fingerprint = 'x'`, `ALTER TABLE scan_nodes RENAME COLUMN kind TO sort`},
			write: "db-drift", advice: true, rebuilt: true, kept: true},
		{name: "no fingerprint", change: []string{`UPDATE scan_meta SET schema_fingerprint = NULL`}, write: "db-drift", advice: true, rebuilt: true, kept: true},
		{name: "older program", change: []string{`UPDATE scan_meta SET scanned_by_version = '0.0.9'`}, write: "db-drift", advice: true, kept: true},
		{name: "newer program", change: []string{`UPDATE scan_meta SET scanned_by_version = '0.9.0'`}, read: "db-newer", write: "db-newer", kept: true},
		{name: "odd version", change: []string{`UPDATE scan_meta SET scanned_by_version = 'dev'`}, kept: true},
		{name: "newer schema", change: []string{`PRAGMA user_version = 99`}, read: "db-newer", write: "db-newer", scan: "db-newer"},
		{name: "another program's", change: []string{`PRAGMA application_id = 0`}, read: "db-foreign", write: "db-foreign", scan: "db-foreign"},
		{name: "older schema that is not ours", change: []string{`PRAGMA user_version = 0`, `DELETE FROM config_schema_versions`},
			write: "db-drift", advice: true, rebuilt: true, kept: true},
		{name: "no scan yet", change: []string{`DELETE FROM scan_meta`}, kept: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := kept(t)
			if row.change != nil {
				alter(t, p, row.change...)
			}
			for posture, want := range map[store.Posture]string{store.Reading: row.read, store.Writing: row.write, store.Scanning: row.scan} {
				s, err := store.Open(t.Context(), p, posture, store.Options{})
				if err == nil {
					if posture == store.Reading && (s.Advice() != "") != row.advice {
						t.Errorf("the advice is %q", s.Advice())
					}
					err = s.Close()
				} else if fault.Text(err) == "internal error" || !strings.Contains(fault.Text(err), p) {
					t.Errorf("posture %v: the fault says %q", posture, fault.Text(err))
				}
				if got := fault.Code(err); err != nil && got != want || err == nil && want != "" {
					t.Errorf("posture %v: %v, want %q", posture, err, want)
				}
			}
			if row.scan != "" {
				return
			}
			s := open(t, p, store.Scanning)
			r := world(15)
			done := save(t, s, &store.Map{Result: r})
			if done.Rebuilt != row.rebuilt || (done.Backup != "") != row.rebuilt {
				t.Errorf("Save says %+v", done)
			}
			same(t, s, r)
			if at := ask[int](t, s, `SELECT favorited_at FROM state_node_favorites`); at != 7 {
				t.Errorf("the favourite is kept as %d", at)
			}
			open(t, p, store.Writing) // all is well again
			if done.Backup != "" {
				open(t, done.Backup, store.Reading)
			}
		})
	}
}

func TestRebuildCarriesOverWhatFits(t *testing.T) {
	p := kept(t)
	alter(t, p, `UPDATE scan_meta SET schema_fingerprint = 'x'`,
		`ALTER TABLE state_node_favorites ADD COLUMN colour TEXT`, `UPDATE state_node_favorites SET colour = 'red'`,
		`CREATE TABLE state_moods (node_id TEXT)`, `CREATE TABLE other (x)`, `CREATE VIEW v AS SELECT 1`,
		`CREATE TRIGGER tr AFTER INSERT ON other BEGIN SELECT 1; END`)
	s := open(t, p, store.Scanning)
	save(t, s, &store.Map{Result: world(3)})
	if at := ask[int](t, s, `SELECT favorited_at FROM state_node_favorites`); at != 7 {
		t.Errorf("the favourite is kept as %d", at)
	}
	if n := ask[int](t, s, `SELECT count(*) FROM sqlite_schema WHERE name IN ('state_moods', 'other', 'v', 'tr') OR name LIKE 'old_of%'`); n != 0 {
		t.Errorf("%d foreign things are left", n)
	}
}

func TestDamagedDatabase(t *testing.T) {
	p := kept(t)
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte(nil), text...)
	for i := 8192; i < len(damaged); i++ {
		damaged[i] = 0x5a
	}
	for name, bytes := range map[string][]byte{"text": []byte("no database at all, but long enough to be read as one.........."), "pages": damaged} {
		if err := os.WriteFile(p, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, posture := range []store.Posture{store.Reading, store.Writing, store.Scanning} {
			s, err := store.Open(t.Context(), p, posture, store.Options{})
			if err == nil {
				_, _, err = s.Load(t.Context())
				if posture == store.Scanning {
					_, err = s.Save(t.Context(), &store.Map{Result: world(2)})
				}
				_ = s.Close()
			}
			if fault.Code(err) != "db-corrupt" || !strings.Contains(fault.Text(err), "sm db reset --hard") {
				t.Errorf("%s, posture %v: %v (%q), want db-corrupt", name, posture, err, fault.Text(err))
			}
		}
	}
}

func TestEmptyFileIsNoMap(t *testing.T) {
	p := path(t)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), p, store.Reading, store.Options{}); fault.Code(err) != "db-missing" {
		t.Errorf("reading gives %v", err)
	}
	s := open(t, p, store.Scanning)
	r := world(2)
	save(t, s, &store.Map{Result: r})
	same(t, s, r)
}

func TestWriteNoticesAnotherVersionsFile(t *testing.T) {
	p := kept(t)
	s := open(t, p, store.Writing)
	alter(t, p, `UPDATE scan_meta SET schema_fingerprint = 'x'`)
	err := s.Write(t.Context(), func(tx *store.Tx) error { return nil })
	if fault.Code(err) != "db-drift" {
		t.Errorf("got %v, want db-drift", err)
	}
}

// child runs this test binary once more, in one of the roles below.
func child(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestMain$")
	cmd.Env = append(os.Environ(), "STORE_TEST_ROLE="+role, "STORE_TEST_ARGS="+strings.Join(args, "\n"))
	cmd.Stderr = os.Stderr
	return cmd
}

func TestMain(m *testing.M) {
	args := strings.Split(os.Getenv("STORE_TEST_ARGS"), "\n")
	switch os.Getenv("STORE_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "save for ever":
		saveForEver(args[0])
	case "codes":
		codes(args[0])
	}
}

// saveForEver saves two maps in turn and says so after each.
func saveForEver(p string) {
	ctx := context.Background()
	s, err := store.Open(ctx, p, store.Scanning, store.Options{})
	if err != nil {
		panic(err)
	}
	maps := []*store.Map{{Result: world(400)}, {Result: world(300)}}
	for i := 0; ; i++ {
		if _, err := s.Save(ctx, maps[i%2]); err != nil {
			panic(err)
		}
		fmt.Println("saved")
	}
}

func TestKilledInTheMiddleLeavesAWholeMap(t *testing.T) {
	for round := range 3 {
		p := path(t)
		cmd := child("save for ever", p)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 1 + round {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s := open(t, p, store.Reading)
		r, _, err := s.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.Nodes); n != 400 && n != 300 {
			t.Fatalf("%d nodes, want those of one map", n)
		}
		same(t, s, world(len(r.Nodes)))
		health, err := s.Check(t.Context())
		if err != nil || len(health.Integrity) > 0 {
			t.Errorf("health %+v, %v", health, err)
		}
	}
}

// codes prints what happens to reads and writes in a folder.
func codes(p string) {
	ctx := context.Background()
	s, err := store.Open(ctx, p, store.Reading, store.Options{})
	if err == nil {
		_, _, err = s.Load(ctx)
	}
	fmt.Println("read", err == nil)
	for _, posture := range []store.Posture{store.Writing, store.Scanning} {
		s, err = store.Open(ctx, p, posture, store.Options{})
		if err == nil && posture == store.Writing {
			err = s.Write(ctx, func(tx *store.Tx) error { return tx.SetFavorite(ctx, "x", true) })
		} else if err == nil {
			_, err = s.Save(ctx, &store.Map{Result: world(2)})
		}
		fmt.Println(fault.Code(err), strings.Contains(fault.Text(err), p))
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	full, bare := filepath.Join(dir, "full"), filepath.Join(dir, "bare")
	p := filepath.Join(full, "map.db")
	s := open(t, p, store.Scanning)
	save(t, s, &store.Map{Result: world(5)})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, p: 0o444, full: 0o555, bare: 0o555} {
		if path == bare {
			if err := os.Mkdir(bare, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		p:                             "read true\nnot-writable true\nnot-writable true\n",
		filepath.Join(bare, "map.db"): "read false\ndb-missing true\nnot-writable true\n",
	} {
		cmd := child("codes", file)
		if os.Getuid() == 0 { // root may write anywhere
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			cmd.Dir = dir
			if exe := copyOf(t, os.Args[0], filepath.Join(dir, "store.test")); exe != "" {
				cmd.Path = exe
			}
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if string(out) != want {
			t.Errorf("%s gives\n%swant\n%s", file, out, want)
		}
	}
}

// copyOf puts the test binary where everybody may run it.
func copyOf(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
