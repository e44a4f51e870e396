//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestSecondInterruptEndsWhatHangs: a command that reads a pipe nobody writes
// to does not come to see the first one.
func TestSecondInterruptEndsWhatHangs(t *testing.T) {
	s := newStranger(t)
	pipe := filepath.Join(s.dir, "report")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	cmd := exec.Command(s.program, "record", "--id", "x", "--nonce", "y", "--status", "completed", "--report", pipe)
	cmd.Dir = s.dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var writer *os.File
	for end := time.Now().Add(patience); writer == nil; time.Sleep(5 * time.Millisecond) { // until it reads
		w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			writer = w
		} else if !errors.Is(err, syscall.ENXIO) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
	defer writer.Close()
	for end := time.Now().Add(patience); ; {
		select {
		case <-ended:
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
				t.Errorf("ends with %v", cmd.ProcessState)
			}
			return
		case <-time.After(20 * time.Millisecond):
			if time.Now().After(end) {
				_ = cmd.Process.Kill()
				t.Fatal("interruptions are not heard")
			}
			_ = cmd.Process.Signal(os.Interrupt)
		}
	}
}
