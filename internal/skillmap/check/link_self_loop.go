package check

import (
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

// linkSelfLoop notes links that lead back to their own file. They are no worse
// than a note: most are the heading of a command, or this file among its
// neighbours in a list. A file may show in code how it is called.
func linkSelfLoop(r *run) {
	for i := range r.g.Links {
		l := &r.g.Links[i]
		if l.Source != l.Target && l.Source != l.ResolvedTarget || shown(l) {
			continue
		}
		r.raise(skillmap.Issue{
			Severity: skillmap.Info, NodeIDs: []string{l.Source},
			Message: message(l.Target, linesOf(l), "the %s leads back to the file it stands in; following it goes nowhere", noun(l.Kind)),
			Fix:     fix("Remove it, or name what was meant."),
			Data:    map[string]any{"target": l.Target, "resolvedTarget": l.End(), "kind": string(l.Kind)},
		})
	}
}

// shown reports whether a link occurs in code regions alone.
func shown(l *skillmap.Link) bool {
	for i := range l.Occurrences {
		if c := l.Occurrences[i].Context; c != extract.CodeBlock && c != extract.InlineCode {
			return false
		}
	}
	return len(l.Occurrences) > 0
}
