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
	i := 0
	for ; i+8 <= len(s); i += 8 { // most text is ASCII, taken eight bytes a step
		if s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7] >= utf8.RuneSelf {
			break
		}
	}
	return i + unitsBySign(s[i:])
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
