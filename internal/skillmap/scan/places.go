package scan

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// places are the folders of a tree that give what is in them a meaning. Paths
// are root-relative, "." for the root.
type places struct {
	skills   map[string]bool   // that hold a SKILL.md
	plugins  map[string]string // roots of plugins, with the name of each
	packages map[string]bool   // that hold the manifest of a package
	folders  map[string]bool   // that hold a node, directly or not
	listed   map[string]string // files and folders to which a manifest gives a kind
	offered  map[string]string // folders that a marketplace lists, with the name of each
	lens     string
}

// manifests tell by their name what a folder is: the root of a plugin or of a
// package.
var manifests = map[string]bool{
	"plugin.json": true, "marketplace.json": true, "gemini-extension.json": true,
	"package.json": true, "pyproject.toml": true, "go.mod": true, "Cargo.toml": true,
}

// manifest is such a file.
type manifest struct {
	root int
	path string
}

// pluginFolders are what hosts call the folder in which a plugin keeps its
// manifest.
func isPluginFolder(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, "-plugin") || name == ".plugin"
}

// findPlaces reads the tree of what was found: skills from the files, plugins
// and packages from their manifests.
func (s *scanner) findPlaces(f *forest) *places {
	p := &places{skills: map[string]bool{}, plugins: map[string]string{}, packages: map[string]bool{}, folders: map[string]bool{}, listed: map[string]string{}, offered: map[string]string{}, lens: s.lens.ID}
	for _, file := range f.files {
		if strings.EqualFold(path.Base(file.path), "skill.md") {
			p.skills[path.Dir(file.path)] = true
		}
		for dir := path.Dir(file.path); !p.folders[dir]; dir = path.Dir(dir) {
			p.folders[dir] = true
		}
	}
	for _, m := range f.manifests {
		s.place(p, m)
	}
	s.placeManifests(p, s.readManifests(f))
	return p
}

func (s *scanner) place(p *places, m manifest) {
	dir, base := path.Dir(m.path), path.Base(m.path)
	switch base {
	case "plugin.json", "gemini-extension.json":
		if isPluginFolder(path.Base(dir)) {
			dir = path.Dir(dir)
		}
		if name := s.pluginName(m); p.plugins[dir] == "" {
			p.plugins[dir] = name
		}
	case "marketplace.json":
		if !isPluginFolder(path.Base(dir)) {
			return
		}
		if _, ok := p.plugins[path.Dir(dir)]; !ok {
			p.plugins[path.Dir(dir)] = ""
		}
	default:
		p.packages[dir] = true
	}
}

// maxManifest is how much of a manifest is read.
const maxManifest = 1 << 20

// pluginName is the name that a manifest declares, the folder's when it
// declares none.
func (s *scanner) pluginName(m manifest) string {
	s.stop(s.trees[m.root], m.root, m.path, asFile)
	var says struct{ Name string }
	if data, err := s.trees[m.root].read(m.path, nil, maxManifest); err == nil && json.Unmarshal(data, &says) == nil && says.Name != "" {
		return says.Name
	}
	dir := path.Dir(m.path)
	if isPluginFolder(path.Base(dir)) {
		dir = path.Dir(dir)
	}
	if base := path.Base(dir); base != "." {
		return base
	}
	return ""
}

// hostFolders at the root are read by the rules of the lens alone.
var hostFolders = []string{".claude", ".agents", ".opencode"}

// ruled reports whether the lens decides about a path: it lies in the folder
// of a host that the contract knows.
func ruled(name string) bool {
	first, _, ok := strings.Cut(name, "/")
	return ok && slices.Contains(hostFolders, strings.ToLower(first))
}

// kindOf is the kind of a Markdown file that the lens left alone.
func (p *places) kindOf(name string) string {
	if ruled(name) && !(p.lens == "opencode" && strings.HasPrefix(name, ".opencode/")) { // which reads nested folders as well
		return plain
	}
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "skill.md":
		if p.isPart(path.Dir(name)) {
			return plain
		}
		return "skill"
	case strings.HasSuffix(base, ".agent.md"):
		return "agent"
	case strings.HasSuffix(base, ".prompt.md"):
		return "command"
	case strings.HasSuffix(base, ".instructions.md"):
		return "rule"
	}
	if kind := p.collected(name, base); kind != plain {
		return kind
	}
	if kind := p.listedKind(name, base); kind != "" {
		return kind
	}
	return plain
}

