package tokens

import "math"

// shortPiece is the length up to which looking for the lowest rank again after
// each merge is faster than keeping the pairs in a heap.
const shortPiece = 64

// merge returns how many tokens the bytes of piece merge into: as long as two
// neighbours make a token, the two of lowest rank do, the first of them when
// several are equal.
func (v *vocabulary) merge(piece string) int {
	if len(piece) <= shortPiece {
		return v.mergeShort(piece)
	}
	return v.mergeLong(piece)
}

func (v *vocabulary) mergeShort(piece string) int {
	// Part i is piece[start[i]:start[i+1]]; rank[i] is that of parts i and i+1
	// together, less one, so that none wraps to the highest number.
	var start [shortPiece + 1]uint8
	var rank [shortPiece]uint32
	parts := len(piece)
	for i := range parts {
		start[i] = uint8(i)
	}
	start[parts] = uint8(parts)
	for i := range parts - 1 {
		rank[i] = v.rank(piece, i, i+2) - 1
	}
	for parts > 1 {
		best, at := uint32(math.MaxUint32), 0
		for i, r := range rank[:parts-1] {
			if r < best {
				best, at = r, i
			}
		}
		if best == math.MaxUint32 {
			break
		}
		parts--
		copy(start[at+1:parts+1], start[at+2:])
		copy(rank[at:parts-1], rank[at+1:])
		if at > 0 {
			rank[at-1] = v.rank(piece, int(start[at-1]), int(start[at+1])) - 1
		}
		if at+1 < parts {
			rank[at] = v.rank(piece, int(start[at]), int(start[at+2])) - 1
		}
	}
	return parts
}

// mergeLong does the same in O(n log n): the parts are a linked list, and a heap
// yields the next pair. A pair that has changed since is passed over.
func (v *vocabulary) mergeLong(piece string) int {
	l := list{
		prev: make([]int32, len(piece)),
		next: make([]int32, len(piece)),
		rank: make([]uint32, len(piece)),
	}
	todo := make(heap, 0, len(piece))
	for i := range len(piece) {
		l.prev[i], l.next[i] = int32(i-1), int32(i+1)
		if i+1 < len(piece) {
			l.rank[i] = v.rank(piece, i, i+2)
		}
		if l.rank[i] != 0 {
			todo = append(todo, pair(l.rank[i], int32(i)))
		}
	}
	todo.order()
	parts := len(piece)
	for len(todo) > 0 {
		rank, at := todo.pop()
		if l.rank[at] != rank {
			continue
		}
		parts--
		l.join(at)
		for _, i := range [2]int32{l.prev[at], at} {
			if i < 0 {
				continue
			}
			l.rank[i] = 0
			if end, ok := l.pairEnd(i); ok {
				l.rank[i] = v.rank(piece, int(i), end)
			}
			if l.rank[i] != 0 {
				todo.push(pair(l.rank[i], i))
			}
		}
	}
	return parts
}

// list holds the parts of a long piece. A part is known by the offset of its
// first byte; the last one's next is the length of the piece.
type list struct {
	prev, next []int32
	rank       []uint32 // of the part and the next together, plus one; zero is none
}

// join makes one part of the one at i and the next, which must exist.
func (l *list) join(i int32) {
	gone := l.next[i]
	l.rank[gone] = 0
	l.next[i] = l.next[gone]
	if int(l.next[i]) < len(l.prev) {
		l.prev[l.next[i]] = i
	}
}

// pairEnd returns where the part after the one at i ends; ok is false when
// there is none.
func (l *list) pairEnd(i int32) (end int, ok bool) {
	n := int(l.next[i])
	if n == len(l.next) {
		return 0, false
	}
	return int(l.next[n]), true
}

// heap yields the pair of lowest rank, of equals the first.
type heap []uint64

func pair(rank uint32, at int32) uint64 { return uint64(rank)<<32 | uint64(at) }

func (h heap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *heap) push(p uint64) {
	*h = append(*h, p)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up] <= s[i] {
			break
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

func (h *heap) pop() (rank uint32, at int32) {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	*h = s[:last]
	h.down(0)
	return uint32(top >> 32), int32(uint32(top))
}

func (h heap) down(i int) {
	for {
		least := 2*i + 1
		if least >= len(h) {
			return
		}
		if least+1 < len(h) && h[least+1] < h[least] {
			least++
		}
		if h[i] <= h[least] {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
