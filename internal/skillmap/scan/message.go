package scan

import (
	"fmt"

	"skillforge/internal/skillmap"
)

// unbalanced is the issue of a backtick or fence that nothing closes. A backtick
// is a note unless all is strict: rows of them in prose, and code that ends in a
// backslash, count as open here and are whole to every reader.
func unbalanced(kind string, line int, detail string, strict bool) skillmap.Issue {
	severity := grade(strict)
	if kind != "fence" && !strict {
		severity = skillmap.Info
	}
	text := fmt.Sprintf("L%d: a backtick opens a code span that nothing closes; what follows may be read as code", line)
	if kind == "fence" {
		text = fmt.Sprintf("L%d: a code fence opens here and nothing closes it; the rest of the file is read as code", line)
	}
	return skillmap.Issue{
		AnalyzerID: "backtick-unbalanced", Severity: severity, Message: text, Detail: &detail,
		Data: map[string]any{"kind": kind, "line": float64(line)},
	}
}

func grade(strict bool) skillmap.Severity {
	if strict {
		return skillmap.Error
	}
	return skillmap.Warn
}

// unread is the issue of a file that is there and cannot be read.
func unread(path string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: "file-unreadable", Severity: skillmap.Warn, NodeIDs: []string{path},
		Message: "The file cannot be read; its content is not on the map, and links to it still lead here",
	}
}

// badSidecar is the issue of a sidecar that does not parse or is not one.
func badSidecar(path, beside, reason string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: "invalid-sidecar", Severity: skillmap.Error, NodeIDs: []string{path},
		Message: fmt.Sprintf("`%s`:\nthe sidecar is left out; %s", beside, reason),
		Data:    map[string]any{"sidecarPath": beside},
	}
}
