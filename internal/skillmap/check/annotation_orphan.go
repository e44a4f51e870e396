package check

import (
	"strings"

	"skillforge/internal/skillmap"
)

// annotationOrphan warns of sidecars whose file is gone. The issue names the
// node that the sidecar would belong to.
func annotationOrphan(r *run) {
	for _, path := range r.g.OrphanSidecars {
		want := strings.TrimSuffix(path, ".sm") + ".md"
		r.raise(skillmap.Issue{
			Severity: skillmap.Warn, NodeIDs: []string{want},
			Message: message(path, nil, "the sidecar stands alone; its file `%s` is not there", want),
			Fix:     fix("Move the sidecar to its file, or delete it."),
			Data:    map[string]any{"sidecarPath": path, "expectedMdPath": want},
		})
	}
}
