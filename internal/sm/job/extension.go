package job

import (
	"regexp"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

// Role is how an extension is used.
type Role string

const (
	Finder     Role = "finder"     // judges a file; its report is findings
	Fixer      Role = "fixer"      // mends what an analyzer reported
	Standalone Role = "standalone" // anything else done on one file
)

// Extension is a kind of work that an agent can be asked for.
type Extension struct {
	ID              string // qualified: plugin/name
	Version         string
	Kind            Kind
	Description     string
	Precondition    Precondition
	AnalyzerIDs     []string // of a fixer: the analyzers whose reports it mends, qualified
	ExpectedSeconds int      // advisory
	DefaultPriority int
	Nodeless        bool // works on no file
	Locked          bool // the host's own; never listed
	Stability       string
	Default         bool   // enabled unless somebody says otherwise
	Prompt          string // the template, with {{userContent}}
	ReportSchema    []byte // JSON Schema of the report
}

// Precondition says which files an extension is for. All parts that are set
// must hold.
type Precondition struct {
	Providers          []string `json:"provider,omitempty"`
	Kinds              []string `json:"kind,omitempty"` // provider/kind, or a bare kind
	FrontmatterMissing []string `json:"frontmatterMissing,omitempty"`
}

// Admits reports whether a node is one the extension is for.
func (p Precondition) Admits(n *skillmap.Node) bool {
	if n.Virtual {
		return false
	}
	if len(p.Providers) > 0 && !slices.Contains(p.Providers, n.Provider) {
		return false
	}
	if len(p.Kinds) > 0 && !slices.Contains(p.Kinds, n.Kind) && !slices.Contains(p.Kinds, n.Provider+"/"+n.Kind) {
		return false
	}
	if len(p.FrontmatterMissing) == 0 {
		return true
	}
	return slices.ContainsFunc(p.FrontmatterMissing, func(key string) bool {
		s, isText := n.Frontmatter[key].(string)
		return n.Frontmatter[key] == nil || isText && strings.TrimSpace(s) == ""
	})
}

// Role of the extension.
func (e *Extension) Role() Role {
	switch {
	case e.Kind == Analyzer:
		return Finder
	case len(e.AnalyzerIDs) > 0:
		return Fixer
	}
	return Standalone
}

// Fixes reports whether the extension mends what the analyzer reports.
func (e *Extension) Fixes(analyzer string) bool {
	return e.Role() == Fixer && skillmap.MatchAnalyzer(analyzer, e.AnalyzerIDs...)
}

// Placeholder stands in a template where the parts of a job are put.
const Placeholder = "{{userContent}}"

var openTag = regexp.MustCompile(`(?i)<user-content`)

// CheckTemplate refuses a template that has no placeholder, or that writes
// the tag whose meaning is the renderer's.
func CheckTemplate(template string) error {
	if !strings.Contains(template, Placeholder) {
		return fault.New(fault.Invalid, "the prompt has no %s; put it where the file is to be quoted", Placeholder)
	}
	if openTag.MatchString(template) {
		return fault.New(fault.Invalid, "the prompt must not write <user-content itself; %s is replaced by the whole block", Placeholder)
	}
	return nil
}
