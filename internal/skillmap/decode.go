package skillmap

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The readers in this file read back what the writers of encode.go wrote,
// several times faster than encoding/json: a map of many nodes is decoded
// whole when a server starts. They take any JSON of the right shape.

var errJSON = errors.New("no JSON of the expected shape")

// DecodeObject reads a mapping, nil for null.
func DecodeObject(text string) (map[string]any, error) {
	v, err := DecodeValue(text)
	if v == nil || err != nil {
		return nil, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, errJSON
	}
	return m, nil
}

// DecodeValue reads any value: nil, bool, float64, string, []any or
// map[string]any. Strings may share memory with the text.
func DecodeValue(text string) (any, error) {
	d := decoder{s: text}
	v := d.value(0)
	return v, d.end()
}

// DecodeStrings reads a list of strings, nil for null.
func DecodeStrings(text string) ([]string, error) {
	return decodeList(text, (*decoder).string)
}

// DecodeInts reads a list of integers, nil for null.
func DecodeInts(text string) ([]int, error) {
	return decodeList(text, (*decoder).int)
}

// DecodeRefs reads a list of URLs, nil for null.
func DecodeRefs(text string) ([]ExternalRef, error) {
	return decodeList(text, func(d *decoder) (r ExternalRef) {
		d.object(func(key string) {
			switch key {
			case "url":
				r.URL = d.string()
			case "line":
				r.Line = d.int()
			case "originalTrigger":
				r.OriginalTrigger = d.string()
			default:
				d.value(0)
			}
		})
		return r
	})
}

// DecodeOccurrences reads the sightings of a link, nil for null.
func DecodeOccurrences(text string) ([]Occurrence, error) {
	return decodeList(text, func(d *decoder) (o Occurrence) {
		d.object(func(key string) {
			switch key {
			case "extractor":
				o.Extractor = d.string()
			case "originalTrigger":
				o.OriginalTrigger = d.string()
			case "location":
				o.Location = d.location()
			case "context":
				o.Context = d.string()
			default:
				d.value(0)
			}
		})
		return o
	})
}

func decodeList[T any](text string, one func(*decoder) T) ([]T, error) {
	d := decoder{s: text}
	if d.null() {
		return nil, d.end()
	}
	out := make([]T, 0, 1+strings.Count(text, ",")/4)
	d.list(func() { out = append(out, one(&d)) })
	return out, d.end()
}

// decoder reads from the front of s. Once bad it reads nothing more.
type decoder struct {
	s   string
	bad bool
}

func (d *decoder) end() error {
	d.space()
	if d.bad || d.s != "" {
		return errJSON
	}
	return nil
}

func (d *decoder) fail() { d.bad, d.s = true, "" }

func (d *decoder) space() {
	for d.s != "" && (d.s[0] == ' ' || d.s[0] == '\n' || d.s[0] == '\t' || d.s[0] == '\r') {
		d.s = d.s[1:]
	}
}

// next takes c if it comes next.
func (d *decoder) next(c byte) bool {
	d.space()
	if d.s == "" || d.s[0] != c {
		return false
	}
	d.s = d.s[1:]
	return true
}

func (d *decoder) want(c byte) {
	if !d.next(c) {
		d.fail()
	}
}

func (d *decoder) word(w string) bool {
	d.space()
	rest, ok := strings.CutPrefix(d.s, w)
	if ok {
		d.s = rest
	}
	return ok
}

func (d *decoder) null() bool { return d.word("null") }

// list calls one for each element, with the element next.
func (d *decoder) list(one func()) {
	d.want('[')
	if d.next(']') {
		return
	}
	for !d.bad {
		one()
		if d.next(']') {
			return
		}
		d.want(',')
	}
}

// object calls one for each key, with its value next.
func (d *decoder) object(one func(key string)) {
	d.want('{')
	if d.next('}') {
		return
	}
	for !d.bad {
		key := d.string()
		d.want(':')
		one(key)
		if d.next('}') {
			return
		}
		d.want(',')
	}
}

