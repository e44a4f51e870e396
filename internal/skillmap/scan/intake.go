package scan

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/sidecar"
)

// batch is how many files a worker takes at once.
const batch = 32

// known is a file on its way to become a node.
type known struct {
	entry  *entry // nil when the file is not there any more
	facts  *facts
	cached bool  // its text is the one the cache held
	large  int64 // it grew over the ceiling while we looked
}

// takeIn makes a node of each claimed file, in order, until the ceiling.
func (s *scanner) takeIn(taken []claim) error {
	limit := s.opt.maxScan()
	cut := taken[:min(len(taken), limit)]
	ctx, stop := context.WithCancel(s.ctx)
	batches := (len(cut) + batch - 1) / batch
	got := make([]known, len(cut))
	ready := make(chan int, batches)
	var turn atomic.Int64
	var wait sync.WaitGroup
	for range min(s.workers(), batches) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r := s.newFetcher()
			for b := int(turn.Add(1)) - 1; b < batches && ctx.Err() == nil; b = int(turn.Add(1)) - 1 {
				for i := b * batch; i < min((b+1)*batch, len(cut)); i++ {
					got[i] = r.fetch(&cut[i])
				}
				ready <- b
			}
		}()
	}
	in := &intake{s: s, claims: cut, got: got, total: len(cut)}
	in.reserve()
	done := make([]bool, batches)
	for next := 0; next < batches && !in.full; {
		select {
		case b := <-ready:
			done[b] = true
		case <-ctx.Done():
			next = batches
			continue
		}
		for ; next < batches && done[next] && !in.full; next++ {
			in.batch(next)
		}
	}
	stop()
	wait.Wait()
	s.graph.Truncated = in.full || len(cut) < len(taken)
	s.graph.FilesWalked = in.files
	return s.ctx.Err()
}

// intake writes nodes to the graph in order.
type intake struct {
	s      *scanner
	claims []claim
	got    []known
	total  int
	files  int
	full   bool
}

func (in *intake) reserve() {
	g := in.s.graph
	g.Nodes = make([]skillmap.Node, 0, len(in.claims)+16)
	g.Reserved = make([]bool, 0, len(in.claims)+16)
	in.s.ids = make([][]provider.Identifier, 0, len(in.claims)+16)
	in.s.next.entries = make([]*entry, 0, len(in.claims))
	in.s.virtual = map[string]int{}
	in.s.real = map[int]string{}
}

func (in *intake) batch(b int) {
	for i := b * batch; i < min((b+1)*batch, len(in.claims)); i++ {
		in.one(&in.claims[i], &in.got[i])
		if in.full {
			return
		}
	}
}

// one takes a file in. At the ceiling it only notes that a file is left.
func (in *intake) one(c *claim, k *known) {
	g := in.s.graph
	if k.large > 0 {
		g.Oversized = append(g.Oversized, skillmap.SizedFile{Path: c.path, Bytes: k.large})
		return
	}
	if k.entry == nil {
		return
	}
	if len(g.Nodes) >= in.s.opt.maxScan() {
		in.full = true
		return
	}
	in.files++
	in.s.add(c, k)
	if !k.cached {
		g.Read = append(g.Read, c.path)
	}
	if p := in.s.opt.Progress; p != nil {
		p(Progress{Index: in.files, Total: in.total, Path: c.path, Kind: c.kind, Cached: k.cached})
	}
}

// add makes the node of a file, and the virtual nodes that it is first to
// speak of.
func (s *scanner) add(c *claim, k *known) {
	g, e, f := s.graph, k.entry, k.facts
	kind := c.kind
	if f.kind != "" {
		kind = f.kind
		if s.weak == nil {
			s.weak = map[string]bool{}
		}
		s.weak[c.path] = true
	}
	n := skillmap.Node{
		Path: c.path, Kind: kind, Provider: c.provider.ID,
		BodyHash: f.bodyHash, FrontmatterHash: f.headHash,
		Bytes: f.bytes, Tokens: f.tokens, Frontmatter: f.head,
		ExternalRefsCount: len(f.refs), ExternalRefs: f.refs,
	}
	if s.learner.count == nil {
		n.Tokens = nil
	}
	if c.stamp.mtime != noTime {
		ms := c.stamp.millis()
		n.ModifiedAtMs = &ms
	}
	s.attach(&n, e.note)
	g.Kernel = append(g.Kernel, f.issues...)
	for i := range f.lost {
		g.Lost = append(g.Lost, Lost{c.path, f.lost[i]})
	}
	for _, w := range f.spoken {
		g.Spoken = append(g.Spoken, Spoken{c.path, w.Name, w.Line})
	}
	s.next.entries = append(s.next.entries, e)
	s.said = append(s.said, f)
	if f.recovered() {
		if s.guessed == nil {
			s.guessed = map[string]bool{}
		}
		s.guessed[c.path] = true
	}
	if c.real != "" {
		s.real[len(g.Nodes)] = c.real
	}
	s.push(n, s.graph.places.qualified(kind, c.path, f.ids), f.reserved)
	for i := range f.virtual {
		s.summon(&f.virtual[i], c.path)
	}
}

func (s *scanner) push(n skillmap.Node, ids []provider.Identifier, reserved bool) {
	s.graph.Nodes = append(s.graph.Nodes, n)
	s.graph.Reserved = append(s.graph.Reserved, reserved)
	s.ids = append(s.ids, ids)
}

