package skillmap

import "strings"

// Severity orders issues.
type Severity string

const (
	Error Severity = "error"
	Warn  Severity = "warn"
	Info  Severity = "info"
)

// Rank is 3 for error, 2 for warn, 1 for info, 0 for anything else.
func (s Severity) Rank() int {
	switch s {
	case Error:
		return 3
	case Warn:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Issue is one judgement of a deterministic rule.
type Issue struct {
	AnalyzerID  string   `json:"analyzerId"` // short id, without its plugin
	Severity    Severity `json:"severity"`
	NodeIDs     []string `json:"nodeIds"` // at least one
	LinkIndices []int    `json:"linkIndices,omitempty"`
	// Message may open with a subject in backticks and a colon on a line of
	// its own, then "L" and line numbers, then one sentence.
	Message string         `json:"message"`
	Detail  *string        `json:"detail,omitempty"`
	Fix     *Fix           `json:"fix,omitempty"`
	Data    map[string]any `json:"data,omitempty"`
}

// Fix says how an issue is mended.
type Fix struct {
	Summary     string `json:"summary"`
	Autofixable *bool  `json:"autofixable,omitempty"`
}

// Target is the flagged token that a suppression names, empty for an issue
// that cannot be suppressed by value.
func (i *Issue) Target() string {
	s, _ := i.Data["target"].(string)
	return s
}

// Touches reports whether the issue names the node.
func (i *Issue) Touches(path string) bool {
	for _, id := range i.NodeIDs {
		if id == path {
			return true
		}
	}
	return false
}

// ShortID is the part of a qualified id after its first "/", or the id.
func ShortID(id string) string {
	if _, short, ok := strings.Cut(id, "/"); ok {
		return short
	}
	return id
}

// MatchExtension reports whether a stored, qualified extension id is meant by
// one of the filters, each qualified or bare.
func MatchExtension(stored string, filters ...string) bool {
	for _, f := range filters {
		if stored == f || ShortID(stored) == f {
			return true
		}
	}
	return false
}

// MatchAnalyzer reports whether a stored analyzer id, short or qualified, is
// meant by one of the filters, each short or qualified. A ":part" suffix of a
// filter is not compared.
func MatchAnalyzer(stored string, filters ...string) bool {
	for _, f := range filters {
		f, _, _ = strings.Cut(f, ":")
		switch {
		case stored == f:
			return true
		case !strings.Contains(stored, "/"):
			if stored == ShortID(f) {
				return true
			}
		case !strings.Contains(f, "/"):
			if ShortID(stored) == f {
				return true
			}
		}
	}
	return false
}
