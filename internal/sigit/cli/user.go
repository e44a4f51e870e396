package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type userCmds struct {
	Add      userAddCmd      `cmd:"" help:"Make an account."`
	List     userListCmd     `cmd:"" help:"List accounts."`
	Password userPasswordCmd `cmd:"" help:"Give an account a new password, read from the standard input. Its sessions end."`
	Set      userSetCmd      `cmd:"" help:"Enable or disable an account, or make it an administrator's."`
}

type userAddCmd struct {
	Name          string `arg:"" help:"Name of the account."`
	Email         string `help:"E-mail address." required:"" placeholder:"ADDRESS"`
	PasswordStdin bool   `help:"Read the password from the standard input. Without one only tokens open the account."`
	Admin         bool   `help:"Let it manage the accounts of others."`
}

func (c *userAddCmd) Run(ctx context.Context, w World, g *globals) error {
	n := sigit.NewUser{Name: c.Name, Email: c.Email, Admin: c.Admin}
	if c.PasswordStdin {
		var err error
		if n.Password, err = readLine(w.In); err != nil {
			return err
		}
		if n.Password == "" {
			return fault.New(fault.Invalid, "the standard input holds no password")
		}
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		u, err := f.AddUser(ctx, operator, n)
		if err == nil {
			fmt.Fprintf(w.Out, "user %s added\n", u.Name)
		}
		return err
	})
}

type userListCmd struct{}

func (c *userListCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		t := tabwriter.NewWriter(w.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "NAME\tEMAIL\tKIND\tFROM\tSINCE")
		page := sigit.Page{Limit: 100}
		for {
			list, err := f.Users(ctx, operator, page)
			if err != nil {
				return err
			}
			for _, u := range list.Items {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", u.Name, u.Email, kindOf(u), u.Origin, u.CreatedAt.Format("2006-01-02"))
			}
			if page.Cursor = list.Next; page.Cursor == "" {
				return t.Flush()
			}
		}
	})
}

func kindOf(u sigit.User) string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.Admin:
		return "admin"
	}
	return "user"
}

type userPasswordCmd struct {
	Name string `arg:"" help:"Name of the account."`
}

func (c *userPasswordCmd) Run(ctx context.Context, w World, g *globals) error {
	password, err := readLine(w.In)
	if err != nil {
		return err
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		err := f.SetPassword(ctx, operator, c.Name, password)
		if err == nil {
			fmt.Fprintf(w.Out, "password of %s set\n", c.Name)
		}
		return err
	})
}

type userSetCmd struct {
	Name     string `arg:"" help:"Name of the account."`
	Disabled *bool  `help:"Whether the account may do nothing." negatable:""`
	Admin    *bool  `help:"Whether it may manage the accounts of others." negatable:""`
}

func (c *userSetCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		u, err := f.SetUser(ctx, operator, c.Name, c.Admin, c.Disabled)
		if err == nil {
			fmt.Fprintf(w.Out, "user %s is %s\n", u.Name, kindOf(u))
		}
		return err
	})
}
