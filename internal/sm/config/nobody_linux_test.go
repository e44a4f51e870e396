package config

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// asNobody does something as somebody who is not root, for whom permissions
// count. Only the thread that does it becomes another, and ends with it.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := syscall.Setfsuid(65534)
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skipf("this machine lets nobody become another: %v", err)
	}
}
