//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// stranger runs commands in a folder as somebody who may only read there. Root
// may write anywhere, so it becomes nobody first.
type stranger struct {
	t       *testing.T
	program string
	dir     string
	as      *syscall.SysProcAttr
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	top := t.TempDir()
	s := &stranger{t: t, program: filepath.Join(top, "sm"), dir: filepath.Join(top, "project")}
	if os.Geteuid() == 0 {
		s.as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	self, err := os.ReadFile(os.Args[0]) // which is sm where it is called so
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(filepath.Dir(top), 0o755), os.WriteFile(s.program, self, 0o755), os.Mkdir(s.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.allow(0o755) })
	return s
}

// allow gives every folder of the project this mode.
func (s *stranger) allow(mode fs.FileMode) {
	s.t.Helper()
	var folders []string
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	for _, path := range folders {
		err = errors.Join(err, os.Chmod(path, mode))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) sm(line string) (code int, out, complaint string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(s.program, strings.Fields(line)...)
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = s.dir, s.as, &stdout, &stderr
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+s.dir)
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func (s *stranger) wants(line string, code int, text string) {
	s.t.Helper()
	got, out, complaint := s.sm(line)
	if got != code || !strings.Contains(out+complaint, text) || strings.Contains(complaint, "panic") {
		s.t.Errorf("sm %s exits %d, want %d and %q:\n%s%s", line, got, code, text, out, complaint)
	}
}

func TestReadOnlyProject(t *testing.T) {
	s := newStranger(t)
	if err := os.WriteFile(filepath.Join(s.dir, "a.md"), []byte("# A\nSee [b](gone.md).\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.allow(0o555)

	// Without a map: what would be written says what keeps it from that.
	s.wants("scan", 2, "you may write there")
	s.wants("init", 2, "Check the folder's permissions")
	s.wants("config set scan.strict true", 2, "Check the folder's permissions")
	s.wants("agent install --for claude", 2, "Check the folder's permissions")
	s.wants("activity install claude --yes", 2, "Check the folder's permissions")
	s.wants("plugins create x", 2, "Check the folder's permissions")
	s.wants("scan -n --json", 1, `"path":"a.md"`)
	s.wants("list", 5, "sm scan")

	// With one: it is read, and nothing of it is changed.
	s.allow(0o755)
	owner := *s
	owner.as = nil
	owner.wants("scan", 1, "1 node")
	owner.wants("agent install --for claude", 0, "installed")
	owner.wants("jobs submit ai-scope-analyzer -n a.md", 0, "d-")
	if err := os.Chmod(filepath.Join(s.dir, ".skill-map", "map.db"), 0o444); err != nil {
		t.Fatal(err)
	}
	s.allow(0o555)
	s.wants("list", 0, "a.md")
	s.wants("show a.md", 0, "gone.md")
	s.wants("check", 1, "reference-broken")
	s.wants("jobs list", 0, "queued")
	s.wants("export --format md", 0, "a.md")
	for _, line := range []string{"scan", "jobs claim", "jobs cancel --all", "db reset --hard --yes", "issues dismiss reference-broken gone.md -n a.md --yes"} {
		s.wants(line, 2, "you may write there")
	}
	s.wants("jobs list", 0, "queued")
}
