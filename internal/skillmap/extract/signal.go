package extract

import (
	"skillforge/internal/skillmap"
)

// Contexts of a signal found in a code region.
const (
	CodeBlock  = "code-block"
	InlineCode = "inline-code"
)

// Signal is one token in one file that names something else.
//
// Its strings may share memory with the body they were read from.
type Signal struct {
	Extractor  string // short id, such as "markdown-link"
	Kind       skillmap.LinkKind
	Target     string
	Confidence float64 // of the extractor; it only decides overlaps
	Original   string  // the token as written
	Normalized string  // its normal form, or the resolved path
	Raw        string  // all that was matched, masked text as spaces
	Context    string  // CodeBlock, InlineCode, or empty in prose
	Range      Range
	FieldPath  []string // where in the frontmatter; empty for the body
}

// Range is a stretch of a body. The zero Range means no place in the body.
type Range struct {
	Start, End int // in UTF-16 code units of the body
	Line       int // of Start, from 1, in the whole file
	From, To   int // the same stretch in bytes of the body
}

// InBody reports whether the signal has a place in the body.
func (s *Signal) InBody() bool { return s.Range.Line > 0 }

// Valid reports whether the signal can become a link: it has an extractor, a
// target, a known kind and a confidence within [0, 1].
func (s *Signal) Valid() bool {
	switch s.Kind {
	case skillmap.Invokes, skillmap.References, skillmap.Mentions, skillmap.Points:
	default:
		return false
	}
	return s.Extractor != "" && s.Target != "" && s.Confidence >= 0 && s.Confidence <= 1
}
