package tokens

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The classes of a character that the splits ask for. Each character has one,
// newlines are spaces too, and signs of all other kinds have none.
const (
	upper   = 1 << iota // letters of upper and title case
	lower               // letters of lower case
	uncased             // letters without case, modifier letters
	mark
	number
	space
	newline // CR and LF

	letter  = upper | lower | uncased
	heads   = upper | uncased | mark // what may start a cased word
	tails   = lower | uncased | mark // what may end it
	nonSign = letter | number | space
	bound   = letter | number | newline // what is never taken in before a word
)

// classes holds the class of every character. It takes no memory until
// classify writes to it, and then only the pages of characters that have one.
var classes [unicode.MaxRune + 1]uint8

// classify fills classes, once.
var classify = sync.OnceFunc(func() {
	set := func(table *unicode.RangeTable, class uint8) {
		for _, r := range table.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				classes[c] |= class
			}
		}
		for _, r := range table.R32 {
			for c := r.Lo; c <= r.Hi; c += r.Stride {
				classes[c] |= class
			}
		}
	}
	set(unicode.Lu, upper)
	set(unicode.Lt, upper)
	set(unicode.Ll, lower)
	set(unicode.Lm, uncased)
	set(unicode.Lo, uncased)
	set(unicode.M, mark)
	set(unicode.N, number)
	set(unicode.White_Space, space)
	for _, new := range recent {
		for i := 0; i < len(new.ranges); i += 2 {
			for c := new.ranges[i]; c <= new.ranges[i+1]; c++ {
				classes[c] |= new.class
			}
		}
	}
	// The contract's space is JavaScript's: with the byte order mark, without
	// NEL.
	classes['\uFEFF'] |= space
	classes['\u0085'] &^= space
	classes['\r'] |= newline
	classes['\n'] |= newline
})

// class returns the class and the width of the character at text[at], which
// must exist.
func class(text string, at int) (uint8, int) {
	if b := text[at]; b < utf8.RuneSelf {
		return classes[b], 1
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	return classes[r], size
}

// run returns the end of the longest run of characters from text[at] that have
// one of the wanted classes.
func run(text string, at int, wanted uint8) int {
	for at < len(text) {
		if b := text[at]; b < utf8.RuneSelf { // class, inlined
			if classes[b]&wanted == 0 {
				return at
			}
			at++
			continue
		}
		c, size := class(text, at)
		if c&wanted == 0 {
			return at
		}
		at += size
	}
	return at
}

// signs returns the end of the longest run of signs from text[at].
func signs(text string, at int) int {
	for at < len(text) {
		c, size := class(text, at)
		if c&nonSign != 0 {
			break
		}
		at += size
	}
	return at
}

// splitCL100K returns the end of the piece that starts at text[at]: the first
// of these that fits.
//
//	'                's 't 're 've 'm 'll 'd, in any case
//	word             one character that is no letter, number or newline, or
//	                 none; then letters
//	number           one to three
//	signs            one blank or none, signs, then newlines
//	blank            as blank below
func splitCL100K(text string, at int) int {
	c, size := class(text, at)
	switch {
	case c&letter != 0:
		return run(text, at+size, letter)
	case c&number != 0:
		return digits(text, at)
	}
	next := at + size
	if text[at] == '\'' {
		if end := contraction(text, at); end != at {
			return end
		}
	}
	if c&newline == 0 {
		if end := run(text, next, letter); end != next {
			return end
		}
	}
	end, ok := signRun(text, at, c)
	if !ok {
		return blank(text, at)
	}
	return run(text, end, newline)
}

// splitO200K returns the end of the piece that starts at text[at]: the first of
// these that fits.
//
//	word             one character that is no letter, number or newline, or
//	                 none; then letters and marks, those of upper case before
//	                 those of lower case; then a contraction or none
//	number           one to three
//	signs            one blank or none, signs, then newlines and slashes
//	blank            as blank below
func splitO200K(text string, at int) int {
	c, size := class(text, at)
	if c&number != 0 {
		return digits(text, at)
	}
	if c&bound == 0 {
		// A mark can be the one character before a word, or a word itself; the
		// latter goes before a word of heads alone.
		end, tailed := cased(text, at+size)
		if tailed || end != at+size && c&mark == 0 {
			return contraction(text, end)
		}
	}
	if c&(letter|mark) != 0 {
		end, _ := cased(text, at)
		return contraction(text, end)
	}
	end, ok := signRun(text, at, c)
	if !ok {
		return blank(text, at)
	}
	for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
		end++
	}
	return end
}

// cased returns the end of the word at text[at]: heads and then at least one
// tail, or failing that (tailed is false) heads alone, at itself when there is
// none.
func cased(text string, at int) (end int, tailed bool) {
	end, tail := at, at // tail: end of the last head that is a tail as well
	for end < len(text) {
		c, size := class(text, end)
		if c&heads == 0 {
			break
		}
		end += size
		if c&tails != 0 {
			tail = end
		}
	}
	if after := run(text, end, tails); after != end {
		return after, true
	}
	if tail != at {
		return tail, true // the heads give back what must be a tail
	}
	return end, false
}

// contraction returns the end of the contraction at text[at], or at when there
// is none.
func contraction(text string, at int) int {
	if at+1 >= len(text) || text[at] != '\'' {
		return at
	}
	switch text[at+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return at + 2
	case 0xE5: // perhaps the long s, which is an s without case
		if strings.HasPrefix(text[at+1:], "ſ") {
			return at + 1 + len("ſ")
		}
	case 'r', 'v':
		if at+2 < len(text) && text[at+2]|0x20 == 'e' {
			return at + 3
		}
	case 'l':
		if at+2 < len(text) && text[at+2]|0x20 == 'l' {
			return at + 3
		}
	}
	return at
}

// digits returns the end of the number at text[at]: three characters at most.
func digits(text string, at int) int {
	for range 3 {
		if at == len(text) {
			break
		}
		c, size := class(text, at)
		if c&number == 0 {
			break
		}
		at += size
	}
	return at
}

// signRun returns the end of the signs at text[at], whose class is c, one blank
// before them taken in; ok is false when there are none.
func signRun(text string, at int, c uint8) (end int, ok bool) {
	from := at
	if text[at] == ' ' {
		from++
	} else if c&nonSign != 0 {
		return at, false
	}
	end = signs(text, from)
	return end, end != from
}

// blank returns the end of the piece of space at text[at]: to the last newline
// of the run; without one the whole run at the end of the text, and elsewhere
// all but its last character, which goes with what follows, unless it is the
// only one.
func blank(text string, at int) int {
	end, last, line := at, at, at // last: start of the last character
	for end < len(text) {
		c, size := class(text, end)
		if c&space == 0 {
			break
		}
		last = end
		end += size
		if c&newline != 0 {
			line = end
		}
	}
	switch {
	case line != at:
		return line
	case end == len(text) || last == at:
		return end
	}
	return last
}
