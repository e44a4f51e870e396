package scan

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sort"
	"sync"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
)

var errForm = errors.New("the cache is cut short or of another make")

// writer appends fields to b.
type writer struct{ b []byte }

func (w *writer) byte(b byte)     { w.b = append(w.b, b) }
func (w *writer) uint(n uint64)   { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) int(n int64)     { w.b = binary.AppendVarint(w.b, n) }
func (w *writer) string(s string) { w.uint(uint64(len(s))); w.b = append(w.b, s...) }

func (w *writer) bool(v bool) {
	if v {
		w.byte(1)
	} else {
		w.byte(0)
	}
}

func (w *writer) strings(list []string) {
	w.uint(uint64(len(list)))
	for _, s := range list {
		w.string(s)
	}
}

// json appends v for things too rare to have a form of their own.
func (w *writer) json(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own nouns come here
	}
	w.uint(uint64(len(b)))
	w.b = append(w.b, b...)
}

// reader takes fields off the front of s. After the first that is not there
// it is bad and gives zeros. Strings are slices of s.
type reader struct {
	s     string
	bad   bool
	depth int
}

// maxDepth is how deep values may lie in each other.
const maxDepth = 100_000

func (r *reader) fail() {
	r.bad, r.s = true, ""
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.s) {
		r.fail()
		return ""
	}
	out := r.s[:n]
	r.s = r.s[n:]
	return out
}

func (r *reader) byte() byte {
	if len(r.s) == 0 {
		r.fail()
		return 0
	}
	b := r.s[0]
	r.s = r.s[1:]
	return b
}

func (r *reader) bool() bool { return r.byte() != 0 }

func (r *reader) uint() uint64 {
	var n uint64
	for i := 0; i < len(r.s) && i < binary.MaxVarintLen64; i++ {
		b := r.s[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.s = r.s[i+1:]
			return n
		}
	}
	r.fail()
	return 0
}

func (r *reader) int() int64 {
	n := r.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *reader) string() string { return r.take(r.len()) }

// len reads a count of things that each take at least a byte.
func (r *reader) len() int {
	n := r.uint()
	if n > uint64(len(r.s)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) strings() []string {
	var list []string
	for n := r.len(); n > 0 && !r.bad; n-- {
		list = append(list, r.string())
	}
	return list
}

func (r *reader) json(v any) {
	s := r.string()
	if !r.bad && json.Unmarshal([]byte(s), v) != nil {
		r.fail()
	}
}

// Kinds of a value of frontmatter.
const (
	isNull = iota
	isFalse
	isTrue
	isInt
	isFloat
	isString
	isList
	isMap
)

// value appends a value of frontmatter; keys of a map in order.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case bool:
		if v {
			w.byte(isTrue)
		} else {
			w.byte(isFalse)
		}
	case float64:
		w.number(v)
	case string:
		w.byte(isString)
		w.string(v)
	case []any:
		w.byte(isList)
		w.uint(uint64(len(v)))
		for _, e := range v {
			w.value(e)
		}
	case map[string]any:
		w.byte(isMap)
		w.mapping(v)
	default:
		w.byte(isNull)
	}
}

func (w *writer) number(v float64) {
	if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 && !(v == 0 && math.Signbit(v)) {
		w.byte(isInt)
		w.int(n)
		return
	}
	w.byte(isFloat)
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(v))
}

func (w *writer) mapping(m map[string]any) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	w.uint(uint64(len(keys)))
	for _, k := range keys {
		w.string(k)
		w.value(m[k])
	}
}

func (r *reader) value() any {
	if r.depth++; r.depth > maxDepth {
		r.fail()
	}
	defer func() { r.depth-- }()
	switch r.byte() {
	case isFalse:
		return false
	case isTrue:
		return true
	case isInt:
		return float64(r.int())
	case isFloat:
		b := r.take(8)
		if r.bad {
			return nil
		}
		return math.Float64frombits(binary.LittleEndian.Uint64([]byte(b)))
	case isString:
		return r.string()
	case isList:
		list := make([]any, r.len())
		for i := range list {
			list[i] = r.value()
		}
		return list
	case isMap:
		return r.mapping()
	}
	return nil
}

