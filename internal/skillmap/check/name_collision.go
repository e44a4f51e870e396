package check

import (
	"slices"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
)

// nameCollision reports names that several nodes claim: an error when two of
// them declare it, a warning when it follows from their paths.
func nameCollision(r *run) {
	for i := range r.g.Collisions {
		c := &r.g.Collisions[i]
		rivals := slices.Clone(c.Claims)
		slices.SortFunc(rivals, func(a, b scan.Claim) int { return readers(a.Path, b.Path) })
		declared := 0
		var paths []string
		var claims []any
		for _, claim := range rivals {
			if claim.Source == provider.Name {
				declared++
			}
			paths = append(paths, claim.Path)
			claims = append(claims, map[string]any{"path": claim.Path, "kind": claim.Kind, "source": string(claim.Source)})
		}
		severity := skillmap.Warn
		if declared > 1 {
			severity = skillmap.Error
		}
		r.raise(skillmap.Issue{
			Severity: severity, NodeIDs: paths,
			Message: message(c.Name, nil, "%s claim this name; a host takes whichever it reads first", quoted(paths)),
			Data:    map[string]any{"name": c.Name, "claims": claims},
		})
	}
}
