package check

import (
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
)

// nameCollision reports names that several nodes claim: an error when two of
// them declare it letter for letter, a warning when it follows from their paths
// or differs in hyphens, blanks and accents.
func nameCollision(r *run) {
	for i := range r.g.Collisions {
		c := &r.g.Collisions[i]
		rivals := slices.Clone(c.Claims)
		slices.SortFunc(rivals, func(a, b scan.Claim) int { return readers(a.Path, b.Path) })
		declared := map[string]int{}
		var paths []string
		var claims []any
		for _, claim := range rivals {
			if claim.Source == provider.Name {
				declared[strings.ToLower(claim.Text)]++
			}
			paths = append(paths, claim.Path)
			claims = append(claims, map[string]any{"path": claim.Path, "kind": claim.Kind, "source": string(claim.Source)})
		}
		severity := skillmap.Warn
		for _, n := range declared {
			if n > 1 {
				severity = skillmap.Error
			}
		}
		r.raise(skillmap.Issue{
			Severity: severity, NodeIDs: paths,
			Message: message(c.Name, nil, "%s claim this name; a host takes whichever it reads first", quoted(paths)),
			Data:    map[string]any{"name": c.Name, "claims": claims},
		})
	}
}
