package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type repoCmds struct {
	Add    repoAddCmd    `cmd:"" help:"Make a repository, empty or with what another holds."`
	List   repoListCmd   `cmd:"" help:"List repositories."`
	Rename repoRenameCmd `cmd:"" help:"Rename a repository. The old name redirects."`
	Set    repoSetCmd    `cmd:"" help:"Change description, visibility or default branch."`
	Role   repoRoleCmd   `cmd:"" help:"Give a user a role in a repository, or take it."`
	Delete repoDeleteCmd `cmd:"" help:"Delete a repository and everything in it."`
}

type repoAddCmd struct {
	Repo        string `arg:"" help:"OWNER/NAME"`
	Private     bool   `help:"Only its owner and collaborators see it."`
	Description string `help:"One line." placeholder:"TEXT"`
	Import      string `help:"Copy the branches and tags of this repository: a folder or an address." placeholder:"PATH-OR-URL"`
}

func (c *repoAddCmd) Run(ctx context.Context, w World, g *globals) error {
	name, err := sigit.ParseRepoName(c.Repo)
	if err != nil {
		return err
	}
	n := sigit.NewRepo{Name: name, Private: c.Private, Description: c.Description}
	return g.with(ctx, w, func(f *forge.Forge) error {
		var r sigit.Repo
		var err error
		if c.Import == "" {
			r, err = f.CreateRepo(ctx, operator, n)
		} else {
			r, err = f.ImportRepo(ctx, operator, n, source(c.Import))
		}
		if err == nil {
			fmt.Fprintf(w.Out, "repository %s added\n", r.Name)
		}
		return err
	})
}

// source makes a folder's path whole, so that git does not take it for
// anything else.
func source(text string) string {
	if strings.Contains(text, "://") || !exists(text) {
		return text
	}
	if path, err := filepath.Abs(text); err == nil {
		return path
	}
	return text
}

type repoListCmd struct {
	Query string `arg:"" optional:"" help:"Part of OWNER/NAME."`
}

func (c *repoListCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		t := tabwriter.NewWriter(w.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NAME\tVISIBILITY\tBRANCH\tCHANGED\tDESCRIPTION")
		page := sigit.Page{Limit: 100}
		for {
			list, err := f.Repos(ctx, operator, forge.RepoFilter{Query: c.Query}, page)
			if err != nil {
				return err
			}
			for _, r := range list.Items {
				visibility := "public"
				if r.Private {
					visibility = "private"
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.Name, visibility, r.DefaultBranch, r.UpdatedAt.Local().Format("2006-01-02 15:04"), r.Description)
			}
			if page.Cursor = list.Next; page.Cursor == "" {
				return t.Flush()
			}
		}
	})
}

// change changes a repository and says so.
func (g *globals) change(ctx context.Context, w World, repo string, c sigit.RepoChange) error {
	name, err := sigit.ParseRepoName(repo)
	if err != nil {
		return err
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		r, err := f.ChangeRepo(ctx, operator, name, c)
		if err == nil {
			fmt.Fprintf(w.Out, "repository %s changed\n", r.Name)
		}
		return err
	})
}

type repoRenameCmd struct {
	Repo string `arg:"" help:"OWNER/NAME"`
	To   string `arg:"" help:"The new part after the slash."`
}

func (c *repoRenameCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.change(ctx, w, c.Repo, sigit.RepoChange{Name: &c.To})
}

type repoSetCmd struct {
	Repo          string  `arg:"" help:"OWNER/NAME"`
	Description   *string `help:"One line." placeholder:"TEXT"`
	DefaultBranch *string `help:"Branch that is shown first." placeholder:"BRANCH"`
	Private       *bool   `help:"Only its owner and collaborators see it." negatable:""`
}

func (c *repoSetCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.change(ctx, w, c.Repo, sigit.RepoChange{Description: c.Description, DefaultBranch: c.DefaultBranch, Private: c.Private})
}

type repoRoleCmd struct {
	Repo string `arg:"" help:"OWNER/NAME"`
	User string `arg:"" help:"Name of the account."`
	Role string `arg:"" help:"read, write, admin or none." enum:"read,write,admin,none"`
}

func (c *repoRoleCmd) Run(ctx context.Context, w World, g *globals) error {
	name, err := sigit.ParseRepoName(c.Repo)
	if err != nil {
		return err
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		if c.Role == "none" {
			return f.DropCollaborator(ctx, operator, name, c.User)
		}
		role, err := sigit.ParseRole(c.Role)
		if err != nil {
			return err
		}
		return f.SetCollaborator(ctx, operator, name, c.User, role)
	})
}

type repoDeleteCmd struct {
	Repo string `arg:"" help:"OWNER/NAME"`
	Yes  bool   `help:"Yes, delete it." required:""`
}

func (c *repoDeleteCmd) Run(ctx context.Context, w World, g *globals) error {
	name, err := sigit.ParseRepoName(c.Repo)
	if err != nil {
		return err
	}
	if !c.Yes {
		return fault.New(fault.Invalid, "say --yes to delete %s and everything in it", name)
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		err := f.DeleteRepo(ctx, operator, name)
		if err == nil {
			fmt.Fprintf(w.Out, "repository %s deleted\n", name)
		}
		return err
	})
}
