package mcp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// sessions are the clients of the handshake era. A session is no evidence of a
// client: only an answered ping is.
type sessions struct {
	server *Server

	mu       sync.Mutex // guards all below
	byID     map[string]*session
	piped    []*session // on pipes; no HTTP request belongs to one
	serial   uint64
	closed   bool
	sweeping *sweep // the one under way, nil when there is none
}

// sweep is one look at every session.
type sweep struct {
	done    chan struct{}
	clients int // valid once done is closed
}

func (l *sessions) init(server *Server) {
	l.server = server
	l.byID = map[string]*session{}
}

// open starts a session. When there are too many, abandoned ones are looked
// for first; then the oldest is closed.
func (l *sessions) open(ctx context.Context) (*session, bool) {
	if l.full() {
		l.sweep(ctx)
	}
	s := newSession(l.server, uuid.NewString())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	for len(l.byID) >= l.server.limits.Sessions {
		oldest := slices.MinFunc(slices.Collect(maps.Values(l.byID)), func(a, b *session) int { return cmp.Compare(a.serial, b.serial) })
		l.server.log.Warn("too many MCP sessions; the oldest is closed", "session", oldest.id, "client", oldest.client.Name, "limit", l.server.limits.Sessions)
		delete(l.byID, oldest.id)
		oldest.close()
	}
	l.serial++
	s.serial = l.serial
	l.byID[s.id] = s
	return s, true
}

// adopt adds the one session of a pipe, which is told what all are told. It
// has no id, so that no request finds it, and it does not count.
func (l *sessions) adopt(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.piped = append(l.piped, s)
}

func (l *sessions) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.byID) >= l.server.limits.Sessions
}

func (l *sessions) get(id string) (s *session, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id], l.closed
}

func (l *sessions) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// all returns every session that wants to hear of changes.
func (l *sessions) all() []*session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(slices.Collect(maps.Values(l.byID)), l.piped...)
}

// remote returns the sessions whose client may be gone without a word.
func (l *sessions) remote() []*session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.byID))
}

// end closes a session and forgets it.
func (l *sessions) end(s *session) {
	l.mu.Lock()
	delete(l.byID, s.id)
	l.piped = slices.DeleteFunc(l.piped, func(other *session) bool { return other == s })
	l.mu.Unlock()
	s.close()
}

func (l *sessions) close() {
	l.mu.Lock()
	l.closed = true
	all := append(slices.Collect(maps.Values(l.byID)), l.piped...)
	clear(l.byID)
	l.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}

// sweep pings every session at once, forgets those abandoned, and returns how
// many answered. Callers that overlap share one.
func (l *sessions) sweep(ctx context.Context) int {
	l.mu.Lock()
	w := l.sweeping
	if w == nil {
		w = &sweep{done: make(chan struct{})}
		l.sweeping = w
		go l.look(w)
	}
	l.mu.Unlock()
	select {
	case <-w.done:
		return w.clients
	case <-ctx.Done():
		return 0
	}
}

// look carries out w. It lasts as long as the slowest ping, at most the limit.
func (l *sessions) look(w *sweep) {
	// Not the caller's context: others may share this sweep and outlive it.
	ctx, cancel := context.WithTimeout(context.Background(), l.server.limits.Ping)
	defer cancel()
	all := l.remote()
	there := make([]bool, len(all))
	var pings sync.WaitGroup
	for i, s := range all {
		pings.Go(func() { there[i] = s.ping(ctx) })
	}
	pings.Wait()
	now := time.Now()
	for i, s := range all {
		if there[i] {
			w.clients++
		}
		if s.seen(now, there[i], l.server.limits.Grace) {
			l.server.log.Info("an abandoned MCP session is closed", "session", s.id, "client", s.client.Name)
			l.end(s)
		}
	}
	l.mu.Lock()
	l.sweeping = nil
	l.mu.Unlock()
	close(w.done)
}

// seen notes how a ping went and reports whether the session is abandoned:
// unreachable and silent, both for the whole grace. One miss proves nothing,
// for the client opens its stream a moment after the handshake and may reopen
// it any time, and a session once cut does not come back.
func (s *session) seen(now time.Time, there bool, grace time.Duration) (abandoned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if there {
		s.lastSeen, s.unreachableSince = now, time.Time{}
		return false
	}
	if s.unreachableSince.IsZero() {
		s.unreachableSince = now
	}
	return now.Sub(s.lastSeen) >= grace && now.Sub(s.unreachableSince) >= grace
}
