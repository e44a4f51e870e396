package provider

import (
	"path"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// Source says where an identifier of a node comes from.
type Source string

const (
	Name     Source = "frontmatter.name"
	Basename Source = "filename-basename"
	Dirname  Source = "dirname"
	// Namespaced is "team:deploy" for .claude/commands/team/deploy.md; a
	// command that stands directly in its folder has none.
	Namespaced Source = "namespaced-path"
)

// Identifier is one handle by which a node can be called.
type Identifier struct {
	Source     Source
	Text       string // as written
	Normalized string
}

// Identifiers lists the handles of a node in the order of its kind, without
// those that are empty in normal form.
func Identifiers(p *Provider, kind, path string, frontmatter map[string]any) []Identifier {
	k := p.Kind(kind)
	if k == nil {
		return nil
	}
	ids := make([]Identifier, 0, len(k.Identifiers))
	for _, source := range k.Identifiers {
		text := source.read(path, frontmatter)
		if text == "" {
			continue
		}
		if n := skillmap.Normalize(text); n != "" {
			ids = append(ids, Identifier{Source: source, Text: text, Normalized: n})
		}
	}
	return ids
}

func (s Source) read(file string, frontmatter map[string]any) string {
	switch s {
	case Name:
		name, _ := frontmatter["name"].(string)
		return name
	case Basename:
		return stem(file)
	case Dirname:
		if dir := path.Dir(file); dir != "." && dir != "/" {
			return path.Base(dir)
		}
	case Namespaced:
		return namespaced(file)
	}
	return ""
}

// stem is the name of a file without its last suffix.
func stem(file string) string {
	base := path.Base(file)
	if ext := path.Ext(base); ext != base {
		return strings.TrimSuffix(base, ext)
	}
	return base
}

const commands = ".claude/commands/"

// namespaced joins the folders below the commands and the name by colons.
func namespaced(file string) string {
	if len(file) <= len(commands) || !strings.EqualFold(file[:len(commands)], commands) {
		return ""
	}
	folders, _ := path.Split(file[len(commands):])
	if folders == "" {
		return ""
	}
	return strings.ReplaceAll(folders, "/", ":") + stem(file)
}

// Reserved returns the first identifier that the node's own host keeps for
// itself. A node in a namespace is called with it, so its bare name takes
// nothing from the host.
func Reserved(p *Provider, kind string, ids []Identifier) (Identifier, bool) {
	k := p.Kind(kind)
	if k == nil || len(k.reserved) == 0 || slices.ContainsFunc(ids, func(id Identifier) bool { return id.Source == Namespaced }) {
		return Identifier{}, false
	}
	for _, id := range ids {
		if k.reserved[id.Normalized] {
			return id, true
		}
	}
	return Identifier{}, false
}

// KeepsNormal is Keeps of a name in normal form.
func (k *Kind) KeepsNormal(name string) bool { return k.reserved[name] }

// Keeps reports whether the host keeps a name for itself among nodes of the
// kind.
func (k *Kind) Keeps(name string) bool { return k.reserved[skillmap.Normalize(name)] }
