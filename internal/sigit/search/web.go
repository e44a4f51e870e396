package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// Result is one page that was found.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// Bounds on one search.
const (
	MaxResults = 10
	maxChars   = 400 // of a query, Brave's own limit
	maxWords   = 50
	maxAnswer  = 1 << 20
	patience   = 10 * time.Second // for the provider, a second try included
)

// Options of New.
type Options struct {
	// Env reads the settings: SEARCH_PROVIDER, SEARCH_BASE_URL and the
	// variable that the provider needs. Nil reads none.
	Env func(name string) string
	Log *slog.Logger
	// Now and Pause are for tests; nil is the system's clock.
	Now   func() time.Time
	Pause func(context.Context, time.Duration) error
}

// Web searches the web. It may be used from many goroutines.
type Web struct {
	adapter *adapter // nil: there is none of that name
	name    string   // as the operator wrote it
	base    string
	key     string
	client  *http.Client
	log     *slog.Logger
	pause   func(context.Context, time.Duration) error
	recent  *cache
}

// New reads the settings. What is wrong with them is said by Ready and Search,
// since a forge without a search engine is still a forge.
func New(o Options) *Web {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	w := &Web{name: strings.TrimSpace(o.Env("SEARCH_PROVIDER")), log: o.Log, pause: o.Pause, recent: newCache(o.Now)}
	if w.name == "" {
		w.name = standard
	}
	w.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if w.adapter = adapterNamed(w.name); w.adapter == nil {
		return w
	}
	w.base = w.adapter.base
	if w.adapter.needs != "" {
		w.key = strings.TrimSpace(o.Env(w.adapter.needs))
	}
	if base := strings.TrimSpace(o.Env("SEARCH_BASE_URL")); base != "" {
		w.base = base
	}
	return w
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Ready says what the operator has to set before anything can be found, as a
// fault that names the variable.
func (w *Web) Ready() error {
	if w.adapter == nil {
		return fault.Coded(fault.Invalid, "search-provider", "unknown search provider %q; the operator must set SEARCH_PROVIDER to one of %s", sigit.Short(w.name, 60), strings.Join(names(), ", "))
	}
	if w.adapter.needs != "" && w.key == "" {
		return fault.Coded(fault.Invalid, "search-unconfigured", "web search is not configured: the operator must set %s for the provider %s, or SEARCH_PROVIDER to another", w.adapter.needs, w.adapter.name)
	}
	return nil
}

// Check says what is wrong with a query, as Invalid.
func Check(query string) error {
	switch {
	case strings.TrimSpace(query) == "":
		return fault.New(fault.Invalid, "a web search needs a query")
	case utf8.RuneCountInString(query) > maxChars, len(strings.Fields(query)) > maxWords:
		return fault.New(fault.Invalid, "the query is too long: a web search takes at most %d characters and %d words", maxChars, maxWords)
	}
	return nil
}

// Search finds at most n pages, between 1 and MaxResults. A search that was
// made a moment ago is answered from memory.
//
// The fault is what Ready and Check say, and Busy when the provider fails; its
// sentence carries the provider's HTTP status and nothing else of its answer.
func (w *Web) Search(ctx context.Context, query string, n int) ([]Result, error) {
	if err := w.Ready(); err != nil {
		return nil, err
	}
	if err := Check(query); err != nil {
		return nil, err
	}
	n = min(max(n, 1), MaxResults)
	query = strings.Join(strings.Fields(strings.Map(visible, query)), " ")
	key := fmt.Sprintf("%d %s", n, query)
	if found, ok := w.recent.get(key); ok {
		return found, nil
	}
	found, err := w.find(ctx, query, n)
	if err != nil {
		return nil, err
	}
	w.recent.put(key, found)
	return found, nil
}

// visible makes control characters into blanks: headers and query strings of
// providers do not take them.
func visible(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

func (w *Web) find(ctx context.Context, query string, n int) ([]Result, error) {
	if w.adapter.invent != nil {
		return tidy(w.adapter.invent(query, n), n), nil
	}
	asked, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := w.ask(asked, query, n)
	if err != nil {
		return nil, w.fails(ctx, err)
	}
	found, err := w.adapter.read(body)
	if err != nil {
		// The error of the decoder may quote the answer, so it is left out.
		return nil, w.fails(ctx, errNotUnderstood)
	}
	return tidy(found, n), nil
}

var (
	errNotUnderstood = errors.New("its answer is not understood")
	errLarge         = errors.New("its answer is too large")
)

// status is an answer that is none.
type status struct {
	code  int
	after time.Duration // when to try again, 0 if it does not say
}

func (s status) Error() string { return fmt.Sprintf("HTTP %d", s.code) }

// ask sends the query; once more when the provider says that it came too soon
// after another.
func (w *Web) ask(ctx context.Context, query string, n int) ([]byte, error) {
	body, err := w.askOnce(ctx, query, n)
	s, ok := errors.AsType[status](err)
	if !ok || s.code != http.StatusTooManyRequests || s.after > longestPause {
		return body, err
	}
	if w.pause(ctx, max(s.after, shortestPause)) != nil {
		return nil, err
	}
	return w.askOnce(ctx, query, n)
}

// Providers count by the second, so a second must have passed.
const (
	shortestPause = 1100 * time.Millisecond
	longestPause  = 3 * time.Second
)

func (w *Web) askOnce(ctx context.Context, query string, n int) ([]byte, error) {
	req, err := w.adapter.request(w.base, w.key, query, n)
	if err != nil {
		return nil, errors.New("its address is not one")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "sigit")
	resp, err := w.client.Do(req.WithContext(ctx))
	if err != nil {
		return nil, withoutURL(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		after, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return nil, status{resp.StatusCode, time.Duration(min(max(after, 0), 3600)) * time.Second}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, withoutURL(err)
	}
	if len(body) > maxAnswer {
		return nil, errLarge
	}
	return body, nil
}

// withoutURL keeps the address out of the log: it holds the query, and what
// else the operator put into it.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// fails is what the caller hears of a provider that failed.
func (w *Web) fails(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err() // the caller left
	}
	w.log.WarnContext(ctx, "web search failed", "provider", w.adapter.name, "err", err)
	text := "could not be reached; try again later"
	s, ok := errors.AsType[status](err)
	switch {
	case ok && s.code == http.StatusTooManyRequests:
		text = "answered HTTP 429, too many requests; wait a little before the next search"
	case ok && (s.code == http.StatusUnauthorized || s.code == http.StatusForbidden):
		text = fmt.Sprintf("answered HTTP %d; the operator should check %s", s.code, w.adapter.check)
	case ok:
		text = fmt.Sprintf("answered HTTP %d; try again later", s.code)
	case errors.Is(err, context.DeadlineExceeded):
		text = fmt.Sprintf("gave no answer in %d seconds; try again later", int(patience.Seconds()))
	case errors.Is(err, errNotUnderstood), errors.Is(err, errLarge):
		text = "gave an answer that is not understood; try again later"
	}
	return fault.Coded(fault.Busy, "search-failed", "the search provider %s %s", w.adapter.name, text).Because(err)
}