func (r *reader) mapping() map[string]any {
	n := r.len()
	m := make(map[string]any, n)
	for ; n > 0 && !r.bad; n-- {
		k := r.string()
		m[k] = r.value()
	}
	return m
}

// extractors are the ids that one byte stands for. The order is part of the
// form: append only.
var extractors = []string{
	"", "at-directive", "backtick-mention", "backtick-dollar", "dollar-skill", "at-file", "backtick-path",
	"backtick-slash", "external-url-counter", "markdown-link", "mcp-tools", "slash-command", manifestLinks,
}

var kinds = []skillmap.LinkKind{skillmap.Invokes, skillmap.References, skillmap.Mentions, skillmap.Points}

var sources = []provider.Source{provider.Name, provider.Basename, provider.Dirname, provider.Namespaced}

func (w *writer) extractor(id string) {
	i := slices.Index(extractors, id)
	if i <= 0 {
		w.byte(0)
		w.string(id)
		return
	}
	w.byte(byte(i))
}

func (r *reader) extractor() string {
	i := int(r.byte())
	switch {
	case i == 0:
		return r.string()
	case i < len(extractors):
		return extractors[i]
	}
	r.fail()
	return ""
}

// encode writes what a file says.
func (f *facts) encode() string {
	w := writers.Get().(*writer)
	defer writers.Put(w)
	w.b = w.b[:0]
	w.facts(f)
	return string(w.b)
}

var writers = sync.Pool{New: func() any { return new(writer) }}

func (w *writer) facts(f *facts) {
	w.string(f.bodyHash)
	w.string(f.headHash)
	w.parts(f.bytes)
	w.bool(f.tokens != nil)
	if f.tokens != nil {
		w.parts(*f.tokens)
	}
	w.mapping(f.head)
	w.bool(f.reserved)
	w.uint(uint64(len(f.ids)))
	for _, id := range f.ids {
		w.byte(byte(slices.Index(sources, id.Source)))
		w.string(id.Text)
		w.bool(id.Text == id.Normalized)
		if id.Text != id.Normalized {
			w.string(id.Normalized)
		}
	}
	w.links(f.links)
	w.settings(f.settings)
	w.uint(uint64(len(f.refs)))
	for _, ref := range f.refs {
		w.string(ref.URL)
		w.uint(uint64(ref.Line))
		w.bool(ref.URL == ref.OriginalTrigger)
		if ref.URL != ref.OriginalTrigger {
			w.string(ref.OriginalTrigger)
		}
	}
	w.rare(f)
}

// rare writes what most files have none of.
func (w *writer) rare(f *facts) {
	if len(f.issues)+len(f.lost)+len(f.virtual)+len(f.parts)+len(f.signed)+len(f.spoken)+len(f.kind) == 0 {
		w.byte(0)
		return
	}
	w.byte(1)
	w.json(f.issues)
	w.json(f.virtual)
	w.json(f.parts)
	w.json(f.signed)
	w.json(f.spoken)
	w.string(f.kind)
	w.uint(uint64(len(f.lost)))
	for _, l := range f.lost {
		w.b = extract.AppendSignal(w.b, l.Signal)
		w.b = extract.AppendSignal(w.b, l.By)
		w.string(l.Reason)
	}
}

func (w *writer) parts(p skillmap.Parts) {
	w.uint(uint64(p.Frontmatter))
	w.uint(uint64(p.Body))
}

func (r *reader) parts() skillmap.Parts { return parts(int(r.uint()), int(r.uint())) }

// decode reads what encode wrote of the file at path. Strings are slices of s.
func decodeFacts(path, s string) (*facts, error) {
	r := reader{s: s}
	f := &facts{bodyHash: r.string(), headHash: r.string(), bytes: r.parts()}
	if r.bool() {
		p := r.parts()
		f.tokens = &p
	}
	f.head = r.mapping()
	f.reserved = r.bool()
	if n := r.len(); n > 0 {
		f.ids = make([]provider.Identifier, n)
		for i := range f.ids {
			f.ids[i] = r.identifier()
		}
	}
	f.links = r.links(path)
	f.settings = r.settings()
	if n := r.len(); n > 0 {
		f.refs = make([]skillmap.ExternalRef, n)
		for i := range f.refs {
			f.refs[i] = r.ref()
		}
	}
	if r.byte() != 0 {
		r.rare(f)
	}
	if r.bad {
		return nil, errForm
	}
	return f, nil
}

