package draw

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skillforge/internal/skillmap"
)

// Sizes of the picture, in its own units.
const (
	boxWide, boxTall = 190, 38
	gapWide, gapTall = 90, 14
	margin           = 24
	headTall         = 58
	labelRunes       = 26
)

// hues are the colours of kinds: for light paper and for dark.
var hues = map[string][2]string{
	"agent":    {"#3b82f6", "#60a5fa"},
	"command":  {"#d97706", "#fbbf24"},
	"workflow": {"#d97706", "#fbbf24"},
	"skill":    {"#059669", "#34d399"},
	"mcp":      {"#7c3aed", "#a78bfa"},
	"markdown": {"#5b908c", "#9bbcb8"},
}

// spareHues go to kinds that have none.
var spareHues = [][2]string{{"#be185d", "#f472b6"}, {"#0e7490", "#22d3ee"}, {"#4d7c0f", "#a3e635"}, {"#9333ea", "#c084fc"}}

// SVG is a picture of the map that needs nothing else: no script, no font, no
// network. Nodes stand in layers from left to right; those that no link
// touches stand below. A loose end has a dashed box, a node with an error a
// red mark. Pointing at a box shows its path.
func SVG(g skillmap.Subgraph) []byte {
	lines := edges(g.Links)
	names, node := boxes(g, lines)
	id := make(map[string]int, len(names))
	for i, name := range names {
		id[name] = i
	}
	to := make([][]int, len(names))
	for _, e := range lines {
		to[id[e.from]] = append(to[id[e.from]], id[e.to])
	}
	p := picture{graph: g, names: names, node: node, layout: place(len(names), to), worst: worst(g.Issues), broken: broken(g.Issues)}
	p.measure()
	p.open()
	for _, e := range lines {
		p.edge(e, id[e.from], id[e.to])
	}
	for i := range names {
		p.box(i)
	}
	p.b.WriteString("</svg>\n")
	return p.b.Bytes()
}

type picture struct {
	layout
	b             bytes.Buffer
	graph         skillmap.Subgraph
	names         []string
	node          map[string]*skillmap.Node
	worst         map[string]skillmap.Severity
	broken        map[string]bool // loose ends that an issue calls broken
	wide, high    int
	looseColumns  int
	looseTop      int
	kinds         []string
	classOfKind   map[string]string
	columnOfLoose map[int]int // place among the loose ones
}

// worst is the gravest severity of each node.
func worst(issues []skillmap.Issue) map[string]skillmap.Severity {
	of := map[string]skillmap.Severity{}
	for i := range issues {
		for _, path := range issues[i].NodeIDs {
			if issues[i].Severity.Rank() > of[path].Rank() {
				of[path] = issues[i].Severity
			}
		}
	}
	return of
}

// broken lists the targets that are called broken. A note says that nobody need
// mend it: an example, a file to be made.
func broken(issues []skillmap.Issue) map[string]bool {
	of := map[string]bool{}
	for i := range issues {
		if issues[i].AnalyzerID == "reference-broken" && issues[i].Severity != skillmap.Info {
			of[issues[i].Target()] = true
		}
	}
	return of
}

// measure finds the size of the picture and the place of loose boxes.
func (p *picture) measure() {
	columns := max(p.layout.wide, 1)
	if n := len(p.loose); n > 0 {
		p.looseColumns = columns
		for p.looseColumns < 4 && p.looseColumns < n || n/p.looseColumns > 2*p.looseColumns {
			p.looseColumns++
		}
	}
	p.columnOfLoose = make(map[int]int, len(p.loose))
	for i, box := range p.loose {
		p.columnOfLoose[box] = i
	}
	p.looseTop = margin + headTall + p.tall*(boxTall+gapTall)
	p.high = p.looseTop
	if len(p.loose) > 0 {
		p.looseTop += 2 * gapTall
		rows := (len(p.loose) + p.looseColumns - 1) / p.looseColumns
		p.high = p.looseTop + rows*(boxTall+gapTall)
	}
	p.high += margin
	p.wide = max(2*margin+columns*(boxWide+gapWide)-gapWide, 2*margin+p.looseColumns*(boxWide+gapTall)-gapTall, 640)
	seen := map[string]bool{}
	for i := range p.graph.Nodes {
		if k := p.graph.Nodes[i].Kind; !seen[k] {
			seen[k] = true
			p.kinds = append(p.kinds, k)
		}
	}
	slices.Sort(p.kinds)
	p.classOfKind = map[string]string{}
	for i, k := range p.kinds {
		p.classOfKind[k] = fmt.Sprintf("k%d", i)
	}
}

