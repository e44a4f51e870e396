package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/sigit"
)

// brave is a stand-in for the provider.
func brave(t *testing.T, reply func(w http.ResponseWriter, r *http.Request)) (env map[string]string, asked *atomic.Int64) {
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		reply(w, r)
	}))
	t.Cleanup(s.Close)
	return map[string]string{"BRAVE_SEARCH_API_KEY": "hush-hush", "SEARCH_BASE_URL": s.URL}, asked
}

func TestWebSearch(t *testing.T) {
	var count string
	env, _ := brave(t, func(w http.ResponseWriter, r *http.Request) {
		count = r.URL.Query().Get("count")
		if r.Header.Get("X-Subscription-Token") != "hush-hush" || r.URL.Path != "/res/v1/web/search" {
			t.Errorf("asks %s %v", r.URL, r.Header)
		}
		io.WriteString(w, `{"web":{"results":[{"title":"T\u200b","url":"https://a.test/","description":"<strong>D</strong>","extra":1}]}}`)
	})
	w := newWorld(t, env)
	if got, want := w.call("alice", "web_search", `{"query":"x"}`).Content[0].Text, `[{"title":"T","url":"https://a.test/","snippet":"D"}]`; got != want {
		t.Errorf("finds %s, want %s", got, want)
	}
	for given, want := range map[any]string{nil: "5", 0: "1", -3: "1", 1: "1", 10: "10", 11: "10", 1e300: "10", "7": "7", 3.0: "3"} {
		read[any](w, "alice", "web_search", object("query", fmt.Sprint("count ", given), "count", given))
		if count != want {
			t.Errorf("count %v asks for %s, want %s", given, count, want)
		}
	}
	w.refuses("alice", "web_search", "", `"query" is missing`)
	w.refuses("alice", "web_search", `{}`, `"query" is missing`)
	w.refuses("alice", "web_search", `{"query":" "}`, "needs a query")
	w.refuses("alice", "web_search", `{"query":"x","count":1.5}`, `"count" must be a whole number`)
	w.refuses("alice", "web_search", object("query", strings.Repeat("x", 500)), "too long")
	if strings.Contains(w.log.String(), "hush-hush") {
		t.Error("the key is in the log")
	}
}

func TestWebSearchIsNotSetUp(t *testing.T) {
	for provider, want := range map[string]string{"": "BRAVE_SEARCH_API_KEY", "searxng": "SEARXNG_URL", "bing": "SEARCH_PROVIDER"} {
		w := newWorld(t, map[string]string{"SEARCH_PROVIDER": provider})
		for range 70 { // a refusal is no search: it is never rationed
			w.refuses("alice", "web_search", `{"query":"x"}`, want)
		}
	}
}

func TestWebSearchProviderFails(t *testing.T) {
	env, _ := brave(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html>upstream words hush-hush</html>")
	})
	w := newWorld(t, env)
	got := w.refuses("alice", "web_search", `{"query":"x"}`, "HTTP 502")
	if all := got.Content[0].Text + w.log.String(); strings.Contains(all, "upstream words") || strings.Contains(all, "hush-hush") {
		t.Errorf("told: %s", all)
	}
}

func TestWebSearchFindsNothing(t *testing.T) {
	env, _ := brave(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"type":"search"}`) })
	if got := newWorld(t, env).call("alice", "web_search", `{"query":"x"}`); got.IsError || got.Content[0].Text != "[]" {
		t.Errorf("gives %+v", got)
	}
}

// TestWebSearchRation: sixty in any hour, over all tokens of a user, whatever
// was found, and whether it was found before.
func TestWebSearchRation(t *testing.T) {
	env, asked := brave(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
	w := newWorld(t, env)
	other := w.token("alice", sigit.NewToken{Label: "another"})
	for i := range 60 {
		token := w.tokens["alice"]
		if i%2 == 1 {
			token = other
		}
		if got := w.bear(token, "web_search", `{"query":"same"}`); got.IsError {
			t.Fatalf("search %d: %s", i+1, got.Content[0].Text)
		}
		if i == 29 {
			w.clock.Add((30 * time.Minute).Microseconds())
		}
	}
	if asked.Load() > 2 {
		t.Errorf("the provider was asked %d times for one query", asked.Load())
	}
	for _, token := range []string{w.tokens["alice"], other} {
		if got := w.bear(token, "web_search", `{"query":"same"}`); !got.IsError || !strings.Contains(got.Content[0].Text, "at most 60 in an hour") || !strings.Contains(got.Content[0].Text, "try again in") {
			t.Errorf("search 61: %+v", got)
		}
	}
	if got := w.call("bob", "web_search", `{"query":"same"}`); got.IsError {
		t.Errorf("another user: %s", got.Content[0].Text)
	}
	// Half an hour later the first thirty have left the window.
	w.clock.Add((31 * time.Minute).Microseconds())
	for i := range 31 {
		if got := w.call("alice", "web_search", `{"query":"later"}`); got.IsError != (i == 30) {
			t.Fatalf("search %d after the wait: %+v", i+1, got)
		}
	}
}
