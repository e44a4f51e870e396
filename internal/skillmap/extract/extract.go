package extract

import (
	"slices"
	"sync"

	"skillforge/internal/skillmap"
)

// Input is one file, parsed.
type Input struct {
	Path     string // of the node, relative to its root
	Provider string // the node's own provider
	Kind     string
	Lens     string // id of the active lens; it chooses the extractors
	// Frontmatter as frontmatter.ParseYAML gives it.
	Frontmatter map[string]any
	Body        string
	BodyLine    int // newlines before the body
	// IgnoredDomains are hosts whose URLs are not counted.
	IgnoredDomains []string
}

// Output is what one file says.
type Output struct {
	Signals []Signal
	Virtual []skillmap.Node // MCP servers that the frontmatter names
}

// extractor looks for tokens of one grammar.
type extractor struct {
	id     string
	lenses []string // nil: every lens
	find   func(*page)
}

// registry lists the extractors in the order in which their signals count.
// That order is part of the contract: it settles ties and orders links.
var registry = []extractor{
	{"at-directive", []string{"claude"}, findMentions},
	{"backtick-mention", []string{"claude"}, findCodeMentions},
	{"backtick-dollar", []string{"codex"}, findCodeDollars},
	{"dollar-skill", []string{"codex"}, findDollars},
	{"at-file", []string{"claude", "codex", "antigravity"}, findAtFiles},
	{"backtick-path", nil, findCodePaths},
	{"backtick-slash", []string{"claude", "antigravity", "opencode"}, findCodeSlashes},
	{"external-url-counter", nil, findURLs},
	{"markdown-link", nil, findMarkdownLinks},
	{"mcp-tools", nil, findMCPTools},
	{"slash-command", []string{"claude", "antigravity", "opencode"}, findSlashes},
}

// Run asks every extractor of the lens, in registry order. It keeps no state
// and may be called from many goroutines. The signals share memory with the
// body.
func Run(in Input) Output {
	p := pages.Get().(*page)
	p.open(&in)
	for i := range registry {
		if x := &registry[i]; x.lenses == nil || slices.Contains(x.lenses, in.Lens) {
			p.begin(x.id)
			x.find(p)
		}
	}
	out := Output{Signals: slices.Clone(p.signals), Virtual: p.virtual}
	p.close()
	return out
}

// page is one file while it is read. Pages are reused for their buffers.
type page struct {
	layout
	in    *Input
	dir   string
	ruler ruler

	extractor string // whose turn it is
	seen      set    // what it found already

	signals []Signal
	virtual []skillmap.Node
}

var pages = sync.Pool{New: func() any { return new(page) }}

func (p *page) open(in *Input) {
	p.in = in
	p.read(in.Body)
	p.dir = dirOf(in.Path)
	p.ruler = ruler{body: in.Body}
}

func (p *page) close() {
	clear(p.signals)
	p.seen.clear()
	p.prose = ""
	*p = page{layout: p.layout, signals: p.signals[:0], seen: p.seen}
	pages.Put(p)
}

func (p *page) begin(id string) {
	p.extractor = id
	p.seen.clear()
}

// emit adds a signal for the stretch of the body, which is also its raw text
// unless the signal has one.
func (p *page) emit(at stretch, s Signal) {
	s.Extractor = p.extractor
	if s.Raw == "" {
		s.Raw = p.in.Body[at.from:at.to]
	}
	s.Range.From, s.Range.To = at.from, at.to
	p.ruler.seek(at.from)
	s.Range.Line = 1 + p.ruler.newlines + p.in.BodyLine
	s.Range.Start = p.ruler.units
	p.ruler.seek(at.to)
	s.Range.End = p.ruler.units
	p.signals = append(p.signals, s)
}

// set holds the strings an extractor has seen. Most see a few, so a list
// comes first.
type set struct {
	few  []string
	many map[string]struct{}
}

const fewAtMost = 16

// add puts a string into the set and reports whether it is new there.
func (s *set) add(key string) bool {
	if s.many != nil {
		n := len(s.many)
		s.many[key] = struct{}{}
		return len(s.many) > n
	}
	if slices.Contains(s.few, key) {
		return false
	}
	s.few = append(s.few, key)
	if len(s.few) > fewAtMost {
		s.grow()
	}
	return true
}

func (s *set) grow() {
	s.many = make(map[string]struct{}, 4*len(s.few))
	for _, key := range s.few {
		s.many[key] = struct{}{}
	}
}

func (s *set) clear() {
	clear(s.few)
	s.few, s.many = s.few[:0], nil
}
