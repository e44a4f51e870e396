package scan

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

// Reading is one way to read what a link says: the place it starts from, and
// the path that this gives.
type Reading struct {
	From string // "file", "root", "skill", "plugin", "package", "heading", "ancestor" or "decoded"
	Base string // the folder it starts from, "." for the root
	Path string
}

// Readings lists the ways to read a link that speaks of a file, best first:
// from its own folder, from the root, then from the skill, the plugin and the
// package it lies in and from the folder that its heading names. Those that
// lead out of the root are left out.
func (g *Graph) Readings(i int) []Reading {
	l := &g.Links[i]
	if !pathStyle(l) || l.Trigger == nil {
		return nil
	}
	out := []Reading{{"file", path.Dir(l.Source), l.Target}}
	if isManifestLink(l) {
		return out
	}
	if p := fallback(l); p != "" {
		out = append(out, Reading{"root", ".", p})
	}
	var set extract.Setting
	if i < len(g.Settings) {
		set = g.Settings[i]
	}
	return append(out, g.elsewhere(l, set)...)
}

// token is what a link says as a path, without its sign, its fragment and its
// query; empty when it begins at the root.
func token(l *skillmap.Link) string {
	t := strings.TrimPrefix(l.Trigger.OriginalTrigger, "@")
	t, _, _ = strings.Cut(t, "#")
	t, _, _ = strings.Cut(t, "?")
	if strings.HasPrefix(t, "/") {
		return ""
	}
	return t
}

// elsewhere lists the readings beside the two that every host agrees on.
func (g *Graph) elsewhere(l *skillmap.Link, set extract.Setting) []Reading {
	var out []Reading
	t := token(l)
	if t == "" {
		return nil
	}
	dir := path.Dir(l.Source)
	skill := g.places.skillOf(dir)
	add := func(from, base string) {
		if skill != "" && base != skill && !strings.HasPrefix(base, skill+"/") {
			return // hosts read a skill from its own folder alone
		}
		if name := path.Join(base, t); name != "." && !strings.HasPrefix(name, "../") && name != l.Target {
			out = append(out, Reading{from, base, name})
		}
	}
	if skill != "" && skill != dir {
		add("skill", skill)
	}
	if set.Base != "" && !set.Around.Has(extract.Explicit) {
		add("heading", path.Join(dir, set.Base))
		add("heading", path.Clean(set.Base))
	}
	if root, ok := g.places.pluginOf(dir); ok && root != "." {
		add("plugin", root)
	}
	if root, ok := g.places.packageOf(dir); ok {
		add("package", root)
	}
	if strings.Contains(t, "/") && !strings.Contains(t, "..") {
		for up := path.Dir(dir); up != "." && up != "/"; up = path.Dir(up) {
			add("ancestor", up)
		}
	}
	return out
}

// decoded is a target with its percent signs read, empty when that changes
// nothing or makes no sense.
func decoded(target string) string {
	if !strings.Contains(target, "%") {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(target); i++ {
		if target[i] != '%' || i+2 >= len(target) {
			b.WriteByte(target[i])
			continue
		}
		hi, lo := hexDigit(target[i+1]), hexDigit(target[i+2])
		if hi < 0 || lo < 0 {
			return ""
		}
		b.WriteByte(byte(hi<<4 | lo))
		i += 2
	}
	if out := b.String(); out != target {
		return out
	}
	return ""
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// otherLead finds the node of a link by its other readings. Links of Markdown
// are read as a browser does, from their file alone.
func (s *scanner) otherLead(l *skillmap.Link, set extract.Setting) (int, Reading) {
	if !pathStyle(l) || l.Trigger == nil || isManifestLink(l) {
		return -1, Reading{}
	}
	if d := decoded(l.Target); d != "" {
		if at, ok := s.graph.index[d]; ok {
			return int(at), Reading{"decoded", path.Dir(l.Source), d}
		}
	}
	if real, ok := s.graph.realTarget(l); ok {
		if at, ok := s.graph.index[real]; ok {
			return int(at), Reading{"file", path.Dir(s.graph.reals[l.Source]), real}
		}
	}
	if l.Kind == skillmap.References && !strings.HasPrefix(l.Trigger.OriginalTrigger, "@") {
		return -1, Reading{}
	}
	for _, r := range s.graph.elsewhere(l, set) {
		if at, ok := s.graph.index[r.Path]; ok {
			return int(at), r
		}
	}
	return -1, Reading{}
}

// realTarget is the target of a link in a file that is on the map under the
// path of a symbolic link, seen from where the file stands.
func (g *Graph) realTarget(l *skillmap.Link) (string, bool) {
	real, ok := g.reals[l.Source]
	if !ok || token(l) == "" {
		return "", false
	}
	return path.Join(path.Dir(real), token(l)), true
}
