package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"skillforge/internal/fault"
)

// folderLock keeps two servers off one data folder. The system drops it with
// the process, however that ends, so a lock is never stale.
type folderLock struct{ file *os.File }

// lockFolder takes the lock of a data folder. Conflict, with what the holder
// says of itself, when somebody has it.
func lockFolder(dir string) (*folderLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "sigit.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &folderLock{file}, nil
	}
	holder, _ := io.ReadAll(io.LimitReader(file, 200))
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		who := strings.TrimSpace(string(holder))
		if who == "" {
			who = "another sigit"
		}
		return nil, fault.Coded(fault.Conflict, "locked", "the data folder %s is in use by %s", dir, who)
	}
	return nil, fmt.Errorf("lock the data folder: %w", err)
}

// share lets others that share it in: several servers on one PostgreSQL and
// one shared folder.
func (l *folderLock) share() error {
	return syscall.Flock(int(l.file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
}

// shareFolder takes the lock to share it, for when lockFolder found it shared.
func shareFolder(dir string) (*folderLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "sigit.lock"), os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	l := &folderLock{file}
	if err := l.share(); err != nil {
		file.Close()
		return nil, fault.Coded(fault.Conflict, "locked", "the data folder %s is in use", dir)
	}
	return l, nil
}

// say leaves word of who has the lock.
func (l *folderLock) say(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text+"\n"), 0)
	return err
}

func (l *folderLock) release() {
	if l != nil {
		l.file.Close()
	}
}
