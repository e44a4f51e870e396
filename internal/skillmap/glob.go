package skillmap

import "strings"

// Glob is a compiled path pattern of the query grammar: "**" stands for any
// run of characters, "*" for any run without "/", everything else for
// itself; both ends are anchored. So "docs/**" does not match "docs", and
// "**/x.md" does not match a root "x.md". Make one with NewGlob.
type Glob struct {
	text string
	// Prefix is the literal start: no path without it can match.
	Prefix string
}

// NewGlob compiles a pattern. Every string is one.
func NewGlob(pattern string) Glob {
	return Glob{text: pattern, Prefix: literal(pattern)}
}

func (g Glob) String() string { return g.text }

// Match reports whether the pattern covers the whole path.
//
// It needs no recursion: among single stars, and among double stars, a later
// one reaches everything an earlier one could still reach, so on a mismatch
// only the last of each kind is worth another try.
func (g Glob) Match(path string) bool {
	p, s := g.text, path
	i, j := 0, 0
	star, starAt := -1, 0 // where to go on after the last "*", and what it has eaten up to
	deep, deepAt := -1, 0 // the same for "**"
	for {
		switch {
		case i < len(p) && p[i] == '*':
			if i+1 < len(p) && p[i+1] == '*' {
				i += 2
				deep, deepAt, star = i, j, -1
			} else {
				i++
				star, starAt = i, j
			}
			continue
		case i == len(p) && j == len(s):
			return true
		case i < len(p) && j < len(s) && p[i] == s[j]:
			i++
			j++
			continue
		case star >= 0 && starAt < len(s) && s[starAt] != '/':
			starAt++
			i, j = star, starAt
			continue
		case deep >= 0 && deepAt < len(s):
			deepAt++
			next := strings.Index(s[deepAt:], literal(p[deep:]))
			if next < 0 {
				return false
			}
			deepAt += next
			i, j, star = deep, deepAt, -1
			continue
		}
		return false
	}
}

// literal is what a pattern begins with before its first star.
func literal(pattern string) string {
	if i := strings.IndexByte(pattern, '*'); i >= 0 {
		return pattern[:i]
	}
	return pattern
}
