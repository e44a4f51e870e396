package atlas

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
)

// take reads a node's file as it is now and takes it apart as a scan would. A
// link is followed where a scan follows it: inside the roots, or anywhere when
// the project lets it. why says in one sentence what keeps it from being read,
// empty when nothing does.
func (a *Atlas) take(n *skillmap.Node, roots []string, anywhere bool) (t scan.Taken, why string) {
	var failed error = fs.ErrNotExist
	for _, r := range a.roots(roots) {
		text, err := takeFrom(r.Dir, n.Path, anywhere)
		if err == nil {
			return scan.Take(n.Provider, n.Path, text), ""
		}
		if !errors.Is(err, fs.ErrNotExist) || errors.Is(failed, fs.ErrNotExist) {
			failed = err
		}
	}
	return t, unreadable(n.Path, failed)
}

// Faults of takeFrom beside those of the system.
var (
	errBroken  = errors.New("a link that leads nowhere")
	errOutside = errors.New("a link that leads out of the project")
	errNoFile  = errors.New("no regular file")
)

func takeFrom(dir, name string, anywhere bool) ([]byte, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if anywhere {
		return takeFile(os.Stat, os.Open, path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	text, err := takeFile(root.Stat, root.Open, filepath.FromSlash(name))
	if err == nil || errors.Is(err, fs.ErrPermission) || errors.Is(err, errNoFile) {
		return text, err
	}
	at, _ := os.Lstat(path)
	_, err = os.Stat(path)
	switch {
	case err == nil: // it is there, and only the root does not lead to it
		return nil, errOutside
	case at != nil && at.Mode().Type() == fs.ModeSymlink:
		return nil, errBroken
	}
	return nil, err
}

// takeFile reads a regular file. It looks before it opens: opening a pipe
// would wait for somebody to write.
func takeFile(stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error), path string) ([]byte, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, readMax))
}

// unreadable is the sentence for what keeps a file from being read.
func unreadable(path string, err error) string {
	switch {
	case errors.Is(err, errBroken):
		return fmt.Sprintf("%s is a link that leads nowhere.", path)
	case errors.Is(err, errOutside):
		return fmt.Sprintf("%s is a link that leads out of the project, and scan.followExternalSymlinks is off.", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s was deleted since the last scan.", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%s may not be read by this user.", path)
	case errors.Is(err, errNoFile):
		return fmt.Sprintf("%s is no regular file.", path)
	}
	return fmt.Sprintf("%s cannot be read.", path)
}

func itoa(n int) string { return strconv.Itoa(n) }
