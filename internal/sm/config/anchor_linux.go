package config

import (
	"errors"

	"golang.org/x/sys/unix"
)

// anchor says which folder this is: its inode, and when it was made. A copy
// of the folder differs in both.
func anchor(dir string) (inode uint64, bornNs int64, err error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return 0, 0, err
	}
	if s.Mask&unix.STATX_BTIME == 0 || s.Btime.Sec == 0 {
		return 0, 0, errors.New("no birth time")
	}
	return s.Ino, s.Btime.Sec*1e9 + int64(s.Btime.Nsec), nil
}
