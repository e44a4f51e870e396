package api

import (
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

func listRepos(c *call) (list[repo], error) {
	page, err := c.page()
	if err != nil {
		return list[repo]{}, err
	}
	l, err := c.forge.Repos(c.r.Context(), c.by, forge.RepoFilter{Query: c.query("query"), Owner: c.query("owner")}, page)
	return listOf(l, c.repoView), err
}

type newRepo struct {
	Name          string `json:"name" jsonschema:"name, or owner/name with the caller as owner"`
	Description   string `json:"description,omitempty"`
	DefaultBranch string `json:"default_branch,omitempty" jsonschema:"absent for main, or the one of what is imported"`
	Private       bool   `json:"private,omitempty"`
	Import        string `json:"import,omitempty" jsonschema:"http or https address of a repository to copy"`
}

func addRepo(c *call, in newRepo) (repo, error) {
	owner, name, slash := strings.Cut(in.Name, "/")
	if !slash {
		owner, name = c.by.User.Name, in.Name
	}
	n := sigit.NewRepo{Name: sigit.RepoName{Owner: owner, Name: name}, Description: in.Description, DefaultBranch: in.DefaultBranch, Private: in.Private}
	var r sigit.Repo
	var err error
	if in.Import != "" {
		r, err = c.forge.ImportRepo(c.r.Context(), c.by, n, in.Import)
	} else {
		r, err = c.forge.CreateRepo(c.r.Context(), c.by, n)
	}
	return c.repoView(r), err
}

func getRepo(c *call) (repo, error) {
	name, err := c.repo()
	if err != nil {
		return repo{}, err
	}
	r, err := c.forge.Repo(c.r.Context(), c.by, name)
	return c.repoView(r), err
}

type repoChange struct {
	Name          *string `json:"name,omitempty" jsonschema:"the part after the slash; the old name redirects"`
	Description   *string `json:"description,omitempty"`
	DefaultBranch *string `json:"default_branch,omitempty"`
	Private       *bool   `json:"private,omitempty"`
}

func changeRepo(c *call, in repoChange) (repo, error) {
	name, err := c.repo()
	if err != nil {
		return repo{}, err
	}
	r, err := c.forge.ChangeRepo(c.r.Context(), c.by, name, sigit.RepoChange(in))
	return c.repoView(r), err
}

func deleteRepo(c *call, _ nothing) (nothing, error) {
	name, err := c.repo()
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, c.forge.DeleteRepo(c.r.Context(), c.by, name)
}

func listActs(c *call) (list[act], error) {
	name, err := c.repo()
	if err != nil {
		return list[act]{}, err
	}
	limit, err := c.count("limit", 30, 1, 100)
	if err != nil {
		return list[act]{}, err
	}
	acts, err := c.forge.Acts(c.r.Context(), c.by, name, limit)
	return allOf(acts, actView), err
}

func listCollaborators(c *call) (list[collaborator], error) {
	name, err := c.repo()
	if err != nil {
		return list[collaborator]{}, err
	}
	l, err := c.forge.Collaborators(c.r.Context(), c.by, name)
	return allOf(l, collaboratorView), err
}

type newRole struct {
	Role string `json:"role" jsonschema:"read, write or admin"`
}

func setCollaborator(c *call, in newRole) (nothing, error) {
	name, err := c.repo()
	if err != nil {
		return nothing{}, err
	}
	role, err := sigit.ParseRole(in.Role)
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, c.forge.SetCollaborator(c.r.Context(), c.by, name, c.r.PathValue("user"), role)
}

func dropCollaborator(c *call, _ nothing) (nothing, error) {
	name, err := c.repo()
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, c.forge.DropCollaborator(c.r.Context(), c.by, name, c.r.PathValue("user"))
}

func listBranches(c *call) (list[branch], error) {
	name, err := c.repo()
	if err != nil {
		return list[branch]{}, err
	}
	limit, err := c.count("limit", 100, 1, 100)
	if err != nil {
		return list[branch]{}, err
	}
	l, err := c.forge.Branches(c.r.Context(), c.by, name, c.query("after"), limit)
	return allOf(l, func(b git.Branch) branch {
		return branch{strings.ToValidUTF8(git.ShortRef(b.Ref), "\uFFFD"), b.OID, b.Time.UTC()}
	}), err
}

func getFile(c *call) (file, error) {
	name, err := c.repo()
	if err != nil {
		return file{}, err
	}
	if !c.r.URL.Query().Has("path") {
		return file{}, fault.New(fault.Invalid, "the parameter path is missing")
	}
	f, err := c.forge.File(c.r.Context(), c.by, name, c.query("ref"), c.query("path"))
	if err != nil {
		return file{}, err
	}
	return fileView(f), nil
}

func searchCode(c *call) (list[match], error) {
	name, err := c.repo()
	if err != nil {
		return list[match]{}, err
	}
	limit, err := c.count("limit", 20, 1, 100)
	if err != nil {
		return list[match]{}, err
	}
	l, err := c.forge.Search(c.r.Context(), c.by, name, c.query("ref"), c.query("query"), limit)
	return allOf(l, func(m git.Match) match {
		return match{strings.ToValidUTF8(m.Path, "\uFFFD"), m.Line, m.Text}
	}), err
}
