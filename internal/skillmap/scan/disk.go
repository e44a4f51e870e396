package scan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"skillforge/internal/fault"
)

// disk is a root on disk. It goes to the system without fs.FS between: a big
// project is ten thousand calls, and links need real paths. The zero disk takes
// absolute paths.
type disk struct{ dir string }

func openDisk(r Root) (tree, error) {
	info, err := os.Stat(r.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Invalid, "there is no folder %q to scan", r.Name)
	case err != nil:
		return nil, fault.New(fault.Invalid, "the folder %q cannot be read", r.Name).Because(err)
	case !info.IsDir():
		return nil, fault.New(fault.Invalid, "%q is a file; name the folder to scan", r.Name)
	}
	return disk{filepath.Clean(r.Dir)}, nil
}

func (d disk) abs(name string) string {
	if d.dir == "" {
		return filepath.FromSlash(name)
	}
	if name == "." {
		return d.dir
	}
	return d.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

// real is the path of a file with every link resolved.
func (d disk) real(name string) (string, error) { return filepath.EvalSymlinks(d.abs(name)) }