// at is the top left corner of a box.
func (p *picture) at(box int) (x, y int) {
	if i, loose := p.columnOfLoose[box]; loose {
		return margin + i%p.looseColumns*(boxWide+gapTall), p.looseTop + i/p.looseColumns*(boxTall+gapTall)
	}
	return margin + p.column[box]*(boxWide+gapWide), margin + headTall + p.row[box]*(boxTall+gapTall)
}

// open writes the head: colours, title, legend.
func (p *picture) open() {
	fmt.Fprintf(&p.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", p.wide, p.high, p.wide, p.high, xmlText(counts(p.graph)))
	p.b.WriteString("<style>\n" +
		"svg{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;background:#fff}\n" +
		"text{fill:#1f2937}.s{font-size:10px;fill:#6b7280}.h{font-size:14px;font-weight:600}\n" +
		".b{stroke:#9ca3af;stroke-width:1.2}.x{stroke-dasharray:4 3;fill:#fff}\n" +
		".e{fill:none;stroke:#9ca3af;stroke-width:1;opacity:.65}.invokes{stroke:#d97706}.mentions{stroke:#3b82f6}.points{stroke-dasharray:3 3}.broken{stroke:#dc2626;stroke-dasharray:2 3}\n" +
		".error{fill:#dc2626}.warn{fill:#f59e0b}\n")
	for _, k := range p.kinds {
		fmt.Fprintf(&p.b, ".%s{stroke:%s;fill:%s}\n", p.classOfKind[k], p.hue(k)[0], tint(p.hue(k)[0], paper))
	}
	p.b.WriteString("@media (prefers-color-scheme:dark){svg{background:#111827}text{fill:#e5e7eb}.s{fill:#9ca3af}.x{fill:#111827}")
	for _, k := range p.kinds {
		fmt.Fprintf(&p.b, ".%s{stroke:%s;fill:%s}", p.classOfKind[k], p.hue(k)[1], tint(p.hue(k)[1], night))
	}
	p.b.WriteString("}\n</style>\n" +
		`<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#9ca3af"/></marker></defs>` + "\n")
	fmt.Fprintf(&p.b, `<text class="h" x="%d" y="%d">%s</text>`+"\n", margin, margin+10, xmlText(counts(p.graph)))
	x := margin
	for _, k := range p.kinds {
		label := short(Line(k), labelRunes)
		fmt.Fprintf(&p.b, `<rect class="b %s" x="%d" y="%d" width="10" height="10" rx="2"/><text class="s" x="%d" y="%d">%s</text>`+"\n", p.classOfKind[k], x, margin+22, x+14, margin+31, xmlText(label))
		x += 34 + 6*utf8.RuneCountInString(label)
	}
}

func (p *picture) hue(kind string) [2]string {
	if h, ok := hues[kind]; ok {
		return h
	}
	i := 0
	for _, k := range p.kinds {
		if k == kind {
			break
		}
		if _, known := hues[k]; !known {
			i++
		}
	}
	return spareHues[i%len(spareHues)]
}

// Backgrounds of the picture.
const paper, night = 0xffffff, 0x111827

// tint is a breath of a "#rrggbb" colour on a background. Boxes are opaque, so
// that lines run behind their text.
func tint(colour string, under int) string {
	var over int
	if _, err := fmt.Sscanf(colour, "#%06x", &over); err != nil {
		return colour
	}
	mixed := 0
	for shift := 16; shift >= 0; shift -= 8 {
		a, b := over>>shift&0xff, under>>shift&0xff
		mixed |= (a*14 + b*86) / 100 << shift
	}
	return fmt.Sprintf("#%06x", mixed)
}

// edge draws a curve from the right side of one box to the left of another;
// an edge that runs back leaves and arrives below.
func (p *picture) edge(e edge, from, to int) {
	class := strings.Map(wordOnly, e.kind)
	if p.node[e.to] == nil && p.broken[e.to] {
		class += " broken"
	}
	x1, y1 := p.at(from)
	x2, y2 := p.at(to)
	var path string
	switch {
	case from == to:
		path = fmt.Sprintf("M%d %dc28 -26 28 26 0 18", x1+boxWide, y1+8)
	case x2 > x1:
		x1, y1, y2 = x1+boxWide, y1+boxTall/2, y2+boxTall/2
		bend := max(24, (x2-x1)/2)
		path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
	default:
		x1, x2, y1, y2 = x1+boxWide/2, x2+boxWide/2, y1+boxTall, y2+boxTall
		drop := max(y1, y2) + 26
		path = fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1, drop, x2, drop, x2, y2)
	}
	fmt.Fprintf(&p.b, `<path class="e %s" d="%s" marker-end="url(#a)"><title>%s</title></path>`+"\n", class, path, xmlText(Line(e.from)+" "+Line(e.kind)+" "+Line(e.to)))
}

