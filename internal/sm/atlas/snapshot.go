package atlas

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/store"
)

// Snapshot is a map at one moment with what answers need: who is where, who
// links to whom, which issues touch whom. It never changes, so any number of
// goroutines may ask it at once, and an answer is of one moment.
type Snapshot struct {
	result *skillmap.ScanResult
	at     store.Generation

	nodes  []Node
	links  []Link
	issues []Issue

	byPath   map[string]int32
	sorted   []int32 // nodes in byte order of their paths
	kinds    map[string][]int32
	flawed   []int32            // nodes that an issue names
	out, in  index              // links by the node they leave, and by the one they lead to
	about    index              // issues by the node they name
	extra    map[string][]int32 // links by a raw target that is no end of theirs
	whole    atomic.Pointer[[]byte]
	encoding sync.Mutex // one goroutine encodes the whole map
}

// index lists positions by node: those of node i are at[from[i]:from[i+1]], in
// rising order.
type index struct {
	from []int32
	at   []int32
}

func (x index) of(node int32) []int32 { return x.at[x.from[node]:x.from[node+1]] }

// newSnapshot indexes a map. It keeps r, which must not change any more. Of the
// snapshot before, nil for none, it takes over what indexes the same.
func newSnapshot(r *skillmap.ScanResult, at store.Generation, before *Snapshot) *Snapshot {
	s := &Snapshot{result: r, at: at}
	s.nodes, s.links, s.issues = make([]Node, len(r.Nodes)), make([]Link, len(r.Links)), make([]Issue, len(r.Issues))
	for i := range r.Nodes {
		s.nodes[i].Node = &r.Nodes[i]
	}
	for i := range r.Links {
		s.links[i].Link = &r.Links[i]
	}
	sameNodes := before != nil && alikeNodes(r.Nodes, before.result.Nodes)
	if sameNodes {
		s.byPath, s.kinds, s.sorted = before.byPath, before.kinds, before.sorted
	} else {
		s.indexNodes()
	}
	if sameNodes && alikeLinks(r.Links, before.result.Links) {
		s.out, s.in, s.extra = before.out, before.in, before.extra
	} else {
		s.indexLinks()
	}
	s.indexIssues()
	return s
}

// alikeNodes reports whether an index of one list is one of the other.
func alikeNodes(a, b []skillmap.Node) bool {
	for i := range a {
		if i >= len(b) || a[i].Path != b[i].Path || a[i].Kind != b[i].Kind {
			return false
		}
	}
	return len(a) == len(b)
}

// alikeLinks reports the same of links, given that the nodes are alike.
func alikeLinks(a, b []skillmap.Link) bool {
	for i := range a {
		if i >= len(b) || a[i].Source != b[i].Source || a[i].Target != b[i].Target || a[i].ResolvedTarget != b[i].ResolvedTarget {
			return false
		}
	}
	return len(a) == len(b)
}

func (s *Snapshot) indexNodes() {
	s.byPath, s.kinds, s.sorted = make(map[string]int32, len(s.nodes)), map[string][]int32{}, make([]int32, len(s.nodes))
	for i := range s.nodes {
		n := s.nodes[i].Node
		s.byPath[n.Path] = int32(i)
		s.kinds[n.Kind] = append(s.kinds[n.Kind], int32(i))
		s.sorted[i] = int32(i)
	}
	sort.Slice(s.sorted, func(a, b int) bool { return s.path(s.sorted[a]) < s.path(s.sorted[b]) })
}

func (s *Snapshot) path(node int32) string { return s.result.Nodes[node].Path }

func (s *Snapshot) indexLinks() {
	sources, ends := make([]int32, len(s.links)), make([]int32, len(s.links))
	for i := range s.links {
		l := &s.result.Links[i]
		sources[i], ends[i] = s.at32(l.Source), s.at32(l.End())
		if l.ResolvedTarget != "" && l.ResolvedTarget != l.Target {
			if _, isNode := s.byPath[l.Target]; isNode {
				if s.extra == nil {
					s.extra = map[string][]int32{}
				}
				s.extra[l.Target] = append(s.extra[l.Target], int32(i))
			}
		}
	}
	s.out, s.in = gather(len(s.nodes), sources), gather(len(s.nodes), ends)
}

// at32 is the position of a node, -1 for a path that is none.
func (s *Snapshot) at32(path string) int32 {
	if i, ok := s.byPath[path]; ok {
		return i
	}
	return -1
}

// gather makes an index of things by their node; -1 is no node.
func gather(nodes int, of []int32) index {
	x := index{from: make([]int32, nodes+1)}
	for _, n := range of {
		if n >= 0 {
			x.from[n+1]++
		}
	}
	for i := range nodes {
		x.from[i+1] += x.from[i]
	}
	x.at = make([]int32, x.from[nodes])
	next := slices.Clone(x.from[:nodes])
	for i, n := range of {
		if n >= 0 {
			x.at[next[n]] = int32(i)
			next[n]++
		}
	}
	return x
}

func (s *Snapshot) indexIssues() {
	var nodes, issues []int32
	for i := range s.issues {
		is := &s.result.Issues[i]
		s.issues[i].Issue = is
		for k, id := range is.NodeIDs {
			if n := s.at32(id); n >= 0 && !slices.Contains(is.NodeIDs[:k], id) {
				nodes, issues = append(nodes, n), append(issues, int32(i))
			}
		}
	}
	s.about = gather(len(s.nodes), nodes)
	for i, at := range s.about.at { // positions in the pairs become issues
		s.about.at[i] = issues[at]
	}
	for n := range s.nodes {
		if s.about.from[n] < s.about.from[n+1] {
			s.flawed = append(s.flawed, int32(n))
		}
	}
}

// with is the same map at another time: its scalars and stats are those of
// meta.
func (s *Snapshot) with(meta *skillmap.ScanResult, at store.Generation) *Snapshot {
	r := *meta
	r.Nodes, r.Links, r.Issues = s.result.Nodes, s.result.Links, s.result.Issues
	return &Snapshot{
		result: &r, at: at, nodes: s.nodes, links: s.links, issues: s.issues, byPath: s.byPath, sorted: s.sorted,
		kinds: s.kinds, flawed: s.flawed, out: s.out, in: s.in, about: s.about, extra: s.extra,
	}
}

// inherit takes over the JSON of what did not change from an earlier map.
func (s *Snapshot) inherit(from *Snapshot, changed map[string]bool) {
	if from == nil {
		return
	}
	for i := range s.nodes {
		n := &s.nodes[i]
		if at, ok := from.byPath[n.Path]; ok && !changed[n.Path] {
			n.made.Store(from.nodes[at].made.Load())
		}
	}
}

// under lists the positions, in s.sorted, of the paths that begin with prefix.
func (s *Snapshot) under(prefix string) (from, to int) {
	from = sort.Search(len(s.sorted), func(i int) bool { return s.path(s.sorted[i]) >= prefix })
	to = from + sort.Search(len(s.sorted)-from, func(i int) bool { return !strings.HasPrefix(s.path(s.sorted[from+i]), prefix) })
	return from, to
}

// json is the whole map.
func (s *Snapshot) json() []byte {
	if b := s.whole.Load(); b != nil {
		return *b
	}
	s.encoding.Lock()
	defer s.encoding.Unlock()
	if b := s.whole.Load(); b != nil {
		return *b
	}
	b := s.result.AppendJSON(make([]byte, 0, 1024+900*len(s.nodes)+500*len(s.links)))
	s.whole.Store(&b)
	return b
}
