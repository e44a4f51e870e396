package sigit

import (
	"fmt"
	"strings"
)

// Site is the absolute base of the forge's addresses, such as
// "https://sigit.example", without a slash at its end.
type Site string

// NewSite returns base without slashes at its end.
func NewSite(base string) Site { return Site(strings.TrimRight(base, "/")) }

func (s Site) Repo(n RepoName) string  { return fmt.Sprintf("%s/%s/%s", s, n.Owner, n.Name) }
func (s Site) Clone(n RepoName) string { return s.Repo(n) + ".git" }

func (s Site) Issue(n RepoName, number int) string {
	return fmt.Sprintf("%s/issues/%d", s.Repo(n), number)
}

func (s Site) Pull(n RepoName, number int) string {
	return fmt.Sprintf("%s/pulls/%d", s.Repo(n), number)
}

// Comment anchors to the issue or pull request it is on.
func (s Site) Comment(c Comment) string {
	parent := s.Issue(c.Repo, c.Number)
	if c.OnPull {
		parent = s.Pull(c.Repo, c.Number)
	}
	return fmt.Sprintf("%s#comment-%d", parent, c.ID)
}
