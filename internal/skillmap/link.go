package skillmap

// LinkKind says how one node speaks of another.
type LinkKind string

const (
	Invokes    LinkKind = "invokes"    // runs it: /command, $skill
	References LinkKind = "references" // points a reader or an import at it
	Mentions   LinkKind = "mentions"   // names it: @agent
	Points     LinkKind = "points"     // a path in a code region
)

// Link is a directed edge from the file that was read to what it names.
type Link struct {
	Source string `json:"source"`
	// Target is the normalised path for path-style links, the token as
	// written, sigil included, for trigger-style ones.
	Target     string   `json:"target"`
	Kind       LinkKind `json:"kind"`
	Confidence float64  `json:"confidence"` // 0..1, after scoring
	// Sources are the short ids of the extractors that saw it, first seen first.
	Sources     []string     `json:"sources"`
	Trigger     *Trigger     `json:"trigger,omitempty"`
	Location    *Location    `json:"location,omitempty"`
	Raw         *string      `json:"raw,omitempty"`
	Occurrences []Occurrence `json:"occurrences,omitempty"`
	// ResolvedTarget is the path of the node the link leads to; empty when it
	// leads to none.
	ResolvedTarget string `json:"resolvedTarget,omitempty"`
}

// Trigger is the token that made a link, as written and in normal form.
type Trigger struct {
	OriginalTrigger   string `json:"originalTrigger"`
	NormalizedTrigger string `json:"normalizedTrigger"`
}

// Location is a place in a file. Line counts from 1 in the whole file, Offset
// counts UTF-16 code units from the start of the body.
type Location struct {
	Line   int  `json:"line"`
	Column *int `json:"column,omitempty"`
	Offset *int `json:"offset,omitempty"`
}

// Occurrence is one sighting of a link.
type Occurrence struct {
	Extractor       string    `json:"extractor"`
	OriginalTrigger string    `json:"originalTrigger"`
	Location        *Location `json:"location"`
	// Context is "code-block", "inline-code" or "escaped"; empty in prose.
	Context string `json:"context,omitempty"`
}

// End is where the link leads: the node it resolved to, else its raw target.
func (l *Link) End() string {
	if l.ResolvedTarget != "" {
		return l.ResolvedTarget
	}
	return l.Target
}

// Normalized is the trigger in normal form, empty when the link has none.
func (l *Link) Normalized() string {
	if l.Trigger == nil {
		return ""
	}
	return l.Trigger.NormalizedTrigger
}
