package scan

import (
	"path"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
)

// resolve writes the links of every file to the graph and finds where each
// leads. Names in code that lead nowhere are dropped: they are mere text.
func (s *scanner) resolve() {
	s.next.sights = s.sight()
	total := 0
	for _, f := range s.said {
		total += len(f.links)
	}
	g := s.graph
	g.Links = make([]skillmap.Link, 0, total)
	g.Leads = make([]int, 0, total)
	g.Settings = make([]extract.Setting, 0, total)
	g.Near = map[int]Reading{}
	held := s.contents()
	for n, f := range s.said {
		leads := s.next.sights.leads[n]
		from := len(g.Links)
		for i := range f.links {
			l, at := &f.links[i], int(leads[i])
			if at < 0 {
				var near Reading
				if at, near = s.otherLead(l, f.setting(i)); at >= 0 {
					g.Near[len(g.Links)] = near
				}
			}
			if at < 0 && (l.Kind == skillmap.Mentions || l.Kind == skillmap.Invokes) && inCode(l) {
				continue
			}
			g.Links = append(g.Links, *l)
			g.Leads = append(g.Leads, at)
			g.Settings = append(g.Settings, f.setting(i))
			if slices.Contains(f.signed, i) {
				g.Signed = append(g.Signed, len(g.Links)-1)
			}
			l = &g.Links[len(g.Links)-1]
			l.Confidence = 1
			if at >= 0 {
				l.ResolvedTarget = g.Nodes[at].Path
			}
		}
		if f.parts != nil || s.next.entries[n].kind == provider.PluginKind {
			s.contain(s.next.entries[n].path, held[s.next.entries[n].path], from)
		}
	}
}

// ways are the kinds of node that each kind of link may lead to by name.
func (s *scanner) ways() map[skillmap.LinkKind][]string {
	out := map[skillmap.LinkKind][]string{}
	if !slices.Contains(s.parts, s.lens) {
		return out
	}
	for _, k := range kinds {
		if to := s.lens.Resolution(k); len(to) > 0 {
			out[k] = to
		}
	}
	return out
}

// lead finds the node that a link leads to, -1 when there is none: the target
// as a path, then as one from the root, then as a name.
func (s *scanner) lead(l *skillmap.Link, way []string) int32 {
	if at, ok := s.graph.index[l.Target]; ok {
		return at
	}
	if isManifestLink(l) {
		return leadOfManifest(l, s.graph.index)
	}
	if fromRoot := fallback(l); fromRoot != "" {
		if at, ok := s.graph.index[fromRoot]; ok {
			return at
		}
	}
	if len(way) == 0 {
		return -1
	}
	return s.named(bare(l), way, path.Dir(l.Source))
}

// named finds the node that has a name: of the first kind that has any, the
// first whose host does not keep the name for itself, copies last. Those of a package that
// dir has nothing to do with do not count.
func (s *scanner) named(name string, way []string, dir string) int32 {
	if name == "" {
		return -1
	}
	first, weak := int32(-1), int32(-1)
	for _, kind := range way {
		for at := range s.names.all(name) {
			switch {
			case s.graph.Nodes[at].Kind != kind, s.isHosts(at, name), !s.inScope(at, dir):
			case s.graph.Reserved[at]:
				if first < 0 {
					first = at
				}
			case !s.weak[s.graph.Nodes[at].Path]:
				return at
			case weak < 0:
				weak = at
			}
		}
	}
	if weak >= 0 {
		return weak
	}
	return first
}

// inScope reports whether the host loads a node at work in a folder, or in one
// below it.
func (s *scanner) inScope(at int32, dir string) bool {
	n := &s.graph.Nodes[at]
	if n.Provider != plain || n.Virtual {
		return true
	}
	pack := packageOf(n.Path)
	return pack == "" || dir == "." || dir == pack || strings.HasPrefix(dir, pack+"/") || strings.HasPrefix(pack, dir+"/")
}

// packageOf is the folder around the nested folder of a host that a file lies
// in, empty for files elsewhere and in host folders at the root.
func packageOf(name string) string {
	for rest, from := name, 0; ; {
		i := strings.Index(rest, "/.")
		if i < 0 {
			return ""
		}
		folder, below, _ := strings.Cut(rest[i+1:], "/")
		what, _, deep := strings.Cut(below, "/")
		if deep && isHostFolder(folder) && (conventions[what] != "" || collections[what] != "") {
			return name[:from+i]
		}
		from += i + 1
		rest = rest[i+1:]
	}
}

