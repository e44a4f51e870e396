package skillmap

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Normalize brings a name or trigger into the form in which two spellings of
// one thing are equal: accents dropped, lower case, and every run of "-", "_"
// and white space one space, none at the ends. Sigils, ":", "/" and "." stay,
// so "@My-Agent_v2" is "@my agent v2".
func Normalize(trigger string) string {
	if simple(trigger) {
		return trigger
	}
	var b strings.Builder
	b.Grow(len(trigger))
	gap := false
	for _, r := range lower(strip(norm.NFD.String(trigger))) {
		if r == '-' || r == '_' || space(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// simple reports whether a trigger is in normal form already, as most names are.
func simple(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || c <= ' ' || c == '-' || c == '_' || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// strip removes combining marks.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}

// space reports whether JavaScript counts a character as white space.
func space(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
		r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// lower lowers a text as JavaScript does: a capital sigma at the end of a
// word is a final one.
func lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == 'Σ' && letterBefore(runes[:i]) && !letterAfter(runes[i+1:]):
			b.WriteRune('ς')
		case r == 'İ':
			b.WriteString("i̇")
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

func letterBefore(runes []rune) bool {
	for i := len(runes) - 1; i >= 0; i-- {
		if !ignorable(runes[i]) {
			return cased(runes[i])
		}
	}
	return false
}

func letterAfter(runes []rune) bool {
	for _, r := range runes {
		if !ignorable(r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// ignorable characters stand inside a word without being letters of it.
func ignorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '^', '`', 0xA8, 0xAD, 0xAF, 0xB4, 0xB7, 0xB8, 0x2018, 0x2019, 0x2024, 0x2027:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
