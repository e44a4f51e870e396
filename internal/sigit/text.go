package sigit

import (
	"strings"
	"unicode/utf8"

	"skillforge/internal/fault"
)

// Hard limits on what people write, in bytes.
const (
	MaxTitle       = 512
	MaxBody        = 64 << 10
	MaxDescription = 1024
	MaxLabel       = 100
	MaxQuery       = 256
)

// checkLine refuses what is not one line of text of at most max bytes.
func checkLine(what, text string, max int) error {
	if err := checkText(what, text, max); err != nil {
		return err
	}
	if strings.ContainsAny(text, "\r\n") {
		return fault.New(fault.Invalid, "a %s is one line", what)
	}
	return nil
}

// checkText refuses what cannot be stored: too long, not UTF-8, or with NUL.
func checkText(what, text string, max int) error {
	if len(text) > max {
		return fault.New(fault.TooLarge, "the %s has %d bytes; at most %d are kept", what, len(text), max)
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fault.New(fault.Invalid, "the %s must be UTF-8 text without NUL", what)
	}
	return nil
}

// Short cuts text to at most max bytes on a rune boundary and marks the cut.
func Short(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}
