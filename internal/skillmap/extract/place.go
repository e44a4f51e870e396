package extract

import (
	"strings"
	"unicode/utf8"
)

// ruler tells line and UTF-16 offset of byte positions in a body. Asked in
// ascending order it reads the body once.
type ruler struct {
	body     string
	at       int
	newlines int // before at
	units    int // before at
}

// seek moves to a position that begins a sign.
func (r *ruler) seek(to int) {
	if to < r.at {
		r.at, r.newlines, r.units = 0, 0, 0
	}
	part := r.body[r.at:to]
	r.newlines += strings.Count(part, "\n")
	r.units += units(part)
	r.at = to
}

// units counts UTF-16 code units.
func units(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i + unitsBySign(s[i:])
		}
	}
	return n
}

func unitsBySign(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}
