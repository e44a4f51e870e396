package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// repoHead is what every page of a repository shows of it.
type repoHead struct {
	sigit.Repo
	URL       string
	Clone     string
	Ref       string // what links to code lead to; empty: the default branch
	MayWrite  bool
	MaySettle bool
	MayTalk   bool
}

// CodeRef is the ref that links of the head lead to.
func (h *repoHead) CodeRef() string {
	if h.Ref != "" {
		return h.Ref
	}
	return h.DefaultBranch
}

// moved says that a repository has another name now. It is no trouble: the
// answer leads there.
var errMoved = errors.New("web: the repository has another name")

// name is the repository of the address.
func (c *call) name() (sigit.RepoName, error) {
	n, err := sigit.ParseRepoName(c.r.PathValue("owner") + "/" + c.r.PathValue("name"))
	if err != nil {
		return n, sigit.NoRepo()
	}
	return n, nil
}

// head reads the repository of the address, or leads to where it is now.
func (c *call) head() (*repoHead, error) {
	name, err := c.name()
	if err != nil {
		return nil, err
	}
	r, err := c.forge.Repo(c.r.Context(), c.by, name)
	if err != nil {
		return nil, err
	}
	return c.headOf(r)
}

func (c *call) headOf(r sigit.Repo) (*repoHead, error) {
	asked := "/" + c.r.PathValue("owner") + "/" + c.r.PathValue("name")
	if repoURL(r.Name) != asked && c.r.Method == http.MethodGet {
		if rest, ok := strings.CutPrefix(c.r.URL.EscapedPath(), asked); ok {
			to := repoURL(r.Name) + rest
			if c.r.URL.RawQuery != "" {
				to += "?" + c.r.URL.RawQuery
			}
			c.leave(to)
			return nil, errMoved
		}
	}
	role := c.by.RoleIn(r)
	return &repoHead{
		Repo: r, URL: repoURL(r.Name), Clone: c.forge.Site().Clone(r.Name),
		MayWrite: c.by.Known() && role >= sigit.RoleWrite, MaySettle: c.by.Known() && role >= sigit.RoleAdmin, MayTalk: c.by.Known(),
	}, nil
}

// place finds the spot in the code that the address names.
func (c *call) place() (*repoHead, forge.Place, error) {
	name, err := c.name()
	if err != nil {
		return nil, forge.Place{}, err
	}
	p, err := c.forge.Place(c.r.Context(), c.by, name, c.r.PathValue("at"))
	if err != nil {
		return nil, p, err
	}
	h, err := c.headOf(p.Repo)
	if err == nil {
		h.Ref = p.Ref
	}
	return h, p, err
}

