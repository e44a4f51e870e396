package scan

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"skillforge/internal/skillmap/sidecar"
)

// chunk is how many stops of a record are written together, so that they can
// be compared on every core.
const chunk = 256

// Record lists everything that the scan looked at and how it looked, for
// Unchanged. It is nil for a cache that was read back.
func (c *Cache) Record() []byte {
	if c.forest == nil {
		return nil
	}
	stops := c.allStops()
	w := writer{b: make([]byte, 0, 64*len(stops)+256)}
	w.byte(form)
	w.string(c.config)
	w.uint(uint64((len(stops) + chunk - 1) / chunk))
	for len(stops) > 0 {
		n := min(chunk, len(stops))
		part := writer{b: make([]byte, 0, 64*n)}
		before := ""
		for i := range stops[:n] {
			part.stop(&stops[i], before, c.now)
			before = stops[i].path
		}
		w.string(string(part.b))
		stops = stops[n:]
	}
	return w.b
}

// CutRecord cuts a record at its chunks. The pieces, one behind the other, are
// the record.
func CutRecord(record []byte) (pieces [][]byte) {
	if len(record) == 0 {
		return nil
	}
	r := reader{s: string(record)}
	cut := func(from int) {
		if to := len(record) - len(r.s); to > from {
			pieces = append(pieces, record[from:to])
		}
	}
	r.byte()
	r.string()
	n := r.len()
	cut(0)
	for ; n > 0 && !r.bad; n-- {
		from := len(record) - len(r.s)
		r.string()
		cut(from)
	}
	if r.bad || r.s != "" { // no record
		return [][]byte{record}
	}
	return pieces
}

func (c *Cache) allStops() []stop {
	f := c.forest
	stops := make([]stop, 0, len(f.dirs)+len(f.files)+len(f.links)+len(c.stops))
	for i := range f.dirs {
		d := &f.dirs[i]
		stops = append(stops, stop{root: d.root, path: d.path, how: asDir, stamp: d.stamp, names: d.sum})
	}
	for _, p := range f.files {
		e := c.at(p.path)
		if e == nil || e.root != p.root || e.stamp != p.stamp { // too large, or nobody's
			stops = append(stops, stop{root: p.root, path: p.path, how: asSeen, stamp: p.stamp})
			continue
		}
		stops = append(stops, stop{root: p.root, path: p.path, how: asFile, stamp: p.stamp, sum: e.sum})
		if e.note != nil {
			stops = append(stops, stop{root: p.root, path: sidecar.PathFor(p.path), how: asFile, stamp: e.note.stamp, sum: e.note.sum})
		}
	}
	stops = append(stops, f.links...)
	return append(stops, c.stops...)
}

func (w *writer) stop(p *stop, before string, now int64) {
	w.byte(byte(p.how))
	w.int(int64(p.root))
	same := shared(before, p.path)
	w.uint(uint64(same))
	w.string(p.path[same:])
	w.stamp(p.stamp)
	settled := !p.stamp.fresh(now)
	w.bool(settled)
	switch {
	case settled:
	case p.how == asDir:
		w.b = binary.LittleEndian.AppendUint64(w.b, p.names)
	case p.how == asFile:
		w.b = append(w.b, p.sum[:]...)
	}
}

func (r *reader) stop(before string) (p stop, settled bool) {
	p.how = how(r.byte())
	p.root = int(r.int())
	same := r.uint()
	rest := r.string()
	if same > uint64(len(before)) {
		r.fail()
		return p, false
	}
	p.path = before[:same] + rest
	p.stamp = r.stamp()
	settled = r.bool()
	switch {
	case settled:
	case p.how == asDir:
		if b := r.take(8); !r.bad {
			p.names = binary.LittleEndian.Uint64([]byte(b))
		}
	case p.how == asFile:
		copy(p.sum[:], r.take(len(p.sum)))
	}
	return p, settled
}

func (w *writer) stamp(s stamp) {
	w.byte(byte(s.kind))
	if s.kind == unknown {
		return
	}
	w.uint(uint64(s.size))
	w.int(s.mtime)
	w.int(s.ctime)
	w.uint(s.inode)
	w.string(s.id)
}

func (r *reader) stamp() stamp {
	s := stamp{kind: kind(r.byte())}
	if s.kind == unknown {
		return s
	}
	s.size = int64(r.uint())
	s.mtime = r.int()
	s.ctime = r.int()
	s.inode = r.uint()
	s.id = r.string()
	return s
}

func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Unchanged reports whether Run would look at exactly what the scan looked at
// that the record is of, and so give the same graph. A file is read only when
// its times cannot tell.
func Unchanged(ctx context.Context, roots []Root, opt Options, record []byte) (bool, error) {
	s, err := prepare(ctx, roots, &opt, nil)
	if err != nil {
		return false, err
	}
	r := reader{s: string(record)}
	if r.byte() != form || r.string() != s.next.config {
		return false, nil
	}
	parts := r.strings()
	if r.bad || r.s != "" {
		return false, nil
	}
	var turn, differs atomic.Int64
	var wait sync.WaitGroup
	for range min(s.workers(), len(parts)) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var buf []byte
			for i := int(turn.Add(1)) - 1; i < len(parts) && differs.Load() == 0 && ctx.Err() == nil; i = int(turn.Add(1)) - 1 {
				if !s.stillSo(parts[i], &buf) {
					differs.Add(1)
				}
			}
		}()
	}
	wait.Wait()
	return differs.Load() == 0, ctx.Err()
}

// stillSo compares the stops of one chunk with what is there now.
func (s *scanner) stillSo(part string, buf *[]byte) bool {
	r := reader{s: part}
	before := ""
	for len(r.s) > 0 {
		p, settled := r.stop(before)
		if r.bad || !s.same(&p, settled, buf) {
			return false
		}
		before = p.path
	}
	return true
}

func (s *scanner) same(p *stop, settled bool, buf *[]byte) bool {
	t := s.treeOf(p.root)
	if t == nil {
		return false
	}
	look := t.follow
	if p.how == asThere {
		look = t.look
	}
	now, err := look(p.path)
	if err != nil {
		now = stamp{}
	}
	switch p.how {
	case asThere, asLead:
		return now.kind == p.stamp.kind
	case asDir:
		return now == p.stamp && (settled || namesIn(t, p.path) == p.names)
	case asFile:
		return now == p.stamp && (settled || now.kind == unknown || contentOf(t, p.path, buf) == p.sum)
	}
	return now == p.stamp
}

func (s *scanner) treeOf(root int) tree {
	switch {
	case root == projectRoot:
		return s.project
	case root == nowhere:
		return disk{}
	case root >= 0 && root < len(s.trees):
		return s.trees[root]
	}
	return nil
}
