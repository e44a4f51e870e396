package tools

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
)

type matchOut struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Snippet string `json:"snippet"`
}

// searchPlace is where a search goes on: at the same commit, after so many.
type searchPlace struct {
	Commit string `json:"c"`
	Seen   int    `json:"n"`
}

// maxSeen bounds how far a search goes on: each part reads from the start.
const maxSeen = 5000

var searchCode = tool{
	name: "search_code", title: "Search code",
	about: "Find lines of a repository's text files that hold a fixed text, whatever its case. Not a regular expression. One line of a file per result.",
	takes: []arg{
		repoArg,
		{name: "query", must: true, about: "Text to find, one line, taken literally."},
		{name: "ref", about: "Branch, tag or commit to search; the default branch when left out."},
		{name: "limit", whole: true, low: 1, high: 100, standard: 20, about: "How many lines to show, 1 to 100; 20 when left out."},
		cursorArg,
	},
	gives: aList(anObject(member{"path", isText}, member{"line", isNumber}, member{"snippet", isText})),
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		at, err := d.startOfSearch(ctx, by, repo, in)
		if fault.Code(err) == "empty" {
			// Nothing was ever committed: the query is still checked.
			_, err = d.forge.Search(ctx, by, repo, "", in.text("query"), 1)
			if err == nil {
				return listed[matchOut](nil, 0, "", "")
			}
		}
		if err != nil {
			return mcp.Result{}, err
		}
		limit := in.number("limit")
		found, err := d.forge.Search(ctx, by, repo, at.Commit, in.text("query"), at.Seen+limit+1)
		if err != nil {
			return mcp.Result{}, err
		}
		total, next, more := len(found), "", ""
		found = found[min(at.Seen, len(found)):]
		if len(found) > limit {
			found = found[:limit]
			total, next = unknown, sigit.EncodeCursor(searchPlace{at.Commit, at.Seen + limit})
			more = fmt.Sprintf("There are more than these %d lines. For the next, call search_code again with cursor %q, or narrow the query.", limit, next)
		}
		items := make([]matchOut, len(found))
		for i, m := range found {
			items[i] = matchOut{m.Path, m.Line, m.Text}
		}
		return listed(items, total, next, more)
	},
}

// startOfSearch is the commit to search, and how much of it was shown.
func (d door) startOfSearch(ctx context.Context, by sigit.Actor, repo sigit.RepoName, in args) (searchPlace, error) {
	if cursor := in.text("cursor"); cursor != "" {
		var at searchPlace
		if err := sigit.DecodeCursor(cursor, &at); err != nil {
			return at, err
		}
		if at.Seen < 0 || at.Seen > maxSeen {
			return at, fault.New(fault.Invalid, "no more than %d lines are shown of one search; narrow the query", maxSeen)
		}
		return at, nil
	}
	commit, err := d.forge.Resolve(ctx, by, repo, in.text("ref"))
	return searchPlace{Commit: commit.OID}, err
}
