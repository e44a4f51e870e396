package search_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit/search"
)

// stand is a provider that we run ourselves.
type stand struct {
	*httptest.Server
	asked []*http.Request
	sent  []string // bodies
	reply func(w http.ResponseWriter, n int)
}

func newStand(t *testing.T, reply func(w http.ResponseWriter, n int)) *stand {
	s := &stand{reply: reply}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.asked, s.sent = append(s.asked, r), append(s.sent, string(body))
		s.reply(w, len(s.asked))
	}))
	t.Cleanup(s.Close)
	return s
}

func says(status int, body string) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, _ int) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const secret = "key-that-nobody-may-see"

// settings are of a provider that answers at s.
func settings(provider string, s *stand) func(string) string {
	return func(name string) string {
		switch name {
		case "SEARCH_PROVIDER":
			return provider
		case "SEARCH_BASE_URL":
			return s.URL
		case "BRAVE_SEARCH_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY":
			return secret
		case "SEARXNG_URL":
			return "http://unused.invalid"
		}
		return ""
	}
}

func TestProviders(t *testing.T) {
	want := []search.Result{{Title: "Go & you", URL: "https://go.dev/", Snippet: "The Go language"}}
	rows := []struct {
		provider, answer string
		request          func(t *testing.T, r *http.Request, body string)
	}{
		{"brave", `{"web":{"results":[{"title":"Go &amp; <strong>you</strong>","url":"https://go.dev/","description":"The\n <b>Go</b> language"}]}}`, func(t *testing.T, r *http.Request, _ string) {
			q := r.URL.Query()
			if r.Method != "GET" || r.URL.Path != "/res/v1/web/search" || q.Get("q") != "go lang" || q.Get("count") != "3" || r.Header.Get("X-Subscription-Token") != secret {
				t.Errorf("asks %s %s %v", r.Method, r.URL, r.Header)
			}
		}},
		{"", `{"web":{"results":[{"title":"Go & you","url":"https://go.dev/","description":"The Go language"}]}}`, func(t *testing.T, r *http.Request, _ string) {
			if r.URL.Path != "/res/v1/web/search" {
				t.Errorf("the default asks %s", r.URL)
			}
		}},
		{"searxng", `{"results":[{"title":"Go & you","url":"https://go.dev/","content":"The Go language"},{"title":"odd","url":"javascript:alert(1)"}]}`, func(t *testing.T, r *http.Request, _ string) {
			if q := r.URL.Query(); r.URL.Path != "/search" || q.Get("q") != "go lang" || q.Get("format") != "json" {
				t.Errorf("asks %s", r.URL)
			}
		}},
		{"tavily", `{"results":[{"title":"Go & you","url":"https://go.dev/","content":"The Go language","score":0.9}]}`, func(t *testing.T, r *http.Request, body string) {
			if r.Method != "POST" || r.URL.Path != "/search" || r.Header.Get("Authorization") != "Bearer "+secret || !strings.Contains(body, `"max_results":3`) {
				t.Errorf("asks %s %s %s", r.Method, r.URL, body)
			}
		}},
		{"exa", `{"results":[{"title":"Go & you","url":"https://go.dev/","text":"long","highlights":["The Go language"]}]}`, func(t *testing.T, r *http.Request, body string) {
			if r.Method != "POST" || r.Header.Get("X-Api-Key") != secret || !strings.Contains(body, `"numResults":3`) || !strings.Contains(body, `"contents"`) {
				t.Errorf("asks %s %s %s", r.Method, r.URL, body)
			}
		}},
	}
	for _, row := range rows {
		t.Run(row.provider, func(t *testing.T) {
			s := newStand(t, says(200, row.answer))
			got, err := search.New(search.Options{Env: settings(row.provider, s)}).Search(t.Context(), " go\n lang ", 3)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("finds %v, %v; want %v", got, err, want)
			}
			row.request(t, s.asked[0], s.sent[0])
		})
	}
}

func TestSearxngWithoutOverride(t *testing.T) {
	s := newStand(t, says(200, `{"results":[]}`))
	w := search.New(search.Options{Env: func(name string) string {
		return map[string]string{"SEARCH_PROVIDER": "searxng", "SEARXNG_URL": s.URL + "/sub/"}[name]
	}})
	if _, err := w.Search(t.Context(), "x", 1); err != nil || s.asked[0].URL.Path != "/sub/search" {
		t.Errorf("asks %v, %v", s.asked, err)
	}
}

func TestNothingFound(t *testing.T) {
	for provider, answer := range map[string]string{"brave": `{"query":{"original":"x"}}`, "searxng": `{"results":[]}`, "tavily": `{}`, "exa": `{"results":null}`} {
		s := newStand(t, says(200, answer))
		got, err := search.New(search.Options{Env: settings(provider, s)}).Search(t.Context(), "x", 5)
		if err != nil || got == nil || len(got) != 0 {
			t.Errorf("%s: %v, %v; want an empty list", provider, got, err)
		}
	}
}

