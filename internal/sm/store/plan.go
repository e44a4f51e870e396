package store

import (
	"encoding/binary"
	"errors"
	"math"
	"sort"
)

// gap is the room between the numbers of rows that are written together, so
// that a few can be put between them later.
const gap = 256

// rows says what a list holds in the database: the numbers of its rows in
// order, and what is in each.
type rows struct {
	ids     []int64
	digests []uint64
}

// A hole is a place between two rows that stay: what lies in it goes, and
// rows from..to of the new list come.
type hole struct {
	low, high int64 // the numbers of the rows around it, themselves out
	dropped   int
	from, to  int
}

// plan says how to turn old rows into new ones. ids numbers the new list;
// holes is nil when nothing differs. ok is false when too little would stay to
// be worth it, or there is no room between two rows.
func plan(old rows, digests []uint64) (ids []int64, holes []hole, ok bool) {
	kept := match(old.digests, digests)
	ids = make([]int64, len(digests))
	last, touched := -1, 0 // the old row that stays before the hole
	from := 0
	for i := 0; i <= len(digests); i++ {
		next := len(old.ids)
		if i < len(digests) {
			if kept[i] < 0 {
				continue
			}
			next = kept[i]
			ids[i] = old.ids[next]
		}
		h := hole{low: 0, high: math.MaxInt64, dropped: next - last - 1, from: from, to: i}
		if last >= 0 {
			h.low = old.ids[last]
		}
		if next < len(old.ids) {
			h.high = old.ids[next]
		}
		if h.dropped > 0 || h.to > h.from {
			if !h.number(ids) {
				return nil, nil, false
			}
			touched += h.dropped + h.to - h.from
			holes = append(holes, h)
		}
		last, from = next, i+1
	}
	return ids, holes, touched <= 64 || touched <= len(digests)
}

// number spreads the new rows of the hole over the numbers that are free.
func (h hole) number(ids []int64) bool {
	n := int64(h.to - h.from)
	step := int64(gap)
	if h.high != math.MaxInt64 {
		step = (h.high - h.low) / (n + 1)
	}
	if step < 1 || h.low > math.MaxInt64-(n+1)*gap {
		return false
	}
	for i := range n {
		ids[h.from+int(i)] = h.low + (i+1)*step
	}
	return true
}

// fresh numbers a list that is written whole.
func fresh(n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i+1) * gap
	}
	return ids
}

// match finds for each new digest the old row that stays for it, -1 for none,
// such that rows that stay keep their order. What both lists begin and end
// with stays; between them as many as possible do, taking copies in order.
func match(old, new []uint64) []int {
	kept := make([]int, len(new))
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		kept[start] = start
		start++
	}
	endOld, endNew := len(old), len(new)
	for endOld > start && endNew > start && old[endOld-1] == new[endNew-1] {
		endOld--
		endNew--
		kept[endNew] = endOld
	}
	where := make(map[uint64][]int, endOld-start)
	for i := start; i < endOld; i++ {
		where[old[i]] = append(where[old[i]], i)
	}
	for i := start; i < endNew; i++ {
		kept[i] = -1
		if at := where[new[i]]; len(at) > 0 {
			kept[i], where[new[i]] = at[0], at[1:]
		}
	}
	longestRise(kept[start:endNew])
	return kept
}

// longestRise sets to -1 whatever does not belong to one longest rising run.
func longestRise(a []int) {
	var tails []int // tails[n] ends the run of n+1 that ends lowest
	before := make([]int, len(a))
	for i, v := range a {
		if v < 0 {
			continue
		}
		n := sort.Search(len(tails), func(n int) bool { return a[tails[n]] >= v })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	stays := make(map[int]bool, len(tails))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			stays[i] = true
		}
	}
	for i := range a {
		if !stays[i] {
			a[i] = -1
		}
	}
}

// runEnd ends a run of rows where one in so many digests says so, so that a row
// more or less changes one run.
const runEnd = 1024

// runs encodes the rows of a list, a part for each run.
func (r rows) runs() (parts [][]byte) {
	for from := 0; from < len(r.ids); {
		to := from + 1
		for to < len(r.ids) && r.digests[to-1]%runEnd != 0 {
			to++
		}
		parts = append(parts, appendRun(nil, rows{r.ids[from:to], r.digests[from:to]}))
		from = to
	}
	return append(parts, []byte{0})
}

func appendRun(b []byte, r rows) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.ids)))
	var last int64
	for _, id := range r.ids {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	for _, d := range r.digests {
		b = binary.LittleEndian.AppendUint64(b, d)
	}
	return b
}

var errRows = errors.New("the note on stored rows is cut short")

// readRows reads runs until the one of no rows that ends the list.
func readRows(b []byte) (r rows, rest []byte, err error) {
	for {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)) {
			return rows{}, nil, errRows
		}
		if b = b[size:]; n == 0 {
			return r, b, nil
		}
		if b, err = r.readRun(b, int(n)); err != nil {
			return rows{}, nil, err
		}
	}
}

func (r *rows) readRun(b []byte, n int) (rest []byte, err error) {
	var last int64
	for range n {
		d, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, errRows
		}
		b = b[size:]
		last += int64(d)
		r.ids = append(r.ids, last)
	}
	if len(b) < 8*n {
		return nil, errRows
	}
	for i := range n {
		r.digests = append(r.digests, binary.LittleEndian.Uint64(b[8*i:]))
	}
	return b[8*n:], nil
}
