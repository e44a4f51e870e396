package frontmatter

import "fmt"

// SyntaxError says where and why a block does not parse.
type SyntaxError struct {
	// Line and Column count from 1 inside the parsed text; Column counts
	// characters.
	Line, Column int
	// Reason is one clause without a full stop.
	Reason string
	// ColonHint is true when the line looks like "key: unquoted text: more",
	// so that quoting the value would mend it.
	ColonHint bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}
