package scan

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"
)

// spot is an open folder. Names in it are looked up from its descriptor, which
// spares the system the way from the root.
type spot struct {
	fd int
	at stamp
}

// enter opens a folder for listing it and looking at what is in it.
func (d disk) enter(dir string) (place, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Open(d.abs(dir), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: err}
	}
	var st unix.Stat_t
	err = retry(func() error { return unix.Fstat(fd, &st) })
	at, err := unixStamp(&st, "stat", dir, err)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &spot{fd: fd, at: at}, nil
}

func (d disk) list(dir string) ([]dirent, error) {
	p, err := d.enter(dir)
	if err != nil {
		return nil, err
	}
	defer p.close()
	return p.list()
}

func (p *spot) stamp() stamp { return p.at }

func (p *spot) close() { unix.Close(p.fd) }

func (p *spot) look(name string) (stamp, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(p.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return unixStamp(&st, "lstat", name, err)
}

var direntBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// list reads the folder as the kernel writes it: for each entry its inode and
// offset (8 bytes each), length (2), type (1) and name, ended by a zero.
func (p *spot) list() ([]dirent, error) {
	buf := direntBuffers.Get().(*[]byte)
	defer direntBuffers.Put(buf)
	var out []dirent
	for {
		var n int
		err := retry(func() (err error) { n, err = unix.ReadDirent(p.fd, *buf); return err })
		if err != nil {
			return nil, &fs.PathError{Op: "readdir", Err: err}
		}
		if n <= 0 {
			break
		}
		out = appendDirents(out, (*buf)[:n])
	}
	sortNames(out)
	return out, nil
}

func appendDirents(out []dirent, b []byte) []dirent {
	const nameAt = 19
	for len(b) > nameAt {
		length := int(binary.NativeEndian.Uint16(b[16:]))
		if length <= nameAt || length > len(b) {
			break
		}
		name := b[nameAt:length]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if s := string(name); s != "." && s != ".." {
			out = append(out, dirent{s, direntKind(b[18])})
		}
		b = b[length:]
	}
	return out
}

func direntKind(t byte) kind {
	switch t {
	case unix.DT_REG:
		return regular
	case unix.DT_DIR:
		return folder
	case unix.DT_LNK:
		return symlink
	case unix.DT_UNKNOWN:
		return unknown
	}
	return other
}
