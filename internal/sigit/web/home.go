package web

import (
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// reposPage is a list of repositories: all that somebody sees, or those of one
// person.
type reposPage struct {
	Owner string
	Own   bool // the list is of who looks
	Query string
	List  sigit.List[sigit.Repo]
	First bool
}

func home(c *call) error { return c.repos("", "Repositories") }

// owner lists the repositories of a person. Who has none to show does not
// exist, so that nobody learns the names of accounts here.
func owner(c *call) error {
	name := c.r.PathValue("owner")
	return c.repos(name, name)
}

func (c *call) repos(owner, title string) error {
	p := reposPage{Owner: owner, Query: c.query("q"), First: c.query("cursor") == "", Own: owner != "" && owner == c.by.User.Name}
	var err error
	p.List, err = c.forge.Repos(c.r.Context(), c.by, forge.RepoFilter{Query: p.Query, Owner: owner}, sigit.Page{Limit: 30, Cursor: c.query("cursor")})
	if err != nil {
		return err
	}
	if owner != "" && p.List.Total == 0 && !p.Own {
		everything, err := c.forge.Repos(c.r.Context(), c.by, forge.RepoFilter{Owner: owner}, sigit.Page{Limit: 1})
		if err != nil {
			return err
		}
		if everything.Total == 0 {
			return fault.New(fault.NotFound, "There is nothing here that you can see.")
		}
	}
	return c.show(http.StatusOK, "repos", frame{Title: title, Data: p})
}

func nothing(*call) error { return fault.New(fault.NotFound, "There is no such page.") }
