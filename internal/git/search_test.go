package git

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// slow is a search that ends when it is let.
type slow struct {
	runs  atomic.Int32
	begun chan int // the limit of each run
	let   chan []Match
	left  chan struct{}
}

func newSlow() *slow {
	return &slow{begun: make(chan int, 10), let: make(chan []Match), left: make(chan struct{}, 10)}
}

func (s *slow) run(ctx context.Context, limit int) ([]Match, error) {
	s.runs.Add(1)
	s.begun <- limit
	select {
	case list := <-s.let:
		return list[:min(limit, len(list))], nil
	case <-ctx.Done():
		s.left <- struct{}{}
		return nil, ctx.Err()
	}
}

var manyMatches = func() (list []Match) {
	for i := range 5000 {
		list = append(list, Match{Path: "f", Line: i + 1})
	}
	return list
}()

type reply struct {
	list []Match
	err  error
}

func ask(ctx context.Context, s *searches, f *slow, limit int) chan reply {
	c := make(chan reply, 1)
	go func() {
		list, err := s.find(ctx, searched{"r", "c", "q"}, limit, f.run)
		c <- reply{list, err}
	}()
	return c
}

// waits says how many wait for the search; it is how the test knows that a
// caller has come.
func waits(s *searches, n int) {
	for {
		s.mu.Lock()
		f := s.now[searched{"r", "c", "q"}]
		there := f != nil && f.waiting == n
		s.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

func TestSearchesAreShared(t *testing.T) {
	s, f := newSearches(1<<20), newSlow()
	defer s.close()
	one, two := ask(t.Context(), s, f, 20), ask(t.Context(), s, f, 20)
	waits(s, 2)
	f.let <- manyMatches
	for _, c := range []chan reply{one, two} {
		if got := <-c; got.err != nil || len(got.list) != 20 {
			t.Errorf("%d matches (%v), want 20", len(got.list), got.err)
		}
	}
	if n := f.runs.Load(); n != 1 {
		t.Errorf("%d searches for one question", n)
	}
	<-f.begun
	// Who wants more than was looked for has another one.
	more := ask(t.Context(), s, f, 100)
	if limit := <-f.begun; limit != 200 {
		t.Errorf("looks for %d, want twice as far as asked", limit)
	}
	f.let <- manyMatches
	if got := <-more; len(got.list) != 100 {
		t.Errorf("%d matches, want 100", len(got.list))
	}
}

func TestSearchGoesOnWithoutItsCaller(t *testing.T) {
	s, f := newSearches(1<<20), newSlow()
	defer s.close()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	if got := <-ask(late, s, f, 20); !errors.Is(got.err, context.DeadlineExceeded) {
		t.Errorf("out of time gives %v", got.err)
	}
	<-f.begun
	again := ask(t.Context(), s, f, 20)
	waits(s, 1)
	f.let <- manyMatches[:7]
	if got := <-again; got.err != nil || len(got.list) != 7 || f.runs.Load() != 1 {
		t.Errorf("asked again: %d matches (%v) after %d searches", len(got.list), got.err, f.runs.Load())
	}
	if got := <-ask(t.Context(), s, f, 5000); len(got.list) != 7 || f.runs.Load() != 1 {
		t.Errorf("asked for all: %d matches after %d searches", len(got.list), f.runs.Load())
	}
}

func TestSearchEndsWithItsLastCaller(t *testing.T) {
	s, f := newSearches(1<<20), newSlow()
	one, leaveOne := context.WithCancel(t.Context())
	two, leaveTwo := context.WithCancel(t.Context())
	a, b := ask(one, s, f, 20), ask(two, s, f, 20)
	waits(s, 2)
	leaveOne()
	if got := <-a; !errors.Is(got.err, context.Canceled) {
		t.Errorf("who left hears %v", got.err)
	}
	waits(s, 1)
	leaveTwo()
	<-b
	<-f.left // the search was told
	<-f.begun
	third := ask(t.Context(), s, f, 20)
	<-f.begun
	s.close()
	if got := <-third; !errors.Is(got.err, context.Canceled) {
		t.Errorf("a closed git answers %v", got.err)
	}
	if got := <-ask(t.Context(), s, f, 20); got.err == nil {
		t.Error("a closed git searches")
	}
}