// ended is nil for who was led elsewhere.
func ended(err error) error {
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// treePage is a folder of a repository, the root's page with more around it.
type treePage struct {
	Ref, Commit, Path string
	Root              bool
	Crumbs            []crumb
	Last              git.LogEntry
	Entries           []treeEntry
	Total, From, Next int // entries; Next is 0 at the end
	Filter            string
	Readme            *readme
	Empty             bool
	Site              sigit.Site
	Docs              []string
}

type treeEntry struct {
	git.Entry
	Icon, Kind, URL, What string
	Size                  int64
}

type crumb struct{ Name, URL string }

type readme struct {
	Name string
	URL  string
	HTML any // template.HTML, or nil for a text
	Text string
}

// Bounds on a page of a folder.
const (
	treeRows  = 500
	sizedRows = 200 // a folder with more shows no sizes: each costs a question
)

func repoHome(c *call) error {
	if strings.HasSuffix(c.r.PathValue("name"), ".git") { // a clone address in a browser
		c.leave(strings.TrimSuffix(c.r.URL.EscapedPath(), ".git"))
		return nil
	}
	h, p, err := c.place()
	if fault.Code(err) == "empty" || fault.Code(err) == "no-ref" {
		if h, err = c.head(); err != nil {
			return ended(err)
		}
		return c.show(http.StatusOK, "repo_empty", frame{Title: h.Name.String(), Repo: h, Tab: "code", Data: treePage{Site: c.forge.Site()}})
	}
	if err != nil {
		return ended(err)
	}
	return c.tree(h, p, true)
}

func tree(c *call) error {
	h, p, err := c.place()
	if err != nil {
		return ended(err)
	}
	return c.tree(h, p, p.Path == "")
}

func (c *call) tree(h *repoHead, p forge.Place, root bool) error {
	ctx := c.r.Context()
	list, err := p.Code.Tree(ctx, p.Commit, p.Path)
	if errors.Is(err, git.ErrNoPath) {
		if _, e := p.Code.Lookup(ctx, p.Commit, p.Path); e == nil { // a file
			c.leave(h.URL + "/blob/" + escapePath(p.Ref) + "/" + escapePath(p.Path))
			return nil
		}
		return fault.New(fault.NotFound, "There is no folder %q in %s.", sigit.Short(readable(p.Path), 200), sigit.Short(p.Ref, 100))
	}
	if err != nil {
		return err
	}
	t := treePage{Ref: p.Ref, Commit: p.Commit, Path: p.Path, Root: root, Crumbs: crumbs(h, p), Filter: c.query("q"), Site: c.forge.Site()}
	if t.Last, err = p.Code.Show(ctx, p.Commit); err != nil {
		return err
	}
	title := h.Name.String()
	if p.Path != "" {
		title = readable(p.Path) + " · " + title
	}
	return c.showLater("tree", frame{Title: title, Repo: h, Tab: "code"}, func() (any, error) {
		var err error
		if t.Readme, err = c.readme(h, p, list); err != nil {
			return nil, err
		}
		if err = c.entries(h, p, &t, list); err != nil {
			return nil, err
		}
		return t, nil
	})
}

// entries fills the part of a folder that the page shows: folders first.
func (c *call) entries(h *repoHead, p forge.Place, t *treePage, list []git.Entry) error {
	slices.SortStableFunc(list, func(a, b git.Entry) int {
		switch {
		case a.Mode.IsDir() == b.Mode.IsDir():
			return 0
		case a.Mode.IsDir():
			return -1
		}
		return 1
	})
	if t.Filter != "" {
		wanted := strings.ToLower(t.Filter)
		list = slices.DeleteFunc(list, func(e git.Entry) bool { return !strings.Contains(strings.ToLower(e.Name), wanted) })
	}
	t.Total, t.From = len(list), min(max(0, number(c.query("from"))), len(list))
	shown := list[t.From:min(len(list), t.From+treeRows)]
	if t.From+len(shown) < len(list) {
		t.Next = t.From + len(shown)
	}
	sizes := make([]int64, len(shown))
	if len(shown) <= sizedRows {
		var oids []string
		for _, e := range shown {
			if e.Mode.IsFile() {
				oids = append(oids, e.OID)
			} else {
				oids = append(oids, "")
			}
		}
		var err error
		if sizes, err = p.Code.Sizes(c.r.Context(), oids); err != nil {
			return err
		}
	} else {
		for i := range sizes {
			sizes[i] = -1
		}
	}
	for i, e := range shown {
		t.Entries = append(t.Entries, entryOf(h, p, e, sizes[i]))
	}
	return nil
}

func entryOf(h *repoHead, p forge.Place, e git.Entry, size int64) treeEntry {
	te := treeEntry{Entry: e, Icon: "file", Kind: "blob", What: "file", Size: size}
	switch {
	case e.Mode.IsDir():
		te.Icon, te.Kind, te.What = "folder", "tree", "folder"
	case e.Mode == git.ModeSymlink:
		te.Icon, te.What = "link", "symbolic link"
	case e.Mode == git.ModeSubmodule:
		te.Icon, te.What, te.Kind = "box", "submodule", ""
		return te
	}
	within := e.Name
	if p.Path != "" {
		within = p.Path + "/" + e.Name
	}
	te.URL = h.URL + "/" + te.Kind + "/" + escapePath(p.Ref) + "/" + escapePath(within)
	return te
}

// crumbs are the folders above a path, and the path.
func crumbs(h *repoHead, p forge.Place) []crumb {
	list := []crumb{{h.Name.Name, h.URL + "/tree/" + escapePath(p.Ref)}}
	if p.Path == "" {
		return list
	}
	parts := strings.Split(p.Path, "/")
	for i, part := range parts {
		list = append(list, crumb{readable(part), h.URL + "/tree/" + escapePath(p.Ref) + "/" + escapePath(strings.Join(parts[:i+1], "/"))})
	}
	return list
}

// readme is the text that introduces a folder, nil for none.
func (c *call) readme(h *repoHead, p forge.Place, list []git.Entry) (*readme, error) {
	best, at := -1, 0
	for i, e := range list {
		if !e.Mode.IsFile() {
			continue
		}
		if rank := readmeRank(e.Name); rank > at {
			best, at = i, rank
		}
	}
	if best < 0 {
		return nil, nil
	}
	e := list[best]
	blob, err := p.Code.Blob(c.r.Context(), e.OID, maxMarkdown)
	if errors.Is(err, git.ErrTooLarge) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &readme{Name: e.Name, URL: entryOf(h, p, e, 0).URL}
	if isMarkdown(e.Name) {
		r.HTML = c.markdown.html(readable(string(blob.Data)), spot{repo: h.URL, ref: p.Ref, dir: p.Path})
	} else {
		r.Text = readable(string(blob.Data))
	}
	return r, nil
}

func readmeRank(name string) int {
	lower := strings.ToLower(name)
	switch {
	case lower == "readme.md":
		return 4
	case strings.HasPrefix(lower, "readme.") && isMarkdown(lower):
		return 3
	case lower == "readme.txt":
		return 2
	case lower == "readme":
		return 1
	}
	return 0
}

func isMarkdown(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".md") || strings.HasSuffix(lower, ".markdown") || strings.HasSuffix(lower, ".mdown")
}