func (r *reader) identifier() provider.Identifier {
	var id provider.Identifier
	if i := int(r.byte()); i < len(sources) {
		id.Source = sources[i]
	}
	id.Text = r.string()
	id.Normalized = id.Text
	if !r.bool() {
		id.Normalized = r.string()
	}
	return id
}

func (r *reader) ref() skillmap.ExternalRef {
	ref := skillmap.ExternalRef{URL: r.string(), Line: int(r.uint())}
	ref.OriginalTrigger = ref.URL
	if !r.bool() {
		ref.OriginalTrigger = r.string()
	}
	return ref
}

func (r *reader) rare(f *facts) {
	r.json(&f.issues)
	r.json(&f.virtual)
	r.json(&f.parts)
	r.json(&f.signed)
	r.json(&f.spoken)
	f.kind = r.string()
	n := r.len()
	for ; n > 0 && !r.bad; n-- {
		var l extract.Rejected
		l.Signal = r.signal()
		l.By = r.signal()
		l.Reason = r.string()
		f.lost = append(f.lost, l)
	}
}

func (r *reader) signal() extract.Signal {
	s, rest, err := extract.ConsumeSignal(r.s)
	if err != nil {
		r.fail()
		return s
	}
	r.s = rest
	return s
}

// What an encoded link leaves out.
const (
	rawIsOriginal = 1 << iota
	targetIsOriginal
	normalIsOriginal
	normalIsTarget
	isPlaced  // it has a line and an offset
	isSighted // one occurrence that says what the link says
	isTagged  // that occurrence has a context
)

func (w *writer) links(links []skillmap.Link) {
	total := 0
	for i := range links {
		total += len(links[i].Occurrences)
	}
	w.uint(uint64(len(links)))
	if len(links) == 0 {
		return
	}
	w.uint(uint64(total))
	for i := range links {
		w.link(&links[i])
	}
}

// settings writes what surrounds each link.
func (w *writer) settings(list []extract.Setting) {
	w.uint(uint64(len(list)))
	for i := range list {
		w.uint(uint64(list[i].Around))
		w.string(list[i].Base)
	}
}

func (r *reader) settings() []extract.Setting {
	n := r.len()
	if n == 0 {
		return nil
	}
	list := make([]extract.Setting, n)
	for i := range list {
		list[i] = extract.Setting{Around: extract.Around(r.uint()), Base: r.string()}
	}
	return list
}

func (w *writer) link(l *skillmap.Link) {
	flags := flagsOf(l)
	w.byte(flags)
	w.byte(byte(slices.Index(kinds, l.Kind)))
	w.string(l.Trigger.OriginalTrigger)
	if flags&targetIsOriginal == 0 {
		w.string(l.Target)
	}
	if flags&(normalIsOriginal|normalIsTarget) == 0 {
		w.string(l.Trigger.NormalizedTrigger)
	}
	if flags&rawIsOriginal == 0 {
		w.string(*l.Raw)
	}
	if flags&isPlaced != 0 {
		w.uint(uint64(l.Location.Line))
		w.uint(uint64(*l.Location.Offset))
	}
	if flags&isSighted != 0 {
		w.extractor(l.Sources[0])
		if flags&isTagged != 0 {
			w.string(l.Occurrences[0].Context)
		}
		return
	}
	w.uint(uint64(len(l.Sources)))
	for _, s := range l.Sources {
		w.extractor(s)
	}
	w.uint(uint64(len(l.Occurrences)))
	for i := range l.Occurrences {
		w.occurrence(&l.Occurrences[i])
	}
}

func (w *writer) occurrence(o *skillmap.Occurrence) {
	w.extractor(o.Extractor)
	w.string(o.OriginalTrigger)
	w.string(o.Context)
	line := 0
	if o.Location != nil {
		line = o.Location.Line
	}
	w.uint(uint64(line))
}

