package extract

import "skillforge/internal/skillmap"

// Input is one file, parsed.
type Input struct {
	Path     string // of the node, relative to its root
	Provider string // the node's own provider
	Kind     string
	Lens     string // id of the active lens; it chooses the extractors
	// Frontmatter as frontmatter.ParseYAML gives it.
	Frontmatter map[string]any
	Body        string
	BodyLine    int // newlines before the body
	// IgnoredDomains are hosts whose URLs are not counted.
	IgnoredDomains []string
}

// Output is what one file says.
type Output struct {
	Signals []Signal
	Virtual []skillmap.Node // MCP servers that the frontmatter names
}

// Run asks every extractor of the lens, in registry order. It keeps no state
// and may be called from many goroutines.
func Run(in Input) Output { return Output{} }
