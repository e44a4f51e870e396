package frontmatter

import "strconv"

// context says where a node stands.
type context int

const (
	blockOut context = iota // value of a block mapping, or the document
	blockIn                 // item of a block sequence
	flowOut                 // key of a block mapping
	flowIn                  // between [] or {}
)

// kind says what the content of a node turned out to be.
type kind int

const (
	absent kind = iota
	plain       // a scalar whose value its text decides
	quoted      // a scalar that is a string
	alias
	collection
)

// node reads one node whose parent is indented by parent. With seek it first
// steps over white space; with compact a block collection may begin in the
// middle of the line. It reports false when there is no content; the value is
// then that of an empty scalar.
func (p *parser) node(parent int, ctx context, seek, compact bool) (any, bool) {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.pos, "values are nested more than 100 deep")
	}
	v, found := p.nodeHere(parent, ctx, seek, compact)
	p.depth--
	return v, found
}

// nodeHere reads tags and anchors, line by line, and then the node. Those on
// the line of a first key belong to the key, not to its mapping.
func (p *parser) nodeHere(parent int, ctx context, seek, compact bool) (any, bool) {
	nodes, lines := p.nodes, 0
	if seek {
		lines = p.skip(true, -1)
	}
	var props properties
	for lines == 0 || p.indent > parent {
		compact = compact || lines > 0
		if c := p.ch(); c != '!' && c != '&' {
			return p.bare(parent, ctx, compact && ctx <= blockIn, props, nodes)
		}
		before, own := p.place, properties{}
		lines = p.properties(&own, ctx)
		if lines == 0 {
			if ctx <= blockIn && (compact || parent >= 0) { // not on the line of "---"
				if m, ok := p.ownedByKey(before, parent); ok {
					return p.finish(m, "", collection, props, nodes), true
				}
			}
			return p.bare(parent, ctx, false, p.both(props, own), nodes)
		}
		props = p.both(props, own)
	}
	if p.indent == parent && ctx == blockOut {
		if items, ok := p.sequence(p.column()); ok {
			return p.finish(items, "", collection, props, nodes), true
		}
	}
	return p.finish(nil, "", absent, props, nodes), false
}

// ownedByKey reads a mapping whose first key has the properties read since
// the place before. When there is none the parser stands where it stood.
func (p *parser) ownedByKey(before place, parent int) (any, bool) {
	after, aliases, nodes := p.place, p.aliases, p.nodes
	p.place = before
	m, how := p.mapping(p.column(), parent+1)
	if how == pairs {
		return m, true
	}
	p.place, p.aliases, p.nodes = after, aliases, nodes
	return nil, false
}

// bare reads a node at whose first byte the parser stands, its properties
// being read.
func (p *parser) bare(parent int, ctx context, collections bool, props properties, nodes int) (any, bool) {
	least := parent // what a line that continues the node is indented at least
	if ctx <= blockIn {
		least++
	}
	if collections {
		if items, ok := p.sequence(p.column()); ok {
			return p.finish(items, "", collection, props, nodes), true
		}
		here, aliases, counted := p.place, p.aliases, p.nodes
		v, how := p.mapping(p.column(), least)
		switch {
		case how == pairs:
			return p.finish(v, "", collection, props, nodes), true
		case how == single && !props.any():
			return v, true
		}
		p.place, p.aliases, p.nodes = here, aliases, counted
	}
	v, text, k := p.content(least, ctx)
	return p.finish(v, text, k, props, nodes), k != absent
}

// content reads a scalar, an alias or a flow collection.
func (p *parser) content(least int, ctx context) (v any, text string, k kind) {
	switch p.ch() {
	case '[':
		return p.flowSequence(least), "", collection
	case '{':
		return p.flowMapping(least), "", collection
	case '|', '>':
		if ctx <= blockIn {
			return nil, p.blockScalar(least), quoted
		}
	case '\'', '"':
		return nil, p.quotedScalar(least), quoted
	case '*':
		return p.alias(), "", alias
	}
	if text, ok := p.plain(least, ctx == flowIn); ok {
		return nil, text, plain
	}
	return nil, "", absent
}

// finish gives a node its value, counts it and keeps it under its anchor.
func (p *parser) finish(v any, text string, k kind, props properties, nodes int) any {
	switch {
	case k == alias:
		if props.any() {
			p.fail(p.pos, "an alias takes no tag and no anchor")
		}
		return v
	case props.tag != "":
		v = p.tagged(props, v, text, k)
	case k == plain:
		v = resolve(text)
	case k != collection:
		v = text
	}
	p.count(1)
	if props.anchor != "" {
		if p.anchors == nil {
			p.anchors = map[string]anchored{}
		}
		p.anchors[props.anchor] = anchored{v, p.nodes - nodes}
	}
	return v
}

