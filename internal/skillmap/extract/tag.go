package extract

import (
	"bytes"
	"unicode/utf8"
)

// blankTags blanks what looks like an HTML tag: "<", perhaps "/", a letter,
// then letters, digits and "-", then either the end or white space and
// anything up to ">", quotes respected.
func blankTags(b []byte) {
	t := tagScanner{b: b, lastQuote: [2]int{len(b), len(b)}}
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], '<')
		if i < 0 {
			return
		}
		from := at + i
		at = t.end(from)
		if at < 0 {
			at = from + 1
			continue
		}
		blank(b[from:at])
	}
}

// tagScanner remembers where tags failed, so that a body full of tags without
// an end is not read to its end for each of them.
type tagScanner struct {
	b         []byte
	dead      []uint64 // a bit for each byte from which no end of tag is reached
	lastQuote [2]int   // the last " and the last ', len(b) while not looked for
}

// longWay is the length of a vain search worth remembering.
const longWay = 64

// end gives the end of the tag that begins with the "<" at i, or -1.
func (t *tagScanner) end(i int) int {
	i++
	if i < len(t.b) && t.b[i] == '/' {
		i++
	}
	if i >= len(t.b) || !isLetter(t.b[i]) {
		return -1
	}
	for i < len(t.b) && (isAlnum(t.b[i]) || t.b[i] == '-') {
		i++
	}
	if n := t.space(i); n > 0 {
		return t.close(i + n)
	}
	if i < len(t.b) && t.b[i] == '/' {
		i++
	}
	if i < len(t.b) && t.b[i] == '>' {
		return i + 1
	}
	return -1
}

func (t *tagScanner) space(i int) int {
	if i >= len(t.b) {
		return 0
	}
	r, n := utf8.DecodeRune(t.b[i:])
	if !isSpace(r) {
		return 0
	}
	return n
}

// close gives the end of a tag from inside it, or -1.
func (t *tagScanner) close(from int) int {
	i := from
	for i < len(t.b) && !t.isDead(i) {
		if t.b[i] == '>' {
			return i + 1
		}
		next := t.step(i)
		if next < 0 {
			break
		}
		i = next
	}
	if i-from > longWay {
		t.bury(from)
	}
	return -1
}

// step passes one sign or one quoted text, and gives -1 where the quote has no
// end.
func (t *tagScanner) step(i int) int {
	c := t.b[i]
	if c != '"' && c != '\'' {
		return i + 1
	}
	last := &t.lastQuote[c&1] // " is 0x22, ' is 0x27
	if *last == len(t.b) {
		*last = bytes.LastIndexByte(t.b, c)
	}
	if *last <= i {
		return -1
	}
	return i + 2 + bytes.IndexByte(t.b[i+1:], c)
}

func (t *tagScanner) isDead(i int) bool {
	return t.dead != nil && t.dead[i/64]&(1<<(i%64)) != 0
}

func (t *tagScanner) bury(i int) {
	if t.dead == nil {
		t.dead = make([]uint64, len(t.b)/64+1)
	}
	for i >= 0 && i < len(t.b) && !t.isDead(i) {
		t.dead[i/64] |= 1 << (i % 64)
		i = t.step(i)
	}
}
