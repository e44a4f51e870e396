package ignore

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold returns s with every letter in the one form that stands for all its
// cases. Two strings are equal without case when their folded forms are.
func fold(s string) string {
	for i := range len(s) {
		if b := s[i]; b >= utf8.RuneSelf || 'A' <= b && b <= 'Z' {
			return foldFrom(s, i)
		}
	}
	return s
}

func foldFrom(s string, i int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for i < len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(lowered(s[i]))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError {
			b.WriteString(s[i : i+size]) // as it is: rules count bytes
		} else {
			b.WriteRune(foldRune(r))
		}
		i += size
	}
	return b.String()
}

func lowered(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// foldRune folds a character beyond ASCII: to its lower case when that leads
// back to the same upper case, else to its upper case. Neither may be ASCII,
// nor more than one character, which title case stands for; and characters
// beyond the first plane keep their case. That is how JavaScript compares
// without case, which the contract goes by.
func foldRune(r rune) rune {
	up := upper(r)
	if low := unicode.ToLower(up); low >= utf8.RuneSelf && upper(low) == up {
		return low
	}
	return up
}

func upper(r rune) rune {
	up := unicode.ToUpper(r)
	if r > 0xFFFF || up < utf8.RuneSelf || unicode.Is(unicode.Lt, up) {
		return r
	}
	return up
}
