package sigit

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns what people wrote without the characters that a person
// reading it cannot see but a program obeys: controls, bidirectional
// overrides, zero-width and tag characters, stray variation selectors, and
// HTML entities that stand for any of these. What such characters are for
// stays: emoji sequences, flags, keycaps, the joiners of scripts that join.
//
// It is for text shown to agents, never for files and diffs. Clean text comes
// back as it is, without a copy; Clean(Clean(s)) == Clean(s); the result is
// valid UTF-8.
func Clean(text string) string {
	i := firstSuspect(text)
	if i < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)), text[:i]...)
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			out = utf8.AppendRune(out, utf8.RuneError)
		case r == '\u2028' || r == '\u2029' || r == '\r' && !strings.HasPrefix(rest, "\n"):
			out = append(out, '\n')
		case r >= tagFirst && r <= tagEnd:
			run, valid := tagRun(text[i:])
			if valid && lastRune(out) == blackFlag {
				out = append(out, run...)
			}
			size = len(run)
		case !hides(r), joins(r, out, rest):
			out = utf8.AppendRune(out, r)
			if r == ';' {
				out = dropEntity(out)
			}
		}
		i += size
	}
	return string(out)
}

const (
	zwnj      = '\u200C'
	zwj       = '\u200D'
	keycap    = '\u20E3'
	blackFlag = '\U0001F3F4'
	tagFirst  = '\U000E0020'
	tagEnd    = '\U000E007F'
)

// firstSuspect is where text first holds what Clean may change, -1 if nowhere.
func firstSuspect(text string) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c == '&' && entityAhead(text[i:]) || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' || hides(r) {
			return i
		}
		i += size
	}
	return -1
}

// hides says whether r cannot be seen, at least not everywhere.
func hides(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
	case r < 0xA0:
		return true // C1 controls
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(signs, r)
	}
	return unicode.Is(blanks, r)
}

// signs are format characters that can be seen: number signs and the like.
var signs = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0600, 0x0605, 1}, {0x06DD, 0x06DD, 1}, {0x070F, 0x070F, 1}, {0x0890, 0x0891, 1}, {0x08E2, 0x08E2, 1}},
	R32: []unicode.Range32{{0x110BD, 0x110BD, 1}, {0x110CD, 0x110CD, 1}, {0x13430, 0x1343F, 1}},
}

// blanks are characters of other categories that are drawn as nothing.
var blanks = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034F, 0x034F, 1}, {0x115F, 0x1160, 1}, {0x17B4, 0x17B5, 1}, {0x180B, 0x180F, 1},
		{0x2065, 0x2065, 1}, {0x3164, 0x3164, 1}, {0xFE00, 0xFE0F, 1}, {0xFFA0, 0xFFA0, 1},
		{0xFFF0, 0xFFF8, 1}, {0xFFFE, 0xFFFF, 1},
	},
	R32: []unicode.Range32{{0xE0000, 0xE0FFF, 1}},
}

// joins says whether r, which hides, does its visible work here: after out and
// before rest.
func joins(r rune, out []byte, rest string) bool {
	before := lastRune(out)
	switch {
	case r == zwj && emoji(rune1(rest)):
		return emoji(before) || before == '\uFE0F' || unicode.In(before, joining...)
	case r == zwj, r == zwnj:
		return unicode.In(before, joining...)
	case r == '\uFE0E', r == '\uFE0F':
		if before >= '0' && before <= '9' || before == '#' || before == '*' {
			return rune1(rest) == keycap
		}
		return emoji(before)
	case r >= '\uFE00' && r <= '\uFE0D':
		return unicode.Is(unicode.Han, before) || unicode.Is(unicode.Sm, before) || unicode.Is(unicode.Myanmar, before)
	case r >= '\U000E0100' && r <= '\U000E01EF':
		return unicode.Is(unicode.Han, before)
	case r >= '\u180B' && r <= '\u180D', r == '\u180F':
		return unicode.Is(unicode.Mongolian, before) && !hides(before)
	}
	return false
}

// joining are the scripts whose letters a joiner or non-joiner shapes. The
// joiners themselves belong to none, so they never follow each other.
var joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
	unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// emoji says whether r may be part of an emoji sequence.
func emoji(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2190 && r <= 0x21FF, r >= 0x2300 && r <= 0x27BF, r >= 0x2900 && r <= 0x297F, r >= 0x2B00 && r <= 0x2BFF:
		return true
	}
	switch r {
	case 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x24C2, 0x3030, 0x303D, 0x3297, 0x3299:
		return true
	}
	return false
}

// tagRun is the run of tags at the start of text, up to an end tag, and
// whether a flag may have it: three to six letters and digits, then the end.
func tagRun(text string) (run string, valid bool) {
	valid = true
	for i, r := range text {
		switch c := r - 0xE0000; {
		case r == tagEnd:
			tags := i / utf8.RuneLen(r)
			return text[:i+utf8.RuneLen(r)], valid && tags >= 3 && tags <= 6
		case r < tagFirst || r > tagEnd:
			return text[:i], false
		default:
			valid = valid && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z')
		}
	}
	return text, false
}

const longestEntity = 40

// entityAhead says whether text, which starts with '&', starts with something
// like an entity.
func entityAhead(text string) bool {
	for i := 1; i < len(text) && i < longestEntity; i++ {
		if c := text[i]; !entityByte(c) {
			// A character that will go may stand inside the entity.
			return c == ';' && i > 1 || c >= utf8.RuneSelf || c < ' '
		}
	}
	return false
}

func entityByte(c byte) bool {
	return c == '#' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// dropEntity takes from the end of out, which is a semicolon, an entity that
// stands for something that hides.
func dropEntity(out []byte) []byte {
	for i := len(out) - 2; i >= 0 && len(out)-i <= longestEntity; i-- {
		if out[i] == '&' {
			for _, r := range html.UnescapeString(string(out[i:])) {
				if hides(r) {
					return out[:i]
				}
			}
			return out
		}
		if !entityByte(out[i]) {
			return out
		}
	}
	return out
}

func lastRune(out []byte) rune {
	r, _ := utf8.DecodeLastRune(out)
	return r
}

func rune1(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}
