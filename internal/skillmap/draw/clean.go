package draw

import (
	"strings"
	"unicode/utf8"
)

// Clean drops from text what could steer a terminal: escape sequences (7-bit
// and 8-bit), control characters except tab and line ends, line and paragraph
// separators, and the marks that turn the direction of writing. A carriage
// return stays only before a line feed. Bytes that are no UTF-8 become U+FFFD.
func Clean(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == 0x1b:
			i += escape(text[i:])
			continue
		case r == 0x9b: // CSI
			i += size + params(text[i+size:])
			continue
		case isStringOpener(r):
			i += size + untilTerminator(text[i+size:])
			continue
		case r == '\r' && !strings.HasPrefix(text[i+size:], "\n"):
		case r == '\t' || r == '\n' || r == '\r' || !steers(r):
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Line is Clean on one line: every run of line ends and tabs is one space.
func Line(text string) string {
	text = Clean(text)
	if !strings.ContainsAny(text, "\t\r\n") {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\t' || r == '\r' || r == '\n' }), " ")
}

// isPlain is the fast way out: printable ASCII and line feeds only.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

// steers reports whether a terminal could take r for something else than text.
func steers(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029, r == 0x061c:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// isStringOpener reports whether r opens an 8-bit DCS, SOS, OSC, PM or APC string.
func isStringOpener(r rune) bool {
	return r == 0x90 || r == 0x98 || r == 0x9d || r == 0x9e || r == 0x9f
}

// escape is the length of the sequence at the start of text, which is an ESC.
func escape(text string) int {
	if len(text) < 2 {
		return 1
	}
	switch c := text[1]; {
	case c == '[':
		return 2 + params(text[2:])
	case strings.IndexByte("PX]^_", c) >= 0:
		return 2 + untilTerminator(text[2:])
	case c >= 0x20 && c <= 0x2f: // intermediates, then a final byte
		n := 2
		for n < len(text) && text[n] >= 0x20 && text[n] <= 0x2f {
			n++
		}
		if n < len(text) && text[n] >= 0x30 && text[n] <= 0x7e {
			n++
		}
		return n
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// params is the length of the rest of a control sequence: parameters,
// intermediates, and a final byte if there is one.
func params(text string) int {
	n := 0
	for n < len(text) && text[n] >= 0x20 && text[n] <= 0x3f {
		n++
	}
	if n < len(text) && text[n] >= 0x40 && text[n] <= 0x7e {
		n++
	}
	return n
}

// untilTerminator is the length of a control string with its end: BEL, ST in
// either form. A string without an end reaches to the end of its line.
func untilTerminator(text string) int {
	for i, r := range text {
		switch {
		case r == 0x07:
			return i + 1
		case r == 0x9c:
			return i + utf8.RuneLen(r)
		case r == 0x1b && strings.HasPrefix(text[i+1:], `\`):
			return i + 2
		case r == '\n':
			return i
		}
	}
	return len(text)
}
