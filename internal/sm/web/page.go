package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

//go:embed status.html
var statusHTML string

//go:embed status.css
var statusCSS []byte

var status = template.Must(template.New("status").Parse(statusHTML))

// policy lets a page load its own files and talk to its own server, nothing
// else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"

// Options say what the page is told.
type Options struct {
	Project string // absolute path of the project
	MCP     bool   // whether /mcp is on
}

// Handler serves the page of a project. Any path that is no file is the page
// itself, so that a link into it survives a reload.
func Handler(a *atlas.Atlas, opt Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status.css", func(w http.ResponseWriter, _ *http.Request) {
		httpd.Bytes(w, http.StatusOK, "text/css; charset=utf-8", statusCSS)
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { page(w, r, a, opt) })
	return mux
}

// facts are what the template shows.
type facts struct {
	Project, Version     string
	MCP, Mapped          bool
	Lens                 string
	Nodes, Links, Issues int
}

func page(w http.ResponseWriter, r *http.Request, a *atlas.Atlas, opt Options) {
	if strings.Contains(r.URL.Path, "..") {
		http.NotFound(w, r)
		return
	}
	f := facts{Project: opt.Project, Version: sm.Version, MCP: opt.MCP}
	if m, err := a.Meta(r.Context()); err == nil && m != nil && a.Exists() {
		f.Mapped, f.Lens = true, m.ActiveProvider
		f.Nodes, f.Links, f.Issues = m.Stats.NodesCount, m.Stats.LinksCount, m.Stats.IssuesCount
	}
	var b bytes.Buffer
	if err := status.Execute(&b, f); err != nil { // the template and facts disagree
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = b.WriteTo(w) // the browser may be gone
}
