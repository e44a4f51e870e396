package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"skillforge/internal/mappage"
	"skillforge/internal/sm"
)

// built is a bundle as Vite leaves it.
func built() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"bundle/.gitignore": file("app/\n"),
		"bundle/app/index.html": file(`<!doctype html><meta name="skill-map-scope" content=""><meta name="skill-map-version" content="">` +
			`<script type="module" src="/assets/index-1.js"></script>`),
		"bundle/app/assets/index-1.js":  file("start()"),
		"bundle/app/assets/index-1.css": file("body{}"),
		"bundle/app/assets/odd.bin":     file("<script>no()</script>"),
	}
}

func served(t *testing.T, opt Options) http.Handler {
	t.Helper()
	app, ok := mappage.Of(built())
	if !ok {
		t.Fatal("Of does not see the page")
	}
	return newSite(app, opt)
}

func ask(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestSite(t *testing.T) {
	h := served(t, Options{Project: "/home/ana/harbour"})
	for _, row := range []struct {
		path, kind, cache, body string
		status                  int
	}{
		{"/", "text/html; charset=utf-8", "no-cache", `src="/assets/index-1.js"`, 200},
		{"/index.html", "text/html; charset=utf-8", "no-cache", `src="/assets/index-1.js"`, 200},
		{"/deep/link/into", "text/html; charset=utf-8", "no-cache", `src="/assets/index-1.js"`, 200},
		{"/assets/index-1.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "start()", 200},
		{"/assets/index-1.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable", "body{}", 200},
		{"/assets/odd.bin", "application/octet-stream", "public, max-age=31536000, immutable", "<script>", 200},
		{"/assets/index-0.js", "text/plain; charset=utf-8", "", "404", 404},
		{"/assets", "text/html; charset=utf-8", "no-cache", `src="/assets/index-1.js"`, 200},
		{"/assets/..%2f..%2fpage.go", "text/plain; charset=utf-8", "", "404", 404},
	} {
		w := ask(h, row.path)
		if w.Code != row.status || w.Header().Get("Content-Type") != row.kind || w.Header().Get("Cache-Control") != row.cache || !strings.Contains(w.Body.String(), row.body) {
			t.Errorf("GET %s gives %d %q %q %.60q, want %d %q %q with %q", row.path, w.Code, w.Header().Get("Content-Type"),
				w.Header().Get("Cache-Control"), w.Body.String(), row.status, row.kind, row.cache, row.body)
		}
	}
}

func TestPolicyAllowsNothingInline(t *testing.T) {
	for _, path := range []string{"/", "/assets/index-1.js"} { // a worker obeys the policy of its own file
		got := ask(served(t, Options{}), path).Header().Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "worker-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(got, want) {
				t.Errorf("the policy of %s lacks %s: %s", path, want, got)
			}
		}
		for _, never := range []string{"unsafe", "*", "http:", "https:", "data:", "blob:"} {
			if strings.Contains(got, never) {
				t.Errorf("the policy of %s allows %s: %s", path, never, got)
			}
		}
	}
}

func TestStampIsText(t *testing.T) {
	page := ask(served(t, Options{Project: `/tmp/"><script>alert(1)</script>&`}), "/").Body.String()
	for _, want := range []string{
		`<meta name="skill-map-scope" content="/tmp/&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;">`,
		`<meta name="skill-map-version" content="` + sm.Version + `">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
}
