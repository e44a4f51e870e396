package sqldb

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// pages appends pages to a SQLite file and rewrites the roots of trees. Pages
// get their numbers in the order in which they are added, so the file grows by
// long writes. Pages may come from several goroutines.
type pages struct {
	f    *os.File
	size int // of a page

	mu    sync.Mutex // guards what follows
	count uint32
	first uint32 // number of the first page in queue
	queue []byte
}

// lockByte is the one that SQLite locks: a file that reaches it must leave a
// page out.
const lockByte = 1 << 30

func openPages(f *os.File) (*pages, error) {
	var head [100]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	w := &pages{f: f, size: int(binary.BigEndian.Uint16(head[16:]))}
	reserved, vacuum := head[20], binary.BigEndian.Uint32(head[52:])
	if w.size < 512 || reserved != 0 || vacuum != 0 || head[18] != 1 || info.Size()%int64(w.size) != 0 {
		return nil, fmt.Errorf("a file of this form: %w", ErrBulk)
	}
	w.count = uint32(info.Size() / int64(w.size))
	w.first = w.count + 1
	return w, nil
}

// add appends a page and gives its number.
func (w *pages) add(page []byte) (uint32, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.append(page)
	return w.count, err
}

// append appends a page. The caller holds mu.
func (w *pages) append(page []byte) error {
	w.queue = append(w.queue, page...)
	w.count++
	if int64(w.count)*int64(w.size) >= lockByte {
		return fmt.Errorf("a file of more than a gigabyte: %w", ErrBulk)
	}
	if len(w.queue) >= 1<<20 {
		return w.flush()
	}
	return nil
}

// flush writes what is queued. The caller holds mu, or is alone.
func (w *pages) flush() error {
	_, err := w.f.WriteAt(w.queue, int64(w.first-1)*int64(w.size))
	w.first, w.queue = w.count+1, w.queue[:0]
	return err
}

func (w *pages) rewrite(number uint32, page []byte) error {
	_, err := w.f.WriteAt(page, int64(number-1)*int64(w.size))
	return err
}

// finish writes what is left, and how long the file is now.
func (w *pages) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	var head [100]byte
	if _, err := w.f.ReadAt(head[:], 0); err != nil {
		return err
	}
	change := binary.BigEndian.Uint32(head[24:]) + 1
	binary.BigEndian.PutUint32(head[24:], change)
	binary.BigEndian.PutUint32(head[28:], w.count)
	binary.BigEndian.PutUint32(head[92:], change)
	_, err := w.f.WriteAt(head[:], 0)
	return err
}

// payload is what an entry holds, in two parts.
type payload [2][]byte

func (p payload) len() int { return len(p[0]) + len(p[1]) }

// moveTo appends the first n bytes to b, and gives the rest.
func (p payload) moveTo(b []byte, n int) ([]byte, payload) {
	k := min(n, len(p[0]))
	b = append(b, p[0][:k]...)
	b = append(b, p[1][:n-k]...)
	return b, payload{p[0][k:], p[1][n-k:]}
}

// overflow writes a chain of pages and gives the number of the first.
func (w *pages) overflow(rest payload) (uint32, error) {
	w.mu.Lock() // the pages of a chain have numbers in a row
	defer w.mu.Unlock()
	first := w.count + 1
	page := make([]byte, w.size)
	for rest.len() > 0 {
		clear(page)
		_, rest = rest.moveTo(page[4:4], min(rest.len(), len(page)-4))
		if rest.len() > 0 {
			binary.BigEndian.PutUint32(page, w.count+2)
		}
		if err := w.append(page); err != nil {
			return 0, err
		}
	}
	return first, nil
}

// Kinds of pages.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// shape says what kind of tree is built. An inner page of a table divides its
// children by the number of the last row before, one of an index by an entry,
// which then is on no leaf.
type shape struct{ leaf, inner byte }

var (
	tableTree = shape{tableLeaf, tableInner}
	indexTree = shape{indexLeaf, indexInner}
)

// tree writes a tree whose root has its page already. Entries come in order
// and go to pages as these fill; what is too long for a page goes on pages of
// its own.
type tree struct {
	pages *pages
	root  uint32
	shape shape

	leaf    cells     // of the page that fills
	last    int64     // the number of the last row on it
	between []byte    // entry of an index that came when the page was full
	level   []divider // between the pages that are written
	cell    []byte    // the entry at work
	page    []byte    // the page at work
}

func newTree(w *pages, root uint32, s shape) *tree {
	return &tree{pages: w, root: root, shape: s, page: make([]byte, w.size)}
}

// add adds an entry; id is the number of a row, of no meaning in an index.
func (t *tree) add(id int64, p payload) error {
	if err := t.encode(id, p); err != nil {
		return err
	}
	switch {
	case len(t.between) > 0: // it divides two pages, now that there is more to come
		if err := t.flush(t.between); err != nil {
			return err
		}
		t.between = t.between[:0]
	case t.leaf.size()+len(t.cell)+2 <= t.pages.size-8:
	case t.shape == indexTree:
		t.between = append(t.between, t.cell...)
		return nil
	default:
		if err := t.flush(appendVarint(nil, uint64(t.last))); err != nil {
			return err
		}
	}
	t.leaf.push(t.cell)
	t.last = id
	return nil
}