func flagsOf(l *skillmap.Link) byte {
	var f byte
	if *l.Raw == l.Trigger.OriginalTrigger {
		f |= rawIsOriginal
	}
	if l.Target == l.Trigger.OriginalTrigger {
		f |= targetIsOriginal
	}
	if l.Trigger.NormalizedTrigger == l.Trigger.OriginalTrigger {
		f |= normalIsOriginal
	} else if l.Trigger.NormalizedTrigger == l.Target {
		f |= normalIsTarget
	}
	if l.Location != nil {
		f |= isPlaced
	}
	if len(l.Sources) != 1 || len(l.Occurrences) != 1 {
		return f
	}
	o := &l.Occurrences[0]
	if o.Extractor != l.Sources[0] || o.OriginalTrigger != l.Trigger.OriginalTrigger || (o.Location == nil) != (l.Location == nil) ||
		o.Location != nil && o.Location.Line != l.Location.Line {
		return f
	}
	f |= isSighted
	if o.Context != "" {
		f |= isTagged
	}
	return f
}

// arrays hold the parts of the links of one file, so that a link costs no
// allocation of its own.
type arrays struct {
	triggers    []skillmap.Trigger
	places      []skillmap.Location
	offsets     []int
	words       []string
	occurrences []skillmap.Occurrence
}

func (r *reader) links(path string) []skillmap.Link {
	n := r.len()
	if n == 0 {
		return nil
	}
	total := r.len()
	if r.bad {
		return nil
	}
	links := make([]skillmap.Link, n)
	a := arrays{
		triggers:    make([]skillmap.Trigger, 0, n),
		places:      make([]skillmap.Location, 0, n+total),
		offsets:     make([]int, 0, n),
		words:       make([]string, 0, 2*n),
		occurrences: make([]skillmap.Occurrence, 0, total),
	}
	for i := range links {
		if r.bad {
			return nil
		}
		links[i].Source = path
		r.link(&links[i], &a)
	}
	return links
}

func (r *reader) link(l *skillmap.Link, a *arrays) {
	flags := r.byte()
	if i := int(r.byte()); i < len(kinds) {
		l.Kind = kinds[i]
	}
	original := r.string()
	l.Target = original
	if flags&targetIsOriginal == 0 {
		l.Target = r.string()
	}
	normal := original
	if flags&normalIsTarget != 0 {
		normal = l.Target
	} else if flags&normalIsOriginal == 0 {
		normal = r.string()
	}
	raw := original
	if flags&rawIsOriginal == 0 {
		raw = r.string()
	}
	a.triggers = append(a.triggers, skillmap.Trigger{OriginalTrigger: original, NormalizedTrigger: normal})
	l.Trigger = &a.triggers[len(a.triggers)-1]
	a.words = append(a.words, raw)
	l.Raw = &a.words[len(a.words)-1]
	line := 0
	if flags&isPlaced != 0 {
		line = int(r.uint())
		a.offsets = append(a.offsets, int(r.uint()))
		a.places = append(a.places, skillmap.Location{Line: line, Offset: &a.offsets[len(a.offsets)-1]})
		l.Location = &a.places[len(a.places)-1]
	}
	if flags&isSighted == 0 {
		r.sightings(l, a)
		return
	}
	from := r.extractor()
	a.words = append(a.words, from)
	l.Sources = a.words[len(a.words)-1 : len(a.words) : len(a.words)]
	o := skillmap.Occurrence{Extractor: from, OriginalTrigger: original, Location: a.place(line)}
	if flags&isTagged != 0 {
		o.Context = r.string()
	}
	a.occurrences = append(a.occurrences, o)
	l.Occurrences = a.occurrences[len(a.occurrences)-1 : len(a.occurrences) : len(a.occurrences)]
}

func (r *reader) sightings(l *skillmap.Link, a *arrays) {
	l.Sources = make([]string, r.len())
	for i := range l.Sources {
		l.Sources[i] = r.extractor()
	}
	n := r.len()
	start := len(a.occurrences)
	for ; n > 0 && !r.bad; n-- {
		o := skillmap.Occurrence{Extractor: r.extractor(), OriginalTrigger: r.string(), Context: r.string()}
		o.Location = a.place(int(r.uint()))
		a.occurrences = append(a.occurrences, o)
	}
	l.Occurrences = slices.Clip(a.occurrences[start:])
	if len(l.Occurrences) == 0 {
		l.Occurrences = nil
	}
}

func (a *arrays) place(line int) *skillmap.Location {
	if line == 0 {
		return nil
	}
	a.places = append(a.places, skillmap.Location{Line: line})
	return &a.places[len(a.places)-1]
}
