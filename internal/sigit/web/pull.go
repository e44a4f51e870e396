package web

import (
	"html/template"
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// pullView is what a pull request has beyond an issue.
type pullView struct {
	sigit.Pull
	Tab           string // conversation, commits or changes
	MergedAt      template.HTML
	MergedThrough string
	Commits       []git.LogEntry
	More          bool
	Diff          *diffPage
	Merge         *mergeView // nil: not looked at yet
	Note          string
}

// mergeView says whether a pull request can be merged, and why not.
type mergeView struct {
	Self        string
	Reason      string
	Paths       []string
	Able        bool
	FastForward bool
	Base, Head  string
	HeadID      string
	Open        bool
}

func pulls(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p := c.threads("pulls")
	p.States = []stateTab{{"open", "Open", h.OpenPulls}, {"merged", "Merged", -1}, {"closed", "Closed", -1}, {"all", "All", -1}}
	return c.list(frame{Title: "Pull requests · " + h.Name.String(), Repo: h, Tab: "pulls"}, p, func() error {
		list, err := c.forge.Pulls(c.r.Context(), c.by, h.Name, sigit.Filter{State: sigit.State(p.State), Query: p.Query}, sigit.Page{Limit: 40, Cursor: c.query("cursor")})
		for _, i := range list.Items {
			p.Rows = append(p.Rows, threadRow{Number: i.Number, Title: i.Title, Author: i.Author, State: i.State, Through: acted(i.Via), Comments: i.Comments, At: ago(i.CreatedAt), URL: h.URL + "/pulls/" + itoa(i.Number), Head: i.Head, Base: i.Base})
		}
		p.Total, p.Next = list.Total, list.Next
		return err
	})
}

func pull(c *call) error        { return c.pull("conversation", "", nil) }
func pullCommits(c *call) error { return c.pull("commits", "", nil) }
func pullChanges(c *call) error { return c.pull("changes", "", nil) }

func (c *call) pull(tab, draft string, wrong error) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	n := number(c.r.PathValue("number"))
	p, err := c.forge.Pull(c.r.Context(), c.by, h.Name, n)
	if fault.Of(err) == fault.NotFound && c.r.Method == http.MethodGet {
		if _, e := c.forge.Issue(c.r.Context(), c.by, h.Name, n); e == nil {
			c.leave(h.URL + "/issues/" + itoa(n))
			return nil
		}
	}
	if err != nil {
		return err
	}
	v := &pullView{Pull: p, Tab: tab}
	t := threadPage{Kind: "pulls", Number: p.Number, State: p.State, Title: p.Title, Body: p.Body, Author: p.Author, Through: acted(p.Via), At: ago(p.CreatedAt), Draft: draft, Pull: v}
	if p.MergedAt != nil {
		v.MergedAt = ago(*p.MergedAt)
	}
	f := frame{Title: p.Title + " · #" + itoa(n) + " · " + h.Name.String(), Repo: h, Tab: "pulls"}
	if tab != "conversation" {
		t.Self, t.RepoName = h.URL+"/pulls/"+itoa(n), h.Name.String()
		t.MayMove = c.by.Known() && c.by.MayChange(p.AuthorID, h.Repo) == nil
		read := func() (any, error) {
			err := c.fillPull(h, v, t.Self)
			return t, err
		}
		return c.showDiff("thread", f, read, func() *diffPage { return v.Diff })
	}
	if err = c.fillThread(h, &t, p.AuthorID); err != nil {
		return err
	}
	f.Data = t
	if wrong != nil {
		return c.again("thread", f, wrong)
	}
	return c.show(http.StatusOK, "thread", f)
}

// fillPull reads the commits or the changes of a pull request. What cannot be
// told any more is said on the page.
func (c *call) fillPull(h *repoHead, v *pullView, self string) error {
	ctx := c.r.Context()
	_, code, err := c.forge.Fetch(ctx, c.by, h.Name)
	if err != nil {
		return err
	}
	from, err := code.MergeBase(ctx, v.BaseID, v.HeadID)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		v.Note = "The commits of this pull request have nothing in common any more, or are gone, so there is nothing to show."
		return nil
	}
	if v.Tab == "changes" {
		d, err := c.diff(h, code, from, v.HeadID, self+"/changes")
		v.Diff = &d
		return err
	}
	v.Commits, err = code.Log(ctx, v.HeadID, []string{v.BaseID}, "", 0, maxCompared+1)
	if len(v.Commits) > maxCompared {
		v.Commits, v.More = v.Commits[:maxCompared], true
	}
	return err
}

