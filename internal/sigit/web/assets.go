package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"path"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/look"
	"skillforge/internal/skillmap/provider"
)

//go:embed static
var staticFiles embed.FS

// installed holds htmx where `make web` put it; else only the file that keeps
// the folder.
//
//go:embed all:bundle
var installed embed.FS

// assets are the files that pages link to, by name. The address of one holds
// a digest of it, so that it can be kept for ever.
type assets map[string]asset

type asset struct {
	text   []byte
	kind   string
	digest string
}

var kinds = map[string]string{
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

func readAssets() (assets, error) {
	a := assets{}
	a.add("look.css", look.Tokens)
	kinds, err := json.Marshal(map[string]any{"kindRegistry": provider.KindRegistry(), "providerRegistry": provider.Registry()})
	if err != nil {
		return nil, err
	}
	a.add("kinds.json", kinds) // how kinds of nodes look on a map
	files, err := staticFiles.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := staticFiles.ReadFile("static/" + f.Name())
		if err != nil {
			return nil, err
		}
		a.add(f.Name(), text)
	}
	text, err := installed.ReadFile("bundle/htmx.js")
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil // the pages work without
	}
	a.add("htmx.js", text)
	return a, err
}

func (a assets) add(name string, text []byte) {
	sum := sha256.Sum256(text)
	a[name] = asset{text: text, kind: kinds[path.Ext(name)], digest: hex.EncodeToString(sum[:6])}
}

// url is the address of an asset, empty for one that is not there.
func (a assets) url(name string) string {
	f, ok := a[name]
	if !ok {
		return ""
	}
	return "/assets/" + name + "?v=" + f.digest
}

// asset serves a file of these pages, or of the map page.
func (d *web) asset(w http.ResponseWriter, r *http.Request) error {
	if _, ok := d.assets[r.PathValue("file")]; !ok && d.mapPage.Serve(w, r.URL.Path) {
		return nil
	}
	return d.assets.serve(w, r)
}

func (a assets) serve(w http.ResponseWriter, r *http.Request) error {
	f, ok := a[r.PathValue("file")]
	if !ok {
		return fault.New(fault.NotFound, "there is no such file")
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == f.digest {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", `"`+f.digest+`"`)
	if r.Header.Get("If-None-Match") == `"`+f.digest+`"` {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if path.Ext(r.PathValue("file")) == ".svg" {
		h.Set("Content-Security-Policy", rawPolicy)
	}
	httpd.Bytes(w, http.StatusOK, f.kind, f.text)
	return nil
}
