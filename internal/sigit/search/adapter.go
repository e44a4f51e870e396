package search

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// standard is the provider when the operator names none.
const standard = "brave"

// adapter is how one provider is asked and understood.
type adapter struct {
	name  string
	needs string // the variable it cannot do without, empty for none
	check string // what the operator looks at when it refuses us
	base  string // its address, unless the operator sets another

	request func(base, key, query string, n int) (*http.Request, error)
	read    func(body []byte) ([]Result, error)
	invent  func(query string, n int) []Result // instead of both
}

var adapters = []*adapter{
	{
		name: "brave", needs: "BRAVE_SEARCH_API_KEY", check: "BRAVE_SEARCH_API_KEY", base: "https://api.search.brave.com",
		request: func(base, key, query string, n int) (*http.Request, error) {
			req, err := get(base, "res/v1/web/search", url.Values{
				"q": {query}, "count": {strconv.Itoa(n)}, "text_decorations": {"false"}, "result_filter": {"web"},
			})
			if err == nil {
				req.Header.Set("X-Subscription-Token", key)
			}
			return req, err
		},
		// Without a hit there is no "web" at all.
		read: reader(func(in struct {
			Web struct {
				Results []struct{ Title, URL, Description string }
			}
		}) []Result {
			return each(in.Web.Results, func(r struct{ Title, URL, Description string }) Result {
				return Result{r.Title, r.URL, r.Description}
			})
		}),
	},
	{
		// A SearXNG of one's own: its address takes the place of a key.
		name: "searxng", needs: "SEARXNG_URL", check: "that SEARXNG_URL is right and that the server offers the json format",
		request: func(base, address, query string, _ int) (*http.Request, error) {
			if base == "" {
				base = address
			}
			return get(base, "search", url.Values{"q": {query}, "format": {"json"}, "pageno": {"1"}})
		},
		read: reader(func(in struct {
			Results []struct{ Title, URL, Content string }
		}) []Result {
			return each(in.Results, func(r struct{ Title, URL, Content string }) Result { return Result{r.Title, r.URL, r.Content} })
		}),
	},
	{
		name: "tavily", needs: "TAVILY_API_KEY", check: "TAVILY_API_KEY", base: "https://api.tavily.com",
		request: func(base, key, query string, n int) (*http.Request, error) {
			req, err := post(base, "search", map[string]any{"query": query, "max_results": n, "search_depth": "basic"})
			if err == nil {
				req.Header.Set("Authorization", "Bearer "+key)
			}
			return req, err
		},
		read: reader(func(in struct {
			Results []struct{ Title, URL, Content string }
		}) []Result {
			return each(in.Results, func(r struct{ Title, URL, Content string }) Result { return Result{r.Title, r.URL, r.Content} })
		}),
	},
	{
		name: "exa", needs: "EXA_API_KEY", check: "EXA_API_KEY", base: "https://api.exa.ai",
		request: func(base, key, query string, n int) (*http.Request, error) {
			// Without asking for contents there is no snippet.
			req, err := post(base, "search", map[string]any{"query": query, "numResults": n, "type": "auto", "contents": map[string]any{"highlights": true}})
			if err == nil {
				req.Header.Set("X-Api-Key", key)
			}
			return req, err
		},
		read: reader(func(in struct{ Results []exaResult }) []Result {
			return each(in.Results, func(r exaResult) Result {
				if len(r.Highlights) > 0 {
					r.Text = r.Highlights[0]
				}
				return Result{r.Title, r.URL, r.Text}
			})
		}),
	},
	{
		name: "fake",
		invent: func(query string, n int) []Result {
			var list []Result
			for i := range n {
				list = append(list, Result{
					Title: fmt.Sprintf("Result %d for %s", i+1, query), URL: fmt.Sprintf("https://example.com/%d", i+1),
					Snippet: "An invented result: this forge is set up without a search engine.",
				})
			}
			return list
		},
	},
}

type exaResult struct {
	Title, URL, Text string
	Highlights       []string
}

func adapterNamed(name string) *adapter {
	for _, a := range adapters {
		if a.name == name {
			return a
		}
	}
	return nil
}

func names() []string {
	return each(adapters, func(a *adapter) string { return a.name })
}

func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// reader decodes an answer and hands it to f.
func reader[T any](f func(T) []Result) func([]byte) ([]Result, error) {
	return func(body []byte) ([]Result, error) {
		var in T
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, err
		}
		return f(in), nil
	}
}

func get(base, path string, query url.Values) (*http.Request, error) {
	u, err := address(base, path)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	return http.NewRequest(http.MethodGet, u.String(), nil)
}

func post(base, path string, body any) (*http.Request, error) {
	u, err := address(base, path)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, u.String(), bytes.NewReader(encoded))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

func address(base, path string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("no address")
	}
	return u.JoinPath(path), nil
}