// pullMerge says whether a pull request can be merged: for htmx the box
// alone, else the conversation with the box.
func pullMerge(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p, err := c.forge.Pull(c.r.Context(), c.by, h.Name, number(c.r.PathValue("number")))
	if err != nil {
		return err
	}
	m, err := c.mergeView(h, p)
	if err != nil {
		return err
	}
	if c.r.Header.Get("HX-Request") == "true" {
		return c.part("merge_box", m)
	}
	return c.show(http.StatusOK, "merge", frame{Title: "Merge #" + itoa(p.Number) + " · " + h.Name.String(), Repo: h, Tab: "pulls", Data: m})
}

func (c *call) mergeView(h *repoHead, p sigit.Pull) (*mergeView, error) {
	m := &mergeView{Self: h.URL + "/pulls/" + itoa(p.Number), Base: p.Base, Head: p.Head, HeadID: p.HeadID, Open: p.State == sigit.Open}
	fast, err := c.forge.Mergeable(c.r.Context(), c.by, p)
	if err == nil {
		m.Able, m.FastForward = true, fast
		return m, nil
	}
	if fault.Of(err) == fault.Internal {
		return nil, err
	}
	m.Reason = sentence(fault.Text(err))
	m.Paths, _ = fault.Details(err)["paths"].([]string)
	return m, nil
}

func newPullForm(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p := comparePage{Base: c.query("base"), Head: c.query("head"), Form: true, URL: h.URL}
	if err := c.fillComparison(h, &p); err != nil {
		return err
	}
	return c.show(http.StatusOK, "compare", frame{Title: "New pull request · " + h.Name.String(), Repo: h, Tab: "pulls", Data: p})
}

func newPull(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	in := comparePage{Base: c.form("base"), Head: c.form("head"), Title: c.form("title"), Body: c.form("body"), Form: true, URL: h.URL}
	p, err := c.forge.OpenPull(c.r.Context(), c.by, sigit.NewPull{Repo: h.Name, Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base})
	if err != nil {
		if e := c.fillComparison(h, &in); e != nil {
			return e
		}
		in.Title = c.form("title")
		return c.again("compare", frame{Title: "New pull request · " + h.Name.String(), Repo: h, Tab: "pulls", Data: in}, err)
	}
	c.leave(h.URL + "/pulls/" + itoa(p.Number))
	return nil
}

// changePull does what the button says: comment, edit, close, reopen or merge.
func changePull(c *call) error {
	name, err := c.name()
	if err != nil {
		return err
	}
	n, ctx := number(c.r.PathValue("number")), c.r.Context()
	anchor, do := "", c.form("do")
	if do == "comment-edit" {
		return c.editComment(name, n, "pulls", func(draft string, wrong error) error { return c.pull("conversation", draft, wrong) })
	}
	if body := c.form("body"); do == "comment" || do != "edit" && do != "merge" && body != "" {
		said, err := c.forge.AddComment(ctx, c.by, sigit.NewComment{Repo: name, Number: n, Body: body})
		if err != nil {
			return c.pull("conversation", body, err)
		}
		anchor = "#comment-" + itoa(int(said.ID))
	}
	switch do {
	case "comment":
	case "close":
		_, err = c.forge.ClosePull(ctx, c.by, name, n)
	case "reopen":
		_, err = c.forge.ReopenPull(ctx, c.by, name, n)
	case "edit":
		title, body := c.form("title"), c.form("body")
		_, err = c.forge.ChangePull(ctx, c.by, name, n, sigit.TextChange{Title: &title, Body: &body})
	case "merge":
		_, err = c.forge.MergePull(ctx, c.by, sigit.MergePull{Repo: name, Number: n, Style: sigit.MergeStyle(c.form("style")), Expect: c.form("expect")})
	default:
		err = fault.New(fault.Invalid, "The form says nothing that can be done.")
	}
	if err != nil {
		return c.pull("conversation", "", err)
	}
	c.leave(repoURL(name) + "/pulls/" + itoa(n) + anchor)
	return nil
}
