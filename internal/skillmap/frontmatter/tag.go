package frontmatter

import (
	"math"
	"strconv"
	"strings"
)

// properties are the tag and the anchor before a node.
type properties struct {
	tag    string // short name such as "str", "!" for none in particular
	anchor string
	at     int // offset of the tag
}

func (q properties) any() bool { return q.tag != "" || q.anchor != "" }

// properties reads tags and anchors and the white space after them, up to the
// end of the line, and counts the line ends it stepped over.
func (p *parser) properties(q *properties, ctx context) int {
	for {
		var own properties
		switch p.ch() {
		case '!':
			own.at = p.pos
			own.tag = p.tag(ctx == flowIn)
		case '&':
			at := p.pos
			p.pos++
			own.anchor = p.word()
			if own.anchor == "" {
				p.fail(at, "a value that begins with & needs a name after it; quote it")
			}
		default:
			return 0
		}
		*q = p.both(*q, own)
		if lines := p.skip(true, -1); lines > 0 {
			return lines
		}
	}
}

// both joins properties; a node has one tag and one anchor at most.
func (p *parser) both(a, b properties) properties {
	if a.tag != "" && b.tag != "" {
		p.fail(p.pos, "a value has one tag at most; quote a value that begins with !")
	}
	if a.anchor != "" && b.anchor != "" {
		p.fail(p.pos, "a value has one anchor at most; quote a value that begins with &")
	}
	if a.tag == "" {
		a.tag, a.at = b.tag, b.at
	}
	if a.anchor == "" {
		a.anchor = b.anchor
	}
	return a
}

const standard = "tag:yaml.org,2002:"

// tag reads a tag and returns the short name of a known one. Inside brackets
// a tag ends before a flow indicator.
func (p *parser) tag(inFlow bool) string {
	at := p.pos
	name := ""
	if p.at(at+1) == '<' {
		end := strings.IndexByte(p.src[at:], '>')
		if end < 0 || strings.ContainsAny(p.src[at:at+end], " \t\r\n") {
			p.fail(at, "the tag has no closing >; quote a value that begins with !")
		}
		name = p.src[at+2 : at+end]
		p.pos = at + end + 1
	} else {
		word := p.word()
		if !inFlow && !p.open(p.pos) {
			p.fail(p.pos, "white space must follow a tag; quote a value that begins with !")
		}
		if word == "!" {
			return word
		}
		name = p.expand(word)
	}
	short, ok := strings.CutPrefix(name, standard)
	switch short {
	case "str", "int", "float", "bool", "null", "seq", "map":
		if ok {
			return short
		}
	}
	p.fail(at, "the tag is not known; quote a value that begins with !")
	return ""
}

// tagURI reports whether a text may be the prefix of tags.
func tagURI(s string) bool {
	return s != "" && strings.IndexByte(",[]{}", s[0]) < 0 &&
		strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$,_.!~*'()[]%") == ""
}

// expand puts the prefix of its handle before a tag.
func (p *parser) expand(word string) string {
	cut := strings.IndexByte(word[1:], '!') + 2
	if cut < 2 {
		cut = 1
	}
	handle, name := word[:cut], word[cut:]
	if prefix, ok := p.handles[handle]; ok {
		return prefix + name
	}
	if handle == "!!" {
		return standard + name
	}
	return word
}

// tagged gives a node the value that its tag asks for.
func (p *parser) tagged(q properties, v any, text string, k kind) any {
	if k == collection {
		_, list := v.([]any)
		switch {
		case q.tag == "!", q.tag == "seq" && list, q.tag == "map" && !list:
			return v
		}
		p.fail(q.at, "the tag does not fit a list or mapping")
	}
	if v, ok := convert(q.tag, text); ok {
		return v
	}
	p.fail(q.at, "the tag does not fit the value; quote a value that begins with !")
	return nil
}

// convert reads a scalar as its tag says, by the rules of YAML's core schema.
func convert(tag, text string) (any, bool) {
	switch tag {
	case "!", "str":
		return text, true
	case "null":
		return nil, text == "" || coreNull(text)
	case "seq":
		return []any{}, text == ""
	case "map":
		return map[string]any{}, text == ""
	case "bool":
		switch text {
		case "true", "True", "TRUE":
			return true, true
		case "false", "False", "FALSE":
			return false, true
		}
	case "int":
		return coreInt(text)
	case "float":
		return coreFloat(text)
	}
	return nil, false
}

func coreNull(s string) bool { return s == "~" || s == "null" || s == "Null" || s == "NULL" }

func coreBool(s string) bool {
	_, ok := convert("bool", s)
	return ok
}

// coreInt reads 0o17, 0x1F and decimal digits with a sign.
func coreInt(s string) (float64, bool) {
	for prefix, base := range map[string]int{"0o": 8, "0x": 16} {
		if digits, ok := strings.CutPrefix(s, prefix); ok {
			return based(digits, base)
		}
	}
	digits := unsigned(s)
	if n := run(digits); n == 0 || n < len(digits) {
		return 0, false
	}
	return finite(s)
}

func based(digits string, base int) (float64, bool) {
	f := 0.0
	for i := range len(digits) {
		d, err := strconv.ParseUint(digits[i:i+1], base, 8)
		if err != nil {
			return 0, false
		}
		f = f*float64(base) + float64(d)
	}
	return f, digits != "" && !math.IsInf(f, 0)
}

func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// coreFloat reads decimal numbers, .inf and .nan.
func coreFloat(s string) (float64, bool) {
	bare := unsigned(s)
	switch bare {
	case ".inf", ".Inf", ".INF":
		return math.Inf(1 - 2*strings.Count(s[:1], "-")), true
	case ".nan", ".NaN", ".NAN":
		return math.NaN(), bare == s
	}
	whole := run(bare)
	rest := bare[whole:]
	if strings.HasPrefix(rest, ".") {
		n := run(rest[1:])
		if whole == 0 && n == 0 {
			return 0, false
		}
		rest = rest[1+n:]
	} else if whole == 0 {
		return 0, false
	}
	if rest, ok := exponent(rest); !ok || rest != "" {
		return 0, false
	}
	return finite(s)
}
