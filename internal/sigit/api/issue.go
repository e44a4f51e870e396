package api

import "skillforge/internal/sigit"

func listIssues(c *call) (list[issue], error) {
	name, err := c.repo()
	if err != nil {
		return list[issue]{}, err
	}
	page, err := c.page()
	if err != nil {
		return list[issue]{}, err
	}
	l, err := c.forge.Issues(c.r.Context(), c.by, name, c.filter(), page)
	return listOf(l, c.issueView), err
}

type newIssue struct {
	Title string `json:"title" jsonschema:"one line: what is wrong or wanted"`
	Body  string `json:"body,omitempty" jsonschema:"Markdown"`
}

func openIssue(c *call, in newIssue) (issue, error) {
	name, err := c.repo()
	if err != nil {
		return issue{}, err
	}
	i, err := c.forge.OpenIssue(c.r.Context(), c.by, sigit.NewIssue{Repo: name, Title: in.Title, Body: in.Body})
	return c.issueView(i), err
}

func getIssue(c *call) (issue, error) {
	name, number, err := c.thread()
	if err != nil {
		return issue{}, err
	}
	i, err := c.forge.Issue(c.r.Context(), c.by, name, number)
	return c.issueView(i), err
}

type textChange struct {
	Title *string `json:"title,omitempty"`
	Body  *string `json:"body,omitempty"`
}

func changeIssue(c *call, in textChange) (issue, error) {
	name, number, err := c.thread()
	if err != nil {
		return issue{}, err
	}
	i, err := c.forge.ChangeIssue(c.r.Context(), c.by, name, number, sigit.TextChange(in))
	return c.issueView(i), err
}

func closeIssue(c *call, _ nothing) (issue, error) {
	name, number, err := c.thread()
	if err != nil {
		return issue{}, err
	}
	i, err := c.forge.CloseIssue(c.r.Context(), c.by, name, number)
	return c.issueView(i), err
}

func reopenIssue(c *call, _ nothing) (issue, error) {
	name, number, err := c.thread()
	if err != nil {
		return issue{}, err
	}
	i, err := c.forge.ReopenIssue(c.r.Context(), c.by, name, number)
	return c.issueView(i), err
}

func listComments(c *call) (list[comment], error) {
	name, number, err := c.thread()
	if err != nil {
		return list[comment]{}, err
	}
	page, err := c.page()
	if err != nil {
		return list[comment]{}, err
	}
	l, err := c.forge.Comments(c.r.Context(), c.by, name, number, page)
	return listOf(l, c.commentView), err
}

type newComment struct {
	Body string `json:"body" jsonschema:"Markdown"`
}

func addComment(c *call, in newComment) (comment, error) {
	name, number, err := c.thread()
	if err != nil {
		return comment{}, err
	}
	added, err := c.forge.AddComment(c.r.Context(), c.by, sigit.NewComment{Repo: name, Number: number, Body: in.Body})
	return c.commentView(added), err
}
