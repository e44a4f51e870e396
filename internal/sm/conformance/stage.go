package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"skillforge/internal/sm/config"
)

// How long a command, and the start and end of a server, may take.
const (
	commandTime = 2 * time.Minute
	startTime   = 15 * time.Second
	stopTime    = 5 * time.Second
	pollTime    = 150 * time.Millisecond
)

// stage is the folder in which one case plays.
type stage struct {
	suite   fs.FS
	schemas *schemas
	program string
	group   string
	dir     string
	env     []string
	words   map[string]string // what {{name}} stands for
	url     string            // of the server, empty without one
}

// play runs one case and says what does not hold.
func play(ctx context.Context, suite fs.FS, schemas *schemas, program string, c *testCase) []Failure {
	if c.unread != "" {
		return []Failure{{"case", c.unread}}
	}
	dir, err := os.MkdirTemp("", "sm-conformance-")
	if err != nil {
		return []Failure{{"setup", err.Error()}}
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary folder
	s := &stage{suite: suite, schemas: schemas, program: program, group: c.group, dir: dir, env: environment(c.Setup), words: map[string]string{}}
	return s.play(ctx, c)
}

func (s *stage) play(ctx context.Context, c *testCase) []Failure {
	for _, prior := range c.Setup.PriorScans {
		if err := s.priorScan(ctx, prior.Fixture, prior.Flags); err != nil {
			return []Failure{{"setup", err.Error()}}
		}
	}
	if err := s.put(c.Fixture); err != nil {
		return []Failure{{"setup", err.Error()}}
	}
	if err := s.trustPlugins(); err != nil {
		return []Failure{{"setup", err.Error()}}
	}
	if c.Setup.StaticServe != nil {
		end, err := s.serveFiles(c.Setup.StaticServe.Fixture)
		if err != nil {
			return []Failure{{"setup", err.Error()}}
		}
		defer end()
	}
	if c.Setup.Serve {
		end, err := s.serve(ctx)
		if err != nil {
			return []Failure{{"setup", err.Error()}}
		}
		defer end()
	}
	for _, prior := range c.Setup.PriorInvokes {
		if err := s.priorInvoke(ctx, prior); err != nil {
			return []Failure{{"setup", err.Error()}}
		}
	}
	runs, err := s.invoke(ctx, c.Invoke)
	if err != nil {
		return []Failure{{"invoke", err.Error()}}
	}
	var failures []Failure
	for _, a := range c.Assertions {
		if err := s.held(ctx, a, runs); err != nil {
			failures = append(failures, Failure{a.Type, err.Error()})
		}
	}
	return failures
}

// allowed are the variables a command gets from the runner's environment.
var allowed = []string{"PATH", "HOME", "TMP", "TMPDIR", "TEMP", "LANG", "TERM", "NO_COLOR", "FORCE_COLOR", "CI", "SYSTEMROOT", "GODEBUG", "GORACE"}

func environment(su setup) []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(allowed, name) || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "NODE_") || strings.HasPrefix(name, "SKILL_MAP_") || strings.HasPrefix(name, "SM_") {
			env = append(env, entry)
		}
	}
	for family, off := range map[string]bool{"PROVIDERS": su.DisableAllProviders, "EXTRACTORS": su.DisableAllExtractors, "ANALYZERS": su.DisableAllAnalyzers} {
		if off {
			env = append(env, "SKILL_MAP_DISABLE_ALL_"+family+"=1")
		}
	}
	return env
}

// put makes the folder hold a fixture and nothing else beside .skill-map. No
// name leaves the folder as it is.
func (s *stage) put(fixture string) error {
	if fixture == "" {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == config.Folder {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
			return err
		}
	}
	root := path.Join(s.group, "fixtures", fixture)
	return fs.WalkDir(s.suite, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(name, root), "/")))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(s.suite, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o644)
	})
}

func (s *stage) priorScan(ctx context.Context, fixture string, flags []string) error {
	if err := s.put(fixture); err != nil {
		return err
	}
	got, err := s.run(ctx, append([]string{"scan"}, flags...))
	if err != nil {
		return err
	}
	if got.exit != 0 {
		return fmt.Errorf("the scan of %s before the case exits %d: %s", fixture, got.exit, tail(got.stderr))
	}
	return nil
}

