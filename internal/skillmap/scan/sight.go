package scan

import (
	"slices"
	"sync"
	"sync/atomic"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// sights is where the links of every file lead among the nodes of one scan. It
// never changes, and serves the next scan as long as nodes come and go by no
// other name.
type sights struct {
	nodes      []sighted
	index      map[string]int32
	names      nameIndex
	collisions []Collision
	mismatches []Mismatch
	said       []*facts
	leads      [][]int32 // for each file, for each link: a node or -1
}

// sighted is all of a node that a link may go by.
type sighted struct {
	path, kind, provider string
	ids                  []provider.Identifier
	reserved, virtual    bool
	guessed              bool // its name is of a head that does not parse
	weak                 bool // only its head gives it a kind
}

func (a *sighted) same(b *sighted) bool {
	if a.path != b.path || a.kind != b.kind || a.provider != b.provider || a.reserved != b.reserved || a.virtual != b.virtual || a.guessed != b.guessed || a.weak != b.weak {
		return false
	}
	if len(a.ids) > 0 && len(a.ids) == len(b.ids) && &a.ids[0] == &b.ids[0] {
		return true
	}
	return slices.Equal(a.ids, b.ids)
}

// sight finds where every link leads, from the scan before where it can.
func (s *scanner) sight() *sights {
	now := &sights{nodes: s.sighted(), said: s.said, leads: make([][]int32, len(s.said))}
	before := s.sightsBefore(now)
	if before != nil {
		now.index, now.names = before.index, before.names
		now.collisions, now.mismatches = before.collisions, before.mismatches
	} else {
		s.indexNodes(now)
	}
	s.graph.index, s.graph.names, s.names = now.index, now.names, now.names
	s.graph.ids = s.ids
	if before == nil {
		s.judgeNames(now)
	}
	s.graph.Collisions, s.graph.Mismatches = slices.Clone(now.collisions), now.mismatches
	s.follow(now, before)
	return now
}

// sightsBefore are those of the scan before, nil when nodes differ by any
// name. Where links make two paths one file, names are judged anew.
func (s *scanner) sightsBefore(now *sights) *sights {
	if s.prior == nil || s.prior.sights == nil || s.prior.config != s.next.config || len(s.real)+len(s.graph.Aliases) > 0 {
		return nil
	}
	before := s.prior.sights
	if !slices.EqualFunc(before.nodes, now.nodes, func(a, b sighted) bool { return a.same(&b) }) || len(before.said) != len(now.said) {
		return nil
	}
	return before
}

func (s *scanner) sighted() []sighted {
	out := make([]sighted, len(s.graph.Nodes))
	for i := range s.graph.Nodes {
		n := &s.graph.Nodes[i]
		out[i] = sighted{n.Path, n.Kind, n.Provider, s.ids[i], s.graph.Reserved[i], n.Virtual, s.guessed[n.Path], s.weak[n.Path]}
	}
	return out
}

// follow finds the leads of each file that says something new, on every core.
func (s *scanner) follow(now, before *sights) {
	ways := s.ways()
	var turn atomic.Int64
	var wait sync.WaitGroup
	for range s.workers() {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for b := int(turn.Add(1)) - 1; b*batch < len(s.said); b = int(turn.Add(1)) - 1 {
				for n := b * batch; n < min((b+1)*batch, len(s.said)); n++ {
					if before != nil && before.said[n] == s.said[n] {
						now.leads[n] = before.leads[n]
						continue
					}
					now.leads[n] = s.leads(s.said[n].links, ways)
				}
			}
		}()
	}
	wait.Wait()
}

func (s *scanner) leads(links []skillmap.Link, ways map[skillmap.LinkKind][]string) []int32 {
	out := make([]int32, len(links))
	for i := range links {
		out[i] = s.lead(&links[i], ways[links[i].Kind])
	}
	return out
}

// indexNodes makes nodes findable by path and by name.
func (s *scanner) indexNodes(now *sights) {
	n := len(now.nodes)
	now.index = make(map[string]int32, n)
	now.names = nameIndex{
		at:    make(map[string]int32, 2*n),
		lists: make([]nameList, 0, 2*n),
		cells: make([]nameCell, 0, 2*n),
	}
	for i := range now.nodes {
		now.index[now.nodes[i].path] = int32(i)
		for _, id := range now.nodes[i].ids {
			now.names.add(id.Normalized, i, id.Source)
		}
	}
	for alias, path := range s.graph.Aliases {
		if at, ok := now.index[path]; ok {
			now.index[alias] = at
		}
	}
}

// judgeNames finds names that several nodes claim, and nodes that call
// themselves other than their path does.
func (s *scanner) judgeNames(now *sights) {
	for i := range s.names.lists {
		if l := &s.names.lists[i]; l.shared {
			s.judgeClaims(l)
		}
	}
	for i := range s.graph.Nodes {
		s.judgeMismatch(&s.graph.Nodes[i], s.ids[i])
	}
	now.collisions, now.mismatches = s.graph.Collisions, s.graph.Mismatches
}