// encode makes the cell of an entry.
func (t *tree) encode(id int64, p payload) error {
	t.cell = appendVarint(t.cell[:0], uint64(p.len()))
	if t.shape == tableTree {
		t.cell = appendVarint(t.cell, uint64(id))
	}
	t.cell, p = p.moveTo(t.cell, t.local(p.len()))
	if p.len() == 0 {
		return nil
	}
	first, err := t.pages.overflow(p)
	t.cell = binary.BigEndian.AppendUint32(t.cell, first)
	return err
}

// local is how much of a payload stays in its cell.
func (t *tree) local(n int) int {
	usable := t.pages.size
	limit := usable - 35
	if t.shape == indexTree {
		limit = (usable-12)*64/255 - 23
	}
	if n <= limit {
		return n
	}
	least := (usable-12)*32/255 - 23
	if k := least + (n-least)%(usable-4); k <= limit {
		return k
	}
	return least
}

// flush writes the page that is full; key divides it from the next one.
func (t *tree) flush(key []byte) error {
	compose(t.page, t.shape.leaf, 0, group{0, t.leaf.len()}, t.leaf.at)
	number, err := t.pages.add(t.page)
	t.level = append(t.level, divider{number, slices.Clone(key)})
	t.leaf.reset()
	return err
}

// finish writes the last page and those above.
func (t *tree) finish() error {
	if len(t.between) > 0 { // it needs a page, and the entry before divides
		if err := t.flush(t.leaf.pop()); err != nil {
			return err
		}
		t.leaf.push(t.between)
	}
	compose(t.page, t.shape.leaf, 0, group{0, t.leaf.len()}, t.leaf.at)
	if len(t.level) == 0 {
		return t.pages.rewrite(t.root, t.page)
	}
	last, err := t.pages.add(t.page)
	if err != nil {
		return err
	}
	return t.pages.inner(t.root, t.level, last, t.shape)
}

// cells are the entries of one page.
type cells struct {
	bytes []byte
	ends  []int
}

func (c *cells) len() int { return len(c.ends) }

// size is the room that they take, with their pointers.
func (c *cells) size() int { return len(c.bytes) + 2*len(c.ends) }

func (c *cells) at(i int) []byte {
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.bytes[from:c.ends[i]]
}

func (c *cells) push(cell []byte) {
	c.bytes = append(c.bytes, cell...)
	c.ends = append(c.ends, len(c.bytes))
}

// pop takes the last one off. Its bytes stay until the next push.
func (c *cells) pop() []byte {
	last := c.at(c.len() - 1)
	c.ends = c.ends[:c.len()-1]
	c.bytes = c.bytes[:len(c.bytes)-len(last)]
	return last
}

func (c *cells) reset() { c.bytes, c.ends = c.bytes[:0], c.ends[:0] }

// divider stands between two children of an inner page: the child before it,
// and its key.
type divider struct {
	child uint32
	key   []byte
}

// inner writes the levels above the leaves, from below.
func (w *pages) inner(root uint32, level []divider, last uint32, s shape) error {
	page := make([]byte, w.size)
	for {
		cell := func(i int) []byte {
			return append(binary.BigEndian.AppendUint32(nil, level[i].child), level[i].key...)
		}
		groups := cut(len(level), w.size-12, func(i int) int { return len(level[i].key) + 6 })
		if len(groups) == 1 {
			compose(page, s.inner, last, groups[0], cell)
			return w.rewrite(root, page)
		}
		var above []divider
		var right uint32
		for n, g := range groups {
			end := last
			if n < len(groups)-1 {
				end = level[g.to].child
			}
			compose(page, s.inner, end, g, cell)
			number, err := w.add(page)
			if err != nil {
				return err
			}
			if right = number; n < len(groups)-1 {
				above = append(above, divider{number, level[g.to].key})
			}
		}
		level, last = above, right
	}
}

// compose fills a page with cells. right is the last child of an inner page.
func compose(page []byte, kind byte, right uint32, g group, cell func(i int) []byte) {
	clear(page)
	page[0] = kind
	binary.BigEndian.PutUint16(page[3:], uint16(g.to-g.from))
	pointers := 8
	if kind == tableInner || kind == indexInner {
		binary.BigEndian.PutUint32(page[8:], right)
		pointers = 12
	}
	top := len(page)
	for i := g.from; i < g.to; i++ {
		bytes := cell(i)
		top -= len(bytes)
		copy(page[top:], bytes)
		binary.BigEndian.PutUint16(page[pointers:], uint16(top))
		pointers += 2
	}
	binary.BigEndian.PutUint16(page[5:], uint16(top)) // 65536 is written as 0
}

// group is what one page holds: cells from..to.
type group struct{ from, to int }

// cut spreads n cells over pages with room for so many bytes. The cell after
// each group but the last stands between two pages, on neither. No group is
// empty unless n is 0.
func cut(n, room int, size func(i int) int) []group {
	var groups []group
	from, used := 0, 0
	for i := 0; i < n; i++ {
		if used += size(i); used <= room {
			continue
		}
		if i == n-1 { // nothing would be left for the next page
			groups = append(groups, group{from, i - 1})
			from = i
			break
		}
		groups = append(groups, group{from, i})
		from, used = i+1, 0
	}
	return append(groups, group{from, n})
}
