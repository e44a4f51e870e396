package check

import (
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

var whyLost = map[string]string{
	extract.HigherConfidence:   "the other reading is more certain",
	extract.LongerRange:        "the other reading takes in more of the text",
	extract.EarlierDeclaration: "the other reading comes first",
}

// extractorCollision warns of text that could be read as more than one link. A
// name in code as the text of a Markdown link, and a word of a URL, are part of
// it as their author meant: that is a note.
func extractorCollision(r *run) {
	for i := range r.g.Lost {
		l := &r.g.Lost[i]
		why := whyLost[l.Reason]
		if why == "" {
			why = "another reading wins"
		}
		severity := skillmap.Warn
		if isLinkText(&l.Signal, &l.By) || extract.IsExternal(l.Signal.Target) {
			severity = skillmap.Info
		}
		r.raise(skillmap.Issue{
			Severity: severity, NodeIDs: []string{l.Source},
			Message: message(l.Signal.Raw, []int{l.Signal.Range.Line}, "the text could be two links and is taken as `%s`; %s", l.By.Raw, why),
			Fix:     fix("Set the two apart, or put one of them in backticks."),
			Data: map[string]any{
				"loser": map[string]any{
					"extractorId": l.Signal.Extractor, "raw": l.Signal.Raw, "range": stretch(l.Signal.Range),
					"candidate": map[string]any{
						"kind": string(l.Signal.Kind), "target": l.Signal.Target, "confidence": l.Signal.Confidence,
					},
				},
				"winner": map[string]any{"extractorId": l.By.Extractor, "range": stretch(l.By.Range)},
				"reason": l.Reason,
			},
		})
	}
}

// isLinkText reports whether a signal is a name in code that is the text of a
// Markdown link, such as [`a.md`](docs/a.md).
func isLinkText(s, by *extract.Signal) bool {
	return by.Extractor == "markdown-link" && (s.Extractor == "backtick-path" || s.Extractor == "backtick-slash")
}

func stretch(r extract.Range) map[string]any {
	return map[string]any{"start": float64(r.Start), "end": float64(r.End), "line": float64(r.Line)}
}