// trustPlugins trusts the drop-in plugins that the fixture brought, as a user
// would have.
func (s *stage) trustPlugins() error {
	project := config.Project{Root: s.dir}
	entries, err := os.ReadDir(project.Inside("plugins"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := project.TrustPlugin(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// serveFiles serves a fixture's files over HTTP as {{staticServeUrl}}.
func (s *stage) serveFiles(fixture string) (end func(), err error) {
	files, err := fs.Sub(s.suite, path.Join(s.group, "fixtures", fixture))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: http.FileServerFS(files), ReadHeaderTimeout: startTime}
	ended := make(chan struct{})
	go func() {
		_ = server.Serve(listener) // ends with the case
		close(ended)
	}()
	s.words["staticServeUrl"] = "http://" + listener.Addr().String()
	return func() {
		_ = server.Close() // the case is over
		<-ended
	}, nil
}

// serve starts the program's server and waits until it says where it listens.
func (s *stage) serve(ctx context.Context) (end func(), err error) {
	cmd := exec.Command(s.program, "serve", "--no-open", "--no-watcher", "--port", "0")
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, s.env, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its end is what is waited for
		close(gone)
	}()
	end = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		select {
		case <-gone:
		case <-time.After(stopTime):
			_ = cmd.Process.Kill()
			<-gone
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		if url := s.serverURL(); url != "" {
			s.url = url
			return end, nil
		}
		select {
		case <-gone:
			return nil, fmt.Errorf("the server ended: %s", tail(said.Bytes()))
		case <-ctx.Done():
			end()
			return nil, fmt.Errorf("the server did not write %s in %s: %s", config.ServeFile, startTime, tail(said.Bytes()))
		case <-tick.C:
		}
	}
}

func (s *stage) serverURL() string {
	text, err := os.ReadFile(config.Project{Root: s.dir}.Inside(config.ServeFile))
	if err != nil {
		return ""
	}
	var info struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	if json.Unmarshal(text, &info) != nil || info.Port == 0 {
		return ""
	}
	if info.Host == "" {
		info.Host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(info.Host, fmt.Sprint(info.Port))
}

func (s *stage) priorInvoke(ctx context.Context, i invocation) error {
	runs, err := s.invoke(ctx, i)
	if err != nil {
		return err
	}
	got := runs[0]
	line := strings.Join(i.line(), " ")
	if got.exit != i.ExpectExit {
		return fmt.Errorf("`sm %s` exits %d, want %d: %s", line, got.exit, i.ExpectExit, tail(got.stderr))
	}
	for name, path := range i.Capture {
		value, err := dig(got.stdout, path)
		if err != nil {
			return fmt.Errorf("`sm %s`: %w", line, err)
		}
		text, ok := value.(string)
		if !ok {
			raw, err := json.Marshal(value)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		s.words[name] = text
	}
	if i.SleepAfterMs == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(i.SleepAfterMs) * time.Millisecond): // the case asks for it
		return nil
	}
}

// invoke runs a command once, or as often at once as it says.
func (s *stage) invoke(ctx context.Context, i invocation) ([]outcome, error) {
	words := i.line()
	fixed := 1
	if i.Sub != "" {
		fixed = 2
	}
	for n := fixed; n < len(words); n++ {
		filled, err := s.fill(words[n])
		if err != nil {
			return nil, err
		}
		words[n] = filled
	}
	runs := make([]outcome, max(1, i.Parallel))
	errs := make([]error, len(runs))
	var all sync.WaitGroup
	for n := range runs {
		all.Go(func() { runs[n], errs[n] = s.run(ctx, words) })
	}
	all.Wait()
	return runs, errors.Join(errs...)
}

// fill puts what was captured in the place of {{name}}.
func (s *stage) fill(word string) (string, error) {
	for name, value := range s.words {
		word = strings.ReplaceAll(word, "{{"+name+"}}", value)
	}
	if _, after, ok := strings.Cut(word, "{{"); ok {
		name, _, _ := strings.Cut(after, "}}")
		return "", fmt.Errorf("nothing was captured as {{%s}}", name)
	}
	return word, nil
}

func (s *stage) run(ctx context.Context, words []string) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, words...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &stdout, &stderr
	cmd.WaitDelay = stopTime
	err := cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, fmt.Errorf("`sm %s` did not end in %s", strings.Join(words, " "), commandTime)
	}
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		return outcome{}, err
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.Bytes()}, nil
}
