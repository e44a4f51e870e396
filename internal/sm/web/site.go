package web

import (
	"net/http"
	"strings"

	"skillforge/internal/mappage"
	"skillforge/internal/sm"
)

// site serves the built page.
type site struct {
	app   mappage.Page
	index []byte // index.html with the project's name in it
}

func newSite(app mappage.Page, opt Options) *site {
	return &site{app: app, index: app.Index("skill-map-scope", opt.Project, "skill-map-version", sm.Version)}
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case climbs(r.URL.Path):
		http.NotFound(w, r)
	case s.app.Serve(w, r.URL.Path):
	case strings.HasPrefix(r.URL.Path, "/assets/"):
		// An asset of another build: a page would be no answer to it.
		http.NotFound(w, r)
	default:
		write(w, s.index)
	}
}
