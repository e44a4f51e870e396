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
// or differs in hyphens, blanks and accents. An agent and a command of one name
// are a note: no host looks for the one where the other is called.
func nameCollision(r *run) {
	for i := range r.g.Collisions {
		c := &r.g.Collisions[i]
		rivals := slices.Clone(c.Claims)
		slices.SortFunc(rivals, func(a, b scan.Claim) int { return readers(a.Path, b.Path) })
		var paths []string
		var claims []any
		for _, claim := range rivals {
			paths = append(paths, claim.Path)
			claims = append(claims, map[string]any{"path": claim.Path, "kind": claim.Kind, "source": string(claim.Source)})
		}
		r.raise(skillmap.Issue{
			Severity: severityOf(rivals), NodeIDs: paths,
			Message: message(c.Name, nil, "%s claim this name; a host takes whichever it reads first", quoted(paths)),
			Data:    map[string]any{"name": c.Name, "claims": claims},
		})
	}
}

// severityOf is how grave it is that claims are to one name: as grave as among
// agents, or as among all that is called by a slash.
func severityOf(claims []scan.Claim) skillmap.Severity {
	count := map[bool]int{}
	declared := map[bool]map[string]int{false: {}, true: {}}
	severity := skillmap.Info
	for _, c := range claims {
		agent := c.Kind == "agent"
		if count[agent]++; count[agent] > 1 && severity == skillmap.Info {
			severity = skillmap.Warn
		}
		if c.Source != provider.Name {
			continue
		}
		text := strings.ToLower(c.Text)
		if declared[agent][text]++; declared[agent][text] > 1 {
			severity = skillmap.Error
		}
	}
	return severity
}
