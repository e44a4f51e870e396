package api

import (
	"time"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/store"
)

// list is a part of a list.
type list[T any] struct {
	Items []T    `json:"items"`
	Total int    `json:"total" jsonschema:"of the whole list"`
	Next  string `json:"next_cursor,omitempty" jsonschema:"cursor of the part that follows; absent when this was the last"`
}

func listOf[T, V any](l sigit.List[T], view func(T) V) list[V] {
	out := list[V]{Items: make([]V, len(l.Items)), Total: l.Total, Next: l.Next}
	for i, item := range l.Items {
		out.Items[i] = view(item)
	}
	return out
}

func allOf[T, V any](items []T, view func(T) V) list[V] {
	return listOf(sigit.List[T]{Items: items, Total: len(items)}, view)
}

type via struct {
	Token  string `json:"token,omitempty" jsonschema:"label of the token that was used"`
	Client string `json:"client,omitempty" jsonschema:"program that was used, as it named itself"`
}

func viaView(v sigit.Via) *via {
	if v == (sigit.Via{}) {
		return nil
	}
	return &via{v.Token, v.Client}
}

type user struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Admin     bool      `json:"admin"`
	Disabled  bool      `json:"disabled"`
	Origin    string    `json:"origin" jsonschema:"identity provider the account comes from, or local"`
	CreatedAt time.Time `json:"created_at"`
}

func userView(u sigit.User) user {
	return user{u.ID, u.Name, u.Email, u.Admin, u.Disabled, u.Origin, u.CreatedAt}
}

type token struct {
	ID           int64      `json:"id"`
	Label        string     `json:"label"`
	Hint         string     `json:"hint" jsonschema:"last characters of the token"`
	Scopes       []string   `json:"scopes"`
	Repositories []string   `json:"repositories,omitempty" jsonschema:"the only repositories it reaches; absent for all"`
	AllRepos     bool       `json:"all_repositories"`
	Refs         []string   `json:"refs,omitempty" jsonschema:"the only refs it may push; absent for all"`
	NoForce      bool       `json:"no_force" jsonschema:"may not delete refs or rewrite history"`
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty"`
	UsedAt       *time.Time `json:"used_at,omitempty"`
	Token        string     `json:"token,omitempty" jsonschema:"the token itself, shown once"`
}

func tokenView(t forge.TokenView) token {
	v := token{
		ID: t.ID, Label: t.Label, Hint: t.Hint, AllRepos: t.Grant.AllRepos, NoForce: t.Grant.NoForce,
		CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, UsedAt: t.UsedAt, Scopes: []string{},
	}
	for _, s := range t.Grant.Scopes {
		v.Scopes = append(v.Scopes, s.String())
	}
	for _, n := range t.Repos {
		v.Repositories = append(v.Repositories, n.String())
	}
	for _, r := range t.Grant.Refs {
		v.Refs = append(v.Refs, string(r))
	}
	return v
}

type repo struct {
	FullName      string    `json:"full_name"`
	Owner         string    `json:"owner"`
	Name          string    `json:"name"`
	Description   string    `json:"description"`
	DefaultBranch string    `json:"default_branch"`
	Private       bool      `json:"private"`
	URL           string    `json:"url"`
	CloneURL      string    `json:"clone_url"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

func (a *API) repoView(r sigit.Repo) repo {
	site := a.forge.Site()
	return repo{r.Name.String(), r.Name.Owner, r.Name.Name, r.Description, r.DefaultBranch, r.Private, site.Repo(r.Name), site.Clone(r.Name), r.CreatedAt, r.UpdatedAt}
}

type collaborator struct {
	User  string    `json:"user"`
	Role  string    `json:"role" jsonschema:"read, write or admin"`
	Since time.Time `json:"since"`
}

func collaboratorView(c sigit.Collaborator) collaborator {
	return collaborator{c.User, c.Role.String(), c.Since}
}

type issue struct {
	Number    int        `json:"number"`
	Title     string     `json:"title"`
	State     string     `json:"state" jsonschema:"open or closed"`
	Author    string     `json:"author"`
	Body      string     `json:"body"`
	Comments  int        `json:"comments"`
	URL       string     `json:"url"`
	Via       *via       `json:"via,omitempty"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	ClosedAt  *time.Time `json:"closed_at,omitempty"`
	ClosedBy  string     `json:"closed_by,omitempty"`
}

