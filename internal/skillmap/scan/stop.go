package scan

import (
	"path"
	"strings"
)

// stop is something a scan looked at besides the files and folders of its
// roots: were it different, the result might be.
type stop struct {
	root  int // of the scan, or projectRoot, or nowhere for an absolute path
	path  string
	how   how
	stamp stamp  // of kind unknown when nothing was there
	names uint64 // of a folder
	sum   sum    // of a file, when its stamp does not settle its content
}

// how a stop was looked at.
type how byte

const (
	asFile  how = iota // its content matters
	asThere            // whether anything is there, not following a link
	asLead             // what a link leads to
	asDir              // its names matter
	asSeen             // how large it is
)

const (
	projectRoot = -1
	nowhere     = -2
)

// stop notes a look at something and gives it.
func (s *scanner) stop(t tree, root int, name string, how how) stamp {
	var st stamp
	var err error
	if how == asThere {
		st, err = t.look(name)
	} else {
		st, err = t.follow(name)
	}
	if err != nil {
		st = stamp{}
	}
	at := stop{root: root, path: name, how: how, stamp: st}
	switch {
	case how == asDir:
		at.names = namesIn(t, name)
	case how == asFile && st.fresh(s.now):
		at.sum = contentOf(t, name, new([]byte))
	}
	s.next.stops = append(s.next.stops, at)
	return st
}

// probe reports whether something stands below a root under a path that may
// lead out of it, where nothing counts.
func (s *scanner) probe(t tree, root int, target string) bool {
	name := path.Clean(target)
	if strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../") || strings.IndexByte(name, 0) >= 0 {
		return false
	}
	return s.stop(t, root, name, asThere).kind != unknown
}

// namesIn is the digest of a folder, 0 when it cannot be listed.
func namesIn(t tree, name string) uint64 {
	list, err := t.list(name)
	if err != nil {
		return 0
	}
	return sumNames(list)
}

// contentOf is the sum of a file, zero when it cannot be read.
func contentOf(t tree, name string, buf *[]byte) sum {
	data, err := t.read(name, *buf, maxHashed)
	if err != nil {
		return sum{}
	}
	*buf = data
	return sumOf(data)
}

// maxHashed is how much of a file is read to tell it apart; no file that the
// map reads is larger.
const maxHashed = 1 << 30
