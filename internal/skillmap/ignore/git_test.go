package ignore

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repo is an empty repository that real git answers from.
type repo struct{ dir string }

// newRepo skips the test where there is no git.
func newRepo(t testing.TB) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := repo{t.TempDir()}
	r.git(t, nil, "init", "-q")
	r.git(t, nil, "config", "core.ignorecase", "true")
	return r
}

func (r repo) git(t testing.TB, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: nothing is ignored
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return out
}

// ignored returns git's answer for each path. One with a slash at its end is
// made a directory and asked for without it: with it, check-ignore also asks
// its rules about an empty name, which no walk does.
func (r repo) ignored(t testing.TB, lines, paths []string) []bool {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(r.dir, ".gitignore"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	answers := make([]bool, len(paths))
	for _, dirs := range []bool{false, true} {
		var in bytes.Buffer
		var asked []int
		for i, p := range paths {
			name, isDir := strings.CutSuffix(p, "/")
			if isDir != dirs {
				continue
			}
			if isDir {
				if err := os.MkdirAll(filepath.Join(r.dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			in.WriteString(name + "\x00")
			asked = append(asked, i)
		}
		if len(asked) == 0 {
			continue
		}
		out := r.git(t, in.Bytes(), "check-ignore", "--no-index", "-z", "-v", "-n", "--stdin")
		fields := strings.Split(string(out), "\x00") // source, line, pattern, path
		if len(fields) != 4*len(asked)+1 {
			t.Fatalf("git answers %d fields for %d paths", len(fields), len(asked))
		}
		for k, i := range asked {
			answers[i] = fields[4*k] != "" && !strings.HasPrefix(fields[4*k+2], "!")
		}
	}
	r.clear(t)
	return answers
}

// clear removes the directories that ignored made.
func (r repo) clear(t testing.TB) {
	t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(r.dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}
