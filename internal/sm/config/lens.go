package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/provider"
)

// Lens says by whose rules the project is read, and how that came.
type Lens struct {
	ID string `json:"activeProvider"`
	// Source is "config", "autodetect" or "default".
	Source   string   `json:"source"`
	Detected []string `json:"detected"` // whose marker folders stand
	// Was holds the markers at the time the lens was saved, when they differ
	// from Detected; nil otherwise.
	Was []string `json:"-"`
}

// defaultLens reads the open skill format where no vendor's folder stands.
const defaultLens = "agent-skills"

// Lens decides whose rules hold in the project and under the extra roots
// (relative to it, or absolute). It writes nothing.
//
// The fault is Invalid with the code "ambiguous-provider" when the folders of
// several vendors stand and nothing is settled, and "unknown-provider" when
// what is settled names none; both say how to settle it.
func (p Project) Lens(s *Settings, roots ...string) (Lens, error) {
	exists := p.exister(roots)
	lens := Lens{Detected: list(provider.Markers(exists))}
	if s.ActiveProvider != "" && s.ActiveProvider != "markdown" {
		if !slices.Contains(Lenses(), s.ActiveProvider) {
			return Lens{}, fault.Coded(fault.Invalid, "unknown-provider", "activeProvider is %q, which sm does not know. Settle it with `sm config set activeProvider NAME`, where NAME is one of %s.", s.ActiveProvider, strings.Join(Lenses(), ", ")).With("known", Lenses())
		}
		lens.ID, lens.Source = s.ActiveProvider, "config"
		if saved := s.ActiveProviderMarkers; saved != nil && !sameSet(saved, lens.Detected) {
			lens.Was = saved
		}
		return lens, nil
	}
	found := provider.Detect(exists)
	switch len(found) {
	case 0:
		lens.ID, lens.Source = defaultLens, "default"
	case 1:
		lens.ID, lens.Source = found[0], "autodetect"
	default:
		return Lens{}, fault.Coded(fault.Invalid, "ambiguous-provider", "This project holds files of %s, and they are read by different rules. Settle whose with `sm config set activeProvider NAME`, where NAME is one of %s; then run `sm scan` again.", and(found), strings.Join(found, ", ")).With("candidates", found)
	}
	return lens, nil
}

// SaveLens settles a lens that was found, with the markers of the moment, so
// that a later vendor folder does not change it unnoticed. A lens that was
// settled already only has missing markers filled in.
func (p Project) SaveLens(s *Settings, lens Lens) error {
	if lens.Source == "default" || lens.Source == "config" && s.ActiveProviderMarkers != nil {
		return nil
	}
	return p.edit(Shared, func(t *tree) bool {
		t.put("activeProvider", lens.ID)
		t.put("activeProviderMarkers", ordered(lens.Detected))
		return true
	})
}

// SetLens settles a lens by choice. The fault is Invalid for a name that is
// none.
func (p Project) SetLens(id string) error {
	if !slices.Contains(Lenses(), id) {
		return fault.Coded(fault.Invalid, "unknown-provider", "No lens is called %q; they are %s.", id, strings.Join(Lenses(), ", ")).With("known", Lenses())
	}
	return p.SaveLens(&Settings{}, Lens{ID: id, Source: "choice", Detected: list(provider.Markers(p.exister(nil)))})
}

// Lenses lists the providers that can be one.
func Lenses() []string {
	var ids []string
	for _, pr := range provider.All() {
		if !pr.Base {
			ids = append(ids, pr.ID)
		}
	}
	return ids
}

// exister looks for a path in the project and under each extra root.
func (p Project) exister(roots []string) func(string) bool {
	return func(path string) bool {
		for _, root := range append([]string{"."}, roots...) {
			if !filepath.IsAbs(root) {
				root = p.Path(root)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(path))); err == nil {
				return true
			}
		}
		return false
	}
}

// list is s without a nil, which JSON would show as null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// and joins words as a sentence does.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