// number reads a number of the address; what is none is 0.
func number(text string) int {
	n := 0
	for _, r := range text {
		if r < '0' || r > '9' || n > 1e8 {
			return 0
		}
		n = n*10 + int(r-'0')
	}
	return n
}

type branchesPage struct {
	Query          string
	Branches, Tags []git.Branch
	More           bool
	Kind           string // of page that the names lead to
}

// maxRefs bounds the branches, and the tags, of one page.
const maxRefs = 300

func branches(c *call) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	_, code, err := c.forge.Fetch(c.r.Context(), c.by, h.Name)
	if err != nil {
		return err
	}
	p := branchesPage{Query: c.query("q"), Kind: "tree"}
	if c.query("menu") == "map" {
		p.Kind = "map"
	}
	for _, kind := range []struct {
		prefix string
		to     *[]git.Branch
	}{{"refs/heads/", &p.Branches}, {"refs/tags/", &p.Tags}} {
		all, err := code.Refs(c.r.Context(), kind.prefix, "", 0)
		if err != nil {
			return err
		}
		for _, b := range all {
			b.Ref = git.ShortRef(b.Ref)
			if p.Query != "" && !strings.Contains(strings.ToLower(b.Ref), strings.ToLower(p.Query)) {
				continue
			}
			if len(*kind.to) == maxRefs {
				p.More = true
				break
			}
			b.Ref, b.Subject = readable(b.Ref), readable(b.Subject)
			*kind.to = append(*kind.to, b)
		}
	}
	if c.query("menu") != "" {
		return c.part("branch_menu", struct {
			*repoHead
			branchesPage
		}{h, p})
	}
	return c.show(http.StatusOK, "branches", frame{Title: "Branches and tags · " + h.Name.String(), Repo: h, Tab: "code", Data: p})
}

type newRepoPage struct {
	Name, Description, Source string
	Private                   bool
}