func (a *API) issueView(i sigit.Issue) issue {
	return issue{
		i.Number, i.Title, string(i.State), i.Author, i.Body, i.Comments, a.forge.Site().Issue(i.Repo, i.Number),
		viaView(i.Via), i.CreatedAt, i.UpdatedAt, i.ClosedAt, i.ClosedBy,
	}
}

type pull struct {
	Number    int        `json:"number"`
	Title     string     `json:"title"`
	State     string     `json:"state" jsonschema:"open, closed or merged"`
	Author    string     `json:"author"`
	Head      string     `json:"head"`
	Base      string     `json:"base"`
	HeadID    string     `json:"head_id" jsonschema:"commit at the head"`
	BaseID    string     `json:"base_id" jsonschema:"commit at the base, of a merged one before the merge"`
	Body      string     `json:"body"`
	Comments  int        `json:"comments"`
	URL       string     `json:"url"`
	Via       *via       `json:"via,omitempty"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
	ClosedAt  *time.Time `json:"closed_at,omitempty"`
	ClosedBy  string     `json:"closed_by,omitempty"`
	MergedAt  *time.Time `json:"merged_at,omitempty"`
	MergedBy  string     `json:"merged_by,omitempty"`
	MergeID   string     `json:"merge_id,omitempty" jsonschema:"commit that the base had after the merge"`
}

func (a *API) pullView(p sigit.Pull) pull {
	return pull{
		p.Number, p.Title, string(p.State), p.Author, p.Head, p.Base, p.HeadID, p.BaseID, p.Body, p.Comments, a.forge.Site().Pull(p.Repo, p.Number),
		viaView(p.Via), p.CreatedAt, p.UpdatedAt, p.ClosedAt, p.ClosedBy, p.MergedAt, p.MergedBy, p.MergeID,
	}
}

type diff struct {
	Diff      *string `json:"diff"`
	Truncated bool    `json:"diff_truncated"`
	Note      string  `json:"diff_note,omitempty"`
	MergeBase string  `json:"merge_base,omitempty"`
}

type comment struct {
	ID        int64     `json:"id"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	URL       string    `json:"url"`
	Via       *via      `json:"via,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

func (a *API) commentView(c sigit.Comment) comment {
	return comment{c.ID, c.Author, c.Body, a.forge.Site().Comment(c), viaView(c.Via), c.CreatedAt}
}

type file struct {
	Path     string `json:"path"`
	Ref      string `json:"ref"`
	Commit   string `json:"commit"`
	Kind     string `json:"kind" jsonschema:"file, symlink (the content is where it points) or lfs-pointer"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding" jsonschema:"utf-8 or base64"`
	Content  string `json:"content"`
}

func fileView(f forge.File) file {
	content, encoding := f.Encoded()
	return file{f.Path, f.Ref, f.Commit, string(f.Kind), f.Size, encoding, content}
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"snippet"`
}

type branch struct {
	Name   string    `json:"name"`
	Commit string    `json:"commit"`
	Time   time.Time `json:"time"`
}

type act struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"`
	Number int       `json:"number,omitempty"`
	Actor  string    `json:"actor"`
	Via    *via      `json:"via,omitempty"`
	Detail string    `json:"detail,omitempty"`
}

func actView(a store.Act) act {
	return act{a.At, string(a.Kind), a.Number, a.Actor, viaView(a.Via), a.Detail}
}
