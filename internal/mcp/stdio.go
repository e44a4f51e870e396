package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"skillforge/internal/fault"
)

// ServeStdio serves one client on a pair of pipes, one message a line, until
// in ends or ctx does. Calls still running when in ends have a moment to
// answer; then they are cancelled. The error is that of reading.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pipe{server: s, one: newSession(s, ""), out: out}
	s.sessions.adopt(p.one)
	defer s.sessions.end(p.one)
	var speaking sync.WaitGroup
	speaking.Go(func() { p.speak(ctx) })
	err := p.listen(ctx, in)
	p.settle(ctx)
	cancel()
	p.one.close()
	p.calls.Wait()
	speaking.Wait()
	return err
}

// farewell is how long calls may run on after the client closed its end.
const farewell = 2 * time.Second

// pipe is a client on standard input and output.
type pipe struct {
	server *Server
	one    *session
	shaken bool // only the reading goroutine looks
	calls  sync.WaitGroup

	mu  sync.Mutex // guards out
	out io.Writer
}

func (p *pipe) send(f frame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.out.Write(append(bytes.Join(f, nil), '\n'))
	return err
}

// listen takes lines and starts their calls. It does not wait for a line when
// ctx ends; a read that waits on then ends with the process.
func (p *pipe) listen(ctx context.Context, in io.Reader) error {
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(lines)
		failed <- p.read(ctx, in, lines)
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				return <-failed
			}
			p.accept(ctx, line)
		}
	}
}

// read hands the lines of in on, but for empty ones.
func (p *pipe) read(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, int(p.server.limits.Body))
	for scanner.Scan() {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		select {
		case lines <- bytes.Clone(line):
		case <-ctx.Done():
			return nil
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fault.New(fault.TooLarge, "A message is larger than %d bytes, so what follows it cannot be told apart.", p.server.limits.Body)
	}
	return scanner.Err()
}

func (p *pipe) accept(ctx context.Context, line []byte) {
	messages, _, err := parse(line)
	if err != nil {
		_ = p.send(errorFrame(nil, &Error{Code: CodeParse, Message: "Parse error"}))
		return
	}
	if len(messages) == 0 {
		_ = p.send(errorFrame(nil, &Error{Code: CodeInvalidRequest, Message: "Invalid JSON-RPC message"}))
	}
	for i := range messages {
		p.one.touch()
		p.take(ctx, &messages[i])
	}
}

// take answers one message: the handshake in place, since what follows
// depends on it, and calls each in a goroutine.
func (p *pipe) take(ctx context.Context, m *message) {
	switch {
	case !m.valid():
		_ = p.send(errorFrame(nil, &Error{Code: CodeInvalidRequest, Message: "Invalid JSON-RPC message"}))
	case m.Method == "initialize" && !p.shaken:
		p.shake(m)
	case !m.isRequest():
		p.one.accept(ctx, m, p)
	case !p.shaken && m.Method != "ping":
		_ = p.send(errorFrame(m.ID, &Error{Code: CodeInvalidRequest, Message: "initialize comes first"}))
	default:
		p.calls.Go(func() {
			if f := p.one.accept(ctx, m, p); f != nil {
				_ = p.send(f)
			}
		})
	}
}

func (p *pipe) shake(m *message) {
	result, err := p.one.initialize(m.Params)
	if err != nil {
		_ = p.send(errorFrame(m.ID, errorOf(err)))
		return
	}
	p.shaken = true
	_ = p.send(resultFrame(m.ID, result))
}

// speak sends what the server says first.
func (p *pipe) speak(ctx context.Context) {
	me := &reader{func() {}}
	p.one.attach(me)
	defer p.one.detach(me)
	for p.one.drain(p) == nil {
		select {
		case <-ctx.Done():
			return
		case <-p.one.done:
			return
		case <-p.one.waiting:
		}
	}
}

// settle waits a moment for calls to answer.
func (p *pipe) settle(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(answered)
	}()
	wait, stop := context.WithTimeoutCause(ctx, farewell, errors.New("the client is gone"))
	defer stop()
	select {
	case <-answered:
	case <-wait.Done():
	}
}