func newRepoForm(c *call) error {
	return c.show(http.StatusOK, "repo_new", frame{Title: "New repository", Data: newRepoPage{Private: true, Source: c.query("from")}})
}

func newRepo(c *call) error {
	in := newRepoPage{Name: strings.TrimSpace(c.form("name")), Description: strings.TrimSpace(c.form("description")), Source: strings.TrimSpace(c.form("source")), Private: c.form("visibility") != "public"}
	n := sigit.NewRepo{Name: sigit.RepoName{Owner: c.by.User.Name, Name: in.Name}, Description: in.Description, Private: in.Private}
	var r sigit.Repo
	var err error
	if in.Source != "" {
		r, err = c.forge.ImportRepo(c.r.Context(), c.by, n, in.Source)
	} else {
		r, err = c.forge.CreateRepo(c.r.Context(), c.by, n)
	}
	if err != nil {
		return c.again("repo_new", frame{Title: "New repository", Data: in}, err)
	}
	c.leave(repoURL(r.Name))
	return nil
}

type settingsPage struct {
	Collaborators []sigit.Collaborator
	Acts          []deed
	Owner         bool
}

// deed is a line of what was done in a repository.
type deed struct {
	What, Who, Through, Detail string
	Number                     int
	At                         any // template.HTML
}

func repoSettings(c *call) error { return c.settings("", nil) }

func (c *call) settings(_ string, wrong error) error {
	h, err := c.head()
	if err != nil {
		return ended(err)
	}
	var p settingsPage
	if p.Collaborators, err = c.forge.Collaborators(c.r.Context(), c.by, h.Name); err != nil {
		return err
	}
	acts, err := c.forge.Acts(c.r.Context(), c.by, h.Name, 50)
	if err != nil {
		return err
	}
	for _, a := range acts {
		p.Acts = append(p.Acts, deed{What: string(a.Kind), Who: a.Actor, Through: acted(a.Via), Detail: sigit.Short(a.Detail, 120), Number: a.Number, At: ago(a.At)})
	}
	p.Owner = c.by.RoleIn(h.Repo) >= sigit.RoleOwner
	f := frame{Title: "Settings · " + h.Name.String(), Repo: h, Tab: "settings", Data: p}
	if wrong != nil {
		return c.again("repo_settings", f, wrong)
	}
	return c.show(http.StatusOK, "repo_settings", f)
}

func changeRepo(c *call) error {
	name, err := c.name()
	if err != nil {
		return err
	}
	to := repoURL(name) + "/settings?done=saved"
	switch c.form("do") {
	case "settle":
		var r sigit.Repo
		if r, err = c.forge.ChangeRepo(c.r.Context(), c.by, name, c.repoChange()); err == nil {
			to = repoURL(r.Name) + "/settings?done=saved"
		}
	case "add":
		var role sigit.Role
		if role, err = sigit.ParseRole(c.form("role")); err == nil {
			err = c.forge.SetCollaborator(c.r.Context(), c.by, name, strings.TrimSpace(c.form("user")), role)
		}
	case "drop":
		err = c.forge.DropCollaborator(c.r.Context(), c.by, name, c.form("user"))
	case "delete":
		if c.form("confirm") != name.String() {
			err = fault.New(fault.Invalid, "Write %s to confirm that it shall be deleted.", name)
			break
		}
		err = c.forge.DeleteRepo(c.r.Context(), c.by, name)
		to = "/?done=deleted"
	default:
		err = fault.New(fault.Invalid, "The form says nothing that can be done.")
	}
	if err != nil {
		return c.settings("", err)
	}
	c.leave(to)
	return nil
}

func (c *call) repoChange() sigit.RepoChange {
	name, description, branch, private := strings.TrimSpace(c.form("name")), strings.TrimSpace(c.form("description")), strings.TrimSpace(c.form("branch")), c.form("visibility") != "public"
	change := sigit.RepoChange{Name: &name, Description: &description, Private: &private}
	if branch != c.form("branch-was") {
		change.DefaultBranch = &branch
	}
	return change
}
