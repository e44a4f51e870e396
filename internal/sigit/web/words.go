package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"skillforge/internal/sigit"
)

func itoa(n int) string { return strconv.Itoa(n) }

func escapeQuery(s string) string { return url.QueryEscape(s) }

// escapePath makes a path of a repository safe in an address; slashes stay.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size > 0 && r >= 'a' && r <= 'z' {
		text = strings.ToUpper(text[:size]) + text[size:]
	}
	if text != "" && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

// readable is text of a repository as a page can show it.
func readable(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// grouped writes a number with blanks between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// sized writes a number of bytes.
func sized(n int64) string {
	switch {
	case n < 0:
		return ""
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// ago is a moment for people and, in the attribute, for machines.
func ago(t time.Time) template.HTML {
	if t.IsZero() {
		return "never"
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.UTC().Format(time.RFC3339), t.UTC().Format("2 January 2006, 15:04 UTC"), since(time.Since(t), t)))
}

func since(d time.Duration, t time.Time) string {
	switch {
	case d < -time.Minute:
		return "on " + t.UTC().Format("2 Jan 2006")
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return counted(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return counted(int(d.Hours()), "hour") + " ago"
	case d < 31*24*time.Hour:
		return counted(int(d.Hours()/24), "day") + " ago"
	}
	return "on " + t.UTC().Format("2 Jan 2006")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + "\u00a0" + what + "s"
}

// hidden are the characters that change how a text reads without being seen:
// overrides of direction and what has no width.
const hidden = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"

// hides says whether a text has such characters, beyond a mark at its start.
func hides(text string) bool {
	return strings.ContainsAny(strings.TrimPrefix(text, "\ufeff"), hidden)
}

// acted is through what somebody acted, empty for a person at a page.
func acted(v sigit.Via) string {
	switch {
	case v.Client != "" && v.Token != "":
		return fmt.Sprintf("%s, with the token %s", v.Client, v.Token)
	case v.Token != "":
		return "the token " + v.Token
	}
	return v.Client
}

// ticked shows words between backticks as code.
func ticked(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString("<code>" + escape(part) + "</code>")
		} else {
			b.WriteString(escape(part))
		}
	}
	return template.HTML(b.String())
}

// functions are what templates may call.
func functions(a assets) template.FuncMap {
	return template.FuncMap{
		"asset": a.url, "has": func(name string) bool { return a.url(name) != "" },
		"icon": icon, "ago": ago, "grouped": grouped, "sized": sized, "counted": counted, "acted": acted,
		"ticked": ticked, "path": escapePath, "query": escapeQuery, "readable": readable, "short": func(id string) string { return id[:min(len(id), 8)] },
		"repoURL": repoURL, "list": func(items ...any) []any { return items }, "add": func(a, b int) int { return a + b },
		"initial": func(name string) string {
			if name == "" {
				return "?"
			}
			return strings.ToUpper(name[:1])
		},
		"tint": func(name string) int {
			sum := 0
			for _, b := range []byte(name) {
				sum = sum*31 + int(b)
			}
			return (sum%6 + 6) % 6
		},
	}
}

// repoURL is the address of a repository's page.
func repoURL(n sigit.RepoName) string { return "/" + n.Owner + "/" + n.Name }

// paths are drawings of 16 by 16.
var paths = map[string]string{
	"repo":    "M3.5 2.5h9v11h-8a1 1 0 0 1-1-1zM3.5 11h9M6 5h4",
	"lock":    "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
	"folder":  "M1.5 4h4.5l1.5 1.5h7v7.5h-13z",
	"file":    "M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5",
	"link":    "M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5 7.5 13a2.8 2.8 0 0 1-4-4L5 7.5",
	"box":     "M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6",
	"branch":  "M5 3.5v9M5 9c4 0 6-1 6-4M5 3.5a1.5 1.5 0 1 0 0-.01M5 12.5a1.5 1.5 0 1 0 0-.01M11 5a1.5 1.5 0 1 0 0-.01",
	"commit":  "M1.5 8H5M11 8h3.5M8 5a3 3 0 1 0 .01 0z",
	"issue":   "M8 1.5a6.5 6.5 0 1 0 .01 0zM8 4.5v4M8 11v.5",
	"closed":  "M8 1.5a6.5 6.5 0 1 0 .01 0zM5 8l2 2 4-4",
	"pull":    "M4 5.5v5M12 10.500V7a2.500 2.500 0 0 0-2.500-2.500H7.500M9 2.500l-2 2 2 2M4 2.500a1.500 1.500 0 1 0 .01 0zM4 10.500a1.500 1.500 0 1 0 .01 0zM12 10.500a1.500 1.500 0 1 0 .01 0z",
	"merged":  "M4 5.500v5M4 5.500c0 3 3 4.500 6 4.500M4 2.500a1.500 1.500 0 1 0 .01 0zM4 10.500a1.500 1.500 0 1 0 .01 0zM12 8.500a1.500 1.500 0 1 0 .01 0z",
	"comment": "M2 3h12v8H8l-3.500 3v-3H2z",
	"search":  "M7 2.500a4.500 4.500 0 1 0 .01 0zM10.500 10.500 14 14",
	"code":    "M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500",
	"gear":    "M8 5.500a2.500 2.500 0 1 0 .01 0zM8 1.500v2M8 12.500v2M1.500 8h2M12.500 8h2M3.400 3.400l1.400 1.400M11.200 11.200l1.400 1.400M3.400 12.600l1.400-1.400M11.200 4.800l1.400-1.400",
	"key":     "M5.500 7.500a3 3 0 1 0 .01 0zM7.500 8.500 13 3M11 5l2 2",
	"person":  "M8 2a2.800 2.800 0 1 0 .01 0zM2.500 14c.5-3.500 2.500-5 5.500-5s5 1.500 5.500 5",
	"copy":    "M5.500 5.500h8v8h-8zM3 10.500h-.5v-8h8V3",
	"agent":   "M3.500 5.500h9v7h-9zM8 5.500V3M8 1.500v.5M6 8.500v1M10 8.500v1",
	"plus":    "M8 3v10M3 8h10",
	"tag":     "M2 2.500h5.500l6.500 6.500-5 5L2.500 7.500zM5 5.500v.01",
	"alert":   "M8 2 15 14H1zM8 6.500v3.500M8 12v.3",
	"down":    "M4 6l4 4 4-4",
	"map":     "M3.500 5.500a1.800 1.800 0 1 0 .01 0zM12 2a1.800 1.800 0 1 0 .01 0zM11 10.500a1.800 1.800 0 1 0 .01 0zM5 6.500 10.500 4.300M5 8.200l4.600 3.200",
	"history": "M3 3v3h3M3 6a5.500 5.500 0 1 1-.5 3.500M8 5v3.500l2 1.500",
	"pulse":   "M1.500 8h3l2-5 3 10 2-5h3",
}

// icon draws one of paths. It says nothing to who cannot see it: the words
// beside it do.
func icon(name string) template.HTML {
	return template.HTML(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="` + paths[name] + `"/></svg>`)
}
