package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// pool keeps idle `cat-file --batch-command` processes by repository, so that
// a read costs a round trip over a pipe instead of a process. A reader is
// used by one goroutine at a time; the least recently used idle ones are
// ended when there are more than cap.
type pool struct {
	git *Git
	cap int

	mu     sync.Mutex // guards what follows
	idle   []*reader  // least recently used first
	closed bool
}

func newPool(g *Git, capacity int) *pool { return &pool{git: g, cap: capacity} }

// reader is one cat-file process.
type reader struct {
	dir  string
	cmd  *exec.Cmd
	stop context.CancelFunc
	in   io.WriteCloser
	out  *bufio.Reader
}

// with runs f on a reader of the repository. A reader that failed in any way
// is ended rather than reused, since its stream may be out of step.
func (p *pool) with(ctx context.Context, dir string, f func(*reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := p.take(dir)
	if err != nil {
		return err
	}
	// A caller who gives up must not wait for the rest of a large object.
	unwatch := context.AfterFunc(ctx, r.stop)
	err = f(r)
	if !unwatch() || err != nil && !errors.Is(err, errAnswer) {
		r.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	p.give(r)
	return err
}

func (p *pool) take(dir string) (*reader, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errors.New("git: closed")
	}
	for i := len(p.idle) - 1; i >= 0; i-- {
		if r := p.idle[i]; r.dir == dir {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.mu.Unlock()
			return r, nil
		}
	}
	p.mu.Unlock()
	return p.start(dir)
}

func (p *pool) start(dir string) (*reader, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := p.git.command(ctx, dir, "cat-file", "--batch-command", "-z")
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("start a reader: %w", err)
	}
	return &reader{dir: dir, cmd: cmd, stop: cancel, in: in, out: bufio.NewReaderSize(out, 64<<10)}, nil
}

func (p *pool) give(r *reader) {
	p.mu.Lock()
	var old *reader
	switch {
	case p.closed:
		old = r
	default:
		p.idle = append(p.idle, r)
		if len(p.idle) > p.cap {
			old = p.idle[0]
			p.idle = p.idle[1:]
		}
	}
	p.mu.Unlock()
	if old != nil {
		old.end()
	}
}

// forget ends the idle readers of one repository: it was deleted or replaced.
func (p *pool) forget(dir string) {
	p.mu.Lock()
	var ended []*reader
	kept := p.idle[:0]
	for _, r := range p.idle {
		if r.dir == dir {
			ended = append(ended, r)
		} else {
			kept = append(kept, r)
		}
	}
	p.idle = kept
	p.mu.Unlock()
	for _, r := range ended {
		r.end()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	ended := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, r := range ended {
		r.end()
	}
}

func (r *reader) end() {
	r.in.Close()
	r.stop()
	r.cmd.Wait() // reaps it; that it was killed is known
}

// errAnswer marks refusals that leave the stream in step.
var errAnswer = errors.New("git: answered")

// answer is an error that git gave in band.
type answer struct{ error }

func (a answer) Unwrap() []error { return []error{a.error, errAnswer} }

// head is what git says of an object before its bytes.
type head struct {
	oid, kind string
	size      int64
}

// ask sends one command on a name that was checked before, and reads the
// head of the answer. git reports a missing object in band.
func (r *reader) ask(command, name string) (head, error) {
	if _, err := io.WriteString(r.in, command+" "+name+"\x00"); err != nil {
		return head{}, fmt.Errorf("ask for an object: %w", r.why(err))
	}
	line, err := r.out.ReadString('\n')
	if err != nil {
		return head{}, fmt.Errorf("read an object's head: %w", r.why(err))
	}
	line = strings.TrimSuffix(line, "\n")
	if strings.HasSuffix(line, " ambiguous") {
		return head{}, answer{ErrAmbiguous}
	}
	words := strings.Split(line, " ")
	if len(words) != 3 || strings.HasSuffix(line, " missing") {
		return head{}, answer{ErrNoRef}
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return head{}, answer{ErrNoRef}
	}
	return head{oid: words[0], kind: words[1], size: size}, nil
}

// why tells a reader whose repository is gone from one that broke.
func (r *reader) why(err error) error {
	if errors.Is(err, io.EOF) || strings.Contains(err.Error(), "broken pipe") {
		if !isRepository(r.dir) {
			return ErrMissing
		}
	}
	return err
}

// contents reads an object of at most limit bytes. A larger one is
// ErrTooLarge with its head; its bytes are not read.
func (r *reader) contents(name string, limit int64) (head, []byte, error) {
	h, err := r.ask("info", name)
	if err != nil {
		return h, nil, err
	}
	if h.size > limit {
		return h, nil, answer{ErrTooLarge}
	}
	if h, err = r.ask("contents", h.oid); err != nil {
		return h, nil, err
	}
	body := make([]byte, h.size)
	if _, err := io.ReadFull(r.out, body); err != nil {
		return h, nil, fmt.Errorf("read an object: %w", err)
	}
	if _, err := r.out.Discard(1); err != nil { // the line feed behind every object
		return h, nil, fmt.Errorf("read an object: %w", err)
	}
	return h, body, nil
}
