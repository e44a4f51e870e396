package git

import (
	"container/list"
	"slices"
	"sync"
)

// found remembers what searches found. The files of a commit never change, so
// an answer is right for ever; who may ask for it is the caller's business. It
// forgets the answers that were least recently asked for when they take more
// than a bound.
type found struct {
	max int // bytes

	mu    sync.Mutex // guards what follows
	taken int
	byKey map[searched]*list.Element // of *answered
	order *list.List                 // most recently asked for first
}

// searched is one question.
type searched struct{ dir, commit, query string }

// answered is what was found, in order; all when there is nothing behind it.
type answered struct {
	of      searched
	matches []Match
	all     bool
	bytes   int
}

func newFound(max int) *found {
	return &found{max: max, byKey: map[searched]*list.Element{}, order: list.New()}
}

// get returns the first limit matches if they are known.
func (f *found) get(of searched, limit int) ([]Match, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.byKey[of]
	if e == nil {
		return nil, false
	}
	a := e.Value.(*answered)
	if !a.all && len(a.matches) < limit {
		return nil, false
	}
	f.order.MoveToFront(e)
	return slices.Clone(a.matches[:min(limit, len(a.matches))]), true
}

// put remembers matches. They are the cache's from now on.
func (f *found) put(of searched, matches []Match, all bool) {
	a := &answered{of: of, matches: matches, all: all, bytes: 200 + len(of.dir) + len(of.commit) + len(of.query)}
	for _, m := range matches {
		a.bytes += 64 + len(m.Path) + len(m.Text)
	}
	if a.bytes > f.max/4 {
		return // one answer does not drive out all others
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(f.byKey[of])
	f.byKey[of] = f.order.PushFront(a)
	for f.taken += a.bytes; f.taken > f.max; {
		f.drop(f.order.Back())
	}
}

func (f *found) drop(e *list.Element) {
	if e == nil {
		return
	}
	a := f.order.Remove(e).(*answered)
	delete(f.byKey, a.of)
	f.taken -= a.bytes
}

// forget drops what was found in a repository that is gone or replaced.
func (f *found) forget(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for of, e := range f.byKey {
		if of.dir == dir {
			f.drop(e)
		}
	}
}