func TestFake(t *testing.T) {
	w := search.New(search.Options{Env: func(name string) string { return map[string]string{"SEARCH_PROVIDER": "fake"}[name] }})
	for asked, want := range map[int]int{-1: 1, 0: 1, 1: 1, 5: 5, 10: 10, 99: 10} {
		if got, err := w.Search(t.Context(), "x", asked); err != nil || len(got) != want {
			t.Errorf("%d asked: %d found, %v; want %d", asked, len(got), err, want)
		}
	}
}

func TestNotReady(t *testing.T) {
	rows := []struct{ provider, names string }{
		{"", "BRAVE_SEARCH_API_KEY"}, {"brave", "BRAVE_SEARCH_API_KEY"}, {"searxng", "SEARXNG_URL"},
		{"tavily", "TAVILY_API_KEY"}, {"exa", "EXA_API_KEY"}, {"bing", "SEARCH_PROVIDER"},
	}
	for _, row := range rows {
		w := search.New(search.Options{Env: func(name string) string {
			if name == "SEARCH_PROVIDER" {
				return row.provider
			}
			return ""
		}})
		_, err := w.Search(t.Context(), "x", 5)
		if w.Ready() == nil || fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), row.names) {
			t.Errorf("%q: %v, want a sentence with %s", row.provider, err, row.names)
		}
	}
	if err := search.New(search.Options{}).Ready(); err == nil {
		t.Error("without settings it is ready")
	}
}

func TestQueries(t *testing.T) {
	w := search.New(search.Options{Env: func(string) string { return "fake" }})
	for query, ok := range map[string]bool{
		"": false, " \n\t": false, "x": true, strings.Repeat("é", 400): true, strings.Repeat("é", 401): false,
		strings.Repeat("x ", 50): true, strings.Repeat("x ", 51): false, "a\x00b": true, "--flag": true,
	} {
		if _, err := w.Search(t.Context(), query, 1); (err == nil) != ok || err != nil && fault.Of(err) != fault.Invalid {
			t.Errorf("%q gives %v", query, err)
		}
	}
}

