package api

import "skillforge/internal/sigit"

func listPulls(c *call) (list[pull], error) {
	name, err := c.repo()
	if err != nil {
		return list[pull]{}, err
	}
	page, err := c.page()
	if err != nil {
		return list[pull]{}, err
	}
	l, err := c.forge.Pulls(c.r.Context(), c.by, name, c.filter(), page)
	return listOf(l, c.pullView), err
}

type newPull struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty" jsonschema:"Markdown"`
	Head  string `json:"head" jsonschema:"branch with the change"`
	Base  string `json:"base" jsonschema:"branch to merge into"`
}

func openPull(c *call, in newPull) (pull, error) {
	name, err := c.repo()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.OpenPull(c.r.Context(), c.by, sigit.NewPull{Repo: name, Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base})
	return c.pullView(p), err
}

func getPull(c *call) (pull, error) {
	name, number, err := c.thread()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.Pull(c.r.Context(), c.by, name, number)
	return c.pullView(p), err
}

func getDiff(c *call) (diff, error) {
	name, number, err := c.thread()
	if err != nil {
		return diff{}, err
	}
	d, err := c.forge.Diff(c.r.Context(), c.by, name, number)
	return diff{d.Patch, d.Truncated, d.Note, d.MergeBase}, err
}

func changePull(c *call, in textChange) (pull, error) {
	name, number, err := c.thread()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.ChangePull(c.r.Context(), c.by, name, number, sigit.TextChange(in))
	return c.pullView(p), err
}

func closePull(c *call, _ nothing) (pull, error) {
	name, number, err := c.thread()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.ClosePull(c.r.Context(), c.by, name, number)
	return c.pullView(p), err
}

func reopenPull(c *call, _ nothing) (pull, error) {
	name, number, err := c.thread()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.ReopenPull(c.r.Context(), c.by, name, number)
	return c.pullView(p), err
}

type merge struct {
	Style   string `json:"style,omitempty" jsonschema:"merge (default), squash or fast-forward"`
	Expect  string `json:"expect,omitempty" jsonschema:"the head commit that was looked at; another one is refused"`
	Message string `json:"message,omitempty" jsonschema:"of the commit"`
}

func mergePull(c *call, in merge) (pull, error) {
	name, number, err := c.thread()
	if err != nil {
		return pull{}, err
	}
	p, err := c.forge.MergePull(c.r.Context(), c.by, sigit.MergePull{Repo: name, Number: number, Style: sigit.MergeStyle(in.Style), Expect: in.Expect, Message: in.Message})
	return c.pullView(p), err
}
