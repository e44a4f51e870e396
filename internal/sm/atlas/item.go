package atlas

import (
	"sync/atomic"

	"skillforge/internal/skillmap"
)

// Node, Link and Issue are parts of the map with their JSON at hand. They are
// shared by all who ask: do not change what they point to.
type (
	Node struct {
		*skillmap.Node
		text
	}
	Link struct {
		*skillmap.Link
		text
	}
	Issue struct {
		*skillmap.Issue
		text
	}
)

// text is JSON that is made when it is first asked for.
type text struct{ made atomic.Pointer[[]byte] }

func (t *text) get(write func([]byte) []byte, size int) []byte {
	if b := t.made.Load(); b != nil {
		return *b
	}
	b := write(make([]byte, 0, size))
	t.made.Store(&b)
	return b
}

// JSON is the node as the contract writes it. The caller must not change it.
func (n *Node) JSON() []byte { return n.get(n.AppendJSON, 1024) }

// JSON is the link as the contract writes it. The caller must not change it.
func (l *Link) JSON() []byte { return l.get(l.AppendJSON, 512) }

// JSON is the issue as the contract writes it. The caller must not change it.
func (i *Issue) JSON() []byte { return i.get(i.AppendJSON, 512) }

// MarshalJSON is JSON.
func (n *Node) MarshalJSON() ([]byte, error) { return n.JSON(), nil }

// MarshalJSON is JSON.
func (l *Link) MarshalJSON() ([]byte, error) { return l.JSON(), nil }

// MarshalJSON is JSON.
func (i *Issue) MarshalJSON() ([]byte, error) { return i.JSON(), nil }

// jsoner is any of the three.
type jsoner interface{ JSON() []byte }

// appendItems appends a list of them; it is never null.
func appendItems[T jsoner](b []byte, items []T) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item.JSON()...)
	}
	return append(b, ']')
}

// sizeOf guesses how long a list will be.
func sizeOf[T jsoner](items []T) int {
	n := 2
	for _, item := range items {
		n += len(item.JSON()) + 1
	}
	return n
}
