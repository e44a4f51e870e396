package scan

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// tree is what a traversal needs of a root. Paths are root-relative, "." for
// the root itself.
type tree interface {
	// enter opens a folder.
	enter(dir string) (place, error)
	// list gives the entries of a folder in byte order of their names.
	list(dir string) ([]dirent, error)
	// look describes a path without following a link at its end.
	look(path string) (stamp, error)
	// follow describes where a path leads.
	follow(path string) (stamp, error)
	// read gives at most limit bytes of a regular file, in buf where it fits.
	read(path string, buf []byte, limit int64) ([]byte, error)
}

// place is an open folder.
type place interface {
	stamp() stamp // as it was when the folder was opened
	list() ([]dirent, error)
	look(name string) (stamp, error) // of a name in it
	close()
}

// step is a place in any tree.
func step(t tree, dir string) (place, error) {
	at, err := t.follow(dir)
	if err != nil {
		return nil, err
	}
	return plainPlace{t, dir, at}, nil
}

type plainPlace struct {
	t   tree
	dir string
	at  stamp
}

func (p plainPlace) stamp() stamp                    { return p.at }
func (p plainPlace) list() ([]dirent, error)         { return p.t.list(p.dir) }
func (p plainPlace) look(name string) (stamp, error) { return p.t.look(join(p.dir, name)) }
func (p plainPlace) close()                          {}

// dirent is a name in a folder. Its kind may be unknown until looked at.
type dirent struct {
	name string
	kind kind
}

// kind is what stands under a name.
type kind byte

const (
	unknown kind = iota
	regular
	folder
	symlink
	other
)

func kindOf(m fs.FileMode) kind {
	switch m.Type() {
	case 0:
		return regular
	case fs.ModeDir:
		return folder
	case fs.ModeSymlink:
		return symlink
	}
	return other
}

// stamp is what a file looks like from outside. Two equal stamps that are not
// fresh mean equal content.
type stamp struct {
	kind  kind
	size  int64
	mtime int64 // unix nanoseconds, or noTime
	ctime int64 // of the inode; 0 where there is none
	inode uint64
	id    string // names the content, instead of times
}

// noTime is the time of a file in a tree that keeps none.
const noTime = math.MinInt64

// slack is how far a file's time may lag behind a write that came after the
// file was looked at: the coarsest clock of the file systems in use.
const slack = 2 * time.Second

// fresh reports whether the file may have been written again since the stamp
// was taken at the given time without the stamp showing it.
func (s stamp) fresh(taken int64) bool {
	if s.id != "" {
		return false
	}
	since := taken - int64(slack)
	return s.mtime == noTime || s.mtime >= since || s.ctime >= since
}

// millis is the time of the last write in whole milliseconds, rounded.
func (s stamp) millis() int64 { return time.Unix(0, s.mtime+int64(time.Millisecond)/2).UnixMilli() }

// open gives the tree of a root.
func (r Root) open() (tree, error) {
	if r.Dir != "" {
		return openDisk(r)
	}
	if r.FS == nil {
		return nil, fault.New(fault.Invalid, "the root %q names no folder", r.Name)
	}
	return fsTree{r.FS}, nil
}

// fsTree is a tree behind fs.FS. It follows no links.
type fsTree struct{ fsys fs.FS }

func (t fsTree) enter(dir string) (place, error) { return step(t, dir) }

func (t fsTree) list(dir string) ([]dirent, error) {
	entries, err := fs.ReadDir(t.fsys, dir)
	if err != nil {
		return nil, err
	}
	out := make([]dirent, len(entries))
	for i, e := range entries {
		out[i] = dirent{e.Name(), kindOf(e.Type())}
	}
	sortNames(out)
	return out, nil
}

func (t fsTree) look(name string) (stamp, error) {
	if l, ok := t.fsys.(fs.ReadLinkFS); ok {
		return stampOf(l.Lstat(name))
	}
	return t.follow(name)
}

func (t fsTree) follow(name string) (stamp, error) { return stampOf(fs.Stat(t.fsys, name)) }

func (t fsTree) read(name string, buf []byte, limit int64) ([]byte, error) {
	f, err := t.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readInto(buf, io.LimitReader(f, limit))
}

// readInto reads to the end of r, in buf where it fits.
func readInto(buf []byte, r io.Reader) ([]byte, error) {
	b := bytes.NewBuffer(buf[:0])
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

func stampOf(info fs.FileInfo, err error) (stamp, error) {
	if err != nil {
		return stamp{}, err
	}
	s := stamp{kind: kindOf(info.Mode()), size: info.Size(), mtime: noTime}
	if t := info.ModTime(); !t.IsZero() {
		s.mtime = t.UnixNano()
	}
	if c, ok := info.Sys().(interface{ ContentID() string }); ok {
		s.id = c.ContentID()
	}
	return s, nil
}

func sortNames(list []dirent) {
	slices.SortFunc(list, func(a, b dirent) int { return strings.Compare(a.name, b.name) })
}

// join is path.Join for a clean folder and a name.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// exists reports whether something stands under a root-relative path that may
// not be clean. What lies outside the root does not exist.
func exists(t tree, name string) bool {
	name = path.Clean(name)
	if strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../") || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	_, err := t.look(name)
	return err == nil
}

// gone reports whether a file vanished between listing and reading.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
