package web

import (
	"errors"
	"html/template"
	"net/http"
	"regexp"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

type commitsPage struct {
	Ref, Path string
	Crumbs    []crumb
	List      []git.LogEntry
	From      int
	Next      int
	Base      string
}

// commitRows is how many commits a page lists.
const commitRows = 50

func commits(c *call) error {
	h, p, err := c.place()
	if err != nil {
		return ended(err)
	}
	page := commitsPage{Ref: p.Ref, Path: p.Path, Crumbs: crumbs(h, p), From: number(c.query("from")), Base: h.URL}
	page.List, err = p.Code.Log(c.r.Context(), p.Commit, nil, p.Path, page.From, commitRows+1)
	if err != nil {
		return err
	}
	if len(page.List) > commitRows {
		page.List, page.Next = page.List[:commitRows], page.From+commitRows
	}
	return c.show(http.StatusOK, "commits", frame{Title: "Commits · " + h.Name.String(), Repo: h, Tab: "commits", Data: page})
}

type commitPage struct {
	git.LogEntry
	Message template.HTML
	Diff    diffPage
}

var objectID = regexp.MustCompile(`^[0-9a-fA-F]{4,64}$`)

func commit(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	id := c.r.PathValue("id")
	if !objectID.MatchString(id) {
		return fault.New(fault.NotFound, "There is no such commit in %s.", h.Name)
	}
	found, err := c.forge.Resolve(c.r.Context(), c.by, h.Name, id)
	if err != nil {
		return err
	}
	if found.OID != id { // one commit has one address
		c.leave(h.URL + "/commit/" + found.OID)
		return nil
	}
	_, code, err := c.forge.Fetch(c.r.Context(), c.by, h.Name)
	if err != nil {
		return err
	}
	var p commitPage
	if p.LogEntry, err = code.Show(c.r.Context(), found.OID); err != nil {
		return err
	}
	from := git.EmptyTree(found.OID)
	if len(p.Parents) > 0 {
		from = p.Parents[0]
	}
	read := func() (any, error) {
		p.Diff, err = c.diff(h, code, from, found.OID, h.URL+"/commit/"+found.OID)
		return p, err
	}
	return c.showDiff("commit", frame{Title: p.Subject + " · " + h.Name.String(), Repo: h, Tab: "commits"}, read, func() *diffPage { return &p.Diff })
}

// showDiff answers with a page that has a difference in it, which takes a while
// to read: the whole page, or for htmx the lines of one file. of is the
// difference once read is done.
func (c *call) showDiff(name string, f frame, read func() (any, error), of func() *diffPage) error {
	if c.query("path") == "" {
		return c.showLater(name, f, func() (any, error) {
			data, err := read()
			if err != nil {
				return nil, err // a part of a difference would be taken for all of it
			}
			return data, nil
		})
	}
	data, err := read()
	if err != nil {
		return err
	}
	if d := of(); d != nil && d.alone(c) {
		return c.part("diff_file", d.one())
	}
	f.Data = data
	return c.show(http.StatusOK, name, f)
}

func (d diffPage) alone(c *call) bool {
	return d.Only != "" && c.r.Header.Get("HX-Request") == "true" && len(d.Files) == 1
}

// diffPart is a file with what it needs of its page.
type diffPart struct {
	D diffPage
	F diffFile
}

func (d diffPage) one() diffPart { return diffPart{d, d.Files[0]} }

// Part is what a template hands on for each file.
func (d diffPage) Part(f diffFile) diffPart { return diffPart{d, f} }

type comparePage struct {
	Base, Head  string
	Commits     []git.LogEntry
	More        bool
	Diff        *diffPage
	Same        bool
	MayOpen     bool
	Form        bool
	Title, Body string
	Branches    []string
	Problem     string
	URL         string
}

// maxCompared bounds the commits that a comparison lists.
const maxCompared = 100

func compare(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	p := comparePage{Base: c.query("base"), Head: c.query("head"), URL: h.URL}
	if text := c.r.PathValue("range"); text != "" {
		var ok bool
		if p.Base, p.Head, ok = strings.Cut(text, "..."); !ok {
			return fault.New(fault.NotFound, "Write two branches with three dots between: main...topic.")
		}
	} else if p.Base != "" && p.Head != "" {
		c.leave(h.URL + "/compare/" + escapePath(p.Base) + "..." + escapePath(p.Head))
		return nil
	}
	read := func() (any, error) {
		err := c.fillComparison(h, &p)
		return p, err
	}
	return c.showDiff("compare", frame{Title: "Compare · " + h.Name.String(), Repo: h, Tab: "pulls"}, read, func() *diffPage { return p.Diff })
}

// fillComparison reads what lies between two refs. That they cannot be
// compared is said on the page, where others can be chosen.
func (c *call) fillComparison(h *repoHead, p *comparePage) error {
	ctx := c.r.Context()
	if p.Base == "" {
		p.Base = h.DefaultBranch
	}
	list, err := c.forge.Branches(ctx, c.by, h.Name, "", 200)
	if err != nil {
		return err
	}
	for _, b := range list {
		p.Branches = append(p.Branches, git.ShortRef(b.Ref))
	}
	p.MayOpen = h.MayWrite
	if p.Head == "" {
		return nil
	}
	base, err := c.forge.Resolve(ctx, c.by, h.Name, p.Base)
	if err == nil {
		var head git.Commit
		if head, err = c.forge.Resolve(ctx, c.by, h.Name, p.Head); err == nil {
			return c.between(h, p, base.OID, head.OID)
		}
	}
	if kind := fault.Of(err); kind == fault.NotFound || kind == fault.Invalid {
		p.Problem = sentence(fault.Text(err))
		return nil
	}
	return err
}

func (c *call) between(h *repoHead, p *comparePage, base, head string) error {
	ctx := c.r.Context()
	_, code, err := c.forge.Fetch(ctx, c.by, h.Name)
	if err != nil {
		return err
	}
	left, err := code.MergeBase(ctx, base, head)
	if errors.Is(err, git.ErrNoMergeBase) {
		p.Problem = "The two have no commit in common, so there is nothing to compare."
		return nil
	}
	if err != nil {
		return err
	}
	if p.Same = left == head; p.Same {
		return nil
	}
	if p.Commits, err = code.Log(ctx, head, []string{base}, "", 0, maxCompared+1); err != nil {
		return err
	}
	if len(p.Commits) > maxCompared {
		p.Commits, p.More = p.Commits[:maxCompared], true
	}
	d, err := c.diff(h, code, left, head, h.URL+"/compare/"+escapePath(p.Base)+"..."+escapePath(p.Head))
	p.Diff = &d
	if p.Title == "" && len(p.Commits) > 0 {
		p.Title = sigit.Short(p.Commits[len(p.Commits)-1].Subject, 200)
	}
	return err
}
