package atlas

import (
	"context"
	"sync"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm/store"
)

// insistence is how long what agents and users did goes on trying while others
// keep the database busy. SQLite lets nobody queue: among many processes one
// may be unlucky for long, and its work must not be lost to a crowd.
const insistence = time.Minute

// write is Write with patience, and with regard for other processes.
func (a *Atlas) write(ctx context.Context, fn func(*store.Tx) error) error {
	a.breath.take(ctx)
	return insist(ctx, func() error { return a.Write(ctx, fn) })
}

// How long a process writes without a pause, what counts as none, and how long
// a pause is: whoever waits for the database looks ten times a second.
const (
	stretch = time.Second
	gap     = 20 * time.Millisecond
	pause   = 120 * time.Millisecond
)

// breath makes a process pause that writes without end. SQLite gives the
// database to whoever asks first after it is free, which is always the process
// that had it; commands would starve beside a busy server. The zero value is
// ready.
type breath struct {
	mu          sync.Mutex // held through a pause, so that everybody waits
	began, last time.Time
}

func (b *breath) take(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if now.Sub(b.last) > gap {
		b.began = now
	}
	if now.Sub(b.began) > stretch {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		b.began = time.Now()
	}
	b.last = time.Now()
}

// look reads what a write depends on: like a write it is refused on a database
// of another version.
func (a *Atlas) look(ctx context.Context, fn func(*store.Tx) error) error {
	return insist(ctx, func() error {
		return a.writer.use(ctx, a, func(s *store.Store) error { return s.Read(ctx, fn) })
	})
}

// insist does something again as long as the database is busy.
func insist(ctx context.Context, do func() error) error {
	for deadline := time.Now().Add(insistence); ; {
		err := do()
		if fault.Code(err) != "db-busy" || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}