func (p *picture) box(i int) {
	x, y := p.at(i)
	name := p.names[i]
	n := p.node[name]
	class, title, below := "b x", Line(name), "not on the map"
	if p.broken[name] {
		below = "broken"
	}
	if n != nil {
		class = "b " + p.classOfKind[n.Kind]
		title, below = label(n)
	}
	fmt.Fprintf(&p.b, `<g><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6"/>`, xmlText(p.tip(name, n)), class, x, y, boxWide, boxTall)
	fmt.Fprintf(&p.b, `<text x="%d" y="%d">%s</text><text class="s" x="%d" y="%d">%s</text>`, x+9, y+16, xmlText(short(title, labelRunes)), x+9, y+30, xmlText(short(below, labelRunes+4)))
	if s := p.worst[name]; n != nil && s.Rank() >= skillmap.Warn.Rank() {
		fmt.Fprintf(&p.b, `<circle class="%s" cx="%d" cy="%d" r="4.5"/>`, s, x+boxWide-10, y+10)
	}
	p.b.WriteString("</g>\n")
}

// tip is what pointing at a box shows.
func (p *picture) tip(name string, n *skillmap.Node) string {
	if n == nil {
		return Line(name)
	}
	text := Line(name) + "\n" + Line(n.Kind)
	if d := Line(n.Description()); d != "" {
		text += "\n" + short(d, 200)
	}
	return text
}

// label is what a box says: the name, and below it the kind and the folder.
func label(n *skillmap.Node) (title, below string) {
	folder, base := "", n.Path
	if i := strings.LastIndexByte(n.Path, '/'); i >= 0 && !n.Virtual {
		folder, base = n.Path[:i], n.Path[i+1:]
	}
	title = Line(n.Title())
	if title == "" {
		title = Line(base)
	}
	below = Line(n.Kind)
	if folder != "" {
		below += " · " + Line(folder)
	}
	return title, below
}

// short cuts the middle out of a text that is wider than so many letters.
func short(text string, most int) string {
	room := 10 * most
	total := 0
	for _, r := range text {
		total += breadth(r)
	}
	if total <= room {
		return text
	}
	runes := []rune(text)
	take := func(room, at, step int) (n int) {
		for ; at >= 0 && at < len(runes) && room >= breadth(runes[at]); at += step {
			room -= breadth(runes[at])
			n++
		}
		return n
	}
	tail := take(room/3, len(runes)-1, -1)
	head := take(room-room/3-10, 0, 1)
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// breadth is about how wide a letter is, in tenths of a usual one.
func breadth(r rune) int {
	switch {
	case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1f300):
		return 20
	case r >= 'A' && r <= 'Z' || r == 'm' || r == 'w' || r == '_' || r == '@':
		return 13
	}
	return 10
}

// xmlText escapes text for an element or an attribute and drops what XML
// does not allow.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r >= ' ' && r != 0xfffe && r != 0xffff {
			return r
		}
		return -1
	}, xmlEscape.Replace(text))
}

var xmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "\n", "&#10;")
