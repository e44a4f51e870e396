package sidecar

import (
	"strconv"
	"strings"
	"time"
)

// isDateTime accepts RFC 3339, with a blank for the T and a zone of hours
// alone as the contract's validator does. Seconds may be 60.
func isDateTime(s string) bool {
	if len(s) < len("2006-01-02T") || !strings.ContainsRune("tT \t", rune(s[10])) {
		return false
	}
	if _, err := time.Parse(time.DateOnly, s[:10]); err != nil {
		return false
	}
	clock, zone, ok := cutZone(s[11:])
	return ok && isClock(clock) && isZone(zone)
}

func cutZone(s string) (clock, zone string, ok bool) {
	i := strings.IndexAny(s, "zZ+-")
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i:], true
}

func isClock(s string) bool {
	s, fraction, dot := strings.Cut(s, ".")
	if dot && !allDigits(fraction) {
		return false
	}
	return len(s) == 8 && s[2] == ':' && s[5] == ':' && upTo(s[:2], 23) && upTo(s[3:5], 59) && upTo(s[6:], 60)
}

func isZone(s string) bool {
	if s == "z" || s == "Z" {
		return true
	}
	hours := strings.Replace(s[1:], ":", "", 1)
	switch {
	case s[0] != '+' && s[0] != '-':
		return false
	case len(hours) == 2:
		return len(s) == 3 && upTo(hours, 23)
	}
	return len(hours) == 4 && (len(s) == 5 || s[3] == ':') && upTo(hours[:2], 23) && upTo(hours[2:], 59)
}

func upTo(s string, most int) bool {
	n, err := strconv.Atoi(s)
	return err == nil && allDigits(s) && n <= most
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isURI accepts an absolute URI of RFC 3986.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !isScheme(scheme) {
		return false
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := strings.IndexAny(after, "/?#")
		if end < 0 {
			end = len(after)
		}
		host, rest = after[:end], after[end:]
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	const path = ":@/?"
	return uriChars(host, ":@[]") && uriChars(rest, path) && uriChars(fragment, path)
}

func isScheme(s string) bool {
	if s == "" || !letter(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && !digit(c) && !strings.ContainsRune("+-.", rune(c)) {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// uriChars reports whether a part of a URI holds what it may, besides the
// given delimiters.
func uriChars(s, delimiters string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case letter(c), digit(c), strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(delimiters, c) >= 0:
		case c == '%' && i+2 < len(s) && hexDigit(s[i+1]) && hexDigit(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func hexDigit(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
