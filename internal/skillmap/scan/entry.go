package scan

import "sync"

// sum tells contents apart.
type sum [16]byte

// entry is what the cache knows of one file. It never changes once it is in
// a cache; what differs from scan to scan is in the node made from it.
type entry struct {
	path  string
	root  int
	stamp stamp
	// settled says that an equal stamp means equal content: the file was not
	// written so shortly before it was read that a later write could hide.
	settled   bool
	sum       sum
	provider  string
	kind      string
	tokenizer string // that counted its tokens, empty when none did
	said      *said
	note      *note // nil without a sidecar
	unread    bool  // the file cannot be read; it says nothing
}

// said is the encoded form of facts, decoded when asked for.
type said struct {
	text string
	once sync.Once
	f    *facts
	err  error
}

// say gives what the file says, and an error when its form is broken.
func (e *entry) say() (*facts, error) {
	e.said.once.Do(func() { e.said.f, e.said.err = decodeFacts(e.path, e.said.text) })
	return e.said.f, e.said.err
}

// note is the sidecar of a file. It never changes.
type note struct {
	stamp   stamp
	settled bool
	sum     sum
	root    map[string]any // nil when it is no valid sidecar
	fault   string         // why not
	keys    SidecarKeys
}
