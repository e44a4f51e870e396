package provider

import "slices"

// Detect lists the lenses that a project's files speak for, in registration
// order: none, one, or several between which only the user can choose. The
// fallback counts only where no other provider's marker is found, and a
// provider sets aside those that it subsumes.
func Detect(exists func(path string) bool) []string {
	found := marked(exists)
	if slices.ContainsFunc(found, func(p *Provider) bool { return !p.Fallback }) {
		found = slices.DeleteFunc(found, func(p *Provider) bool { return p.Fallback })
	}
	var ids []string
	for _, p := range found {
		if !slices.ContainsFunc(found, func(q *Provider) bool { return q.hides(p) }) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// hides reports whether q subsumes p without being subsumed by it.
func (q *Provider) hides(p *Provider) bool {
	return slices.Contains(q.Subsumes, p.ID) && !slices.Contains(p.Subsumes, q.ID)
}

// Markers lists the providers whose marker exists, in registration order,
// before any is set aside.
func Markers(exists func(path string) bool) []string {
	var ids []string
	for _, p := range marked(exists) {
		ids = append(ids, p.ID)
	}
	return ids
}

func marked(exists func(path string) bool) []*Provider {
	var found []*Provider
	for _, p := range all {
		if slices.ContainsFunc(p.Markers, exists) {
			found = append(found, p)
		}
	}
	return found
}
