package cli

import (
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
)

// pageIn serves a built page from a folder: its files, and index.html for
// every other path, so that a link into the page survives a reload.
func pageIn(root *os.Root) http.Handler {
	files := root.FS()
	serve := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if info, err := fs.Stat(files, name); name != "" && (err != nil || info.IsDir()) {
			r = r.Clone(r.Context())
			r.URL.Path = "/"
		}
		serve.ServeHTTP(w, r)
	})
}
