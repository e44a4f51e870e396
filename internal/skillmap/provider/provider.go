// Package provider knows the six agent hosts whose files the map reads: where
// each keeps its agents, skills and commands, what their metadata must hold,
// how names resolve, and which MCP servers a project declares.
//
// It reads no directory by itself and keeps no state: a Provider is data.
package provider

import (
	"io/fs"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

// Provider is one agent host, or the always present base "markdown".
type Provider struct {
	ID       string
	Label    string
	Look     Look
	HideChip bool
	Sigil    string // of an invocation, "/" or "$"; empty when it has none
	Base     bool   // takes part in every scan and is never a lens
	Fallback bool   // a lens only when no vendor's marker is found
	Beta     bool
	Markers  []string // paths whose existence speaks for this provider
	Subsumes []string // providers that are no candidates beside this one
	Reads    []Read
	Kinds    []*Kind
	Config   string // file with the MCP servers of the project, relative to it
	// Register says how to add this program's MCP endpoint; nil when unknown.
	Register *Register

	classify func(path string) string
	resolves map[skillmap.LinkKind][]string
}

// Read says which files a provider reads, one pass each.
type Read struct {
	Suffix    string // case-sensitive, such as ".md"
	Parser    Parser
	BodyField string // a key whose string value is the body
}

// Parser names how a file is taken apart.
type Parser string

const (
	YAML Parser = "frontmatter-yaml"
	TOML Parser = "toml"
)

// Look is how a thing is drawn.
type Look struct {
	Color     string `json:"color"`
	ColorDark string `json:"colorDark,omitempty"`
	Icon      *Icon  `json:"icon,omitempty"`
}

// Icon is a named glyph ("pi", ID) or a drawn path ("svg", Path).
type Icon struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Path string `json:"path,omitempty"`
}

// Register is a shell command or a JSON document that tells a host about an
// MCP endpoint; "{{url}}" stands for its address.
type Register struct {
	Command  string
	Target   string // of the document
	Document map[string]any
}

// Source says where an identifier of a node comes from.
type Source string

const (
	Name     Source = "frontmatter.name"
	Basename Source = "filename-basename"
	Dirname  Source = "dirname"
	// Namespaced is "team:deploy" for .claude/commands/team/deploy.md.
	Namespaced Source = "namespaced-path"
)

// Kind is a kind of node under one provider.
type Kind struct {
	Name        string
	Label       string
	Look        Look
	Identifiers []Source
	// Mismatch is the severity of a declared name that differs from the
	// derived one; empty when nobody asks.
	Mismatch skillmap.Severity
	Reserved []string

	schema *schema
}

type schema struct{}

// Identifier is one handle by which a node can be called.
type Identifier struct {
	Source     Source
	Text       string // as written
	Normalized string
}

// All returns the providers in registration order, the base last. The slice
// and what it points to are shared: do not change them.
func All() []*Provider { return nil }

// ByID returns the provider, nil when there is none of that name.
func ByID(id string) *Provider { return nil }

// IDs lists the ids of All.
func IDs() []string { return nil }

// Kind returns the provider's kind of that name, nil when it has none.
func (p *Provider) Kind(name string) *Kind { return nil }

// Classify says which kind of node the file at a root-relative path is. It is
// false when the provider leaves the file to others.
func (p *Provider) Classify(path string) (kind string, ok bool) { return "", false }

// Resolution lists the kinds of node that a link of the kind may lead to by
// name, best first; none when such links resolve by path only.
func (p *Provider) Resolution(kind skillmap.LinkKind) []string { return nil }

// Detect lists the lenses that a project's files speak for, in registration
// order: none, one, or several when only the user can say.
func Detect(exists func(path string) bool) []string { return nil }

// Markers lists the markers of the providers whose files exist, in
// registration order, before any is set aside.
func Markers(exists func(path string) bool) []string { return nil }

// Identifiers lists the handles of a node in the order of its kind, without
// empty ones.
func Identifiers(p *Provider, kind, path string, frontmatter map[string]any) []Identifier { return nil }

// Reserved returns the identifier that its own host keeps for itself.
func Reserved(p *Provider, kind string, ids []Identifier) (Identifier, bool) {
	return Identifier{}, false
}

// Diagnose judges the head of one file: at most one issue about its shape or
// content, without NodeIDs. The finding about unbalanced backticks comes after it.
func Diagnose(p *Provider, kind string, block frontmatter.Block, parsed map[string]any, parseErr error, strict bool) []skillmap.Issue {
	return nil
}

// MCPServers reads the MCP servers that the project declares for the
// provider, in file order, as virtual nodes. Secrets are left out. A missing
// or broken file declares none.
func MCPServers(p *Provider, project fs.FS) []skillmap.Node { return nil }
