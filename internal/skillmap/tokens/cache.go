package tokens

import (
	"strings"
	"sync/atomic"
)

// cache remembers the counts of pieces that are no tokens. It holds one piece a
// place and forgets the older when two meet there, so it never grows beyond its
// places; readers and writers need no lock.
type cache [1 << 14]atomic.Pointer[counted]

type counted struct {
	piece  string
	tokens int
}

// get returns the count of piece, zero when it is not known. The hash is that
// of its digest.
func (c *cache) get(hash uint64, piece string) int {
	known := c[hash>>(64-14)].Load()
	if known == nil || known.piece != piece {
		return 0
	}
	return known.tokens
}

// put remembers the count of piece. It keeps a copy, not the text around it.
func (c *cache) put(hash uint64, piece string, tokens int) {
	c[hash>>(64-14)].Store(&counted{strings.Clone(piece), tokens})
}
