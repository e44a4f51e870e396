package search

import (
	"html"
	"net/url"
	"regexp"
	"strings"

	"skillforge/internal/sigit"
)

// Bounds on the texts of a result, in bytes.
const (
	maxTitle   = 300
	maxSnippet = 1000
	maxURL     = 2000
)

// tidy returns at most n results as agents may read them, without those whose
// address is none.
func tidy(found []Result, n int) []Result {
	out := []Result{}
	for _, r := range found {
		if len(out) == n {
			break
		}
		if isPage(r.URL) {
			out = append(out, Result{Title: line(r.Title, maxTitle), URL: r.URL, Snippet: line(r.Snippet, maxSnippet)})
		}
	}
	return out
}

// isPage says whether the address is of a page on the web, in a form that
// hides nothing.
func isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= maxURL && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		sigit.Clean(address) == address && !strings.ContainsAny(address, " \n\t\"<>\\")
}

// marks are what providers set a hit off with.
var marks = regexp.MustCompile(`(?i)</?(strong|b|em|i|mark|span|br|p)(\s[^<>]*)?/?>`)

// line makes a piece of a page into one clean line.
func line(text string, most int) string {
	text = html.UnescapeString(marks.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), ""))
	return sigit.Short(strings.Join(strings.Fields(sigit.Clean(text)), " "), most)
}
