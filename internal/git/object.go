package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Mode is a tree entry's mode, as git writes it in octal.
type Mode uint32

// The modes git stores.
const (
	ModeTree      Mode = 0o040000
	ModeFile      Mode = 0o100644
	ModeExec      Mode = 0o100755
	ModeSymlink   Mode = 0o120000
	ModeSubmodule Mode = 0o160000
)

func (m Mode) IsDir() bool { return m == ModeTree }

// IsFile reports a regular file, executable or not. Old trees hold a few more
// permission bits.
func (m Mode) IsFile() bool { return m&0o170000 == 0o100000 }

// Entry is one name in a tree.
type Entry struct {
	Name string
	Mode Mode
	OID  string
}

// Largest tree object that is read. A folder of 100,000 names takes some 4 MB.
const maxTree = 64 << 20

// Lookup finds what stands at a path in a commit: a file, a folder (the empty
// path is the root), a symbolic link or a submodule. The path is compared
// byte for byte. ErrNoPath when there is nothing.
func (r *Repo) Lookup(ctx context.Context, commit, path string) (Entry, error) {
	var found Entry
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		var err error
		found, err = lookup(read, commit, path)
		return err
	})
	return found, err
}

func lookup(read *reader, commit, path string) (Entry, error) {
	if !isOID(commit) {
		return Entry{}, answer{ErrRefName}
	}
	h, err := read.ask("info", commit+"^{tree}")
	if err != nil {
		return Entry{}, err
	}
	at := Entry{Mode: ModeTree, OID: h.oid}
	if path == "" {
		return at, nil
	}
	for _, name := range strings.Split(path, "/") {
		if !at.Mode.IsDir() || name == "" {
			return Entry{}, answer{ErrNoPath}
		}
		_, tree, err := read.contents(at.OID, maxTree)
		if err != nil {
			return Entry{}, err
		}
		e, ok := find(tree, name, len(at.OID)/2)
		if !ok {
			return Entry{}, answer{ErrNoPath}
		}
		at = e
	}
	return at, nil
}

// find scans a raw tree for one name.
func find(tree []byte, name string, hashSize int) (Entry, bool) {
	for len(tree) > 0 {
		e, rest, ok := cutEntry(tree, hashSize)
		if !ok {
			return Entry{}, false
		}
		if string(e.name) == name {
			return e.entry(), true
		}
		tree = rest
	}
	return Entry{}, false
}

// rawEntry is an entry that still lies in the tree's bytes.
type rawEntry struct{ mode, name, oid []byte }

func (e rawEntry) entry() Entry {
	var mode Mode
	for _, c := range e.mode {
		mode = mode<<3 | Mode(c-'0')
	}
	return Entry{Name: string(e.name), Mode: mode, OID: hex.EncodeToString(e.oid)}
}

// cutEntry takes the first entry off a raw tree: an octal mode, a blank, the
// name, a NUL and the id in bytes.
func cutEntry(tree []byte, hashSize int) (rawEntry, []byte, bool) {
	blank := bytes.IndexByte(tree, ' ')
	if blank < 1 || blank > 7 {
		return rawEntry{}, nil, false
	}
	for _, c := range tree[:blank] {
		if c < '0' || c > '7' {
			return rawEntry{}, nil, false
		}
	}
	nul := bytes.IndexByte(tree[blank:], 0)
	if nul < 0 || len(tree) < blank+nul+1+hashSize {
		return rawEntry{}, nil, false
	}
	nul += blank
	return rawEntry{mode: tree[:blank], name: tree[blank+1 : nul], oid: tree[nul+1 : nul+1+hashSize]}, tree[nul+1+hashSize:], true
}

// Tree lists a folder of a commit in git's order. The error is ErrNoPath when
// the path is no folder.
func (r *Repo) Tree(ctx context.Context, commit, path string) ([]Entry, error) {
	var list []Entry
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		dir, err := lookup(read, commit, path)
		if err != nil {
			return err
		}
		if !dir.Mode.IsDir() {
			return answer{ErrNoPath}
		}
		_, tree, err := read.contents(dir.OID, maxTree)
		if err != nil {
			return err
		}
		list, err = entries(tree, len(dir.OID)/2)
		return err
	})
	return list, err
}

func entries(tree []byte, hashSize int) ([]Entry, error) {
	var list []Entry
	for len(tree) > 0 {
		e, rest, ok := cutEntry(tree, hashSize)
		if !ok {
			return nil, answer{errors.New("git: a broken tree object")}
		}
		list = append(list, e.entry())
		tree = rest
	}
	return list, nil
}

// Blob is a file's content, or what is known of it when it is too large.
type Blob struct {
	OID  string
	Size int64
	Data []byte
}

// Blob reads an object of at most limit bytes. A larger one is ErrTooLarge,
// with its size.
func (r *Repo) Blob(ctx context.Context, oid string, limit int64) (Blob, error) {
	if !isOID(oid) {
		return Blob{}, fmt.Errorf("%w: %q", ErrRefName, clip(oid))
	}
	var b Blob
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		h, data, err := read.contents(oid, limit)
		b = Blob{OID: h.oid, Size: h.size, Data: data}
		return err
	})
	return b, err
}

// File reads the content at a path of a commit through one reader: the entry,
// and for anything but a folder or a submodule its bytes up to limit.
func (r *Repo) File(ctx context.Context, commit, path string, limit int64) (Entry, Blob, error) {
	var e Entry
	var b Blob
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		var err error
		if e, err = lookup(read, commit, path); err != nil {
			return err
		}
		if e.Mode.IsDir() || e.Mode == ModeSubmodule {
			return nil
		}
		h, data, err := read.contents(e.OID, limit)
		b = Blob{OID: h.oid, Size: h.size, Data: data}
		return err
	})
	return e, b, err
}

// Sizes tells how large each of the objects is, -1 for one that is absent.
func (r *Repo) Sizes(ctx context.Context, oids []string) ([]int64, error) {
	sizes := make([]int64, len(oids))
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		for i, oid := range oids {
			sizes[i] = -1
			if !isOID(oid) {
				continue
			}
			h, err := read.ask("info", oid)
			if err != nil && !errors.Is(err, errAnswer) {
				return err
			}
			if err == nil {
				sizes[i] = h.size
			}
		}
		return nil
	})
	return sizes, err
}
