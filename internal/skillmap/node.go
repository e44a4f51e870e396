package skillmap

// Node is one thing on the map: a skill, an agent, a command, a Markdown
// file, or a virtual thing that files speak of, such as an MCP server.
type Node struct {
	// Path is the identity: relative to its scan root, "/"-separated, without
	// a leading "/". A virtual node has a URI instead, such as "mcp://github".
	Path     string `json:"path"`
	Kind     string `json:"kind"`
	Provider string `json:"provider"`
	// BodyHash and FrontmatterHash are 64 lower-case hex digits of SHA-256.
	// Both are zeros on a virtual node.
	BodyHash          string         `json:"bodyHash"`
	FrontmatterHash   string         `json:"frontmatterHash"`
	Bytes             Parts          `json:"bytes"`
	LinksOutCount     int            `json:"linksOutCount"`
	LinksInCount      int            `json:"linksInCount"`
	ExternalRefsCount int            `json:"externalRefsCount"`
	Frontmatter       map[string]any `json:"frontmatter"` // never nil once scanned
	Tokens            *Parts         `json:"tokens,omitempty"`
	ModifiedAtMs      *int64         `json:"modifiedAtMs,omitempty"` // unix milliseconds
	ExternalRefs      []ExternalRef  `json:"externalRefs,omitempty"`
	Sidecar           Sidecar        `json:"sidecar"`
	Virtual           bool           `json:"virtual,omitempty"`
	DerivedFrom       []string       `json:"derivedFrom,omitempty"` // paths that speak of a virtual node
	// Body is the text after the frontmatter, read on demand: absent unless
	// asked for, null when the file cannot be read.
	Body *Text `json:"body,omitempty"`
}

// Text is a string that may be null in JSON.
type Text struct {
	String string
	Null   bool
}

// Parts measures a file: the text between the fences, the body, and both.
type Parts struct {
	Frontmatter int `json:"frontmatter"`
	Body        int `json:"body"`
	Total       int `json:"total"`
}

// ExternalRef is a URL that a node's body names.
type ExternalRef struct {
	URL             string `json:"url"`
	Line            int    `json:"line,omitempty"`
	OriginalTrigger string `json:"originalTrigger,omitempty"`
}

// Sidecar is what stands in the .sm file beside a node. Present is false when
// there is none; the other fields are then nil. Status is nil when the file
// does not parse.
type Sidecar struct {
	Present     bool           `json:"present"`
	Status      *string        `json:"status"`
	Annotations map[string]any `json:"annotations"`
	Root        map[string]any `json:"root"`
}

// Drift states of a sidecar: which of the two hashes it was written for still hold.
const (
	Fresh            = "fresh"
	StaleBody        = "stale-body"
	StaleFrontmatter = "stale-frontmatter"
	StaleBoth        = "stale-both"
)

// ZeroHash stands for both hashes of a virtual node.
const ZeroHash = "0000000000000000000000000000000000000000000000000000000000000000"

// Title is the name the author gave, empty when there is none.
func (n *Node) Title() string { return n.word("name") }

// Description is the author's description, empty when there is none.
func (n *Node) Description() string { return n.word("description") }

func (n *Node) word(key string) string {
	s, _ := n.Frontmatter[key].(string)
	return s
}
