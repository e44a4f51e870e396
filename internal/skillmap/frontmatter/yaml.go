package frontmatter

import (
	"strings"
	"unicode/utf8"
)

// Limits of the dialect. A text beyond them is refused, so that a small file
// cannot cost more than a large one.
const (
	maxDepth   = 100     // nodes read inside each other
	maxAliases = 100     // uses of *name
	maxNodes   = 100_000 // values once aliases are expanded
)

// ParseYAML parses the text of a block. It returns an empty map for a text
// without content and for a document that is no mapping; the error is a
// *SyntaxError. Parts that an alias repeats are shared inside the result.
func ParseYAML(raw string) (map[string]any, error) {
	v, _, err := load(raw)
	if err != nil {
		return nil, err
	}
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return map[string]any{}, nil
}

// load parses the one document of a text. It reports false when the text has
// no content.
func load(raw string) (v any, found bool, err error) {
	p := &parser{src: clean(raw), place: place{tab: -1}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *SyntaxError:
			v, found, err = nil, false, r
		default:
			panic(r)
		}
	}()
	if zero := strings.IndexByte(p.src, 0); zero >= 0 {
		p.fail(zero, "a zero byte stands here; remove it")
	}
	v, found = p.stream()
	if p.unsafe {
		strip(v)
	}
	return v, found, nil
}

// clean copies the text, so that small values do not keep a whole file alive,
// and replaces what is no UTF-8.
func clean(raw string) string {
	if !utf8.ValidString(raw) {
		return strings.ToValidUTF8(raw, "\uFFFD")
	}
	return strings.Clone(raw)
}

// unsafe names the keys that a host written in JavaScript would trip over.
func unsafe(key string) bool {
	return key == "__proto__" || key == "constructor" || key == "prototype"
}

// strip removes the unsafe keys at every depth.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if unsafe(key) {
				delete(v, key)
				continue
			}
			strip(child)
		}
	case []any:
		for _, child := range v {
			strip(child)
		}
	}
}

// parser reads one stream by recursive descent. It stops at the first fault
// with a panic of a *SyntaxError, which load catches.
type parser struct {
	src string
	place
	depth   int
	nodes   int
	aliases int
	anchors map[string]anchored
	handles map[string]string // of %TAG lines
	unsafe  bool              // an unsafe key was read
}

// place is where the parser stands.
type place struct {
	pos    int
	line   int // counts from 0
	start  int // offset of the line
	indent int // leading spaces of the line; 0 on the first line and below a % line
	tab    int // offset of the first tab among the blanks before a token of the line, or -1
}

type anchored struct {
	value any
	nodes int
}

// Classes of bytes.
const (
	blank  = 1 << iota // space, tab
	eol                // LF, CR
	flow               // , [ ] { }
	closed             // may not open a plain scalar
	stop               // may end a plain scalar
	odd                // begins a character that may be a control
)

var class = func() (t [256]uint8) {
	set := func(chars string, bit uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bit
		}
	}
	set(" \t", blank)
	set("\n\r", eol)
	set(",[]{}", flow)
	set("#&*!|>'\"%@`", closed)
	set(":#\n\r \t,[]{}", stop)
	set("\x7F\xC2\xEF", odd) // U+0080 to U+009F, U+FFFE and U+FFFF
	for c := range byte(' ') {
		if t[c] == 0 {
			t[c] = odd
		}
	}
	return t
}()

func (p *parser) at(i int) byte {
	if i < len(p.src) {
		return p.src[i]
	}
	return 0
}

// ch is the byte at hand, 0 at the end: load refuses any other 0.
func (p *parser) ch() byte { return p.at(p.pos) }

// open reports whether an indicator may end before this offset: white space,
// a line end or the end of the text follows.
func (p *parser) open(i int) bool {
	return i >= len(p.src) || class[p.src[i]]&(blank|eol) != 0
}

func (p *parser) fail(at int, reason string) {
	panic(fault(p.src, at, reason))
}

// printable refuses control characters between an offset and the place at
// hand. Quoted text may hold those that JSON lets stand unescaped.
func (p *parser) printable(from int, quoted bool) {
	for i := from; i < p.pos; i++ {
		c := p.src[i]
		if class[c]&odd == 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(p.src[i:])
		ascii := r < ' '
		other := r >= 0x7F && r <= 0x9F && r != 0x85 || r == 0xFFFE || r == 0xFFFF
		if ascii || other && !quoted {
			p.fail(i, "a control character stands here; remove it")
		}
	}
}

// endLine steps over one line end: LF, CR, or both.
func (p *parser) endLine() {
	if p.src[p.pos] == '\r' && p.at(p.pos+1) == '\n' {
		p.pos++
	}
	p.pos++
	p.line++
	p.start = p.pos
	p.tab = -1
}

