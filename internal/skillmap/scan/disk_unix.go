//go:build unix

package scan

import (
	"errors"
	"io"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

func (d disk) look(name string) (stamp, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Lstat(d.abs(name), &st) })
	return unixStamp(&st, "lstat", name, err)
}

func (d disk) follow(name string) (stamp, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Stat(d.abs(name), &st) })
	return unixStamp(&st, "stat", name, err)
}

// read opens without waiting: a pipe that took the place of a file must not
// hold up a scan.
func (d disk) read(name string, buf []byte, limit int64) ([]byte, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Open(d.abs(name), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	if need := min(st.Size, limit) + 1; int64(cap(buf)) < need {
		buf = make([]byte, need+need/4)
	}
	return readAll(fd, name, buf[:cap(buf)], st.Size, limit)
}

// readAll reads to the end of the file or the limit, whichever comes first. A
// file that has as much text as its size says ends there; files of size 0 may
// have text all the same, where the system makes it up.
func readAll(fd int, name string, buf []byte, size, limit int64) ([]byte, error) {
	n := 0
	for int64(n) < limit {
		if n == len(buf) {
			buf = append(buf, 0)
			buf = buf[:cap(buf)]
		}
		var got int
		err := retry(func() (err error) { got, err = unix.Read(fd, buf[n:]); return err })
		if err != nil && err != io.EOF {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if got == 0 {
			break
		}
		n += got
		if int64(n) == size {
			break
		}
	}
	return buf[:min(int64(n), limit)], nil
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func unixStamp(st *unix.Stat_t, op, name string, err error) (stamp, error) {
	if err != nil {
		return stamp{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	s := stamp{size: st.Size, inode: st.Ino, kind: other}
	s.mtime = time.Unix(st.Mtim.Unix()).UnixNano()
	s.ctime = time.Unix(st.Ctim.Unix()).UnixNano()
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.kind = regular
	case unix.S_IFDIR:
		s.kind = folder
	case unix.S_IFLNK:
		s.kind = symlink
	}
	return s, nil
}
