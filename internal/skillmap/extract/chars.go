package extract

import "unicode/utf8"

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isWord(c byte) bool   { return isAlnum(c) || c == '_' }

// isSpace is white space as the contract's grammars know it.
func isSpace(r rune) bool {
	switch {
	case r <= ' ':
		return r == ' ' || r >= '\t' && r <= '\r'
	case r < 0x1680:
		return r == 0xA0
	case r >= 0x2000 && r <= 0x200A:
		return true
	}
	switch r {
	case 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

// spaceLen is how many bytes the white space sign at i takes, 0 when there is
// none.
func spaceLen(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if !isSpace(r) {
		return 0
	}
	return n
}

// class is a set of ASCII signs; other signs belong to none.
type class [256]bool

// classOf makes a class of all letters and digits and the signs of more.
func classOf(more string) *class {
	var c class
	for b := range c {
		c[b] = b < utf8.RuneSelf && isAlnum(byte(b))
	}
	for i := range len(more) {
		c[more[i]] = true
	}
	return &c
}

// at reports whether the sign at i is of the class. Nothing stands at the end.
func (c *class) at(s string, i int) bool { return i < len(s) && c[s[i]] }

// skip gives the first position from i on whose sign is not of the class.
func (c *class) skip(s string, i int) int {
	for i < len(s) && c[s[i]] {
		i++
	}
	return i
}
