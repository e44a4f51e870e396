package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/web"
)

// firstPart remembers what a browser has when a page is flushed first.
type firstPart struct {
	*httptest.ResponseRecorder
	first string
}

func (w *firstPart) Flush() {
	if w.first == "" {
		w.first = w.Body.String()
	}
}

func TestHeadOfAHeavyPageComesFirst(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", false)
	first := w.commit(w.alice, repo, "main", "one", nil, map[string]string{"a.txt": "needle one\n"})
	second := w.commit(w.alice, repo, "topic", "two", []string{first}, map[string]string{"a.txt": "needle two\n"})
	pull, err := w.OpenPull(t.Context(), w.alice, sigit.NewPull{Repo: repo.Name, Title: "Two", Head: "topic", Base: "main"})
	if err != nil || pull.Number != 1 {
		t.Fatalf("the pull request is %d (%v)", pull.Number, err)
	}
	h, err := web.Handler(web.Options{Forge: w.Forge})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ path, later string }{
		{"/alice/notes/compare/main...topic", `class="diffbar"`},
		{"/alice/notes/commit/" + second, `class="diffbar"`},
		{"/alice/notes/pulls/1/changes", `class="diffbar"`},
		{"/alice/notes/search?q=needle", `class="code"`},
		{"/alice/notes", `class="entries"`},
		{"/alice/notes/blob/main/a.txt", `class="code"`},
	} {
		got := &firstPart{ResponseRecorder: httptest.NewRecorder()}
		h.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "http://sigit.test"+row.path, nil))
		if got.Code != http.StatusOK || !strings.Contains(got.first, "</header>") || !strings.Contains(got.first, "<main") || strings.Contains(got.first, row.later) {
			t.Errorf("%s (%d) begins with %.300s", row.path, got.Code, got.first)
		}
		if all := got.Body.String(); !strings.Contains(all, row.later) || !strings.HasSuffix(strings.TrimSpace(all), "</html>") {
			t.Errorf("%s is not whole", row.path)
		}
	}
	// What cannot be found is told with its own status all the same.
	for path, status := range map[string]int{
		"/alice/notes/commit/abcdef": http.StatusNotFound, "/alice/notes/pulls/7/changes": http.StatusNotFound, "/alice/none/search?q=x": http.StatusNotFound,
		"/alice/notes/search?q=x&ref=none": http.StatusNotFound, "/alice/notes/compare/main...topic?path=none": http.StatusNotFound,
	} {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "http://sigit.test"+path, nil))
		if got.Code != status {
			t.Errorf("%s gives %d, want %d", path, got.Code, status)
		}
	}
}
