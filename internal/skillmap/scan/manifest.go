package scan

import (
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/frontmatter"
	"skillforge/internal/skillmap/provider"
)

// manifestLinks is the id under which links of manifests are known.
const manifestLinks = "manifest"

// isManifestLink reports whether a manifest lists the target of a link.
func isManifestLink(l *skillmap.Link) bool {
	return len(l.Sources) > 0 && l.Sources[0] == manifestLinks
}

// learnManifest reads what the manifest of a plugin or of a marketplace says.
func (l *learner) learnManifest(c *claim, data []byte) *facts {
	text := toText(data)
	m, err := provider.ReadManifest(c.path, text)
	f := &facts{
		bodyHash: hashOf("", data), headHash: frontmatter.Hash(nil, text),
		bytes: parts(len(text), 0), head: m.Head,
		issues: provider.DiagnoseManifest(c.provider, c.kind, c.path, text, m, err, l.opt.Strict),
		parts:  m.Parts,
	}
	for i := range f.issues {
		f.issues[i].NodeIDs = []string{c.path}
	}
	if l.count != nil {
		p := parts(l.tokens(text), 0)
		f.tokens = &p
	}
	if !l.silent && !l.off[manifestLinks] {
		f.links = linksOfParts(c.path, m.Parts)
		f.settings = make([]extract.Setting, len(f.links))
	}
	return f
}

func linksOfParts(source string, listed []provider.Part) []skillmap.Link {
	links := make([]skillmap.Link, 0, len(listed))
	for _, p := range listed {
		raw, start := p.Text, 0 // a manifest has no body to count in
		links = append(links, skillmap.Link{
			Source: source, Target: p.Path, Kind: skillmap.References, Confidence: 1, Sources: []string{manifestLinks},
			Trigger:  &skillmap.Trigger{OriginalTrigger: p.Text, NormalizedTrigger: p.Path},
			Location: &skillmap.Location{Line: p.Line, Offset: &start}, Raw: &raw,
			Occurrences: []skillmap.Occurrence{{Extractor: manifestLinks, OriginalTrigger: p.Text, Location: &skillmap.Location{Line: p.Line}}},
		})
	}
	return extract.Dedupe(links)
}

// readManifests learns what every manifest says before anything else is read:
// what they list decides what other files are. They are not read again.
func (s *scanner) readManifests(f *forest) []*claim {
	var found []*claim
	for _, file := range f.files {
		if file.taken == nobody || s.passes[file.taken].read.Parser != provider.JSON {
			continue
		}
		found = append(found, &claim{file: file, pass: &s.passes[file.taken], kind: file.kind})
	}
	all := make([]known, len(found))
	var turn atomic.Int64
	var wait sync.WaitGroup
	for range min(s.workers(), (len(found)+batch-1)/batch) {
		wait.Go(func() {
			r := s.newFetcher()
			for i := int(turn.Add(1)) - 1; i < len(found) && s.ctx.Err() == nil; i = int(turn.Add(1)) - 1 {
				all[i] = r.fetch(found[i])
			}
		})
	}
	wait.Wait()
	s.early = make(map[*file]*known, len(found))
	for i, c := range found {
		s.early[c.file] = &all[i]
	}
	return found
}

// placeManifests notes which folders are plugins, and which files and folders
// manifests make agents and commands of.
func (s *scanner) placeManifests(p *places, found []*claim) {
	for _, c := range found {
		root, f := provider.ManifestRoot(c.path), s.early[c.file].facts
		if c.kind == provider.PluginKind {
			if p.plugins[root] == "" {
				p.plugins[root] = nameOfPlugin(f, root)
			}
		} else if isPluginFolder(path.Base(path.Dir(c.path))) {
			if _, ok := p.plugins[root]; !ok {
				p.plugins[root] = ""
			}
		}
		if f != nil {
			p.list(f.parts)
		}
	}
	for dir, name := range p.offered {
		if _, ok := p.plugins[dir]; !ok {
			p.plugins[dir] = name
		}
	}
}

// nameOfPlugin is the name that a manifest declares, the folder's when it
// declares none.
func nameOfPlugin(f *facts, root string) string {
	if f != nil {
		if name, _ := f.head["name"].(string); name != "" {
			return name
		}
	}
	if base := path.Base(root); base != "." {
		return base
	}
	return ""
}

// list notes what a manifest lists.
func (p *places) list(listed []provider.Part) {
	for _, part := range listed {
		switch part.Field {
		case "agents":
			p.listed[part.Path] = "agent"
		case "commands":
			p.listed[part.Path] = "command"
		case "plugins":
			if _, twice := p.offered[part.Path]; !twice || part.Name == "" {
				p.offered[part.Path] = part.Name
			} else if p.offered[part.Path] != part.Name {
				p.offered[part.Path] = "" // several plugins of one folder
			}
		}
	}
}

// listedKind is the kind that a manifest gives a file, empty for none.
func (p *places) listedKind(name, base string) string {
	if len(p.listed) == 0 {
		return ""
	}
	if kind := p.listed[name]; kind != "" {
		return kind
	}
	if noMembers[base] {
		return ""
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if kind := p.listed[dir]; kind != "" {
			return kind
		}
	}
	return ""
}

