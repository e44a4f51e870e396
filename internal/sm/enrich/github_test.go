package enrich_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"skillforge/internal/sm/enrich"
)

const sha = "8c5f01d5a2e4b3c6d7e8f9a0b1c2d3e4f5a6b7c8"

func TestParse(t *testing.T) {
	for _, row := range []struct {
		address, version string
		want             enrich.Source
		ok               bool
	}{
		{"https://github.com/o/r/blob/main/docs/a.md", "", enrich.Source{Owner: "o", Repo: "r", Ref: "main", Path: "docs/a.md"}, true},
		{"https://github.com/o/r/blob/main/a.md", "v1", enrich.Source{Owner: "o", Repo: "r", Ref: "v1", Path: "a.md"}, true},
		{"https://raw.githubusercontent.com/o/r/" + sha + "/a.md", "", enrich.Source{Owner: "o", Repo: "r", Ref: sha, Path: "a.md"}, true},
		{"https://github.com/o/r", "", enrich.Source{}, false},
		{"https://example.org/o/r/blob/main/a.md", "", enrich.Source{}, false},
		{"file:///etc/passwd", "", enrich.Source{}, false},
		{"https://github.com/o/r/blob/main/../a.md", "", enrich.Source{}, false},
		{"https://github.com/o/r/blob/main/a.md", "-x", enrich.Source{}, false},
		{"https://github.com/o%20x/r/blob/main/a.md", "", enrich.Source{}, false},
	} {
		if got, ok := enrich.Parse(row.address, row.version); ok != row.ok || ok && got != row.want {
			t.Errorf("Parse(%q, %q) = %+v, %v", row.address, row.version, got, ok)
		}
	}
}

func TestFetch(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		switch {
		case strings.HasSuffix(r.URL.Path, "/commits/main"):
			_, _ = w.Write([]byte(`{"sha":"` + sha + `"}`))
		case strings.HasSuffix(r.URL.Path, "/commits/odd"):
			_, _ = w.Write([]byte(`{"sha":"../../x"}`))
		case r.URL.Path == "/raw/o/r/"+sha+"/a b.md":
			_, _ = w.Write([]byte("text"))
		case strings.HasSuffix(r.URL.Path, "/moved.md"):
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	g := enrich.GitHub{APIBase: server.URL + "/api", RawBase: server.URL + "/raw/", Token: "t"}
	c, err := g.Fetch(t.Context(), enrich.Source{Owner: "o", Repo: "r", Ref: "main", Path: "a b.md"})
	if err != nil || c.Problem != "" || c.Method != enrich.APIRef || c.SHA != sha || string(c.Content) != "text" {
		t.Errorf("Fetch = %+v, %v", c, err)
	}
	if want := "/raw/o/r/" + sha + "/a%20b.md Bearer t"; asked[1] != want {
		t.Errorf("asked %q, want %q", asked[1], want)
	}
	for _, s := range []enrich.Source{{Owner: "o", Repo: "r", Ref: "gone", Path: "a.md"}, {Owner: "o", Repo: "r", Ref: "odd", Path: "a.md"}, {Owner: "o", Repo: "r", Ref: sha, Path: "gone.md"}, {Owner: "o", Repo: "r", Ref: sha, Path: "moved.md"}} {
		c, err := g.Fetch(t.Context(), s)
		if err != nil || c.Problem == "" || c.Content != nil {
			t.Errorf("Fetch(%+v) = %+v, %v", s, c, err)
		}
	}
}