func TestProviderFails(t *testing.T) {
	page := "<html>upstream words " + secret + "</html>"
	rows := []struct {
		name  string
		reply func(http.ResponseWriter, int)
		text  string
		tries int
	}{
		{"400", says(400, page), "HTTP 400", 1},
		{"401", says(401, page), "HTTP 401; the operator should check BRAVE_SEARCH_API_KEY", 1},
		{"403", says(403, page), "HTTP 403", 1},
		{"422", says(422, page), "HTTP 422", 1},
		{"429 twice", says(429, page), "HTTP 429", 2},
		{"500", says(500, page), "HTTP 500", 1},
		{"503", says(503, page), "HTTP 503", 1},
		{"page", says(200, page), "not understood", 1},
		{"empty", says(200, ""), "not understood", 1},
		{"list", says(200, "[]"), "not understood", 1},
		{"large", says(200, `{"web":"`+strings.Repeat("x", 1<<20)+`"}`), "not understood", 1},
		{"redirect", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(302)
		}, "HTTP 302", 1},
		{"long wait", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}, "HTTP 429", 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			s := newStand(t, row.reply)
			w := search.New(search.Options{Env: settings("brave", s), Log: slog.New(slog.NewTextHandler(&log, nil)), Pause: func(context.Context, time.Duration) error { return nil }})
			_, err := w.Search(t.Context(), "private words", 5)
			if fault.Of(err) != fault.Busy || !strings.Contains(fault.Text(err), row.text) || !strings.Contains(fault.Text(err), "brave") {
				t.Errorf("says %v, want %q", err, row.text)
			}
			if len(s.asked) != row.tries {
				t.Errorf("%d tries, want %d", len(s.asked), row.tries)
			}
			for _, hidden := range []string{secret, "upstream words", "private", "127.0.0.1"} {
				if strings.Contains(fmt.Sprint(err), hidden) || strings.Contains(log.String(), hidden) {
					t.Errorf("%q is told: %v; log %s", hidden, err, log.String())
				}
			}
			if log.Len() == 0 {
				t.Error("the operator is not told")
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	s := newStand(t, says(200, "{}"))
	w := search.New(search.Options{Env: settings("brave", s)})
	s.Close()
	_, err := w.Search(t.Context(), "private words", 5)
	if fault.Of(err) != fault.Busy || !strings.Contains(fault.Text(err), "could not be reached") || strings.Contains(fmt.Sprint(err), "private") {
		t.Errorf("says %v", err)
	}
	bad := search.New(search.Options{Env: func(name string) string {
		return map[string]string{"BRAVE_SEARCH_API_KEY": secret, "SEARCH_BASE_URL": "not an address"}[name]
	}})
	if _, err := bad.Search(t.Context(), "x", 5); fault.Of(err) != fault.Busy {
		t.Errorf("an odd address gives %v", err)
	}
}

func TestCallerLeaves(t *testing.T) {
	var log bytes.Buffer
	s := newStand(t, says(200, "{}"))
	w := search.New(search.Options{Env: settings("brave", s), Log: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Search(ctx, "x", 5); err != context.Canceled || log.Len() > 0 {
		t.Errorf("gives %v, log %s", err, log.String())
	}
}

func TestSecondTry(t *testing.T) {
	s := newStand(t, func(w http.ResponseWriter, n int) {
		if n == 1 {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(429)
			return
		}
		io.WriteString(w, `{"web":{"results":[{"title":"t","url":"https://a.test/","description":"d"}]}}`)
	})
	var waited time.Duration
	w := search.New(search.Options{Env: settings("brave", s), Pause: func(_ context.Context, d time.Duration) error {
		waited += d
		return nil
	}})
	if got, err := w.Search(t.Context(), "x", 5); err != nil || len(got) != 1 || waited != 2*time.Second {
		t.Errorf("finds %v, %v after %v", got, err, waited)
	}
}

func TestRepeatIsFree(t *testing.T) {
	now := time.Unix(0, 0)
	s := newStand(t, says(200, `{"web":{"results":[{"title":"t","url":"https://a.test/","description":"d"}]}}`))
	w := search.New(search.Options{Env: settings("brave", s), Now: func() time.Time { return now }})
	ask := func(query string, n int) {
		t.Helper()
		got, err := w.Search(t.Context(), query, n)
		if err != nil || len(got) != 1 || got[0].Title != "t" {
			t.Fatalf("%v, %v", got, err)
		}
		got[0].Title = "spoiled" // the caller's copy
	}
	ask("a b", 5)
	ask("a  b ", 5)
	ask("a b", 6)
	if len(s.asked) != 2 {
		t.Errorf("asked %d times, want 2", len(s.asked))
	}
	for i := range 300 {
		ask(fmt.Sprint(i), 5)
	}
	ask("a b", 5) // pushed out
	if len(s.asked) != 303 {
		t.Errorf("asked %d times, want 303", len(s.asked))
	}
	now = now.Add(5 * time.Minute)
	ask("a b", 5)
	if len(s.asked) != 304 {
		t.Errorf("asked %d times after a while, want 304", len(s.asked))
	}
}

func TestResultsAreTidy(t *testing.T) {
	hidden := "\u200b\U000E0041\u202e"
	type page struct{ Title, URL, Description string }
	in := map[string]any{"web": map[string]any{"results": []page{
		{"a" + hidden + "b &#8203;&#x202E;c", "https://a.test/?q=1&r=2", "x<script>y</script>" + strings.Repeat("long ", 400)},
		{"user", "https://user:pw@a.test/", ""}, {"ftp", "ftp://a.test/", ""}, {"rel", "/x", ""}, {"blank", "https://a.test/a b", ""},
		{"bidi", "https://a.test/\u202etxt", ""}, {"long", "https://a.test/" + strings.Repeat("x", 3000), ""},
		{"", "http://b.test", "<b class=\"x\">bold</b> 1 < 2"},
	}}}
	body, _ := json.Marshal(in)
	s := newStand(t, says(200, string(body)))
	got, err := search.New(search.Options{Env: settings("brave", s)}).Search(t.Context(), "x", 10)
	if err != nil || len(got) != 2 {
		t.Fatalf("finds %v, %v", got, err)
	}
	if got[0].Title != "ab c" || got[0].URL != "https://a.test/?q=1&r=2" || !strings.HasPrefix(got[0].Snippet, "x<script>y") || len(got[0].Snippet) > 1010 {
		t.Errorf("first %+v", got[0])
	}
	if got[1] != (search.Result{Title: "", URL: "http://b.test", Snippet: "bold 1 < 2"}) {
		t.Errorf("second %+v", got[1])
	}
}

// FuzzAnswers reads any answer of any provider: it never panics, and what it
// finds has addresses of the web.
func FuzzAnswers(f *testing.F) {
	f.Add("brave", `{"web":{"results":[{"title":"t","url":"https://a.test/","description":"d"}]}}`)
	f.Add("searxng", `{"results":[{"title":"&#0;","url":"https://a.test/","content":null}]}`)
	f.Add("exa", `{"results":[{"url":"HTTPS://A","highlights":[]}]}`)
	f.Add("tavily", `{"results":{}}`)
	var reply string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, reply) }))
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, provider, answer string) {
		reply = answer
		w := search.New(search.Options{Env: settings(provider, &stand{Server: s})})
		found, err := w.Search(t.Context(), "x", 5)
		if len(found) > 5 || err == nil && found == nil {
			t.Fatalf("%d found, %v", len(found), err)
		}
		for _, r := range found {
			if !strings.HasPrefix(strings.ToLower(r.URL), "http") || len(r.Title) > 310 || strings.ContainsAny(r.Title+r.Snippet, "\n\x00\u200b") {
				t.Fatalf("finds %+v", r)
			}
		}
	})
}
