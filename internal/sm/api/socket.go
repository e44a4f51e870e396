package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"skillforge/internal/sm"
)

// Limits of the WebSocket.
const (
	socketsMax     = 64
	socketBuffer   = 4 << 20 // bytes that may wait for one client
	socketBeat     = 30 * time.Second
	socketPatience = 10 * time.Second // for one write, and for a pong
)

// Close codes and reasons of the contract.
const (
	tooMany   = "too many connections"
	tooSlow   = "too slow to keep up"
	goingAway = "server shutdown"
)

// sockets are the WebSocket clients. Every event goes to all of them, encoded
// once; who connects later has missed what came before.
type sockets struct {
	log *slog.Logger

	mu     sync.Mutex // guards all below
	open   map[*socket]bool
	closed bool
}

func newSockets(log *slog.Logger) *sockets {
	return &sockets{log: log, open: map[*socket]bool{}}
}

// socket is one client. Frames wait in a queue, so that a slow client holds up
// nobody; one that is too far behind is let go.
type socket struct {
	wake chan struct{} // has a token when queue or end may have changed

	mu     sync.Mutex // guards all below
	queue  [][]byte
	size   int // bytes in queue
	ended  bool
	code   websocket.StatusCode
	reason string
}

// send encodes e and queues it for every client.
func (l *sockets) send(e sm.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		return
	}
	text, err := json.Marshal(e)
	if err != nil {
		l.log.Error("event does not encode", "type", e.Type, "err", err)
		return
	}
	for one := range l.open {
		one.push(text)
	}
}

// close lets every client go and takes no more.
func (l *sockets) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for one := range l.open {
		one.end(websocket.StatusGoingAway, goingAway)
	}
}

// add takes a client in; the reason says why not.
func (l *sockets) add(one *socket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		one.end(websocket.StatusGoingAway, goingAway)
	case len(l.open) >= socketsMax:
		one.end(websocket.StatusTryAgainLater, tooMany)
	default:
		l.open[one] = true
	}
}

func (l *sockets) remove(one *socket) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, one)
}

func (s *socket) push(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.size+len(text) > socketBuffer {
		s.finish(websocket.StatusMessageTooBig, tooSlow)
		return
	}
	s.queue = append(s.queue, text)
	s.size += len(text)
	s.signal()
}

func (s *socket) end(code websocket.StatusCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish(code, reason)
}

// finish marks the client for closing. The caller holds mu.
func (s *socket) finish(code websocket.StatusCode, reason string) {
	if s.ended {
		return
	}
	s.ended, s.code, s.reason = true, code, reason
	s.queue, s.size = nil, 0
	s.signal()
}

func (s *socket) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take returns what waits, and how to close once the client has ended.
func (s *socket) take() (frames [][]byte, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames = s.queue
	s.queue, s.size = nil, 0
	return frames, s.ended
}

// socket serves one WebSocket client: events out, nothing in.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) error {
	// In before it is answered: whoever is connected misses nothing.
	one := &socket{wake: make(chan struct{}, 1)}
	s.sockets.add(one)
	defer s.sockets.remove(one)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the gate has checked the Origin, by our rules
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return nil // Accept has answered
	}
	ctx, gone := context.WithCancel(context.Background())
	var listening sync.WaitGroup
	listening.Go(func() { defer gone(); ignore(conn) })
	defer listening.Wait()
	one.speak(ctx, conn)
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.ended {
		_ = conn.Close(one.code, one.reason)
		return nil
	}
	_ = conn.CloseNow()
	return nil
}

// speak writes what waits until the client is gone or to be let go.
func (s *socket) speak(ctx context.Context, conn *websocket.Conn) {
	beat := time.NewTicker(socketBeat)
	defer beat.Stop()
	for {
		frames, ended := s.take()
		for _, text := range frames {
			if write(ctx, conn, text) != nil {
				return
			}
		}
		if ended {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-beat.C:
			if ping(ctx, conn) != nil {
				return
			}
		}
	}
}

// ignore reads what the client says, which answers pings and notices the end,
// and drops it: this socket only speaks.
func ignore(conn *websocket.Conn) {
	conn.SetReadLimit(-1) // nothing is kept
	for {
		_, frame, err := conn.Reader(context.Background())
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, frame); err != nil {
			return
		}
	}
}

func write(ctx context.Context, conn *websocket.Conn, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, socketPatience)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, text)
}

func ping(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, socketPatience)
	defer cancel()
	return conn.Ping(ctx)
}
