package mcp

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// stream writes one HTTP response as server-sent events. It says something at
// least every heartbeat, so that neither side's network gives up on a quiet
// call, and no write blocks longer than the limit on a client that does not
// read. It may be used from many goroutines until end.
type stream struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	limit     time.Duration
	heartbeat time.Duration

	mu    sync.Mutex // guards the writer and all below
	begun bool       // the headers are sent
	ended bool
	err   error // of the first write that failed
	timer *time.Timer
}

// newStream returns a stream that sends its headers with the first message, or
// after first if there is none by then.
func newStream(w http.ResponseWriter, first time.Duration, l Limits) *stream {
	s := &stream{w: w, control: http.NewResponseController(w), limit: l.Write, heartbeat: l.Heartbeat}
	s.mu.Lock() // the timer may fire before it is assigned
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(first, s.beat)
	return s
}

var (
	eventHead = []byte("event: message\ndata: ")
	eventTail = []byte("\n\n")
	comment   = []byte(": keepalive\n\n")
)

// errEnded says that the response is over.
var errEnded = errors.New("the stream has ended")

// send writes one message and passes it on to the network.
func (s *stream) send(f frame) error { return s.write(true, f) }

// last writes the final message, which the end of the response passes on.
func (s *stream) last(f frame) error { return s.write(false, f) }

func (s *stream) write(flush bool, f frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errEnded
	}
	s.begin()
	s.put(eventHead)
	for _, piece := range f {
		s.put(piece)
	}
	s.put(eventTail)
	if flush {
		s.flush()
	}
	s.timer.Reset(s.heartbeat)
	return s.err
}

// beat writes a comment that clients skip.
func (s *stream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.err != nil {
		return
	}
	s.begin()
	s.put(comment)
	s.flush()
	s.timer.Reset(s.heartbeat)
}

// end finishes the response. Nothing is written after it returns.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.ended = true
	s.timer.Stop()
}

// begin sends the headers once. The caller holds mu.
func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
}

// chunk bounds one write, so that the limit is on a stalled client, not on a
// slow one with a long answer.
const chunk = 64 << 10

// put writes b unless a write failed before. The caller holds mu.
func (s *stream) put(b []byte) {
	for len(b) > 0 && s.err == nil {
		n := min(len(b), chunk)
		s.arm()
		_, s.err = s.w.Write(b[:n])
		b = b[n:]
	}
}

func (s *stream) flush() {
	if s.err == nil {
		s.arm()
		s.err = s.control.Flush()
	}
}

// arm bounds the next write. A writer that has no deadlines is a test's.
func (s *stream) arm() { _ = s.control.SetWriteDeadline(time.Now().Add(s.limit)) }