// plain is the kind of a document that is nothing more.
const plain = "markdown"

// isPart reports whether a folder with a SKILL.md belongs to a skill further
// up. A folder "skills" inside a skill begins a collection of its own.
func (p *places) isPart(dir string) bool {
	for at := dir; at != "."; {
		up := path.Dir(at)
		if strings.EqualFold(path.Base(up), "skills") {
			return false
		}
		if p.skills[up] {
			return up != "."
		}
		at = up
	}
	return false
}

// collections are folders whose files are of one kind, where they lie right
// in a plugin or in the folder of a host.
var collections = map[string]string{
	"agent": "agent", "agents": "agent", "command": "command", "commands": "command", "prompts": "command", "rules": "rule",
}

// noMembers are files that describe the folder they lie in.
var noMembers = map[string]bool{"readme.md": true, "index.md": true, "agents.md": true, "claude.md": true, "gemini.md": true, "contributing.md": true, "changelog.md": true}

// collected is the kind of a file in a folder of agents, commands or rules.
func (p *places) collected(name, base string) string {
	if noMembers[base] {
		return plain
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		kind := collections[strings.ToLower(path.Base(dir))]
		if kind == "" {
			continue
		}
		up := path.Dir(dir)
		if _, plugin := p.plugins[up]; plugin || isHostFolder(path.Base(up)) {
			if skill := p.skillOf(dir); skill != "" && !(plugin && skill == up) { // a plugin may be a skill itself
				return plain
			}
			return kind
		}
	}
	return plain
}

// isHostFolder reports whether a hidden folder is one in which an agent host
// keeps its files.
func isHostFolder(name string) bool {
	switch name {
	case ".", "..", ".git", ".vscode", ".idea", ".husky", ".devcontainer", ".circleci", ".storybook":
		return false
	}
	return strings.HasPrefix(name, ".")
}

// inSkill reports whether a folder lies in one that holds a SKILL.md, the root
// left aside.
func (p *places) inSkill(dir string) bool { return p.skillOf(dir) != "" }

// skillOf is the nearest folder at or above dir that holds a SKILL.md, empty
// for none. The root itself is no such folder.
func (p *places) skillOf(dir string) string {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if p.skills[dir] {
			return dir
		}
	}
	return ""
}

// pluginOf is the nearest root of a plugin at or above dir.
func (p *places) pluginOf(dir string) (root string, ok bool) {
	for {
		if _, ok := p.plugins[dir]; ok {
			return dir, true
		}
		if dir == "." || dir == "/" {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

func (p *places) packageOf(dir string) (root string, ok bool) {
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if p.packages[dir] {
			return dir, true
		}
	}
	return "", false
}

// qualified adds to the names of a node the one that its plugin gives it.
func (p *places) qualified(kind, name string, ids []provider.Identifier) []provider.Identifier {
	if kind == plain || len(ids) == 0 || ruled(name) {
		return ids
	}
	root, ok := p.pluginOf(path.Dir(name))
	if !ok || p.plugins[root] == "" {
		return ids
	}
	plugin := p.plugins[root]
	out := slices.Clone(ids)
	for _, id := range ids {
		text := plugin + ":" + id.Text
		norm := skillmap.Normalize(text)
		if !slices.ContainsFunc(out, func(o provider.Identifier) bool { return o.Normalized == norm }) {
			out = append(out, provider.Identifier{Source: provider.Namespaced, Text: text, Normalized: norm})
		}
	}
	return out
}

// scopeOf is the collection in which a name must be unlike the others. Nodes
// in the folders of the lens share one; elsewhere each folder of agents or
// skills is on its own, for no host loads two of them as one.
func (p *places) scopeOf(n *skillmap.Node) string {
	if n.Provider != "markdown" || n.Virtual {
		return ""
	}
	dir := path.Dir(n.Path)
	if n.Kind == "skill" {
		dir = path.Dir(dir)
	}
	return dir + "\x00" + n.Kind
}