// attach puts what the sidecar says on its node.
func (s *scanner) attach(n *skillmap.Node, note *note) {
	if note == nil {
		return
	}
	n.Sidecar = sidecar.Overlay(note.root, n.BodyHash, n.FrontmatterHash)
	s.graph.SidecarKeys[n.Path] = note.keys
	if note.root == nil {
		s.graph.Kernel = append(s.graph.Kernel, badSidecar(n.Path, sidecar.PathFor(n.Path), note.fault))
	}
}

// summon makes a virtual node, or adds a file to those that speak of it.
func (s *scanner) summon(v *skillmap.Node, from string) {
	if at, ok := s.virtual[v.Path]; ok {
		n := &s.graph.Nodes[at]
		n.DerivedFrom = append(n.DerivedFrom, from)
		return
	}
	s.virtual[v.Path] = len(s.graph.Nodes)
	s.pushVirtual(skillmap.Node{Path: v.Path, Kind: v.Kind, Provider: v.Provider, Frontmatter: v.Frontmatter, DerivedFrom: []string{from}})
}

func (s *scanner) pushVirtual(n skillmap.Node) {
	n.Virtual = true
	n.BodyHash, n.FrontmatterHash = skillmap.ZeroHash, skillmap.ZeroHash
	if n.Frontmatter == nil {
		n.Frontmatter = map[string]any{}
	}
	var ids []provider.Identifier
	reserved := false
	if p := provider.ByID(n.Provider); p != nil {
		ids = provider.Identifiers(p, n.Kind, n.Path, n.Frontmatter)
		_, reserved = provider.Reserved(p, n.Kind, ids)
	}
	s.push(n, ids, reserved)
}

// fetcher reads files, one after another.
type fetcher struct {
	s   *scanner
	buf []byte
}

func (s *scanner) newFetcher() *fetcher { return &fetcher{s: s} }

// fetch learns of a file, from the cache where it holds.
func (r *fetcher) fetch(c *claim) known {
	s := r.s
	if k := s.early[c.file]; k != nil {
		return *k
	}
	old := s.prior.at(c.path)
	if old != nil && (old.root != c.root || old.provider != c.provider.ID || old.kind != c.keptAs() || old.unread ||
		s.learner.count != nil && old.tokenizer != s.learner.tokenizer) {
		old = nil
	}
	if old != nil && old.settled && old.stamp == c.stamp {
		if f, err := old.say(); err == nil {
			return known{entry: r.withNote(c, old, *old), facts: f, cached: true}
		}
		old = nil
	}
	return r.reread(c, old)
}

// reread reads the file, and keeps what old says when the text is the same.
func (r *fetcher) reread(c *claim, old *entry) known {
	s := r.s
	limit := s.opt.maxFile()
	data, err := s.trees[c.root].read(c.path, r.buf, limit+1)
	if gone(err) {
		return known{}
	}
	e := entry{path: c.path, root: c.root, stamp: c.stamp, provider: c.provider.ID, kind: c.keptAs()}
	if err != nil {
		e.unread = true
		f := s.learner.mute(c)
		e.said = &said{text: f.encode()}
		return known{entry: r.withNote(c, nil, e), facts: f}
	}
	if int64(len(data)) > limit {
		return known{large: int64(len(data))}
	}
	r.buf = data
	e.sum = sumOf(data)
	e.settled = !c.stamp.fresh(s.now)
	if old != nil && old.sum == e.sum {
		if f, err := old.say(); err == nil {
			e.tokenizer, e.said = old.tokenizer, old.said
			return known{entry: r.withNote(c, old, e), facts: f, cached: true}
		}
	}
	e.tokenizer = s.learner.tokenizer
	e.said = &said{text: s.learner.learn(c, data).encode()}
	f, err := e.say()
	if err != nil {
		panic("scan: " + c.path + " does not read back: " + err.Error())
	}
	return known{entry: r.withNote(c, s.prior.at(c.path), e), facts: f}
}

// withNote gives e with the sidecar that stands beside the file now; old is
// what was known before.
func (r *fetcher) withNote(c *claim, old *entry, e entry) *entry {
	var was *note
	if old != nil {
		was = old.note
	}
	e.note = r.note(c, was)
	if old != nil && e == *old {
		return old
	}
	return &e
}

// note reads the sidecar beside a file, nil when there is none. It is was
// itself when nothing changed.
func (r *fetcher) note(c *claim, was *note) *note {
	if c.note.kind == unknown {
		return nil
	}
	if was != nil && was.settled && was.stamp == c.note {
		return was
	}
	data, err := r.s.trees[c.root].read(sidecar.PathFor(c.path), r.buf, maxSidecar+1)
	switch {
	case gone(err):
		return nil
	case err != nil:
		return &note{stamp: c.note, fault: "it cannot be read"}
	case len(data) > maxSidecar:
		return &note{stamp: c.note, fault: "it is larger than a sidecar may be"}
	}
	r.buf = data
	n := &note{stamp: c.note, sum: sumOf(data), settled: !c.note.fresh(r.s.now)}
	if was != nil && was.sum == n.sum {
		n.root, n.fault, n.keys = was.root, was.fault, was.keys
		return n
	}
	text := toText(data)
	if n.root, err = sidecar.Read([]byte(text)); err != nil {
		n.root, n.fault = nil, err.Error()
		return n
	}
	n.keys = keysOf(text)
	return n
}

// maxSidecar is how large a sidecar may be.
const maxSidecar = 1 << 20

func sumOf(data []byte) sum {
	full := sha256.Sum256(data)
	return sum(full[:len(sum{})])
}