func (p *parser) count(n int) {
	p.nodes += n
	if p.nodes > maxNodes {
		p.fail(p.pos, "the block holds more than 100000 values once its aliases are expanded")
	}
}

// alias reads *name and returns what the name stands for.
func (p *parser) alias() any {
	at := p.pos
	p.pos++
	name := p.word()
	was, ok := p.anchors[name]
	if !ok {
		p.fail(at, "a value that begins with * is an alias, and nothing has that name; quote the value")
	}
	p.aliases++
	if p.aliases > maxAliases {
		p.fail(at, "the block uses more than 100 aliases")
	}
	p.count(was.nodes)
	return was.value
}

// word reads up to white space or a flow indicator.
func (p *parser) word() string {
	from := p.pos
	for !p.open(p.pos) && class[p.src[p.pos]]&flow == 0 {
		p.pos++
	}
	return p.src[from:p.pos]
}

// entry reports whether an indicator stands here, with white space after it.
func (p *parser) entry(c byte) bool { return p.ch() == c && p.open(p.pos+1) }

// noTab refuses a tab before an entry of a collection.
func (p *parser) noTab() {
	if p.tab >= 0 {
		p.fail(p.tab, "a tab stands where only spaces may indent or separate")
	}
}

// strays reports whether, after an entry begun on a line, text stands where
// no entry of a collection indented by at may begin.
func (p *parser) strays(at, line int) bool {
	return p.pos < len(p.src) && (p.line == line || p.indent > at)
}

// sequence reads a block sequence whose dashes are indented by at.
func (p *parser) sequence(at int) ([]any, bool) {
	if p.tab >= 0 || !p.entry('-') {
		return nil, false
	}
	items := []any{}
	for p.entry('-') {
		p.noTab()
		line := p.line
		p.pos++
		var item any = ""
		if p.skip(true, -1) > 0 && p.indent <= at {
			p.count(1)
		} else {
			line = p.line
			item, _ = p.node(at, blockIn, false, true)
			p.skip(true, -1)
		}
		items = append(items, item)
		if p.strays(at, line) {
			p.fail(p.pos, "the text is no part of the list item before it; quote the item, or mend the indentation")
		}
		if p.indent != at {
			break
		}
	}
	return items, true
}

// outcome of an attempt to read a block mapping.
type outcome int

const (
	none   outcome = iota // nothing stands here
	single                // one node without a colon, which is no key
	pairs
)

// table is a mapping that is being read.
type table struct {
	p       *parser
	m       map[string]any
	key     string
	at      int  // offset of the key
	waiting bool // a "? key" has no value yet
}

func (t *table) setKey(v any, at int) {
	t.key, t.at = t.p.keyText(v, at), at
	t.p.nodes-- // a key is no value
}

func (t *table) put(v any) {
	if t.m == nil {
		t.m = make(map[string]any)
	}
	if _, ok := t.m[t.key]; ok {
		t.p.fail(t.at, "the key "+strconv.Quote(t.key)+" stands here a second time")
	}
	if unsafe(t.key) {
		t.p.unsafe = true
	}
	t.m[t.key] = v
	t.waiting = false
}

// settle gives a waiting key the empty value.
func (t *table) settle() {
	if t.waiting {
		t.p.count(1)
		t.put("")
	}
}

// keyText is a key as text, as JavaScript would write it.
func (p *parser) keyText(v any, at int) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return number(v)
	}
	p.fail(at, "a list or mapping cannot be a key; quote a value that begins with [ or {")
	return ""
}

// mapping reads a block mapping whose keys are indented by at. When no colon
// follows its first node, that node is the result.
func (p *parser) mapping(at, least int) (any, outcome) {
	if p.tab >= 0 {
		return nil, none
	}
	t := table{p: p}
	started := false
	for p.pos < len(p.src) {
		if !t.waiting {
			p.noTab()
		}
		line, isKey, compact := p.line, p.entry('?'), true
		switch {
		case isKey:
			t.settle()
			p.pos++
		case p.entry(':'):
			if !t.waiting {
				t.key, t.at = "", p.pos
			}
			p.pos++
		default:
			compact = false
			v, how := p.implicitKey(&t, started, least)
			if how == single {
				return v, single
			}
			if how == none {
				return t.end(started)
			}
		}
		started = true
		from := p.pos
		v, _ := p.node(at, blockOut, true, compact)
		if isKey {
			t.setKey(v, from)
			t.waiting = true
		} else {
			t.put(v)
		}
		p.skip(true, -1)
		if p.strays(at, line) {
			p.badEntry()
		}
		if p.indent < at {
			break
		}
	}
	return t.end(started)
}

