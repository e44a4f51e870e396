// Package provider knows the six agent hosts whose files the map reads: where
// each keeps its agents, skills and commands, what their metadata must hold,
// how names resolve, and which MCP servers a project declares.
//
// It walks no directory and keeps no state: a Provider is data, and all its
// methods may be called from many goroutines at once.
package provider

import (
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// Provider is one agent host, or the base "markdown" that takes what no host
// claims.
type Provider struct {
	ID       string
	Label    string
	Look     Look
	HideChip bool
	Sigil    string // of an invocation, "/" or "$"; empty when it has none
	Base     bool   // takes part in every scan and is never a lens
	Fallback bool   // a lens only where no other marker is found
	Beta     bool
	Markers  []string // paths whose existence speaks for this provider
	Subsumes []string // providers that are no candidates beside this one
	Reads    []Read
	Kinds    []*Kind
	Config   string // the file that declares the project's MCP servers; empty for none
	// Register says how to tell the host of this program's MCP endpoint; nil
	// when there is no known way.
	Register *Register
	Scaffold Scaffold
	// SkillFolders are those in which the host looks for skills of a project.
	SkillFolders []string

	classify func(path string) string // of a lower-case path that begins with "."
	resolves map[skillmap.LinkKind][]string
}

// Read says which files a provider reads. A provider makes one pass for each.
type Read struct {
	Suffix    string // case-sensitive, such as ".md"
	Parser    Parser
	BodyField string // the key whose string value is the body; empty for the text itself
	Else      string // the key that is when the first is absent
}

// Parser names how a file is taken apart.
type Parser string

const (
	YAML Parser = "frontmatter-yaml"
	TOML Parser = "toml"
	JSON Parser = "json" // of a manifest: see ReadManifest
)

// Kind is a kind of node under one provider.
type Kind struct {
	Name        string
	Label       string
	Look        Look
	Identifiers []Source // what the node can be called by, the declared name first
	// Mismatch is the severity of a declared name that differs from the
	// derived one; empty where nobody asks.
	Mismatch skillmap.Severity
	Reserved []string // names the host keeps for itself

	reserved map[string]bool // the same in normal form
	schema   *schema
	strict   bool // the host refuses a file with a key it does not know
}

// Unknown lists, in order of the alphabet, the keys for which the host
// refuses the whole file; none for a host that reads over them.
func (k *Kind) Unknown(frontmatter map[string]any) []string {
	if !k.strict {
		return nil
	}
	return slices.DeleteFunc(sorted(frontmatter), k.schema.knows)
}

// Scaffold says where a skill is put for the host to find.
type Scaffold struct {
	SkillDir   string
	Marker     string // also made, so that the host is detected
	SharedWith string // the provider whose folder it is
}

var all = []*Provider{claude(), antigravity(), codex(), opencode(), agentSkills(), markdown()}

func init() {
	for _, p := range all {
		for _, k := range p.Kinds {
			k.reserved = make(map[string]bool, len(k.Reserved))
			for _, name := range k.Reserved {
				k.reserved[skillmap.Normalize(name)] = true
			}
		}
	}
}

// All returns the providers in registration order, the base last. The slice
// and what it points to are shared: do not change them.
func All() []*Provider { return all }

// ByID returns the provider, nil when there is none of that name.
func ByID(id string) *Provider {
	for _, p := range all {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// IDs lists the ids of All.
func IDs() []string {
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	return ids
}

// Lenses lists the ids of the providers that can be a lens.
func Lenses() []string {
	var ids []string
	for _, p := range all {
		if !p.Base {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Kind returns the provider's kind of that name, nil when it has none.
func (p *Provider) Kind(name string) *Kind {
	for _, k := range p.Kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Classify says which kind of node the file at a root-relative path is. It is
// false when the provider leaves the file to others.
func (p *Provider) Classify(path string) (kind string, ok bool) {
	if p.Base {
		switch {
		case strings.HasSuffix(path, ".json"):
			kind = ManifestKind(path)
			return kind, kind != ""
		case strings.HasSuffix(path, ".toml"):
			kind = tomlKind(path)
			return kind, kind != ""
		}
		return "markdown", true
	}
	if !strings.HasPrefix(path, ".") { // every host keeps its files in a hidden folder
		return "", false
	}
	kind = p.classify(strings.ToLower(path))
	return kind, kind != ""
}

// tomlKind is what a TOML file would be if its folder is one of a host or of
// a plugin; empty for a file that is none in any. Agents of the project itself
// are for Codex to claim.
func tomlKind(path string) string {
	path = "/" + strings.ToLower(path)
	for _, dir := range []string{"/agents/", "/agent/"} {
		if strings.Contains(path, dir) && !strings.HasPrefix(path, "/.codex/agents/") {
			return "agent"
		}
	}
	for _, dir := range []string{"/commands/", "/command/"} {
		if strings.Contains(path, dir) {
			return "command"
		}
	}
	return ""
}

// Resolution lists the kinds of node that a link of the kind may lead to by
// name, best first; none when such links resolve by path only.
func (p *Provider) Resolution(kind skillmap.LinkKind) []string { return p.resolves[kind] }

// skillAt reports whether path is dir/<one folder>/skill.md.
func skillAt(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir+"/")
	if !ok {
		return false
	}
	name, file, ok := strings.Cut(rest, "/")
	return ok && name != "" && file == "skill.md"
}

// fileAt reports whether path is dir/<one file>.md.
func fileAt(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir+"/")
	return ok && strings.HasSuffix(rest, ".md") && !strings.Contains(rest, "/")
}

// below reports whether path is a file with the suffix anywhere below dir.
func below(path, dir, suffix string) bool {
	return strings.HasPrefix(path, dir+"/") && strings.HasSuffix(path, suffix)
}

// openSkill is a skill where the open standard keeps it.
func openSkill(path string) bool { return skillAt(path, ".agents/skills") }
