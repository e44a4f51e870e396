package web

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// threadsPage lists issues or pull requests.
type threadsPage struct {
	Kind   string // "issues" or "pulls"
	State  string
	Query  string
	Rows   []threadRow
	Total  int
	Next   string
	First  bool
	States []stateTab
}

type stateTab struct {
	Name, Label string
	Count       int // -1: not counted
}

// threadRow is an issue or a pull request in a list.
type threadRow struct {
	Number          int
	Title, Author   string
	State           sigit.State
	Through         string
	Comments        int
	At              template.HTML
	URL, Head, Base string
}

func issues(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p := c.threads("issues")
	p.States = []stateTab{{"open", "Open", h.OpenIssues}, {"closed", "Closed", -1}, {"all", "All", -1}}
	return c.list(frame{Title: "Issues · " + h.Name.String(), Repo: h, Tab: "issues"}, p, func() error {
		list, err := c.forge.Issues(c.r.Context(), c.by, h.Name, sigit.Filter{State: sigit.State(p.State), Query: p.Query}, sigit.Page{Limit: 40, Cursor: c.query("cursor")})
		for _, i := range list.Items {
			p.Rows = append(p.Rows, threadRow{Number: i.Number, Title: i.Title, Author: i.Author, State: i.State, Through: acted(i.Via), Comments: i.Comments, At: ago(i.CreatedAt), URL: h.URL + "/issues/" + itoa(i.Number)})
		}
		p.Total, p.Next = list.Total, list.Next
		return err
	})
}

// list answers with a list that fill reads. Searching through texts takes a
// while, so its head is sent first.
func (c *call) list(f frame, p *threadsPage, fill func() error) error {
	f.Data = p
	if p.Query != "" && len(p.Query) <= maxQuery && c.query("cursor") == "" {
		return c.showLater("threads", f, func() (any, error) { return p, fill() })
	}
	if err := fill(); err != nil {
		return err
	}
	return c.show(http.StatusOK, "threads", f)
}

// threads reads what a list is asked for.
func (c *call) threads(kind string) *threadsPage {
	p := &threadsPage{Kind: kind, State: c.query("state"), Query: c.query("q"), First: c.query("cursor") == ""}
	if p.State == "" {
		p.State = "open"
	}
	return p
}

// threadPage is an issue or a pull request with what was said on it.
type threadPage struct {
	Kind     string
	Number   int
	State    sigit.State
	Title    string
	Body     string
	HTML     template.HTML
	Author   string
	Through  string
	At       template.HTML
	Comments []commentView
	Total    int
	Next     string
	Cursor   string // of this page of comments
	Since    int64  // when the last comment of it was made
	MayTalk  bool
	MayMove  bool
	Draft    string // a comment that was not taken
	Pull     *pullView
	Self     string
	RepoName string
}

// commentView is what somebody said, or did.
type commentView struct {
	Did     string // what was done, in words; empty for a comment
	Kind    string // closed, open or merged
	ID      int64
	Author  string
	Through string
	At      template.HTML
	HTML    template.HTML
	Edited  template.HTML // when it was changed last, empty for never
	Own     bool          // of who looks
	Body    string        // for its own to change
}

func issue(c *call) error { return c.issue("", nil) }

func (c *call) issue(draft string, wrong error) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	n := number(c.r.PathValue("number"))
	i, err := c.forge.Issue(c.r.Context(), c.by, h.Name, n)
	if fault.Of(err) == fault.NotFound {
		if _, e := c.forge.Pull(c.r.Context(), c.by, h.Name, n); e == nil && c.r.Method == http.MethodGet {
			c.leave(h.URL + "/pulls/" + itoa(n))
			return nil
		}
	}
	if err != nil {
		return err
	}
	t := threadPage{Kind: "issues", Number: i.Number, State: i.State, Title: i.Title, Body: i.Body, Author: i.Author, Through: acted(i.Via), At: ago(i.CreatedAt), Draft: draft}
	if err := c.fillThread(h, &t, i.AuthorID); err != nil {
		return err
	}
	f := frame{Title: i.Title + " · #" + itoa(i.Number) + " · " + h.Name.String(), Repo: h, Tab: "issues", Data: t}
	if wrong != nil {
		return c.again("thread", f, wrong)
	}
	return c.show(http.StatusOK, "thread", f)
}

// spotIn is where texts of issues stand: links in them lead to the default
// branch.
func spotIn(h *repoHead) spot { return spot{repo: h.URL, ref: h.DefaultBranch} }

func (c *call) fillThread(h *repoHead, t *threadPage, author int64) error {
	t.Self, t.RepoName = h.URL+"/"+t.Kind+"/"+itoa(t.Number), h.Name.String()
	t.HTML = c.markdown.html(t.Body, spotIn(h))
	t.MayTalk = c.by.May(sigit.AddComment, h.Repo) == nil
	t.MayMove = c.by.Known() && c.by.MayChange(author, h.Repo) == nil
	list, err := c.forge.Comments(c.r.Context(), c.by, h.Name, t.Number, sigit.Page{Limit: 50, Cursor: c.query("cursor")})
	if err != nil {
		return err
	}
	t.Total, t.Next, t.Cursor = list.Total, list.Next, c.query("cursor")
	if err := c.withHistory(h, t, list); err != nil {
		return err
	}
	return nil
}

