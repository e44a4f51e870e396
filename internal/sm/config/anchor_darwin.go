package config

import (
	"errors"
	"syscall"
)

// anchor says which folder this is: its inode, and when it was made. A copy
// of the folder differs in both.
func anchor(dir string) (inode uint64, bornNs int64, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return 0, 0, err
	}
	if s.Birthtimespec.Sec == 0 {
		return 0, 0, errors.New("no birth time")
	}
	return s.Ino, s.Birthtimespec.Nano(), nil
}
