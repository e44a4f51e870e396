package tools

import (
	"context"

	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
)

type issueRowOut struct {
	Number int         `json:"number"`
	Title  string      `json:"title"`
	State  sigit.State `json:"state"`
	Author string      `json:"author"`
	URL    string      `json:"url"`
}

var listIssues = tool{
	name: "list_issues", title: "List issues",
	about: "List issues of a repository, the highest number first, 50 at a time. Pull requests are not among them.",
	takes: []arg{
		repoArg,
		{name: "state", oneOf: []string{"open", "closed", "all"}, about: "Which issues; open when left out."},
		{name: "query", about: "Show only issues whose title or body holds this text, whatever the case."},
		cursorArg,
	},
	gives: aList(anObject(member{"number", isNumber}, member{"title", isText}, member{"state", isText}, member{"author", isText}, member{"url", isText})),
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		filter := sigit.Filter{State: sigit.State(in.text("state")), Query: in.text("query")}
		list, err := d.forge.Issues(ctx, by, repo, filter, sigit.Page{Limit: 50, Cursor: in.text("cursor")})
		if err != nil {
			return mcp.Result{}, err
		}
		return pageOf("list_issues", list, func(i sigit.Issue) issueRowOut {
			return issueRowOut{i.Number, sigit.Clean(i.Title), i.State, i.Author, d.forge.Site().Issue(i.Repo, i.Number)}
		})
	},
}

type issueOut struct {
	Number int         `json:"number"`
	Title  string      `json:"title"`
	State  sigit.State `json:"state"`
	Author string      `json:"author"`
	Body   string      `json:"body"`
	URL    string      `json:"url"`
	talk
}

var getIssue = tool{
	name: "get_issue", title: "Read an issue", large: true,
	about: "Read one issue with its comments, oldest first.",
	takes: []arg{repoArg, numberArg("issue"), cursorArg},
	gives: with(anObject(member{"number", isNumber}, member{"title", isText}, member{"state", isText}, member{"author", isText},
		member{"body", isText}, member{"url", isText}, member{"comments", arrayOf(aComment)}),
		member{"comments_truncated", isBoolean}, member{"comments_note", isText}, member{"next_cursor", isText}),
	hints: map[string]string{"not_found": "It may be a pull request: they share numbers with issues, and get_pull_request reads them. list_issues shows the issues."},
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		i, err := d.forge.Issue(ctx, by, repo, in.number("number"))
		if err != nil {
			return mcp.Result{}, err
		}
		said, err := d.talkOf(ctx, by, "get_issue", repo, i.Number, in.text("cursor"))
		if err != nil {
			return mcp.Result{}, err
		}
		return mcp.Answer(issueOut{i.Number, sigit.Clean(i.Title), i.State, i.Author, sigit.Clean(i.Body), d.forge.Site().Issue(i.Repo, i.Number), said})
	},
}

// madeOut is what is said of a new issue or pull request.
type madeOut struct {
	Number int         `json:"number"`
	State  sigit.State `json:"state"`
	URL    string      `json:"url"`
}

var isMade = anObject(member{"number", isNumber}, member{"state", isText}, member{"url", isText})

var createIssue = tool{
	name: "create_issue", title: "Open an issue", writes: true,
	about: "Open a new issue in a repository that you can read. It is signed with your account.",
	takes: []arg{
		repoArg,
		{name: "title", must: true, about: "One line: what is wrong or wanted."},
		{name: "body", about: "The rest, in Markdown."},
	},
	gives: isMade,
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		i, err := d.forge.OpenIssue(ctx, by, sigit.NewIssue{Repo: repo, Title: in.text("title"), Body: in.text("body")})
		if err != nil {
			return mcp.Result{}, err
		}
		return mcp.Answer(madeOut{i.Number, i.State, d.forge.Site().Issue(i.Repo, i.Number)})
	},
}
