package scan

import (
	"strings"
	"unicode/utf8"
)

// toText reads bytes as UTF-8. What is no UTF-8 becomes U+FFFD, one for each
// longest run that could have begun a character, as web browsers do it.
func toText(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			n = brokenLen(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// brokenLen is the length of the run at the start of b that is the beginning
// of a character and no more, at least 1.
func brokenLen(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for ; need > 0 && n < len(b) && b[n] >= low && b[n] <= high; need-- {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}