// Package is the folder of the package in which alone a node is loaded that
// goes by a name, empty when there is none or it is loaded everywhere. The
// name is in normal form.
func (g *Graph) Package(name string) string {
	pack := ""
	for at := range g.names.all(name) {
		if pack = packageOf(g.Nodes[at].Path); pack == "" || g.Nodes[at].Provider != plain {
			return ""
		}
	}
	return pack
}

// outOfScope reports whether all that a link calls by name is of packages
// that its file has nothing to do with.
func (s *scanner) outOfScope(l *skillmap.Link) bool {
	any := false
	for at := range s.names.all(bare(l)) {
		any = true
		if s.inScope(at, path.Dir(l.Source)) {
			return false
		}
	}
	return any
}

// isHosts reports whether a bare name means what the host has of that name,
// and not a node that is called by a longer one.
func (s *scanner) isHosts(at int32, name string) bool {
	if s.graph.Reserved[at] {
		return false
	}
	n := &s.graph.Nodes[at]
	p := provider.ByID(n.Provider)
	if p == nil {
		return false
	}
	k := p.Kind(n.Kind)
	return k != nil && k.KeepsNormal(name)
}

// fallback is the target of a pointer read from the root, empty when that is
// the same or makes no sense.
func fallback(l *skillmap.Link) string {
	if l.Kind != skillmap.Points || l.Trigger == nil {
		return ""
	}
	token := l.Trigger.OriginalTrigger
	if strings.HasPrefix(token, "./") || strings.HasPrefix(token, "../") {
		return ""
	}
	token = path.Clean(token)
	if strings.HasPrefix(token, "..") || token == l.Target {
		return ""
	}
	return token
}

// bare is the trigger without its sign.
func bare(l *skillmap.Link) string {
	t := l.Normalized()
	if t != "" && (t[0] == '/' || t[0] == '@' || t[0] == '$') {
		t = t[1:]
	}
	return strings.TrimSpace(t)
}

func inCode(l *skillmap.Link) bool {
	for i := range l.Occurrences {
		if c := l.Occurrences[i].Context; c != extract.CodeBlock && c != extract.InlineCode {
			return false
		}
	}
	return len(l.Occurrences) > 0
}

// pathStyle reports whether a link speaks of a file rather than a name.
func pathStyle(l *skillmap.Link) bool {
	return l.Kind == skillmap.References || l.Kind == skillmap.Points
}

// findBroken lists the links that lead to no node, have a name that no node
// has, and, where they speak of a file, to nothing on disk either.
func (s *scanner) findBroken() {
	outside := s.references()
	g := s.graph
	for i := range g.Links {
		l := &g.Links[i]
		if g.Leads[i] >= 0 || s.names.has(bare(l)) && !s.outOfScope(l) || s.unread[bare(l)] {
			continue
		}
		if pathStyle(l) && (s.stands(l.Target) || s.stands(fallback(l)) || outside.has(l.Target) || s.standsElsewhere(i)) {
			continue
		}
		g.Broken = append(g.Broken, i)
	}
}

// stands reports whether something is there on disk, below any root.
func (s *scanner) stands(target string) bool {
	if target == "" {
		return false
	}
	there, known := s.probed[target]
	if !known {
		for i, t := range s.trees {
			there = there || s.probe(t, i, target)
		}
		s.probed[target] = there
	}
	return there
}

// standsElsewhere reports whether something that is no node is there by one of
// the other readings of a link.
func (s *scanner) standsElsewhere(i int) bool {
	l := &s.graph.Links[i]
	if isManifestLink(l) {
		return false
	}
	if d := decoded(l.Target); d != "" && s.stands(d) {
		return true
	}
	if real, ok := s.graph.realTarget(l); ok && s.stands(real) {
		return true
	}
	if l.Kind == skillmap.References && !strings.HasPrefix(l.Trigger.OriginalTrigger, "@") {
		return false
	}
	for _, r := range s.graph.elsewhere(l, s.graph.Settings[i]) {
		if s.stands(r.Path) {
			return true
		}
	}
	return false
}

func (s *scanner) countLinks() {
	g := s.graph
	at := 0
	for i := range g.Links {
		l := &g.Links[i]
		for g.Nodes[at].Path != l.Source { // links come in node order
			at++
		}
		g.Nodes[at].LinksOutCount++
		if to := g.Leads[i]; to >= 0 {
			g.Nodes[to].LinksInCount++
		}
	}
}
