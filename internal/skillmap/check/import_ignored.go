package check

import (
	"path"
	"strings"

	"skillforge/internal/skillmap"
)

// importIgnored reports imports in instructions of Claude that a sign follows
// without a blank: some versions take it for a part of the name, find no such
// file and say nothing.
func importIgnored(r *run) {
	for _, i := range r.g.Signed {
		l := &r.g.Links[i]
		if r.g.Leads[i] < 0 || !importsFiles(l.Source) {
			continue
		}
		r.raise(skillmap.Issue{
			Severity: skillmap.Warn, NodeIDs: []string{l.Source}, LinkIndices: []int{i},
			Message: message(l.Target, linesOf(l), "a sign stands right behind the import; some versions of Claude take it for a part of the name and import nothing"),
			Fix:     fix("Put a blank or a new line behind `%s`.", l.Trigger.OriginalTrigger),
			Data:    map[string]any{"target": l.Target},
		})
	}
}

// importsFiles reports whether Claude reads a file as instructions, in which
// "@" imports others.
func importsFiles(name string) bool {
	switch strings.ToLower(path.Base(name)) {
	case "claude.md", "claude.local.md":
		return true
	}
	return false
}
