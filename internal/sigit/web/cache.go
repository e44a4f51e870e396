package web

import "sync"

// cache remembers some answers, the oldest of which make room for new ones.
// It may be used from many goroutines. What it holds is shared: nobody may
// change it.
type cache[K comparable, V any] struct {
	mu    sync.Mutex // guards what follows
	known map[K]V
	order []K // a ring: the next to go is at next
	next  int
}

func newCache[K comparable, V any](size int) *cache[K, V] {
	return &cache[K, V]{known: make(map[K]V, size), order: make([]K, 0, size)}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.known[key]
	return v, ok
}

func (c *cache[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.known[key]; ok {
		c.known[key] = v
		return
	}
	c.known[key] = v
	if len(c.order) < cap(c.order) {
		c.order = append(c.order, key)
		return
	}
	delete(c.known, c.order[c.next])
	c.order[c.next] = key
	c.next = (c.next + 1) % len(c.order)
}
