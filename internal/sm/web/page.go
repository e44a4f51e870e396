package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"skillforge/internal/httpd"
	"skillforge/internal/mappage"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

//go:embed status.html
var statusHTML string

//go:embed status.css
var statusCSS []byte

var status = template.Must(template.New("status").Parse(statusHTML))

// Options say what the page is told.
type Options struct {
	Project string // absolute path of the project
	MCP     bool   // whether /mcp is on
}

// Handler serves the page of a project. Any path that is no file is the page
// itself, so that a link into it survives a reload.
func Handler(a *atlas.Atlas, opt Options) http.Handler {
	if app, ok := mappage.Built(); ok {
		return newSite(app, opt)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status.css", func(w http.ResponseWriter, _ *http.Request) {
		httpd.Bytes(w, http.StatusOK, "text/css; charset=utf-8", statusCSS)
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { page(w, r, a, opt) })
	return mux
}

// facts are what the status page shows.
type facts struct {
	Project, Version     string
	MCP, Mapped          bool
	Lens                 string
	Nodes, Links, Issues int
}

func page(w http.ResponseWriter, r *http.Request, a *atlas.Atlas, opt Options) {
	if climbs(r.URL.Path) {
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
	write(w, b.Bytes())
}

// write answers with a page under the policy. It is asked for anew each time:
// what it links to changes with the program.
func write(w http.ResponseWriter, text []byte) {
	h := w.Header()
	h.Set("Content-Security-Policy", mappage.Policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the browser may be gone
}

// climbs reports whether a path tries to leave the folder.
func climbs(path string) bool { return strings.Contains(path, "..") || strings.Contains(path, "\\") }
