package frontmatter

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Hash is the frontmatterHash of a node: that of the canonical form, or of
// the raw text when a block is there but holds no mapping.
func Hash(parsed map[string]any, raw string) string {
	if len(parsed) == 0 && raw != "" {
		return sum([]byte(raw))
	}
	return sum(canonical(parsed))
}

func sum(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// Dump writes a mapping in its one canonical form: block style, keys in the
// order of their UTF-16 units, two spaces of indentation, no folded lines, no
// anchors. Equal mappings give equal bytes, and other tools hash the same.
func Dump(v map[string]any) string { return string(canonical(v)) }

func canonical(v map[string]any) []byte {
	if len(v) == 0 {
		return []byte("{}\n")
	}
	d := dumper{out: make([]byte, 0, 512)}
	d.mapping(v, 0, true)
	return append(d.out, '\n')
}

const explicitKey = 1024 // longer keys are written with "? "

type dumper struct{ out []byte }

func (d *dumper) line(level int) {
	d.out = append(d.out, '\n')
	for range level {
		d.out = append(d.out, "  "...)
	}
}

// mapping writes the pairs of a mapping, the first on the line at hand when
// compact.
func (d *dumper) mapping(m map[string]any, level int, compact bool) {
	var few [16]string
	keys := few[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, compareUnits)
	for i, key := range keys {
		if i > 0 || !compact {
			d.line(level)
		}
		d.pair(key, m[key], level)
	}
}

func (d *dumper) pair(key string, v any, level int) {
	text := quote(key)
	explicit := len(text) > explicitKey && units(text) > explicitKey || strings.Contains(key, "\n")
	if explicit {
		d.out = append(d.out, "? "...)
	}
	d.out = append(d.out, text...)
	if explicit {
		d.line(level)
	}
	d.out = append(d.out, ':')
	d.value(v, level+1, explicit)
}

// value writes a value after ":" or "-", with the blank between them. A
// collection begins on the line at hand when compact.
func (d *dumper) value(v any, level int, compact bool) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			d.gap(compact)
			d.mapping(v, level, compact)
			return
		}
		d.out = append(d.out, " {}"...)
	case []any:
		if len(v) > 0 {
			d.gap(compact)
			d.sequence(v, level, compact)
			return
		}
		d.out = append(d.out, " []"...)
	default:
		d.out = append(d.out, ' ')
		d.scalar(v, level)
	}
}

func (d *dumper) gap(compact bool) {
	if compact {
		d.out = append(d.out, ' ')
	}
}

func (d *dumper) sequence(items []any, level int, compact bool) {
	for i, item := range items {
		if i > 0 || !compact {
			d.line(level)
		}
		d.out = append(d.out, '-')
		d.value(item, level+1, true)
	}
}

func (d *dumper) scalar(v any, level int) {
	switch v := v.(type) {
	case nil:
		d.out = append(d.out, "null"...)
	case bool:
		d.out = strconv.AppendBool(d.out, v)
	case float64:
		d.out = append(d.out, dumpNumber(v)...)
	case string:
		if strings.Contains(v, "\n") && printable(v) {
			d.literal(v, level)
			return
		}
		d.out = append(d.out, quote(v)...)
	}
}

// dumpNumber writes a number so that YAML reads it back as one.
func dumpNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	case f == 0 && math.Signbit(f):
		return "-0.0"
	}
	s := number(f)
	if mantissa, exp, ok := strings.Cut(s, "e"); ok && !strings.Contains(mantissa, ".") {
		return mantissa + ".e" + exp
	}
	return s
}

// literal writes a text of several lines as a | block.
func (d *dumper) literal(s string, level int) {
	d.out = append(d.out, '|')
	if strings.HasPrefix(strings.TrimLeft(s, "\n"), " ") {
		d.out = append(d.out, '2')
	}
	switch {
	case !strings.HasSuffix(s, "\n"):
		d.out = append(d.out, '-')
	case s == "\n" || strings.HasSuffix(s, "\n\n"):
		d.out = append(d.out, '+')
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line == "" {
			d.out = append(d.out, '\n')
			continue
		}
		d.line(level)
		d.out = append(d.out, line...)
	}
}

// quote writes a one-line text plain, in single or in double quotes.
func quote(s string) string {
	switch {
	case s == "":
		return "''"
	case !printable(s) || strings.Contains(s, "\n"):
		return doubleQuoted(s)
	case plainSafe(s) && !ambiguous(s):
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// printable reports whether every character may stand unescaped, line feeds
// among them.
func printable(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' || c == 0x7F {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !printableRune(r) {
			return false
		}
		i += n
	}
	return true
}

func printableRune(r rune) bool {
	switch {
	case r < 0xA1:
		return r >= ' ' && r < 0x7F
	case r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// plainSafe reports whether a printable one-line text keeps its meaning
// without quotes in a block.
func plainSafe(s string) bool {
	switch c := s[0]; {
	case c == '-' || c == '?' || c == ':':
		if len(s) < 2 || s[1] == ' ' {
			return false
		}
	case c == '=' || c == ' ' || class[c]&(closed|flow) != 0:
		return false
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		if len(s) == 3 || class[s[3]]&(blank|eol) != 0 {
			return false
		}
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '#':
			if s[i-1] == ' ' {
				return false
			}
		case ':':
			if i+1 == len(s) || s[i+1] == ' ' {
				return false
			}
		}
	}
	return s[len(s)-1] != ' '
}

// ambiguous reports whether YAML's core schema would not read the text as a
// string.
func ambiguous(s string) bool {
	switch c := s[0]; {
	case c == '.' || c == '-' || c == '+' || c >= '0' && c <= '9':
		if _, ok := coreFloat(s); ok {
			return true
		}
		_, ok := coreInt(s)
		return ok
	case c == '~', c == 'n', c == 'N':
		return coreNull(s)
	case c == 't', c == 'T', c == 'f', c == 'F':
		return coreBool(s)
	}
	return false
}

func doubleQuoted(s string) string {
	out := append(make([]byte, 0, len(s)+8), '"')
	for _, r := range s {
		if short, ok := shortEscapes[r]; ok {
			out = append(out, '\\', short)
			continue
		}
		switch {
		case printableRune(r):
			out = utf8.AppendRune(out, r)
		case r <= 0xFF:
			out = append(out, '\\', 'x', upperHex[r>>4], upperHex[r&15])
		default:
			out = append(out, '\\', 'u', upperHex[r>>12], upperHex[r>>8&15], upperHex[r>>4&15], upperHex[r&15])
		}
	}
	return string(append(out, '"'))
}

const upperHex = "0123456789ABCDEF"

var shortEscapes = map[rune]byte{
	0: '0', '\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', 0x1B: 'e',
	'"': '"', '\\': '\\', 0x85: 'N', 0xA0: '_', 0x2028: 'L', 0x2029: 'P',
}

// units counts UTF-16 units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// compareUnits orders by UTF-16 units: by bytes, but that a character beyond
// U+FFFF stands before U+E000 to U+FFFF.
func compareUnits(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		// From U+E000 up a character begins with 0xEE or more, beyond U+FFFF
		// with 0xF0 or more.
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}
