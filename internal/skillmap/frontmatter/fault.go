package frontmatter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where and why a block does not parse.
type SyntaxError struct {
	// Line and Column count from 1 inside the parsed text; Column counts
	// characters.
	Line, Column int
	// Reason is one clause without a full stop: what is wrong, then what to do.
	Reason string
	// ColonHint is true when the line looks like "key: unquoted text: more",
	// so that quoting the value would mend it.
	ColonHint bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

func fault(src string, at int, reason string) *SyntaxError {
	line, start := 1, 0
	for i := 0; i < at && i < len(src); i++ {
		switch {
		case src[i] == '\n', src[i] == '\r' && (i+1 >= len(src) || src[i+1] != '\n'):
			line++
			start = i + 1
		}
	}
	return &SyntaxError{Line: line, Column: 1 + utf8.RuneCountInString(src[min(start, at):min(at, len(src))]), Reason: reason}
}

// lineAt is the line of a text that holds an offset.
func lineAt(src string, at int) string {
	from := strings.LastIndexAny(src[:at], "\r\n") + 1
	if n := strings.IndexAny(src[at:], "\r\n"); n >= 0 {
		return src[from : at+n]
	}
	return src[from:]
}

// unquotedColon reports whether a line looks like "key: text: more" or
// "key: text:", the text not being quoted.
func unquotedColon(line string) bool {
	line = strings.TrimLeft(line, " \t")
	key, value, ok := cutColon(line)
	if !ok || key == "" {
		return false
	}
	value = strings.TrimLeft(value, " \t")
	if value == "" || value[0] == '"' || value[0] == '\'' {
		return false
	}
	_, _, ok = cutColon(value[1:])
	return ok
}

// cutColon splits at the first colon that white space or the end follows.
func cutColon(s string) (before, after string, found bool) {
	for i := 0; i < len(s); i++ {
		if s[i] == ':' && (i+1 == len(s) || class[s[i+1]]&(blank|eol) != 0) {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}
