// Package ignore decides which paths a map leaves out, by rules in the language
// of .gitignore files.
//
// Its main type is Matcher. Rules mean what git means by them, byte for byte
// ("?" is one byte), as if core.ignorecase were set. Only in that are they more
// even-handed: letters beyond ASCII have no case either, and an upper case
// letter in a bracket or after a backslash matches too, which in git it never
// does. Nothing here reads a file, finds nested .gitignore files or knows what
// is tracked.
//
// Rules are sorted into tables when a Matcher is made, so that thousands of
// plain names cost a path no more than a few. What is left are patterns, which
// match in time proportional to pattern times path, whatever they are.
package ignore

import (
	"strings"
	"sync/atomic"
)

// Defaults is the bundled first layer: what no map is about.
var Defaults = []string{
	".git/", "node_modules/", "dist/", "build/", "out/", ".next/", ".cache/", ".tmp/",
	".skill-map/", "sm-process-jobs/", "sm-tutorial/",
	".DS_Store", "Thumbs.db", "*.swp", "*~", "*.log",
}

// Layer is the lines of one source of rules.
type Layer struct {
	Name  string // for the reader of a warning, such as ".skillmapignore"
	Lines []string
}

// Dropped is a line that is no rule: it can match nothing, and its writer
// surely meant something.
type Dropped struct {
	Layer string
	Line  int // from 1
	Text  string
}

// Matcher answers for paths. The nil Matcher ignores nothing. A Matcher may be
// asked at once from many goroutines.
type Matcher struct {
	rules []rule
	names names
	paths paths
	dirs  [1 << 9]atomic.Pointer[verdict] // by hash of the path
}

// verdict remembers whether a directory is ignored. Walks ask about many
// children of one directory.
type verdict struct {
	dir     string // folded
	ignored bool
}

// New returns the matcher of the layers, of which a later line stands above an
// earlier one, and the lines that are no rules.
func New(layers ...Layer) (*Matcher, []Dropped) {
	m := &Matcher{}
	var dropped []Dropped
	for _, layer := range layers {
		for i, line := range layer.Lines {
			text := line
			if i == 0 {
				text = strings.TrimPrefix(text, "\uFEFF")
			}
			r, what := parse(text)
			switch what {
			case isRule:
				m.add(r)
			case isBroken:
				dropped = append(dropped, Dropped{Layer: layer.Name, Line: i + 1, Text: line})
			}
		}
	}
	m.names.finish()
	return m, dropped
}

// Match reports whether path is ignored, itself or through a directory above
// it: what lies in an ignored directory cannot be taken back. A path is relative
// to the root; "./" or "/" before it is passed over, a backslash is a slash, and
// several slashes are one. With a slash at its end it is a directory, without it
// is anything else. The root itself and what lies outside it are never ignored.
func (m *Matcher) Match(path string) bool {
	path, dir, ok := clean(path)
	return ok && m.ignored(path, dir)
}

// MatchDir is Match for a directory: when it says so, nothing below needs to be
// looked at.
func (m *Matcher) MatchDir(path string) bool {
	path, _, ok := clean(path)
	return ok && m.ignored(path, true)
}

// clean returns path as rules see it, but for its case, and whether it is
// written as a directory; ok is false where no rule applies.
func clean(path string) (clean string, dir, ok bool) {
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	path = strings.TrimPrefix(path, "./")
	path = strings.TrimLeft(path, "/")
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" || trimmed == "." || trimmed == ".." || strings.HasPrefix(trimmed, "./") || strings.HasPrefix(trimmed, "../") {
		return "", false, false
	}
	return trimmed, len(trimmed) < len(path), true
}

func (m *Matcher) ignored(path string, dir bool) bool {
	if m == nil || len(m.rules) == 0 {
		return false
	}
	path = fold(path)
	if dir {
		return m.ignoredDir(path)
	}
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 && m.ignoredDir(path[:slash]) {
		return true
	}
	return m.last(path, false)
}

// ignoredDir reports whether the directory at the folded path is ignored.
func (m *Matcher) ignoredDir(path string) bool {
	place := m.place(path)
	if v := place.Load(); v != nil && v.dir == path {
		return v.ignored
	}
	ignored := m.ignoredAbove(path) || m.last(path, true)
	place.Store(&verdict{strings.Clone(path), ignored})
	return ignored
}

// ignoredAbove reports whether a directory that holds the one at path is
// ignored.
func (m *Matcher) ignoredAbove(path string) bool {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 {
		return false
	}
	parent := path[:slash]
	if v := m.place(parent).Load(); v != nil && v.dir == parent {
		return v.ignored
	}
	for i := range len(parent) {
		if parent[i] == '/' && m.last(parent[:i], true) {
			return true
		}
	}
	return m.last(parent, true)
}

// place returns where the verdict on a directory is kept.
func (m *Matcher) place(dir string) *atomic.Pointer[verdict] {
	return &m.dirs[hash(dir)%uint32(len(m.dirs))]
}

func hash(s string) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}
