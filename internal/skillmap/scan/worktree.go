package scan

import (
	"os"
	"path/filepath"
	"strings"
)

// gitFolder finds the folder where the repository around a folder keeps its
// commits, empty when there is none.
func gitFolder(name string) string {
	for {
		at := filepath.Join(name, ".git")
		info, err := os.Lstat(at)
		switch {
		case err == nil && info.IsDir():
			return resolved(at)
		case err == nil && info.Mode().IsRegular():
			return commonFolder(name)
		}
		up := filepath.Dir(name)
		if up == name {
			return ""
		}
		name = up
	}
}

// commonFolder reads the ".git" file of a working copy and gives the folder
// where its repository keeps its commits; empty when the file is not that of
// a working copy, as in a submodule.
func commonFolder(name string) string {
	text, err := os.ReadFile(filepath.Join(name, ".git"))
	if err != nil || len(text) > 4096 {
		return ""
	}
	at, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(at) {
		at = filepath.Join(name, at)
	}
	common, _, ok := strings.Cut(filepath.ToSlash(at), "/worktrees/")
	if !ok {
		return ""
	}
	return resolved(filepath.FromSlash(common))
}

func resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return filepath.Clean(name)
}

// copyOf reports whether a folder below the root is another working copy of
// the same repository: its files would stand on the map twice.
func (w *walker) copyOf(name string, entries []dirent) bool {
	if w.disk == nil || w.common == "" || kindIn(entries, ".git") != regular {
		return false
	}
	return commonFolder(w.disk.abs(name)) == w.common
}
