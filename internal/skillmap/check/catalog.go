package check

// Analyzer describes one rule.
type Analyzer struct {
	ID          string // qualified, such as "core/name-collision"
	Phase       Phase
	Description string // one sentence
}

// Phase orders rules: scoring ones first, counting ones last.
type Phase string

const (
	Score     Phase = "score"
	Detect    Phase = "detect"
	Aggregate Phase = "aggregate"
)