// skip steps over white space, line ends and, where allowed, comments, and
// counts the line ends. Unless least is negative, a line reached must be
// indented by it, and so must a line on which a tab separates.
func (p *parser) skip(comments bool, least int) int {
	lines := 0
	for {
		for class[p.ch()]&blank != 0 {
			if p.ch() == '\t' && p.tab < 0 {
				p.tab = p.pos
			}
			p.pos++
		}
		if comments && p.ch() == '#' && (p.pos == 0 || p.open(p.pos-1)) {
			p.toLineEnd()
		}
		if class[p.ch()]&eol == 0 {
			break
		}
		p.endLine()
		lines++
		for p.ch() == ' ' {
			p.pos++
		}
		p.indent = p.pos - p.start
	}
	switch {
	case p.indent >= least:
	case lines > 0:
		p.fail(p.pos, "this line continues a value and must be indented more than its key")
	case p.tab >= 0:
		p.fail(p.tab, "a tab separates values in brackets; use a space")
	}
	return lines
}

func (p *parser) toLineEnd() {
	for p.pos < len(p.src) && class[p.src[p.pos]]&eol == 0 {
		p.pos++
	}
}

// marker reports whether the line at hand begins with "---" or "..." alone,
// told by its first byte.
func (p *parser) marker(c byte) bool {
	return p.pos == p.start && p.triple(c)
}

func (p *parser) triple(c byte) bool {
	return p.ch() == c && p.at(p.pos+1) == c && p.at(p.pos+2) == c && p.open(p.pos+3)
}

// column counts the UTF-16 units of the line before the place at hand, which
// is how far a collection that begins there is indented.
func (p *parser) column() int {
	n := 0
	for i := p.start; i < p.pos; i++ {
		switch c := p.src[i]; {
		case c >= 0xF0:
			n += 2
		case c < 0x80 || c >= 0xC0:
			n++
		}
	}
	return n
}

// stream reads the one document of the stream.
func (p *parser) stream() (v any, found bool) {
	if mark := "\uFEFF"; strings.HasPrefix(p.src, mark) {
		p.pos = len(mark)
	}
	p.skip(true, -1)
	for p.marker('.') {
		p.pos += 3
		p.skip(true, -1)
	}
	if p.pos >= len(p.src) {
		return nil, false
	}
	v = p.document()
	for p.marker('.') {
		p.pos += 3
		p.skip(true, -1)
	}
	if p.pos < len(p.src) {
		p.left()
	}
	return v, true
}

// left says what is wrong with text after the end of the document's value.
func (p *parser) left() {
	switch c := p.ch(); {
	case c == '#':
		p.fail(p.pos, "a space must stand before the # of a comment")
	case p.marker('-') || p.pos == p.start && c == '%':
		p.fail(p.pos, "a second document begins here, and a block holds only one")
	case p.entry(':'):
		p.fail(p.pos, "the colon belongs to no key; a key stands on one line, with its colon")
	case c == ']' || c == '}':
		p.fail(p.pos, "the closing bracket has no opening one; quote the value")
	default:
		p.fail(p.pos, "the text belongs to no key; mend its indentation, or quote the value before it")
	}
}

// document reads directives, "---" and the value.
func (p *parser) document() any {
	directives := p.directives()
	compact := true
	switch {
	case p.indent == 0 && p.triple('-'):
		p.pos += 3
		compact = p.skip(true, -1) > 0
	case directives:
		p.fail(p.pos, "a line \"---\" must follow the lines that begin with %; quote a value that begins with %")
	}
	v, _ := p.node(p.indent-1, blockOut, false, compact)
	p.skip(true, -1)
	return v
}

// directives reads the lines that begin with "%" and reports whether there
// were any.
func (p *parser) directives() bool {
	found, version := false, false
	for p.indent == 0 && p.ch() == '%' {
		found = true
		at := p.pos
		p.toLineEnd()
		words := directive(p.src[at+1 : p.pos])
		switch {
		case p.open(at + 1):
			p.fail(at, "a line that begins with % needs a name after it; quote the text")
		case words[0] == "YAML":
			if version || len(words) != 2 || !versionOne(words[1]) {
				p.fail(at, "a %YAML line stands once and names version 1.2")
			}
			version = true
		case words[0] == "TAG":
			p.handle(at, words)
		}
		if p.pos < len(p.src) {
			p.endLine()
			p.indent = 0
		}
		p.skip(true, -1)
	}
	return found
}

// directive splits a line into words, up to a comment.
func directive(line string) []string {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	for i, w := range words {
		if i > 0 && w[0] == '#' {
			return words[:i]
		}
	}
	return words
}

func versionOne(s string) bool {
	minor, ok := strings.CutPrefix(s, "1.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}

func (p *parser) handle(at int, words []string) {
	if len(words) != 3 || words[1][0] != '!' || words[1][len(words[1])-1] != '!' || !tagURI(words[2]) {
		p.fail(at, "a %TAG line has a handle such as !e! and a prefix")
	}
	if p.handles == nil {
		p.handles = map[string]string{}
	}
	if _, ok := p.handles[words[1]]; ok {
		p.fail(at, "a second %TAG line for the same handle")
	}
	p.handles[words[1]] = words[2]
}
