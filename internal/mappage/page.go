package mappage

import (
	"embed"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"skillforge/internal/httpd"
)

// built is what `make web` made; without it only the file that keeps the folder.
//
//go:embed all:bundle
var built embed.FS

// Policy lets a page load its own files, run its own worker and talk to its
// own server, nothing else. Nothing inline runs or styles, no script may turn
// text into markup, and no page shows it inside of itself.
const Policy = rules + "; frame-ancestors 'none'"

// FramedPolicy is Policy for a page that another one of the same site shows
// inside of itself.
const FramedPolicy = rules + "; frame-ancestors 'self'"

const rules = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types skill-map"

// Page is the built page. The zero value is none.
type Page struct{ app fs.FS }

// Built is the page that this program carries, false when it was built without.
func Built() (Page, bool) { return Of(built) }

// Of is the page among files, under bundle/app.
func Of(files fs.FS) (Page, bool) {
	app, err := fs.Sub(files, "bundle/app")
	if err != nil {
		return Page{}, false
	}
	if _, err = fs.Stat(app, "index.html"); err != nil {
		return Page{}, false
	}
	return Page{app}, true
}

// Index is the page with words in its metas: name and content in turn. A meta
// that the page does not have is left out.
func (p Page) Index(metas ...string) []byte {
	text, ok := p.File("/index.html")
	if !ok {
		return nil // Of has seen it
	}
	out := string(text)
	for i := 0; i+1 < len(metas); i += 2 {
		head := `<meta name="` + metas[i] + `" content="`
		before, after, has := strings.Cut(out, head)
		if !has {
			continue
		}
		_, after, _ = strings.Cut(after, `"`)
		out = before + head + html.EscapeString(metas[i+1]) + `"` + after
	}
	return []byte(out)
}

// File reads a file by the path of its address; false for what is none.
func (p Page) File(address string) ([]byte, bool) {
	name := strings.TrimPrefix(address, "/")
	if p.app == nil || name == "" || !fs.ValidPath(name) {
		return nil, false
	}
	text, err := fs.ReadFile(p.app, name)
	return text, err == nil
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

// Serve answers with a file of the page, false when the path names none. Those
// under /assets carry a hash of their content in their name and never change.
func (p Page) Serve(w http.ResponseWriter, address string) bool {
	text, ok := p.File(address)
	if !ok || address == "/index.html" {
		return false
	}
	kind := types[path.Ext(address)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Security-Policy", Policy) // a worker obeys the policy of its own file
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(address, "/assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	httpd.Bytes(w, http.StatusOK, kind, text)
	return true
}
