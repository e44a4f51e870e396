package check

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// readers orders texts as people expect it in a list, and as other tools of
// the contract do: letters before case, marks after letters. Equal only for
// equal texts.
func readers(a, b string) int {
	if a == b {
		return 0
	}
	x, y := norm.NFD.String(a), norm.NFD.String(b)
	return cmp.Or(
		level(x, y, letterWeight),
		level(x, y, markWeight),
		level(x, y, caseWeight),
		strings.Compare(a, b),
	)
}

// level compares by one weight of each character; those of weight 0 do not
// count.
func level(a, b string, weight func(rune) int) int {
	next := func(s *string) int {
		for _, r := range *s {
			*s = (*s)[len(string(r)):]
			if w := weight(r); w != 0 {
				return w
			}
		}
		return 0
	}
	for {
		x, y := next(&a), next(&b)
		if x != y || x == 0 {
			return cmp.Compare(x, y)
		}
	}
}

// signs are those of ASCII in their usual order.
const signs = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

func letterWeight(r rune) int {
	if i := strings.IndexRune(signs, r); i >= 0 {
		return 1 + i
	}
	switch {
	case unicode.Is(unicode.Mn, r) || r < ' ':
		return 0
	case r >= '0' && r <= '9':
		return 100 + int(r-'0')
	}
	return 200 + int(unicode.ToLower(r))
}

func markWeight(r rune) int {
	if unicode.Is(unicode.Mn, r) {
		return 2 + int(r)
	}
	if letterWeight(r) > 0 {
		return 1
	}
	return 0
}

func caseWeight(r rune) int {
	if unicode.IsUpper(r) {
		return 2
	}
	return 1
}
