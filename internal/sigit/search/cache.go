package search

import (
	"slices"
	"sync"
	"time"
)

const (
	cacheTime = 5 * time.Minute
	cacheSize = 256
)

// cache remembers the latest answers, so that an agent that asks again costs
// nothing at the provider.
type cache struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	known map[string]entry
	order []string // keys by age, the oldest first
}

type entry struct {
	found []Result
	until time.Time
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, known: map[string]entry{}}
}

func (c *cache) get(key string) ([]Result, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.known[key]
	return slices.Clone(e.found), ok && c.now().Before(e.until)
}

func (c *cache) put(key string, found []Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[key]; ok {
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	} else if len(c.order) == cacheSize {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
	c.order = append(c.order, key)
	c.known[key] = entry{slices.Clone(found), c.now().Add(cacheTime)}
}
