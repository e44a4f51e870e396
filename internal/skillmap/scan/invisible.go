package scan

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"skillforge/internal/skillmap"
)

// invisible is the issue of characters that nobody sees and that a model
// reads all the same: one for a file, about the first of them.
func invisible(text string) (skillmap.Issue, bool) {
	at, count := -1, 0
	severity := skillmap.Info
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			for i++; i+8 <= len(text) && text[i]|text[i+1]|text[i+2]|text[i+3]|text[i+4]|text[i+5]|text[i+6]|text[i+7] < utf8.RuneSelf; i += 8 {
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if name, hides := unseen(r); name != "" && i > 0 && !inFlag(text[:i], r) {
			if at < 0 {
				at = i
			}
			if hides {
				severity = skillmap.Warn
			}
			count++
		}
		i += n
	}
	if at < 0 {
		return skillmap.Issue{}, false
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	name, _ := unseen(r)
	line := 1 + strings.Count(text[:at], "\n")
	column := 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text[:at], '\n')+1:at])
	more := ""
	if count > 1 {
		more = fmt.Sprintf("; the file holds %d such characters", count)
	}
	code := fmt.Sprintf("U+%04X", r)
	return skillmap.Issue{
		AnalyzerID: "invisible-character", Severity: severity,
		Message: fmt.Sprintf("L%d: %s (%s) in column %d is seen by nobody, and read by models%s", line, code, name, column, more),
		Data:    map[string]any{"target": code, "line": float64(line), "column": float64(column), "count": float64(count)},
	}, true
}

// unseen names a character that has no picture and no use in plain text, and
// says whether it can hide text or turn its order. Joiners are not among them:
// emoji and several scripts need them.
func unseen(r rune) (name string, hides bool) {
	switch {
	case r == 0x00AD:
		return "soft hyphen", false
	case r == 0x200B:
		return "zero width space", false
	case r == 0x180E || r >= 0x2060 && r <= 0x2064:
		return "invisible separator", false
	case r == 0xFEFF:
		return "byte-order mark", false
	case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
		return "change of direction", true
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag", true
	}
	return "", false
}

// inFlag reports whether a tag belongs to the picture of a flag.
func inFlag(before string, r rune) bool {
	if r < 0xE0000 {
		return false
	}
	before = strings.TrimRightFunc(before, func(r rune) bool { return r >= 0xE0000 && r <= 0xE007F })
	return strings.HasSuffix(before, "\U0001F3F4")
}
