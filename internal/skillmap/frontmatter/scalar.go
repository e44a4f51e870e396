package frontmatter

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plain reads an unquoted scalar. It reports false when none can begin here.
func (p *parser) plain(least int, inFlow bool) (string, bool) {
	c := p.ch()
	stops := uint8(0)
	if inFlow {
		stops = flow
	}
	switch {
	case p.pos >= len(p.src), class[c]&(blank|eol|closed|stops) != 0, p.marker('-'), p.marker('.'):
		return "", false
	case c == '-' || c == '?' || c == ':':
		if p.open(p.pos+1) || class[p.src[p.pos+1]]&stops != 0 {
			return "", false
		}
	}
	from := p.pos
	text := p.plainLine(stops)
	if class[p.ch()]&eol != 0 {
		text = p.plainLines(text, least, stops)
	}
	p.printable(from, false)
	return text, true
}

// plainLine reads what of a plain scalar stands on the line at hand, and steps
// behind it and the blanks at its end.
func (p *parser) plainLine(stops uint8) string {
	from := p.pos
	end := from
scan:
	for i := from; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case class[c]&stop == 0:
		case class[c]&blank != 0:
			continue
		case class[c]&(eol|stops) != 0:
			break scan
		case c == '#' && i > 0 && class[p.src[i-1]]&(blank|eol) != 0:
			break scan
		case c == ':' && (p.open(i+1) || class[p.src[i+1]]&stops != 0):
			break scan
		}
		end = i + 1
	}
	p.pos = end
	for class[p.ch()]&blank != 0 {
		p.pos++
	}
	return p.src[from:end]
}

// plainLines reads the further lines of a plain scalar.
func (p *parser) plainLines(first string, least int, stops uint8) string {
	var b strings.Builder
	for {
		here := p.place
		lines := p.skip(false, -1)
		if p.pos >= len(p.src) || p.indent < least || p.marker('-') || p.marker('.') {
			p.place = here
			break
		}
		text := p.plainLine(stops)
		if text == "" {
			p.place = here
			break
		}
		if b.Len() == 0 {
			b.WriteString(first)
		}
		fold(&b, lines)
		b.WriteString(text)
		if class[p.ch()]&eol == 0 {
			break
		}
	}
	if b.Len() == 0 {
		return first
	}
	return b.String()
}

// fold writes what a number of line ends inside a scalar stand for.
func fold(b *strings.Builder, lines int) {
	if lines == 1 {
		b.WriteByte(' ')
		return
	}
	newlines(b, lines-1)
}

func newlines(b *strings.Builder, n int) {
	for range n {
		b.WriteByte('\n')
	}
}

// quotedScalar reads a scalar between single or double quotes.
func (p *parser) quotedScalar(least int) string {
	opened, quote := p.pos, p.ch()
	p.pos++
	var b strings.Builder
	from := p.pos // of the text not written yet
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == quote:
			text := p.src[from:p.pos]
			p.printable(from, true)
			p.pos++
			if quote == '\'' && p.ch() == quote {
				b.WriteString(text)
				from = p.pos // the second of the two stands for itself
				p.pos++
				continue
			}
			if b.Len() == 0 {
				return text
			}
			b.WriteString(text)
			return b.String()
		case c == '\\' && quote == '"':
			p.printable(from, true)
			b.WriteString(p.src[from:p.pos])
			p.escape(&b, least)
			p.inside()
			from = p.pos
		case class[c]&eol != 0:
			p.printable(from, true)
			b.WriteString(strings.TrimRight(p.src[from:p.pos], " \t"))
			fold(&b, p.skip(false, least))
			p.inside()
			from = p.pos
		default:
			p.pos++
		}
	}
	p.fail(opened, "the quote is never closed")
	return ""
}