// isManifest reports whether a file by the name of a manifest is one: it lies
// in the folder of a host, a marketplace offers its folder, or it lists what
// only plugins have.
func (s *scanner) isManifest(c *claim, folders map[string]bool) bool {
	dir, root := path.Dir(c.path), provider.ManifestRoot(c.path)
	if dir != root {
		return true
	}
	k := s.early[c.file]
	if k == nil || k.facts == nil {
		return false
	}
	if c.kind == provider.MarketplaceKind {
		return slices.ContainsFunc(k.facts.parts, func(p provider.Part) bool { return p.Field == "plugins" })
	}
	if _, offered := s.graph.places.offered[dir]; offered || len(k.facts.parts) > 0 || path.Base(c.path) == "gemini-extension.json" {
		return true
	}
	name, _ := k.facts.head["name"].(string)
	for sub := range conventions {
		if name != "" && folders[join(dir, sub)] {
			return true
		}
	}
	return false
}

// conventions are the folders in which a plugin keeps its parts, with what is
// in them.
var conventions = map[string]string{"skills": "skill", "agents": "agent", "commands": "command"}

// candidates are the nodes that an entry of a manifest for a folder may mean,
// best first.
func candidates(l *skillmap.Link) []string {
	skill := path.Join(l.Target, "SKILL.md")
	if provider.ManifestKind(l.Source) == provider.PluginKind {
		return []string{skill}
	}
	var out []string
	own := path.Base(path.Dir(l.Source))
	if isPluginFolder(own) {
		out = append(out, path.Join(l.Target, own, "plugin.json"))
	}
	if own == "plugins" { // of Codex
		out = append(out, path.Join(l.Target, ".codex-plugin/plugin.json"))
	}
	for _, at := range []string{".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", ".github/plugin/plugin.json", "plugin.json", "gemini-extension.json"} {
		out = append(out, path.Join(l.Target, at))
	}
	return append(out, skill)
}

// leadOfManifest finds the node that an entry of a manifest names through its
// folder.
func leadOfManifest(l *skillmap.Link, index map[string]int32) int32 {
	for _, name := range candidates(l) {
		if at, ok := index[name]; ok && name != l.Source {
			return at
		}
	}
	return -1
}

// contents gives for each manifest the links to the nodes that it holds: those
// in the folders that it lists, and those that lie where plugins keep them.
// What it names one by one is linked already.
func (s *scanner) contents() map[string][]int {
	out := map[string][]int{}
	if len(s.early) == 0 || s.learner.silent || s.learner.off[manifestLinks] {
		return out
	}
	byRoot := map[string][]int{}
	homes := map[string]bool{} // roots that have a manifest of their own
	for i := range s.graph.Nodes {
		n := &s.graph.Nodes[i]
		switch n.Kind {
		case "skill", "agent", "command":
			if root, ok := s.graph.places.pluginOf(path.Dir(n.Path)); ok && !n.Virtual {
				byRoot[root] = append(byRoot[root], i)
			}
		case provider.PluginKind:
			homes[provider.ManifestRoot(n.Path)] = true
		}
	}
	for i, f := range s.said {
		at := s.next.entries[i].path
		switch s.next.entries[i].kind {
		case provider.PluginKind:
			out[at] = s.held(provider.ManifestRoot(at), f.parts, byRoot)
		case provider.MarketplaceKind:
			for _, part := range f.parts {
				if part.Field == "plugins" && !homes[part.Path] {
					out[at] = append(out[at], s.held(part.Path, f.parts, byRoot)...)
				}
			}
		}
	}
	return out
}

// held lists the nodes of the plugin at a root.
func (s *scanner) held(root string, listed []provider.Part, byRoot map[string][]int) []int {
	var out []int
	for _, i := range byRoot[root] {
		n := &s.graph.Nodes[i]
		top, rest, deep := strings.Cut(within(root, n.Path), "/")
		if deep && rest != "" && conventions[top] == n.Kind || n.Kind == "skill" && !deep && root != "." || isListedIn(n, listed) {
			out = append(out, i)
		}
	}
	return out
}

func isListedIn(n *skillmap.Node, listed []provider.Part) bool {
	for _, part := range listed {
		if conventions[part.Field] == n.Kind && strings.HasPrefix(n.Path, part.Path+"/") {
			return true
		}
	}
	return false
}

// within is a path seen from a folder that it lies in.
func within(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// contain writes the links to what the manifest of a node holds, but for what
// it has links to already, from the given index on.
func (s *scanner) contain(source string, held []int, from int) {
	g := s.graph
	seen := map[int]bool{}
	for _, at := range g.Leads[from:] {
		seen[at] = true
	}
	for _, at := range held {
		if seen[at] {
			continue
		}
		seen[at] = true
		to := g.Nodes[at].Path
		g.Links = append(g.Links, skillmap.Link{
			Source: source, Target: to, Kind: skillmap.References, Confidence: 1, Sources: []string{manifestLinks},
			Trigger: &skillmap.Trigger{OriginalTrigger: to, NormalizedTrigger: to}, ResolvedTarget: to,
		})
		g.Leads = append(g.Leads, at)
		g.Settings = append(g.Settings, extract.Setting{})
	}
}
