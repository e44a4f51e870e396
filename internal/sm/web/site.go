package web

import (
	"embed"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
)

// bundle is what `make web` built; without it only the file that keeps the
// folder.
//
//go:embed all:bundle
var bundle embed.FS

// bundled is the built page among files, false when it was not built.
func bundled(files fs.FS) (fs.FS, bool) {
	app, err := fs.Sub(files, "bundle/app")
	if err != nil {
		return nil, false
	}
	_, err = fs.Stat(app, "index.html")
	return app, err == nil
}

// site serves the built page.
type site struct {
	app   fs.FS
	index []byte // index.html with the project's name in it
}

// types of what a bundle holds. Anything else is served as bytes: with sniffing
// off, a browser then runs none of it.
var types = map[string]string{
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".svg":   "image/svg+xml",
	".json":  "application/json",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if climbs(r.URL.Path) {
		http.NotFound(w, r)
		return
	}
	name := r.URL.Path
	text, ok := readFile(s.app, name)
	switch {
	case ok && name != "/index.html":
		s.asset(w, name, text)
	case strings.HasPrefix(name, "/assets/"):
		// An asset of another build: a page would be no answer to it.
		http.NotFound(w, r)
	default:
		write(w, s.index)
	}
}

// asset answers with a file. Those under /assets carry a hash of their content
// in their name and never change.
func (s *site) asset(w http.ResponseWriter, name string, text []byte) {
	kind := types[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "/assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	httpd.Bytes(w, http.StatusOK, kind, text)
}

// stamp writes the project and the version into the page, in the places that
// wait for them.
func stamp(app fs.FS, opt Options) []byte {
	text, err := fs.ReadFile(app, "index.html")
	if err != nil {
		return nil // bundled has seen it
	}
	fill := func(page, name, content string) string {
		return strings.Replace(page, `<meta name="`+name+`" content="">`, `<meta name="`+name+`" content="`+html.EscapeString(content)+`">`, 1)
	}
	out := fill(string(text), "skill-map-scope", opt.Project)
	return []byte(fill(out, "skill-map-version", sm.Version))
}
