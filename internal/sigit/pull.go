package sigit

import (
	"fmt"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// Pull is a pull request: the wish to merge the branch Head into Base.
//
// Both ends are pinned: HeadID and BaseID name the commits, and hidden refs
// keep them (HeadRef, BaseRef), so the diff outlives a deleted branch and the
// merge itself. The pins follow the branches while the pull request is open.
type Pull struct {
	ID        int64
	RepoID    int64
	Repo      RepoName
	Number    int // shared with issues
	Title     string
	Body      string // Markdown
	State     State
	AuthorID  int64
	Author    string // user name
	Via       Via
	Head      string // branch
	Base      string // branch
	HeadID    string // commit
	BaseID    string // commit
	Comments  int
	CreatedAt time.Time
	UpdatedAt time.Time
	ClosedAt  *time.Time // of a merge too
	ClosedBy  string     // user name
	MergedAt  *time.Time
	MergedBy  string // user name
	MergeID   string // the commit that Base had after the merge
}

// NewPull is what it takes to open a pull request.
type NewPull struct {
	Repo  RepoName
	Title string
	Body  string
	Head  string
	Base  string
}

// Check says what is wrong with the pull request, as Invalid.
func (n NewPull) Check() error {
	if err := checkTexts("a pull request", n.Title, n.Body); err != nil {
		return err
	}
	if n.Head == "" || n.Base == "" {
		return fault.New(fault.Invalid, "a pull request needs a head and a base branch")
	}
	for _, branch := range []string{n.Head, n.Base} {
		if err := CheckBranch(branch); err != nil {
			return err
		}
	}
	if n.Head == n.Base {
		return fault.New(fault.Invalid, "head and base must be different branches")
	}
	return nil
}

// NothingToMerge says of a pull request that it brings nothing.
func NothingToMerge(p Pull) string {
	return fmt.Sprintf("There is nothing to merge yet: %s has every commit of %s.", p.Base, p.Head)
}

// MergeStyle says how a pull request becomes part of its base.
type MergeStyle string

const (
	MergeCommit MergeStyle = "merge"        // a commit with two parents
	Squash      MergeStyle = "squash"       // one commit with the whole change
	FastForward MergeStyle = "fast-forward" // move the base; refused when it has gone on
)

// MergePull is what it takes to merge.
type MergePull struct {
	Repo    RepoName
	Number  int
	Style   MergeStyle // empty: MergeCommit
	Expect  string     // the head commit the caller looked at; empty: whatever it is now
	Message string     // of the commit; empty: one that names the pull request
}

// Check says what is wrong with the request, as Invalid.
func (m MergePull) Check() error {
	switch m.Style {
	case "", MergeCommit, Squash, FastForward:
	default:
		return fault.New(fault.Invalid, "unknown merge style %q; there are merge, squash and fast-forward", Short(string(m.Style), 40))
	}
	return checkText("message", m.Message, MaxBody)
}

// HeadRef and BaseRef are the hidden refs that keep the ends of a pull request.
func HeadRef(number int) string { return fmt.Sprintf("refs/pull/%d/head", number) }
func BaseRef(number int) string { return fmt.Sprintf("refs/pull/%d/base", number) }

// OwnRef says whether the ref is one that only the forge writes.
func OwnRef(ref string) bool {
	return ref == "HEAD" || ref == "refs/pull" || strings.HasPrefix(ref, "refs/pull/") || strings.HasPrefix(ref, "refs/sigit/")
}

// MaxDiff is how many bytes of a pull request's diff are shown.
const MaxDiff = 100_000
