package sigit

import "time"

// Event is something that happened in a repository, told after it is stored.
type Event struct {
	At     time.Time
	RepoID int64
	Repo   RepoName
	Kind   EventKind
	Number int    // of the issue or pull request, 0 for none
	Actor  string // user name
	Via    Via
	Refs   []RefUpdate // of a push
}

// EventKind says what happened.
type EventKind string

const (
	RepoCreated  EventKind = "repo.created"
	RepoChanged  EventKind = "repo.changed"
	RepoDeleted  EventKind = "repo.deleted"
	Pushed       EventKind = "repo.pushed"
	IssueOpened  EventKind = "issue.opened"
	IssueChanged EventKind = "issue.changed"
	IssueClosed  EventKind = "issue.closed"
	IssueReopen  EventKind = "issue.reopened"
	PullOpened   EventKind = "pull.opened"
	PullChanged  EventKind = "pull.changed"
	PullUpdated  EventKind = "pull.updated" // its head or base moved
	PullClosed   EventKind = "pull.closed"
	PullReopen   EventKind = "pull.reopened"
	PullMerged   EventKind = "pull.merged"
	Commented    EventKind = "comment.added"
	CommentEdit  EventKind = "comment.changed"
)
