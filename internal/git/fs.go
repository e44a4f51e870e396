package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FS shows the files of one commit as a file system. It reads the list of
// names once; contents are read when files are opened. It implements
// fs.ReadDirFS, fs.ReadFileFS, fs.StatFS and fs.ReadLinkFS, and may be used
// from many goroutines as long as its context lives.
type FS struct {
	ctx   context.Context
	repo  *Repo
	when  time.Time
	files map[string]*fileInfo // by path; "." is the root
	limit int64
}

// Largest listing of one commit: some 500,000 names.
const maxListing = 128 << 20

// FS lists a commit. Files have the commit's time. A file over limit bytes
// cannot be opened: ErrTooLarge.
func (r *Repo) FS(ctx context.Context, commit string, limit int64) (*FS, error) {
	return r.FSWithin(ctx, commit, limit, maxListing)
}

// FSWithin is FS for a commit whose list of names, with some 60 bytes beside
// each, takes at most listing bytes. A longer one is ErrTooLarge.
func (r *Repo) FSWithin(ctx context.Context, commit string, limit int64, listing int) (*FS, error) {
	if !isOID(commit) {
		return nil, ErrRefName
	}
	log, err := r.Log(ctx, commit, nil, "", 0, 1)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, listing, "ls-tree", "-r", "-t", "-l", "-z", "--full-tree", "--end-of-options", commit)
	if err != nil {
		return nil, fmt.Errorf("list a commit: %w", err)
	}
	f := &FS{ctx: ctx, repo: r, limit: limit, files: map[string]*fileInfo{}}
	if len(log) > 0 {
		f.when = log[0].Time
	}
	f.files["."] = &fileInfo{name: ".", mode: ModeTree, when: f.when}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		f.add(string(record))
	}
	for _, info := range f.files {
		slices.SortFunc(info.children, func(a, b *fileInfo) int { return strings.Compare(a.name, b.name) })
	}
	return f, nil
}

// add reads "mode SP type SP id SP+ size TAB path". Parents come before
// children.
func (f *FS) add(record string) {
	head, name, ok := strings.Cut(record, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || !fs.ValidPath(name) {
		return
	}
	mode, err := strconv.ParseUint(words[0], 8, 32)
	if err != nil {
		return
	}
	size, _ := strconv.ParseInt(words[3], 10, 64) // "-" for what is no blob
	info := &fileInfo{name: path.Base(name), mode: Mode(mode), oid: words[2], size: size, when: f.when}
	parent := f.files[path.Dir(name)]
	if parent == nil {
		return
	}
	f.files[name] = info
	parent.children = append(parent.children, info)
}

func (f *FS) find(op, name string) (*fileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	info := f.files[name]
	if info == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return info, nil
}

// Open opens a file, a folder or, without following it, a symbolic link.
func (f *FS) Open(name string) (fs.File, error) {
	info, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &openDir{info: info}, nil
	}
	data, err := f.read("open", name, info)
	if err != nil {
		return nil, err
	}
	return &openFile{info: info, Reader: bytes.NewReader(data)}, nil
}

func (f *FS) read(op, name string, info *fileInfo) ([]byte, error) {
	if info.mode == ModeSubmodule {
		return nil, &fs.PathError{Op: op, Path: name, Err: errors.New("a submodule")}
	}
	b, err := f.repo.Blob(f.ctx, info.oid, f.limit)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return b.Data, nil
}

// ReadFile returns a file's bytes.
func (f *FS) ReadFile(name string) ([]byte, error) {
	info, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	return f.read("read", name, info)
}

// ReadDir lists a folder in name order.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	list := make([]fs.DirEntry, len(info.children))
	for i, c := range info.children {
		list[i] = fs.FileInfoToDirEntry(c)
	}
	return list, nil
}

// Stat describes a name; symbolic links are not followed.
func (f *FS) Stat(name string) (fs.FileInfo, error) { return f.Lstat(name) }

// Lstat describes a name.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	info, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return info, nil
}

// ReadLink returns where a symbolic link points.
func (f *FS) ReadLink(name string) (string, error) {
	info, err := f.find("readlink", name)
	if err != nil {
		return "", err
	}
	if info.mode != ModeSymlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	b, err := f.read("readlink", name, info)
	return string(b), err
}

// fileInfo is one name of the commit.
type fileInfo struct {
	name     string
	mode     Mode
	oid      string
	size     int64
	when     time.Time
	children []*fileInfo
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) ModTime() time.Time { return i.when }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() || i.mode == ModeSubmodule }
func (i *fileInfo) Sys() any           { return nil }

func (i *fileInfo) Mode() fs.FileMode {
	switch i.mode {
	case ModeTree, ModeSubmodule: // a submodule is an empty folder, as in a checkout
		return fs.ModeDir | 0o755
	case ModeSymlink:
		return fs.ModeSymlink | 0o777
	case ModeExec:
		return 0o755
	}
	return 0o644
}

type openFile struct {
	info *fileInfo
	*bytes.Reader
}

func (o *openFile) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openFile) Close() error               { return nil }

type openDir struct {
	info *fileInfo
	at   int
}

func (o *openDir) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *openDir) Close() error               { return nil }
func (o *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.info.name, Err: errors.New("is a directory")}
}

func (o *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := o.info.children[o.at:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && n < len(rest) {
		rest = rest[:n]
	}
	o.at += len(rest)
	list := make([]fs.DirEntry, len(rest))
	for i, c := range rest {
		list[i] = fs.FileInfoToDirEntry(c)
	}
	return list, nil
}