func (d *decoder) location() *Location {
	if d.null() {
		return nil
	}
	l := &Location{}
	d.object(func(key string) {
		switch key {
		case "line":
			l.Line = d.int()
		case "column":
			n := d.int()
			l.Column = &n
		case "offset":
			n := d.int()
			l.Offset = &n
		default:
			d.value(0)
		}
	})
	return l
}

// deepest is how many lists and mappings may lie inside each other.
const deepest = 10000

func (d *decoder) value(depth int) any {
	d.space()
	if d.s == "" || depth == deepest && (d.s[0] == '{' || d.s[0] == '[') {
		d.fail()
		return nil
	}
	switch d.s[0] {
	case '"':
		return d.string()
	case '{':
		m := map[string]any{}
		d.object(func(key string) { m[key] = d.value(depth + 1) })
		return m
	case '[':
		list := []any{}
		d.list(func() { list = append(list, d.value(depth+1)) })
		return list
	case 't', 'f', 'n':
		switch {
		case d.word("true"):
			return true
		case d.word("false"):
			return false
		case d.word("null"):
			return nil
		}
		d.fail()
		return nil
	}
	return d.float()
}

// number takes the longest text of the signs of a number.
func (d *decoder) number() string {
	d.space()
	n := 0
	for n < len(d.s) && (d.s[n] >= '0' && d.s[n] <= '9' || strings.IndexByte("+-.eE", d.s[n]) >= 0) {
		n++
	}
	text := d.s[:n]
	d.s = d.s[n:]
	if !isNumber(text) {
		d.fail()
	}
	return text
}

// isNumber reports whether the text is a number as JSON writes them.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if rest, ok := strings.CutPrefix(s, "."); ok {
		n := digits(rest)
		if n == 0 {
			return false
		}
		s = rest[n:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func (d *decoder) float() float64 {
	f, err := strconv.ParseFloat(d.number(), 64)
	if err != nil {
		d.fail()
	}
	return f
}

func (d *decoder) int() int {
	n, err := strconv.Atoi(d.number())
	if err != nil {
		d.fail()
	}
	return n
}

func (d *decoder) string() string {
	d.want('"')
	plain := 0
	for plain < len(d.s) && plainByte[d.s[plain]] {
		plain++
	}
	if plain < len(d.s) && d.s[plain] == '"' {
		text := d.s[:plain]
		d.s = d.s[plain+1:]
		return text
	}
	return d.escaped(plain)
}

// escaped reads the rest of a string that is not all plain ASCII.
func (d *decoder) escaped(plain int) string {
	out := make([]byte, 0, plain+32)
	for d.s != "" {
		n := 0
		for n < len(d.s) && plainByte[d.s[n]] {
			n++
		}
		out = append(out, d.s[:n]...)
		if d.s = d.s[n:]; d.s == "" {
			break
		}
		switch c := d.s[0]; {
		case c == '"':
			d.s = d.s[1:]
			return string(out)
		case c == '\\':
			out = d.escape(out)
		case c < ' ':
			d.fail()
		default:
			r, size := utf8.DecodeRuneInString(d.s)
			out = utf8.AppendRune(out, r) // bytes that are no UTF-8 become the replacement character
			d.s = d.s[size:]
		}
	}
	d.fail()
	return ""
}

func (d *decoder) escape(out []byte) []byte {
	if len(d.s) < 2 {
		d.fail()
		return out
	}
	c := d.s[1]
	d.s = d.s[2:]
	switch c {
	case '"', '\\', '/':
		return append(out, c)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return utf8.AppendRune(out, d.unicode())
	}
	d.fail()
	return out
}

// unicode reads what follows "\u": four hex digits, and a second half where
// the first is one of a pair.
func (d *decoder) unicode() rune {
	r, ok := hex4(d.s)
	if !ok {
		d.fail()
		return utf8.RuneError
	}
	d.s = d.s[4:]
	if !utf16.IsSurrogate(r) {
		return r
	}
	if rest, found := strings.CutPrefix(d.s, `\u`); found {
		if low, ok := hex4(rest); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				d.s = rest[4:]
				return pair
			}
		}
	}
	return utf8.RuneError
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(n), err == nil && s[0] != '+'
}
