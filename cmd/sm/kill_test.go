package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestScanKilledMidway kills scans at many points, first scans of a project
// and later ones. What can be read afterwards is the map before or the map
// after, whole, and the next scan is as if nothing had happened.
func TestScanKilledMidway(t *testing.T) {
	dir := t.TempDir()
	const files = 600
	plant := func(round int) {
		for i := range files {
			text := fmt.Sprintf("---\nname: agent-%d\ndescription: In round %d.\n---\n\nAsk @agent-%d, then read [it](agent-%d.md).\n", i, round, (i+7)%files, (i+1)%files)
			at := filepath.Join(dir, ".claude", "agents", fmt.Sprintf("agent-%d.md", i))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	plant(0)
	whole := timeOf(t, dir)
	dice := rand.New(rand.NewPCG(1, 2))
	for round := 1; round <= 12; round++ {
		if round%4 == 0 { // the next one is a first scan
			if err := os.RemoveAll(filepath.Join(dir, ".skill-map")); err != nil {
				t.Fatal(err)
			}
		}
		plant(round)
		cmd := command(dir, "scan", "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(dice.Float64()*float64(whole)), func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // killed, or done before
		kill.Stop()
		seen := map[any]bool{}
		list := nodes(t, dir)
		for _, n := range list {
			seen[n.Frontmatter["description"]] = true
		}
		if n := len(list); n != 0 && n != files || len(seen) > 1 {
			t.Fatalf("round %d: %d nodes of %d rounds", round, n, len(seen))
		}
	}
	plant(99)
	drafts, err := filepath.Glob(filepath.Join(dir, ".skill-map", ".map.db.new-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, draft := range drafts { // the next scan leaves younger ones, somebody may be writing them
		if err := os.Chtimes(draft, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := command(dir, "scan", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("the last scan: %v\n%s", err, out)
	}
	for _, n := range nodes(t, dir) {
		if n.Frontmatter["description"] != "In round 99." {
			t.Fatalf("after the last scan %s is %v", n.Path, n.Frontmatter)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".skill-map", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		switch filepath.Base(path) {
		case "map.db", "map.db-wal", "map.db-shm", ".gitignore", "settings.json", "settings.local.json", "operations.log":
		default:
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				t.Errorf("%s stays behind", path)
			}
		}
	}
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("sm", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "NO_COLOR=1")
	return cmd
}

// timeOf is how long a first scan takes here. It is left in place.
func timeOf(t *testing.T, dir string) time.Duration {
	t.Helper()
	begun := time.Now()
	if out, err := command(dir, "scan", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("scan: %v\n%s", err, out)
	}
	return time.Since(begun)
}

type listed struct {
	Path        string
	Frontmatter map[string]any
}

// nodes reads the map as any command does.
func nodes(t *testing.T, dir string) (list []listed) {
	t.Helper()
	var errs bytes.Buffer
	cmd := command(dir, "export", "--format", "json")
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if exit := cmd.ProcessState.ExitCode(); exit == 5 {
		return nil // there is no database yet
	}
	if err != nil {
		t.Fatalf("export: %v\n%s", err, &errs)
	}
	var answer struct{ Nodes []listed }
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("export gives %.200s: %v", out, err)
	}
	return answer.Nodes
}
