// Package enrich asks sources outside the project about a file: so far GitHub,
// whether a file is still what it was taken from.
//
// It talks to the hosts that it is given and to no other: redirects are not
// followed. What it learns is judged and kept by its callers.
package enrich

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
)

// GitHub says where to ask. The zero value asks github.com itself.
type GitHub struct {
	APIBase string // https://api.github.com when empty
	RawBase string // https://raw.githubusercontent.com when empty
	Token   string // of the user; may be empty
	Client  *http.Client
}

// Source is a file in a repository, at a commit, branch or tag.
type Source struct{ Owner, Repo, Ref, Path string }

// Method says how the commit was found.
type Method string

const (
	RawSHA Method = "raw-sha" // the reference is a commit
	APIRef Method = "api-ref" // the reference was looked up
)

// Copy is the file as the source has it. Problem is one sentence where it
// could not be read; the other fields hold what was learned until then.
type Copy struct {
	Method  Method
	SHA     string
	Content []byte
	Problem string
}

// Limits of an answer.
const (
	patience = 15 * time.Second
	largest  = 4 << 20
)

var (
	commit = regexp.MustCompile(`^[0-9a-f]{40}$`)
	name   = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// Parse reads an address such as https://github.com/o/r/blob/main/a.md. A
// version that is given outweighs the reference in it. It is false for an
// address that names no file on GitHub.
func Parse(address, version string) (Source, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return Source{}, false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	var s Source
	switch {
	case (u.Host == "github.com" || u.Host == "www.github.com") && len(parts) >= 5 && (parts[2] == "blob" || parts[2] == "raw"):
		s = Source{parts[0], parts[1], parts[3], strings.Join(parts[4:], "/")}
	case u.Host == "raw.githubusercontent.com" && len(parts) >= 4:
		s = Source{parts[0], parts[1], parts[2], strings.Join(parts[3:], "/")}
	default:
		return Source{}, false
	}
	if version != "" {
		s.Ref = version
	}
	return s, s.valid()
}

func (s Source) valid() bool {
	if !name.MatchString(s.Owner) || !name.MatchString(s.Repo) || s.Ref == "" || strings.ContainsAny(s.Ref, "?#\x00 ") || strings.HasPrefix(s.Ref, "-") {
		return false
	}
	return s.Path != "" && path.Clean("/"+s.Path) == "/"+s.Path
}

// Fetch finds the commit and reads the file there. It fails only when ctx
// ends.
func (g GitHub) Fetch(ctx context.Context, s Source) (Copy, error) {
	c := Copy{Method: RawSHA, SHA: s.Ref}
	if !commit.MatchString(s.Ref) {
		c.Method, c.SHA = APIRef, ""
		body, problem := g.get(ctx, base(g.APIBase, "https://api.github.com"), "repos", s.Owner, s.Repo, "commits", s.Ref)
		if problem != "" {
			c.Problem = fmt.Sprintf("%s of %s/%s cannot be looked up: %s", s.Ref, s.Owner, s.Repo, problem)
			return c, ctx.Err()
		}
		var answer struct {
			SHA string `json:"sha"`
		}
		if json.Unmarshal(body, &answer) != nil || !commit.MatchString(answer.SHA) {
			c.Problem = "GitHub's answer names no commit."
			return c, nil
		}
		c.SHA = answer.SHA
	}
	body, problem := g.get(ctx, base(g.RawBase, "https://raw.githubusercontent.com"), append([]string{s.Owner, s.Repo, c.SHA}, strings.Split(s.Path, "/")...)...)
	if problem != "" {
		c.Problem = fmt.Sprintf("%s cannot be read there: %s", s.Path, problem)
		return c, ctx.Err()
	}
	c.Content = body
	return c, nil
}

func base(given, usual string) string {
	if given == "" {
		return usual
	}
	return strings.TrimRight(given, "/")
}

// get reads an answer; problem says in one clause what is wrong.
func (g GitHub) get(ctx context.Context, base string, parts ...string) (body []byte, problem string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/"+strings.Join(parts, "/"), nil)
	if err != nil {
		return nil, "the address is none"
	}
	req.Header.Set("Accept", "application/vnd.github+json, text/plain, */*")
	req.Header.Set("User-Agent", "skill-map")
	if g.Token != "" {
		req.Header.Set("Authorization", "Bearer "+g.Token)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if g.Client != nil {
		client.Transport = g.Client.Transport
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, "nobody answers"
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, "the answer is " + res.Status
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, largest+1))
	switch {
	case err != nil:
		return nil, "the answer breaks off"
	case len(body) > largest:
		return nil, "it is larger than 4 MiB"
	}
	return body, ""
}
