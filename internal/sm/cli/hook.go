package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"skillforge/internal/fault"
)

func hooksVerb() *verb {
	return &verb{name: "hooks", category: setup, brief: "Put sm into git's hooks", group: true}
}

// Our part of a hook stands between these lines, so that it can be found and
// the rest be left alone.
const (
	hookBegin = "# >>> sm bump"
	hookEnd   = "# <<< sm bump"
)

const hookText = hookBegin + `
if command -v sm >/dev/null 2>&1; then
  sm scan --changed --quiet >/dev/null 2>&1
  sm bump --pending --staged --quiet || exit 1
fi
` + hookEnd + "\n"

func hooksInstallVerb() *verb {
	var what string
	var dryRun bool
	return &verb{
		name: "hooks install", category: setup, brief: "Bump staged files before each commit",
		details: "Adds a few lines to the pre-commit hook; what stands there stays. core/node-bump must be on, and the writing of .sm files granted.",
		args:    []arg{one(&what, "HOOK", "pre-commit-bump")},
		flags:   []flag{toggle(&dryRun, "dry-run", "n", "Say what would be done, do nothing.")},
		exits:   []exit{{5, "this is no git repository"}},
		run: func(ctx context.Context, s *session) error {
			if what != "pre-commit-bump" {
				return usage("the one hook is pre-commit-bump, not %q", what)
			}
			return s.installHook(ctx, dryRun)
		},
	}
}

func (s *session) installHook(ctx context.Context, dryRun bool) error {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--git-path", "hooks/pre-commit")
	cmd.Dir = s.Dir
	out, err := cmd.Output()
	if err != nil {
		return fault.Coded(fault.NotFound, "no-git", "This is no folder of a git repository.").Because(err)
	}
	path := s.inDir(strings.TrimSpace(string(out)))
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "The hook %s cannot be read.", path).Because(err)
	}
	text := withHook(string(old))
	if text == string(old) {
		s.note("The hook is there already.")
		return nil
	}
	if dryRun {
		s.printf("%s", text)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fault.New(fault.Invalid, "The hook %s cannot be written.", path).Because(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return fault.New(fault.Invalid, "The hook %s cannot be written.", path).Because(err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return err
	}
	s.printf("%s\n", s.relative(path))
	return nil
}

// withHook is a hook with our part in it, once.
func withHook(old string) string {
	before, rest, found := strings.Cut(old, hookBegin)
	if found {
		_, after, _ := strings.Cut(rest, hookEnd)
		return before + hookText + strings.TrimPrefix(after, "\n")
	}
	switch {
	case old == "":
		old = "#!/bin/sh\n"
	case !strings.HasSuffix(old, "\n"):
		old += "\n"
	}
	return old + hookText
}
