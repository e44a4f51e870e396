package git

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// searches are the searches under way, one for each question, and what earlier
// ones found.
type searches struct {
	found *found
	stop  context.Context // ends all of them
	end   context.CancelFunc
	under sync.WaitGroup

	mu  sync.Mutex // guards what follows, and waiting of each search
	now map[searched]*search
}

// search is one that is under way; what it finds is read when it is done.
type search struct {
	limit   int
	cancel  context.CancelFunc
	waiting int
	done    chan struct{}
	list    []Match
	err     error
}

const (
	// searchAhead bounds how far a search goes beyond what is asked for: what is
	// rare has been looked for in every file, what is common comes soon.
	searchAhead = 1000
	// searchOn is how long a search goes on whose callers have no more time.
	searchOn = 2 * time.Minute
)

func newSearches(remember int) *searches {
	stop, end := context.WithCancel(context.Background())
	return &searches{found: newFound(remember), stop: stop, end: end, now: map[searched]*search{}}
}

// close ends the searches under way and waits for them.
func (s *searches) close() {
	s.mu.Lock()
	s.end() // none starts from here on
	s.mu.Unlock()
	s.under.Wait()
}

// find answers from memory, from a search that is under way, or by a new one.
func (s *searches) find(ctx context.Context, of searched, limit int, run func(context.Context, int) ([]Match, error)) ([]Match, error) {
	for {
		if list, ok := s.found.get(of, limit); ok {
			return list, nil
		}
		f, err := s.join(of, limit, run)
		if err != nil {
			return nil, err
		}
		select {
		case <-f.done:
		case <-ctx.Done():
			s.leave(f, ctx.Err())
			return nil, ctx.Err()
		}
		if errors.Is(f.err, context.DeadlineExceeded) && !errors.Is(f.err, ErrBusy) {
			return nil, ErrSlow
		}
		if f.err != nil {
			return nil, f.err
		}
		if len(f.list) < f.limit || limit <= f.limit {
			return slices.Clone(f.list[:min(limit, len(f.list))]), nil
		}
	}
}

// join waits with others for a search, or starts one.
func (s *searches) join(of searched, limit int, run func(context.Context, int) ([]Match, error)) (*search, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.stop.Err(); err != nil {
		return nil, err
	}
	if f := s.now[of]; f != nil {
		f.waiting++
		return f, nil
	}
	ctx, cancel := context.WithTimeout(s.stop, searchOn)
	f := &search{limit: max(limit, min(2*limit, searchAhead)), cancel: cancel, waiting: 1, done: make(chan struct{})}
	s.now[of] = f
	s.under.Go(func() {
		defer cancel()
		f.list, f.err = run(ctx, f.limit)
		if f.err == nil {
			s.found.put(of, slices.Clone(f.list), len(f.list) < f.limit)
		}
		s.mu.Lock()
		if s.now[of] == f {
			delete(s.now, of)
		}
		s.mu.Unlock()
		close(f.done)
	})
	return f, nil
}

// beside runs f in the background, until git is closed or the time is over. It
// is false when git is closed.
func (s *searches) beside(time time.Duration, f func(context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop.Err() != nil {
		return false
	}
	s.under.Go(func() {
		ctx, cancel := context.WithTimeout(s.stop, time)
		defer cancel()
		f(ctx)
	})
	return true
}

// leave ends a search that nobody waits for, unless the last one only ran out
// of time: then there is an answer for who asks again.
func (s *searches) leave(f *search, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting > 0 || errors.Is(why, context.DeadlineExceeded) {
		return
	}
	f.cancel()
	for of, other := range s.now { // who asks now does not join what ends
		if other == f {
			delete(s.now, of)
		}
	}
}
