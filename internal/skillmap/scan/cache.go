package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
	"slices"
	"sync"
)

// form is the version of everything that the cache holds: its own encoding
// and what readers and extractors make of a file. Raise it when either
// changes.
const form = 5

// Cache is what a scan learned of each file. It never changes and is safe to
// use from many goroutines.
type Cache struct {
	key     string // digest of the options that facts depend on
	entries []*entry

	// What follows is of the scan that made the cache, and lost when it is
	// written down.
	config string // digest of everything besides the files
	now    int64  // when it began, unix nanoseconds
	forest *forest
	stops  []stop // what it looked at besides
	sights *sights

	once  sync.Once
	paths map[string]*entry

	cutting sync.Mutex // guards parts
	parts   []Part     // as they were cut last, of this cache or of the one before
}

// Len is the number of files it knows.
func (c *Cache) Len() int { return len(c.entries) }

// at finds the entry of a path.
func (c *Cache) at(path string) *entry {
	if c == nil {
		return nil
	}
	c.once.Do(func() {
		c.paths = make(map[string]*entry, len(c.entries))
		for _, e := range c.entries {
			c.paths[e.path] = e
		}
	})
	return c.paths[path]
}

// keyOf is a digest of all that facts depend on besides the files.
func keyOf(roots []Root, opt *Options, lens string) string {
	d := newDigest()
	d.add("facts", form, opt.Build, lens, opt.Strict)
	d.list(opt.IgnoredDomains)
	d.list(slices.Sorted(slices.Values(opt.Off)))
	for _, r := range roots {
		d.add(r.Name, r.Dir)
	}
	return d.text()
}

// configOf is a digest of all that a result depends on besides the files.
func configOf(roots []Root, opt *Options, lens string) string {
	d := newDigest()
	d.add(keyOf(roots, opt, lens), opt.Tokenize, opt.Tokenizer, opt.maxScan(), opt.maxFile(), opt.FollowExternalSymlinks)
	d.add(opt.Project.Dir, opt.Home, opt.Inputs)
	d.list(opt.ReferencePaths)
	return d.text()
}

// digest tells lists of values apart.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(values ...any) {
	for _, v := range values {
		s := fmt.Sprint(v)
		fmt.Fprintf(d.h, "%d:%s", len(s), s)
	}
}

func (d digest) list(values []string) {
	d.add(len(values))
	for _, v := range values {
		d.add(v)
	}
}

func (d digest) text() string { return hex.EncodeToString(d.h.Sum(nil)) }

// MarshalBinary writes the cache. The same cache gives the same bytes.
func (c *Cache) MarshalBinary() ([]byte, error) {
	size := 128
	for _, e := range c.entries {
		size += len(e.path) + len(e.said.text) + 96
	}
	w := writer{b: make([]byte, 0, size)}
	w.byte(form)
	w.string(c.key)
	w.uint(uint64(len(c.entries)))
	for _, e := range c.entries {
		w.entry(e)
	}
	return w.b, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. It errs on anything else,
// such as the form of another version; the caller then goes on without. What
// each file says is decoded when it is needed.
func (c *Cache) UnmarshalBinary(data []byte) error {
	r := reader{s: string(data)}
	if r.byte() != form {
		return errForm
	}
	fresh := Cache{key: r.string()}
	n := r.len()
	fresh.entries = make([]*entry, n)
	entries, texts := make([]entry, n), make([]said, n)
	for i := range entries {
		entries[i].said = &texts[i]
		r.entry(&entries[i])
		fresh.entries[i] = &entries[i]
	}
	if r.bad || r.s != "" {
		return errForm
	}
	c.key, c.entries = fresh.key, fresh.entries
	c.config, c.now, c.forest, c.stops, c.sights, c.paths, c.once, c.parts = "", 0, nil, nil, nil, nil, sync.Once{}, nil
	return nil
}

func (w *writer) entry(e *entry) {
	w.string(e.path)
	w.uint(uint64(e.root))
	w.stamp(e.stamp)
	w.bool(e.settled)
	w.bool(e.unread)
	w.b = append(w.b, e.sum[:]...)
	w.string(e.provider)
	w.string(e.kind)
	w.string(e.tokenizer)
	w.string(e.said.text)
	w.bool(e.note != nil)
	if e.note != nil {
		w.note(e.note)
	}
}

func (r *reader) entry(e *entry) {
	e.path = r.string()
	e.root = int(r.uint())
	e.stamp = r.stamp()
	e.settled = r.bool()
	e.unread = r.bool()
	copy(e.sum[:], r.take(len(e.sum)))
	e.provider = r.string()
	e.kind = r.string()
	e.tokenizer = r.string()
	e.said.text = r.string()
	if r.bool() {
		e.note = r.note()
	}
}

func (w *writer) note(n *note) {
	w.stamp(n.stamp)
	w.bool(n.settled)
	w.b = append(w.b, n.sum[:]...)
	w.string(n.fault)
	w.strings(n.keys.Root)
	w.strings(n.keys.Annotations)
	w.bool(n.root != nil)
	if n.root != nil {
		w.mapping(n.root)
	}
}

func (r *reader) note() *note {
	n := &note{stamp: r.stamp(), settled: r.bool()}
	copy(n.sum[:], r.take(len(n.sum)))
	n.fault = r.string()
	n.keys = SidecarKeys{Root: r.strings(), Annotations: r.strings()}
	if r.bool() {
		n.root = r.mapping()
	}
	return n
}

// Nodes goes through the nodes of files that the cache was made with: path,
// body hash and frontmatter hash.
func (c *Cache) Nodes() iter.Seq2[string, [2]string] {
	return func(yield func(string, [2]string) bool) {
		for _, e := range c.entries {
			f, err := e.say()
			if err == nil && !yield(e.path, [2]string{f.bodyHash, f.headHash}) {
				return
			}
		}
	}
}