func (t *table) end(started bool) (any, outcome) {
	t.settle()
	if !started {
		return nil, none
	}
	return t.m, pairs
}

// implicitKey reads "key:" into t. It is none where no key stands, and single
// when the first node of a would-be mapping has no colon.
func (p *parser) implicitKey(t *table, started bool, least int) (any, outcome) {
	line, at := p.line, p.pos
	v, found := p.node(least, flowOut, false, true)
	same := p.line == line
	for same && class[p.ch()]&blank != 0 {
		p.pos++
	}
	colon := same && p.ch() == ':'
	switch {
	case colon && p.open(p.pos+1):
		t.settle()
		t.setKey(v, at)
		p.pos++
		return nil, pairs
	case !found && p.pos == at:
		return nil, none
	case !found && !started:
		return nil, none
	case colon:
		p.fail(p.pos, "a space must follow the colon after a key")
	case started && same:
		p.fail(at, "the line has no colon after its key")
	case started:
		p.fail(at, "a key must stand on one line, with its colon")
	}
	return v, single
}

// badEntry says what is wrong with text after a value of a block mapping.
func (p *parser) badEntry() {
	err := fault(p.src, p.pos, "")
	line := lineAt(p.src, p.pos)
	switch c := p.ch(); {
	case unquotedColon(line):
		err.ColonHint = true
		err.Reason = "the unquoted value holds a colon followed by a space; put the value in quotes"
	case c == ':' && p.open(p.pos+1):
		err.Reason = "the colon belongs to no key; quote the value, or mend the indentation"
	case c == '@' || c == '`' || c == '%':
		err.Reason = "a value cannot begin with " + string(c) + "; quote it"
	case c == '-' || c == '?':
		err.Reason = "a value cannot begin with \"" + string(c) + " \"; quote it, or put the list on lines of its own"
	default:
		err.Reason = "the text is no part of the value before it; quote the whole value, or mend the indentation"
	}
	panic(err)
}

// flowSequence reads a list in square brackets.
func (p *parser) flowSequence(least int) []any {
	items := []any{}
	p.flow(']', least, func(key any, at int, pair bool, value any) {
		if !pair {
			items = append(items, key)
			return
		}
		t := table{p: p}
		t.setKey(key, at)
		t.put(value)
		p.count(1)
		items = append(items, t.m)
	})
	return items
}

// flowMapping reads a mapping in curly brackets.
func (p *parser) flowMapping(least int) map[string]any {
	t := table{p: p, m: map[string]any{}}
	p.flow('}', least, func(key any, at int, pair bool, value any) {
		t.setKey(key, at)
		if !pair {
			p.count(1)
		}
		t.put(value)
	})
	return t.m
}

// flow reads the entries of a flow collection up to its closing bracket. An
// entry without a colon is no pair; its value is the empty text. In a list
// the key of a pair stands on one line with its colon.
func (p *parser) flow(closing byte, least int, entry func(key any, at int, pair bool, value any)) {
	opened := p.pos
	p.pos++
	for more := true; ; {
		p.skip(true, least)
		switch {
		case p.pos >= len(p.src):
			p.fail(opened, "the bracket is never closed; quote a value that begins with [ or {")
		case p.ch() == closing:
			p.pos++
			return
		case !more:
			p.fail(p.pos, "a comma is missing between two entries; quote an entry that holds special characters")
		case p.ch() == ',':
			p.fail(p.pos, "an entry is missing before the comma")
		}
		explicit := p.entry('?')
		if explicit {
			p.pos++
			p.skip(true, least)
		}
		line, at := p.line, p.pos
		key, _ := p.node(least, flowIn, false, true)
		p.skip(true, least)
		var value any = ""
		pair := explicit
		if (explicit || closing == '}' || p.line == line) && p.ch() == ':' {
			pair = true
			p.pos++
			p.skip(true, least)
			value, _ = p.node(least, flowIn, false, true)
			p.skip(true, least)
		} else if explicit {
			p.count(1)
		}
		entry(key, at, pair, value)
		if more = p.ch() == ','; more {
			p.pos++
		}
	}
}
