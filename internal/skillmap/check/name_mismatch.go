package check

import (
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// nameMismatch reports nodes that declare another name than their path gives
// them, as grave as their kind says.
func nameMismatch(r *run) {
	for _, m := range r.g.Mismatches {
		what := "file"
		if m.DerivedFrom == provider.Dirname {
			what = "folder"
		}
		r.raise(skillmap.Issue{
			Severity: m.Severity, NodeIDs: []string{m.Path},
			Message: message(m.Declared, nil, "the %s calls itself this and its %s is called `%s`; some hosts go by one and some by the other", thing(m.Kind), what, m.Derived),
			Fix:     fix("Rename the %s or the `name` in its head, so that both are the same.", what),
			Data:    map[string]any{"declaredName": m.Declared, "derivedName": m.Derived, "derivedSource": string(m.DerivedFrom)},
		})
	}
}
