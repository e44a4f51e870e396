package sigit

import (
	"strings"
	"time"

	"skillforge/internal/fault"
)

// State is where an issue or a pull request stands.
type State string

const (
	Open   State = "open"
	Closed State = "closed"
	Merged State = "merged" // pull requests only
	Any    State = "all"    // in filters only
)

// Via records through what somebody acted: "agent X for user Y". Both are
// empty for a person at the forge's own pages or command line.
type Via struct {
	Token  string // the token's label
	Client string // the program, as it named itself
}

// Issue is a question or a wish about a repository.
type Issue struct {
	ID        int64
	RepoID    int64
	Repo      RepoName
	Number    int // shared with pull requests: a number is one of either
	Title     string
	Body      string // Markdown
	State     State
	AuthorID  int64
	Author    string // user name
	Via       Via
	Comments  int
	CreatedAt time.Time
	UpdatedAt time.Time
	ClosedAt  *time.Time
	ClosedBy  string // user name
}

// NewIssue is what it takes to open an issue.
type NewIssue struct {
	Repo  RepoName
	Title string
	Body  string
}

// Check says what is wrong with the issue, as Invalid.
func (n NewIssue) Check() error { return checkTexts("an issue", n.Title, n.Body) }

func checkTexts(what, title, body string) error {
	if strings.TrimSpace(title) == "" {
		return fault.New(fault.Invalid, "%s needs a title", what)
	}
	if err := checkLine("title", title, MaxTitle); err != nil {
		return err
	}
	return checkText("body", body, MaxBody)
}

// TextChange says what to change of an issue or a pull request; nil leaves a
// thing as it is.
type TextChange struct {
	Title *string
	Body  *string
}

// Check says what is wrong with the change, as Invalid.
func (c TextChange) Check() error {
	if c.Title != nil {
		if strings.TrimSpace(*c.Title) == "" {
			return fault.New(fault.Invalid, "a title cannot be empty")
		}
		if err := checkLine("title", *c.Title, MaxTitle); err != nil {
			return err
		}
	}
	if c.Body != nil {
		return checkText("body", *c.Body, MaxBody)
	}
	return nil
}

// Filter narrows a list of issues or pull requests.
type Filter struct {
	State State  // empty: open
	Query string // substring of the title or body, whatever the case
}
