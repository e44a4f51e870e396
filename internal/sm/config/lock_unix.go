//go:build unix

package config

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFolder keeps other processes from changing the settings at the same
// time. A file system that knows no locks does without.
func lockFolder(dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	_ = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	return func() { _ = f.Close() }
}
