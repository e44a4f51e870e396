package sigit

import (
	"strings"
	"time"

	"skillforge/internal/fault"
)

// Comment is what somebody said on an issue or a pull request.
type Comment struct {
	ID        int64
	RepoID    int64
	Repo      RepoName
	Number    int  // of the issue or pull request
	OnPull    bool // the number is a pull request's
	Body      string
	AuthorID  int64
	Author    string // user name
	Via       Via
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewComment is what it takes to comment.
type NewComment struct {
	Repo   RepoName
	Number int
	Body   string
}

// Check says what is wrong with the comment, as Invalid.
func (n NewComment) Check() error { return CheckComment(n.Body) }

// CheckComment says what is wrong with the body of a comment, as Invalid.
func CheckComment(body string) error {
	if strings.TrimSpace(body) == "" {
		return fault.New(fault.Invalid, "a comment needs a body")
	}
	return checkText("body", body, MaxBody)
}

// Edited says that the comment is not what was said at first.
func (c Comment) Edited() bool { return c.UpdatedAt.After(c.CreatedAt) }
