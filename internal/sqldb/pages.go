package sqldb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// pages appends pages to a SQLite file and rewrites the roots of trees. Pages
// get their numbers in the order in which they are added, so the file grows by
// long writes.
type pages struct {
	f     *os.File
	size  int // of a page
	count uint32
	first uint32 // number of the first page in queue
	queue []byte
}

// lockPage holds the byte that SQLite locks; a file that reaches it would need
// a page left out.
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
	w.queue = append(w.queue, page...)
	w.count++
	if int64(w.count)*int64(w.size) >= lockByte {
		return 0, errors.New("the file would be too large")
	}
	if len(w.queue) >= 1<<20 {
		return w.count, w.flush()
	}
	return w.count, nil
}

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

// cells are the entries of a tree in order, ready to be put on pages. What is
// too long for a page goes on pages of its own.
type cells struct {
	pages  *pages
	limit  int // the longest payload that stays whole
	expect int // how many there will be
	bytes  []byte
	ends   []int
}

func (c *cells) len() int { return len(c.ends) }

func (c *cells) at(i int) []byte {
	from := 0
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.bytes[from:c.ends[i]]
}

func (c *cells) add(head, payload []byte) error {
	c.bytes = append(c.bytes, head...)
	local := c.local(len(payload))
	c.bytes = append(c.bytes, payload[:local]...)
	if local < len(payload) {
		first, err := c.pages.overflow(payload[local:])
		if err != nil {
			return err
		}
		c.bytes = binary.BigEndian.AppendUint32(c.bytes, first)
	}
	c.ends = append(c.ends, len(c.bytes))
	if n := len(c.ends); n == 64 && c.expect > n { // room for the rest, as far as one can tell
		c.bytes = slices.Grow(c.bytes, len(c.bytes)/n*(c.expect-n)*9/8)
		c.ends = slices.Grow(c.ends, c.expect-n)
	}
	return nil
}

// local is how much of a payload stays in its cell.
func (c *cells) local(n int) int {
	if n <= c.limit {
		return n
	}
	usable := c.pages.size
	least := (usable-12)*32/255 - 23
	if k := least + (n-least)%(usable-4); k <= c.limit {
		return k
	}
	return least
}

// overflow writes a chain of pages and gives the number of the first.
func (w *pages) overflow(rest []byte) (uint32, error) {
	first := w.count + 1
	page := make([]byte, w.size)
	for len(rest) > 0 {
		clear(page)
		n := copy(page[4:], rest)
		if rest = rest[n:]; len(rest) > 0 {
			binary.BigEndian.PutUint32(page, w.count+2)
		}
		if _, err := w.add(page); err != nil {
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

// shape says what kind of tree is built.
type shape struct {
	leaf, inner byte
	// key gives what an inner page says of the entry that divides two
	// children: of a table the number of the last row before, of an index the
	// entry itself, which then is on no leaf.
	key func(c *cells, i int) []byte
}

func tableTree(ids []int64) shape {
	return shape{tableLeaf, tableInner, func(_ *cells, i int) []byte { return appendVarint(nil, uint64(ids[i])) }}
}

var indexTree = shape{indexLeaf, indexInner, func(c *cells, i int) []byte { return c.at(i) }}

// divider stands between two children of an inner page: the child before it,
// and its key.
type divider struct {
	child uint32
	key   []byte
}

// tree writes the pages of a tree whose root has its number already.
func (w *pages) tree(root uint32, c *cells, s shape) error {
	groups := cut(c.len(), w.size-8, func(i int) int { return len(c.at(i)) + 2 }, s.leaf == indexLeaf)
	page := make([]byte, w.size)
	if len(groups) == 1 {
		w.compose(page, s.leaf, 0, groups[0], c.at)
		return w.rewrite(root, page)
	}
	var level []divider
	var last uint32
	for n, g := range groups {
		w.compose(page, s.leaf, 0, g, c.at)
		number, err := w.add(page)
		if err != nil {
			return err
		}
		if last = number; n < len(groups)-1 {
			at := g.to // the entry between two leaves of an index
			if s.leaf == tableLeaf {
				at = g.to - 1
			}
			level = append(level, divider{number, s.key(c, at)})
		}
	}
	return w.inner(root, level, last, s)
}

// inner writes the levels above the leaves, from below.
func (w *pages) inner(root uint32, level []divider, last uint32, s shape) error {
	page := make([]byte, w.size)
	for {
		cell := func(i int) []byte {
			return append(binary.BigEndian.AppendUint32(nil, level[i].child), level[i].key...)
		}
		groups := cut(len(level), w.size-12, func(i int) int { return len(level[i].key) + 6 }, true)
		if len(groups) == 1 {
			w.compose(page, s.inner, last, groups[0], cell)
			return w.rewrite(root, page)
		}
		var above []divider
		var right uint32
		for n, g := range groups {
			end := last
			if n < len(groups)-1 {
				end = level[g.to].child
			}
			w.compose(page, s.inner, end, g, cell)
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
func (w *pages) compose(page []byte, kind byte, right uint32, g group, cell func(i int) []byte) {
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

// cut spreads n cells over pages with room for so many bytes. With divided the
// cell after each group but the last stands between two pages, on neither. No
// group is empty unless n is 0.
func cut(n, room int, size func(i int) int, divided bool) []group {
	var groups []group
	from, used := 0, 0
	for i := 0; i < n; i++ {
		if used += size(i); used <= room {
			continue
		}
		if !divided {
			groups = append(groups, group{from, i})
			from, used = i, size(i)
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