var escapes = [256]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r",
	'e': "\x1B", ' ': " ", '"': `"`, '/': "/", '\\': `\`,
	'N': "\u0085", '_': "\u00A0", 'L': "\u2028", 'P': "\u2029",
}

// inside refuses the end of a document where a quoted value goes on.
func (p *parser) inside() {
	if p.marker('-') || p.marker('.') {
		p.fail(p.pos, "the document ends inside a quoted value")
	}
}

// escape reads one escape sequence, the parser standing on its backslash.
func (p *parser) escape(b *strings.Builder, least int) {
	at := p.pos
	c := p.at(at + 1)
	switch {
	case class[c]&eol != 0:
		p.pos++
		p.skip(false, least)
	case c == 'x':
		b.WriteRune(p.hex(at, 2))
	case c == 'U':
		p.long(b, at)
	case c == 'u':
		p.unit(b, at)
	default:
		s := escapes[c]
		if s == "" {
			p.fail(at, "a double-quoted value knows no such escape; write \\\\ for a backslash")
		}
		b.WriteString(s)
		p.pos += 2
	}
}

// unit reads one \u escape, or two that form one character.
func (p *parser) unit(b *strings.Builder, at int) {
	r := p.hex(at, 4)
	if utf16.IsSurrogate(r) && p.ch() == '\\' && p.at(p.pos+1) == 'u' {
		here := p.place
		if full := utf16.DecodeRune(r, p.hex(p.pos, 4)); full != utf8.RuneError {
			b.WriteRune(full)
			return
		}
		p.place = here
	}
	b.WriteRune(r) // half a pair becomes U+FFFD
}

// long reads one \U escape. A number beyond Unicode is two halves of no pair
// to JavaScript, which accepts it.
func (p *parser) long(b *strings.Builder, at int) {
	r := p.hex(at, 8)
	if r > utf8.MaxRune {
		b.WriteRune(utf8.RuneError)
	}
	b.WriteRune(r)
}

// hex reads the digits of the escape at an offset and steps behind it.
func (p *parser) hex(at, digits int) rune {
	if at+2+digits <= len(p.src) {
		n, err := strconv.ParseUint(p.src[at+2:at+2+digits], 16, 31)
		if err == nil {
			p.pos = at + 2 + digits
			return rune(n)
		}
	}
	p.fail(at, "the escape needs "+strconv.Itoa(digits)+" hexadecimal digits")
	return 0
}

// blockHead is the line that opens a block scalar.
type blockHead struct {
	folded bool
	chomp  byte // '+', '-' or 0
	width  int  // indentation that the head gives, 0 for none
}

func (p *parser) blockHead() blockHead {
	h := blockHead{folded: p.ch() == '>'}
	p.pos++
	for {
		switch c := p.ch(); {
		case (c == '+' || c == '-') && h.chomp == 0:
			h.chomp = c
		case c >= '1' && c <= '9' && h.width == 0:
			h.width = int(c - '0')
		default:
			from := p.pos
			for class[p.ch()]&blank != 0 {
				p.pos++
			}
			if p.pos > from && p.ch() == '#' {
				p.toLineEnd()
			}
			if p.pos < len(p.src) && class[p.ch()]&eol == 0 {
				p.fail(p.pos, "only + or - and one digit may follow | or >; quote a value that begins so")
			}
			return h
		}
		p.pos++
	}
}

// blockScalar reads a | or > scalar whose text is indented by at least least.
func (p *parser) blockScalar(least int) string {
	h := p.blockHead()
	indent := least
	if h.width > 0 {
		indent += h.width - 1
	}
	var b strings.Builder
	known, begun, deep := h.width > 0, false, false
	blanks, widest := 0, 0 // blank lines since the last text, and the spaces on those before any
	for p.pos < len(p.src) {
		p.endLine()
		for (!known || p.pos-p.start < indent) && p.ch() == ' ' {
			p.pos++
		}
		p.indent = p.pos - p.start
		if class[p.ch()]&eol != 0 {
			widest = max(widest, p.indent)
			blanks++
			continue
		}
		if p.pos >= len(p.src) {
			if !known && p.indent > 0 {
				blanks++
			}
			break
		}
		if p.marker('-') || p.marker('.') {
			break
		}
		if !known {
			p.checkFirst(max(indent, widest), widest)
		}
		if p.indent < indent {
			break
		}
		if !known {
			indent, known = p.indent, true
		}
		space := class[p.ch()]&blank != 0
		switch {
		case !h.folded || space:
			newlines(&b, blanks+one(begun))
		case deep:
			newlines(&b, blanks+1)
		case blanks > 0:
			newlines(&b, blanks)
		case begun:
			b.WriteByte(' ')
		}
		begun, deep, blanks = true, h.folded && space, 0
		from := p.pos
		p.toLineEnd()
		p.printable(from, false)
		b.WriteString(p.src[from:p.pos])
	}
	switch {
	case h.chomp == '+':
		newlines(&b, blanks+one(begun))
	case h.chomp == 0:
		newlines(&b, one(begun))
	}
	return b.String()
}

// checkFirst judges the line that decides how far a block scalar is indented.
func (p *parser) checkFirst(indent, widest int) {
	switch {
	case p.ch() == '\t' && p.indent < indent:
		p.fail(p.pos, "a tab cannot indent; use spaces")
	case p.indent < widest:
		p.fail(p.pos, "a blank line above holds more spaces than this line is indented by")
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// resolve gives a plain scalar its value: null, true, false and JSON's
// numbers are what they say, all else is a string.
func resolve(text string) any {
	if text == "" {
		return ""
	}
	switch c := text[0]; {
	case c == 'n' && text == "null":
		return nil
	case c == 't' && text == "true":
		return true
	case c == 'f' && text == "false":
		return false
	case c == '-' || c >= '0' && c <= '9':
		if f, ok := jsonNumber(text); ok {
			return f
		}
	}
	return text
}

// jsonNumber parses -?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)? when it is
// finite.
func jsonNumber(s string) (float64, bool) {
	rest := strings.TrimPrefix(s, "-")
	whole := run(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return 0, false
	}
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		rest = rest[1+run(rest[1:]):]
	}
	if rest, ok := exponent(rest); !ok || rest != "" {
		return 0, false
	}
	return finite(s)
}

// run counts the digits that a text begins with.
func run(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// exponent cuts an exponent off the front, and is false for a broken one.
func exponent(s string) (string, bool) {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return s, true
	}
	s = s[1:]
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	n := run(s)
	return s[n:], n > 0
}

func finite(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if math.IsInf(f, 0) {
		return 0, false
	}
	if err != nil && f != 0 { // too small is 0, which ParseFloat calls no error
		return 0, false
	}
	return f, true
}
