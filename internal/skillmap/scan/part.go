package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Part is a piece of a cache that can be kept by itself, so that what did not
// change need not be written again.
type Part struct {
	Sum     string // a digest of its text: parts with equal ones are equal
	text    []byte // nil when it was not needed to know the sum
	key     string
	entries []*entry
}

// Text is the binary form of the part.
func (p Part) Text() []byte {
	if p.text != nil {
		return p.text
	}
	return p.encode()
}

func (p Part) encode() []byte {
	text, err := (&Cache{key: p.key, entries: p.entries}).MarshalBinary()
	if err != nil {
		panic(err) // it gives none
	}
	return text
}

// Parts cuts the cache into parts of some fifty files. Where the cuts are
// depends on single paths, so that a file that comes or goes changes one part.
// What is as in the cache before is not encoded to find that out.
func (c *Cache) Parts() []Part {
	c.cutting.Lock()
	defer c.cutting.Unlock()
	before := make(map[*entry]Part, len(c.parts))
	for _, p := range c.parts {
		before[p.entries[0]] = p
	}
	groups := cutByPath(c.entries)
	parts := make([]Part, len(groups))
	inParallel(len(groups), func(i int) {
		if p, ok := before[groups[i][0]]; ok && slices.Equal(p.entries, groups[i]) {
			parts[i] = p
			return
		}
		p := Part{key: c.key, entries: groups[i]}
		p.text = p.encode()
		sum := sha256.Sum256(p.text)
		p.Sum = hex.EncodeToString(sum[:16])
		parts[i] = p
	})
	c.parts = slices.Clone(parts)
	for i := range c.parts {
		if c.parts[i].text != nil {
			c.parts[i].text = nil // the caller's alone, who will write it
			parts[i].entries = nil
		}
	}
	return parts
}

func (c *Cache) lastParts() []Part {
	c.cutting.Lock()
	defer c.cutting.Unlock()
	return c.parts
}

// cutByPath cuts before a path whose digest says so.
func cutByPath(entries []*entry) [][]*entry {
	var groups [][]*entry
	from := 0
	for i, e := range entries {
		h := fnv.New32a()
		h.Write([]byte(e.path))
		if i > from && h.Sum32()>>8%50 == 0 {
			groups = append(groups, entries[from:i:i])
			from = i
		}
	}
	if from < len(entries) {
		groups = append(groups, entries[from:])
	}
	return groups
}

// ReadParts makes a cache of the texts of parts, given with their sums. It errs
// on what is no part, and on parts of different caches.
func ReadParts(sums []string, texts [][]byte) (*Cache, error) {
	read := make([]Cache, len(texts))
	var failed atomic.Bool
	inParallel(len(texts), func(i int) {
		if read[i].UnmarshalBinary(texts[i]) != nil {
			failed.Store(true)
		}
	})
	c := new(Cache)
	for i := range read {
		p := &read[i]
		if failed.Load() || len(p.entries) == 0 || i > 0 && p.key != c.key {
			return nil, errForm
		}
		c.key = p.key
		c.entries = append(c.entries, p.entries...)
		c.parts = append(c.parts, Part{Sum: sums[i], key: p.key, entries: p.entries})
	}
	return c, nil
}

// inParallel calls do for 0 to n-1 on every core.
func inParallel(n int, do func(i int)) {
	var turn atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(turn.Add(1)) - 1; i < n; i = int(turn.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}