// deeds are what was done with a thread, in words, and how it looks.
var deeds = map[sigit.EventKind][2]string{
	sigit.IssueClosed: {"closed it", "closed"}, sigit.IssueReopen: {"reopened it", "open"}, sigit.IssueChanged: {"edited the title or the description", "edited"},
	sigit.PullClosed: {"closed it without merging", "closed"}, sigit.PullReopen: {"reopened it", "open"}, sigit.PullChanged: {"edited the title or the description", "edited"},
}

// withHistory puts the comments of a page and what was done meanwhile in the
// order of time. A merge is told below, with its commit.
func (c *call) withHistory(h *repoHead, t *threadPage, list sigit.List[sigit.Comment]) error {
	acts, err := c.forge.History(c.r.Context(), c.by, h.Name, t.Number)
	if err != nil {
		return err
	}
	if since, _ := strconv.ParseInt(c.query("since"), 10, 64); t.Cursor != "" { // what came before is on an earlier page
		acts = slices.DeleteFunc(acts, func(a store.Act) bool { return a.At.UnixMicro() <= since })
	}
	did := func(until func(store.Act) bool) {
		for len(acts) > 0 && until(acts[0]) {
			a := acts[0]
			acts = acts[1:]
			if words, ok := deeds[a.Kind]; ok {
				t.Comments = append(t.Comments, commentView{Did: words[0], Kind: words[1], Author: a.Actor, Through: acted(a.Via), At: ago(a.At)})
			}
			if a.Kind == sigit.PullMerged && t.Pull != nil {
				t.Pull.MergedThrough = acted(a.Via)
			}
		}
	}
	for _, m := range list.Items {
		did(func(a store.Act) bool { return a.At.Before(m.CreatedAt) })
		v := commentView{ID: m.ID, Author: m.Author, Through: acted(m.Via), At: ago(m.CreatedAt), HTML: c.markdown.html(m.Body, spotIn(h))}
		if m.Edited() {
			v.Edited = ago(m.UpdatedAt)
		}
		if c.by.Known() && m.AuthorID == c.by.User.ID {
			v.Own, v.Body = true, m.Body
		}
		t.Comments = append(t.Comments, v)
	}
	if t.Next == "" {
		did(func(store.Act) bool { return true })
	} else {
		t.Since = list.Items[len(list.Items)-1].CreatedAt.UnixMicro()
	}
	return nil
}

// editComment gives a comment the body of the form.
func (c *call) editComment(name sigit.RepoName, number int, kind string, again func(draft string, wrong error) error) error {
	id, err := strconv.ParseInt(c.form("comment"), 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "The form names no comment.")
	}
	if _, err := c.forge.ChangeComment(c.r.Context(), c.by, name, number, id, c.form("body")); err != nil {
		return again("", err)
	}
	to := repoURL(name) + "/" + kind + "/" + itoa(number)
	if cursor := c.form("cursor"); cursor != "" {
		to += "?cursor=" + escapeQuery(cursor)
	}
	c.leave(to + "#comment-" + strconv.FormatInt(id, 10))
	return nil
}

type newIssuePage struct{ Title, Body, RepoName string }

func newIssueForm(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	return c.show(http.StatusOK, "issue_new", frame{Title: "New issue · " + h.Name.String(), Repo: h, Tab: "issues", Data: newIssuePage{Title: c.query("title"), Body: c.query("body"), RepoName: h.Name.String()}})
}

func newIssue(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	in := newIssuePage{Title: c.form("title"), Body: c.form("body"), RepoName: h.Name.String()}
	i, err := c.forge.OpenIssue(c.r.Context(), c.by, sigit.NewIssue{Repo: h.Name, Title: in.Title, Body: in.Body})
	if err != nil {
		return c.again("issue_new", frame{Title: "New issue · " + h.Name.String(), Repo: h, Tab: "issues", Data: in}, err)
	}
	c.leave(h.URL + "/issues/" + itoa(i.Number))
	return nil
}

// changeIssue does what the button says: comment, edit, close or reopen. A
// comment that comes with closing is said first.
func changeIssue(c *call) error {
	name, err := c.name()
	if err != nil {
		return err
	}
	n, ctx := number(c.r.PathValue("number")), c.r.Context()
	anchor := ""
	if c.form("do") == "comment-edit" {
		return c.editComment(name, n, "issues", c.issue)
	}
	if body := c.form("body"); c.form("do") != "edit" && (body != "" || c.form("do") == "comment") {
		said, err := c.forge.AddComment(ctx, c.by, sigit.NewComment{Repo: name, Number: n, Body: body})
		if err != nil {
			return c.issue(body, err)
		}
		anchor = "#comment-" + itoa(int(said.ID))
	}
	switch c.form("do") {
	case "comment":
	case "close":
		_, err = c.forge.CloseIssue(ctx, c.by, name, n)
	case "reopen":
		_, err = c.forge.ReopenIssue(ctx, c.by, name, n)
	case "edit":
		title, body := c.form("title"), c.form("body")
		_, err = c.forge.ChangeIssue(ctx, c.by, name, n, sigit.TextChange{Title: &title, Body: &body})
	default:
		err = fault.New(fault.Invalid, "The form says nothing that can be done.")
	}
	if err != nil {
		return c.issue("", err)
	}
	c.leave(repoURL(name) + "/issues/" + itoa(n) + anchor)
	return nil
}
