package web

import (
	"net/http"
	"runtime"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type healthPage struct {
	Database, Git, Go string
	Trouble           string // of the database
	Up                any
	Memory            int64
	Goroutines        int
	Beside            Beside
	Checks            []forge.Check
	Repos, Users      int
}

var started = time.Now()

func adminHealth(c *call) error {
	ctx := c.r.Context()
	p := healthPage{Go: runtime.Version(), Up: ago(started), Goroutines: runtime.NumGoroutine(), Beside: c.Beside(ctx)}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.Memory = int64(m.HeapAlloc)
	var err error
	if p.Database, p.Git, err = c.forge.Parts(ctx, c.by); err != nil {
		return err
	}
	if err := c.forge.Ping(ctx); err != nil {
		c.Log.WarnContext(ctx, "the database does not answer", "err", err)
		p.Trouble = "It does not answer; the log says why."
	}
	repos, err := c.forge.AllRepos(ctx, c.by, forge.RepoFilter{}, sigit.Page{Limit: 1})
	if err != nil {
		return err
	}
	users, err := c.forge.Users(ctx, c.by, sigit.Page{Limit: 1})
	if err != nil {
		return err
	}
	p.Repos, p.Users = repos.Total, users.Total
	if c.query("look") != "" {
		if p.Checks, err = c.forge.Examine(ctx, c.by); err != nil {
			return err
		}
	}
	return c.show(http.StatusOK, "admin_health", frame{Title: "Health", Tab: "health", Data: p})
}

type usersPage struct {
	List        sigit.List[sigit.User]
	Name, Email string
	First       bool
}

func adminUsers(c *call) error { return c.users(usersPage{}, nil) }

func (c *call) users(p usersPage, wrong error) error {
	var err error
	p.First = c.query("cursor") == ""
	if p.List, err = c.forge.Users(c.r.Context(), c.by, sigit.Page{Limit: 50, Cursor: c.query("cursor")}); err != nil {
		return err
	}
	f := frame{Title: "Accounts", Tab: "users", Data: p}
	if wrong != nil {
		return c.again("admin_users", f, wrong)
	}
	return c.show(http.StatusOK, "admin_users", f)
}

func changeUser(c *call) error {
	ctx, name := c.r.Context(), c.form("name")
	yes, no := true, false
	var err error
	done := "saved"
	switch c.form("do") {
	case "add":
		done = "user"
		_, err = c.forge.AddUser(ctx, c.by, sigit.NewUser{Name: name, Email: c.form("email"), Password: c.r.PostFormValue("password"), Admin: c.form("admin") != ""})
	case "promote":
		_, err = c.forge.SetUser(ctx, c.by, name, &yes, nil)
	case "demote":
		_, err = c.forge.SetUser(ctx, c.by, name, &no, nil)
	case "disable":
		_, err = c.forge.SetUser(ctx, c.by, name, nil, &yes)
	case "enable":
		_, err = c.forge.SetUser(ctx, c.by, name, nil, &no)
	case "password":
		err = c.forge.SetPassword(ctx, c.by, name, c.r.PostFormValue("password"))
	default:
		err = fault.New(fault.Invalid, "The form says nothing that can be done.")
	}
	if err != nil {
		p := usersPage{}
		if c.form("do") == "add" {
			p.Name, p.Email = name, c.form("email")
		}
		return c.users(p, err)
	}
	c.leave("/admin/users?done=" + done)
	return nil
}

func adminRepos(c *call) error {
	p := reposPage{Query: c.query("q"), First: c.query("cursor") == ""}
	var err error
	p.List, err = c.forge.AllRepos(c.r.Context(), c.by, forge.RepoFilter{Query: p.Query}, sigit.Page{Limit: 50, Cursor: c.query("cursor")})
	if err != nil {
		return err
	}
	return c.show(http.StatusOK, "admin_repos", frame{Title: "All repositories", Tab: "repos", Data: p})
}
