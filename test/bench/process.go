package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cost is what a process took.
type cost struct {
	wall, cpu time.Duration
	peak      int // MiB
}

// costs of several runs of the same.
type costs []cost

func (c costs) walls() (list []time.Duration) {
	for _, x := range c {
		list = append(list, x.wall)
	}
	return list
}

// note is the part of a row that walls do not say.
func (c costs) note() string {
	var cpu []time.Duration
	var peak []int
	for _, x := range c {
		cpu, peak = append(cpu, x.cpu), append(peak, x.peak)
	}
	return fmt.Sprintf("cpu %.0f ms, %d MiB", median(cpu).Seconds()*1000, median(peak))
}

// command runs a program to its end. Exit codes of ok are fine.
func (b *bench) command(dir string, ok int, program string, args ...string) (cost, string, error) {
	cmd := exec.CommandContext(b, program, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &errs, quietEnv()
	begun := time.Now()
	err := cmd.Run()
	c := cost{wall: time.Since(begun)}
	if s := cmd.ProcessState; s != nil {
		c.cpu = s.UserTime() + s.SystemTime()
		if u, is := s.SysUsage().(*syscall.Rusage); is {
			c.peak = int(u.Maxrss >> 10)
		}
	}
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > ok || cmd.ProcessState.ExitCode() < 0) {
		return c, "", fmt.Errorf("%s %s: %w: %.500s", program, strings.Join(args, " "), err, errs.String())
	}
	return c, out.String(), nil
}

// measure runs a program several times.
func (b *bench) measure(n int, dir string, ok int, before func(i int) error, program string, args ...string) (list costs, err error) {
	err = b.repeat(n, func(i int) error {
		if before != nil {
			if err := before(i); err != nil {
				return err
			}
		}
		c, _, err := b.command(dir, ok, program, args...)
		list = append(list, c)
		return err
	})
	return list, err
}

// quietEnv is this process's environment, without a user's git settings.
func quietEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true",
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.org", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@example.org", "NO_COLOR=1")
}

// server is a program that serves.
type server struct {
	cmd *exec.Cmd
	url string
}

// start runs a program until it says on standard output or error where it
// listens.
func (b *bench) start(dir string, env []string, program string, args ...string) (*server, error) {
	cmd := exec.CommandContext(b, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir, cmd.Env = dir, append(quietEnv(), env...)
	s := &server{cmd: cmd}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = in, in
	err = cmd.Start()
	in.Close()
	if err != nil {
		return nil, err
	}
	said, lines := "", bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		said += lines.Text() + "\n"
		if _, address, found := strings.Cut(lines.Text(), "http://"); found {
			s.url = "http://" + strings.TrimRight(strings.Fields(address)[0], "/.,")
		}
	}
	if s.url == "" {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("%s %s does not serve: %w: %s", program, strings.Join(args, " "), cmd.Wait(), said)
	}
	go func() { // what it says later must not fill the pipe
		defer out.Close()
		for lines.Scan() {
		}
	}()
	return s, nil
}

// stop ends the server and gives its peak memory.
func (s *server) stop() (peak int) {
	peak = s.memory("VmHWM")
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait() // how it ends is of no interest
	return peak
}

// memory is a line of the process's status, in MiB.
func (s *server) memory(key string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, key+":"); found {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kib >> 10
		}
	}
	return 0
}

// files counts the open files of the process.
func (s *server) files() int {
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return len(list)
}

// up waits until the address answers.
func (b *bench) up(url string) error {
	for b.Err() == nil {
		if answer, err := http.Get(url); err == nil {
			answer.Body.Close()
			return nil
		}
		time.Sleep(2 * time.Millisecond)
	}
	return b.Err()
}
