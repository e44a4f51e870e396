// Package feed carries events from the verbs to whoever listens in this
// process: WebSocket clients, MCP sessions, presence trackers.
//
// Publishing never blocks: a listener that does not keep up loses its
// subscription and learns so, because its channel is closed. Nothing is
// stored; a listener that joins late has missed what came before.
package feed

import "sync"

// Feed is a fan-out of events of one type. The zero value is ready. It may be
// used from many goroutines.
type Feed[E any] struct {
	mu        sync.Mutex // guards listeners
	listeners map[chan E]struct{}
}

// Listen returns a channel of events published from now on, and a function
// that ends it. The channel holds up to buffer events; when it is full the
// subscription ends and the channel is closed.
func (f *Feed[E]) Listen(buffer int) (<-chan E, func()) {
	c := make(chan E, buffer)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == nil {
		f.listeners = make(map[chan E]struct{})
	}
	f.listeners[c] = struct{}{}
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.drop(c)
	}
}

// Publish hands e to every listener that has room for it.
func (f *Feed[E]) Publish(e E) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.listeners {
		select {
		case c <- e:
		default:
			f.drop(c)
		}
	}
}

// drop ends c once. The caller holds mu.
func (f *Feed[E]) drop(c chan E) {
	if _, ok := f.listeners[c]; ok {
		delete(f.listeners, c)
		close(c)
	}
}
