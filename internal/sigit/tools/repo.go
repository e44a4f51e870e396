package tools

import (
	"context"

	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type repoOut struct {
	FullName      string `json:"full_name"`
	Description   string `json:"description"`
	DefaultBranch string `json:"default_branch"`
	Private       bool   `json:"private"`
	URL           string `json:"url"`
}

var listRepositories = tool{
	name: "list_repositories", title: "List repositories",
	about: "List the repositories that you can access, the latest changed first. Use it first: its full_name is the repo of the other tools.",
	takes: []arg{
		{name: "query", about: "Show only those whose owner/name holds this text, whatever the case."},
		{name: "limit", whole: true, low: 1, high: 100, standard: 30, about: "How many to show, 1 to 100; 30 when left out."},
		cursorArg,
	},
	gives: aList(anObject(member{"full_name", isText}, member{"description", isText}, member{"default_branch", isText},
		member{"private", isBoolean}, member{"url", isText})),
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		list, err := d.forge.Repos(ctx, by, forge.RepoFilter{Query: in.text("query")}, sigit.Page{Limit: in.number("limit"), Cursor: in.text("cursor")})
		if err != nil {
			return mcp.Result{}, err
		}
		return pageOf("list_repositories", list, func(r sigit.Repo) repoOut {
			return repoOut{r.Name.String(), sigit.Clean(r.Description), r.DefaultBranch, r.Private, d.forge.Site().Repo(r.Name)}
		})
	},
}
