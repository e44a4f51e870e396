package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Errors that callers tell apart. Their texts are for the log.
var (
	ErrMissing     = errors.New("git: no such repository")
	ErrEmpty       = errors.New("git: the repository has no commits")
	ErrNoRef       = errors.New("git: no such branch, tag or commit")
	ErrAmbiguous   = errors.New("git: the abbreviated id names several objects")
	ErrNoPath      = errors.New("git: no such path")
	ErrNoMergeBase = errors.New("git: the histories have no commit in common")
	ErrRefName     = errors.New("git: not a valid ref name")
	ErrStale       = errors.New("git: the ref moved meanwhile")
	ErrBusy        = errors.New("git: too many git processes at work")
	ErrTooLarge    = errors.New("git: larger than asked for")
	ErrSlow        = errors.New("git: the search takes too long")
)

// Oldest git that has all that is used here: `cat-file -z` and `merge-tree
// --write-tree` came with 2.38.
const oldest = "2.38"

// Git is the git program and the pool of its readers. It may be used from
// many goroutines. Close ends the readers.
type Git struct {
	bin      string
	env      []string
	pool     *pool
	slow     chan struct{} // bounds searches and other long reads
	searches *searches
	sieves   *sieves
}

// Options of New. The zero value is right for a server of a few cores.
type Options struct {
	// Path is the git program; empty means the one on PATH.
	Path string
	// Readers bounds the idle cat-file processes kept over all repositories; 0 means 16.
	Readers int
	// Searches bounds the searches that run at once; 0 means 4.
	Searches int
	// Sieve is how many bytes are kept of what files of large repositories hold;
	// 0 means 128 MiB. SieveAfter is what a slow search takes, which begins it;
	// 0 means a quarter of a second.
	Sieve      int
	SieveAfter time.Duration
	// Remember is how many bytes of what searches found are kept; 0 means 32 MiB.
	Remember int
}

// New finds git and checks its version.
func New(opt Options) (*Git, error) {
	path := opt.Path
	if path == "" {
		path = "git"
	}
	bin, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("git is needed and was not found; install git %s or newer: %w", oldest, err)
	}
	g := &Git{bin: bin, env: environment(), slow: make(chan struct{}, max(1, or(opt.Searches, 4))), searches: newSearches(or(opt.Remember, 32<<20)), sieves: newSieves(opt.Sieve, opt.SieveAfter)}
	g.pool = newPool(g, or(opt.Readers, 16))
	version, err := g.Version(context.Background())
	if err != nil {
		return nil, err
	}
	if !atLeast(version, oldest) {
		return nil, fmt.Errorf("git %s is too old; install %s or newer", version, oldest)
	}
	return g, nil
}

// Close ends the pooled readers and the searches under way. Reads after it fail.
func (g *Git) Close() {
	g.searches.close()
	g.pool.close()
}

// Version is the program's own, such as "2.39.5".
func (g *Git) Version(ctx context.Context) (string, error) {
	out, err := g.output(ctx, "", nil, 1<<10, "version")
	if err != nil {
		return "", fmt.Errorf("ask git for its version: %w", err)
	}
	words := strings.Fields(string(out))
	if len(words) < 3 {
		return "", fmt.Errorf("git says %q instead of its version", out)
	}
	return words[2], nil
}

func or(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}

func atLeast(version, least string) bool {
	a, b := strings.Split(version, "."), strings.Split(least, ".")
	for i := range b {
		var x, y int
		if i < len(a) {
			x, _ = strconv.Atoi(a[i])
		}
		y, _ = strconv.Atoi(b[i])
		if x != y {
			return x > y
		}
	}
	return true
}

// environment is all that git learns of this process: where programs are,
// and that it should read no configuration and ask no questions.
func environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=/nonexistent",
		"LC_ALL=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=true",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_ADVICE=0",
	}
}

// settings hold for every call: no hooks, no external programs, and any owner
// of the repository's folder, since the forge's own user runs git.
var settings = []string{
	"-c", "safe.directory=*",
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.fsmonitor=false",
	"-c", "core.attributesFile=" + os.DevNull,
	"-c", "core.quotePath=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "protocol.ext.allow=never",
	"-c", "core.bigFileThreshold=" + strconv.Itoa(largeFile),
}

// command prepares git on a repository folder (empty: on none). It is killed
// with its children when ctx ends.
func (g *Git) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := make([]string, 0, len(settings)+len(args)+1)
	all = append(all, settings...)
	if dir != "" {
		all = append(all, "--git-dir="+dir)
	}
	cmd := exec.CommandContext(ctx, g.bin, append(all, args...)...)
	cmd.Env = g.env
	if loads[verb(args)] {
		cmd.Env = append(g.env[:len(g.env):len(g.env)], allocLimit(maxObject))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output runs git and returns at most limit bytes of what it prints. More is
// ErrTooLarge, with the first limit bytes.
func (g *Git) output(ctx context.Context, dir string, stdin io.Reader, limit int, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := g.command(ctx, dir, args...)
	cmd.Stdin = stdin
	out := &bounded{limit: limit, full: cancel}
	stderr := &tail{}
	cmd.Stdout, cmd.Stderr = out, stderr
	err := cmd.Run()
	if out.over {
		return out.buf.Bytes(), ErrTooLarge
	}
	if err != nil {
		return nil, failure(ctx, args, err, stderr)
	}
	return out.buf.Bytes(), nil
}

// Failure is a git process that ended badly.
type Failure struct {
	Verb   string // the git subcommand
	Exit   int    // -1 when it was killed
	Stderr string // its last words, bounded
}

func (f *Failure) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", f.Verb, f.Exit, f.Stderr)
}

func failure(ctx context.Context, args []string, err error, stderr *tail) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return fmt.Errorf("run git: %w", err)
	}
	said := strings.TrimSpace(stderr.String())
	if overLimit(said) {
		return fmt.Errorf("%w: %s: %s", ErrTooLarge, verb(args), said)
	}
	if strings.Contains(said, "not a git repository") {
		return fmt.Errorf("%w: %s", ErrMissing, verb(args))
	}
	return &Failure{Verb: verb(args), Exit: exit.ExitCode(), Stderr: said}
}

func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return ""
}

// bounded keeps the first limit bytes and calls full at the first one beyond.
type bounded struct {
	buf   bytes.Buffer
	limit int
	over  bool
	full  func()
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.buf.Len()
	if len(p) <= room {
		return b.buf.Write(p)
	}
	b.buf.Write(p[:room])
	b.over = true
	b.full()
	return 0, ErrTooLarge
}

// tail keeps the last few kilobytes of a process's complaints.
type tail struct{ buf []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.ToValidUTF8(t.buf, []byte("�"))) }

// takeSlow waits for a place among the long reads; the function gives it back.
func (g *Git) takeSlow(ctx context.Context) (func(), error) {
	select {
	case g.slow <- struct{}{}:
		return func() { <-g.slow }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
	}
}
