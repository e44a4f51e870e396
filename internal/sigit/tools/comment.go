package tools

import (
	"context"
	"fmt"
	"time"

	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
)

type commentOut struct {
	Author    string `json:"author"`
	Body      string `json:"body"`
	CreatedAt string `json:"created_at"`
}

// maxTalk is how many bytes of comments one answer holds, give or take a page.
const (
	maxTalk  = 256 << 10
	talkPage = 20
)

// talk is the comments on an issue or a pull request, and what to do for those
// that did not fit.
type talk struct {
	Comments  []commentOut `json:"comments"`
	Truncated bool         `json:"comments_truncated,omitempty"`
	Note      string       `json:"comments_note,omitempty"`
	Next      string       `json:"next_cursor,omitempty"`
}

// talkOf reads the comments on a number from the cursor on, oldest first.
func (d door) talkOf(ctx context.Context, by sigit.Actor, tool string, repo sigit.RepoName, number int, cursor string) (talk, error) {
	out := talk{Comments: []commentOut{}}
	size := 0
	for {
		list, err := d.forge.Comments(ctx, by, repo, number, sigit.Page{Limit: talkPage, Cursor: cursor})
		if err != nil {
			return talk{}, err
		}
		for _, c := range list.Items {
			out.Comments = append(out.Comments, commentOut{c.Author, sigit.Clean(c.Body), c.CreatedAt.UTC().Format(time.RFC3339)})
			size += len(c.Body) + 100
		}
		if cursor = list.Next; cursor == "" {
			return out, nil
		}
		if size >= maxTalk {
			out.Truncated, out.Next = true, cursor
			out.Note = fmt.Sprintf("%d of %d comments are shown. For the next, call %s again with cursor %q.", len(out.Comments), list.Total, tool, cursor)
			return out, nil
		}
	}
}

type commentMadeOut struct {
	ID  int64  `json:"id"`
	URL string `json:"url"`
}

var addIssueComment = tool{
	name: "add_issue_comment", title: "Comment", writes: true,
	about: "Post a comment on an issue or a pull request, by its number. It is signed with your account.",
	takes: []arg{
		repoArg, numberArg("issue or pull request"),
		{name: "body", must: true, about: "The comment, in Markdown."},
	},
	gives: anObject(member{"id", isNumber}, member{"url", isText}),
	hints: map[string]string{"not_found": "list_issues and list_pull_requests show the numbers."},
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		c, err := d.forge.AddComment(ctx, by, sigit.NewComment{Repo: repo, Number: in.number("number"), Body: in.text("body")})
		if err != nil {
			return mcp.Result{}, err
		}
		return mcp.Answer(commentMadeOut{c.ID, d.forge.Site().Comment(c)})
	},
}
