package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type tokenCmds struct {
	Add    tokenAddCmd    `cmd:"" help:"Mint a token and print it, alone."`
	List   tokenListCmd   `cmd:"" help:"List the tokens of an account."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token and those minted with it."`
}

type tokenAddCmd struct {
	User    string   `arg:"" help:"Name of the account."`
	Label   string   `help:"What it is for." placeholder:"TEXT"`
	Scope   []string `help:"What it may do: repo, issue, user or admin, then :read or :write. Repeat it. Repositories, issues and reading the account unless given." placeholder:"SCOPE"`
	Repo    []string `help:"The only repositories it reaches. Repeat it." placeholder:"OWNER/NAME"`
	Ref     []string `help:"The only refs it may push, such as agent/*. Repeat it." placeholder:"PATTERN"`
	NoForce bool     `help:"Refuse to delete refs and to rewrite history."`
	Expires string   `help:"When it ends: a length such as 30d or 12h, or a day such as 2027-01-31." placeholder:"WHEN"`
}

func (c *tokenAddCmd) Run(ctx context.Context, w World, g *globals) error {
	n := sigit.NewToken{Label: c.Label, NoForce: c.NoForce}
	var err error
	if n.Scopes, err = sigit.ParseScopes(c.Scope...); err != nil {
		return err
	}
	for _, text := range c.Repo {
		name, err := sigit.ParseRepoName(text)
		if err != nil {
			return err
		}
		n.Repos = append(n.Repos, name)
	}
	for _, text := range c.Ref {
		n.Refs = append(n.Refs, sigit.RefRule(text))
	}
	if n.ExpiresAt, err = parseEnd(c.Expires, time.Now()); err != nil {
		return err
	}
	return g.with(ctx, w, func(f *forge.Forge) error {
		_, secret, err := f.MintTokenFor(ctx, operator, c.User, n)
		if err == nil {
			fmt.Fprintln(w.Out, secret.Reveal())
		}
		return err
	})
}

// parseEnd reads a length of time from now, or a day; nil for nothing.
func parseEnd(text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	if day, err := time.ParseInLocation("2006-01-02", text, time.Local); err == nil {
		return &day, nil
	}
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return &moment, nil
	}
	var length time.Duration
	days, whole := strings.CutSuffix(text, "d")
	n, err := strconv.Atoi(days)
	if whole && err == nil && n < 100_000 {
		length = time.Duration(n) * 24 * time.Hour
	} else if length, err = time.ParseDuration(text); err != nil {
		length = 0
	}
	if length <= 0 {
		return nil, fault.New(fault.Invalid, "%q is no time; write a length such as 30d or 12h, or a day such as 2027-01-31", text)
	}
	end := now.Add(length)
	return &end, nil
}

type tokenListCmd struct {
	User string `arg:"" help:"Name of the account."`
}

func (c *tokenListCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		tokens, err := f.TokensOf(ctx, operator, c.User)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(w.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(t, "ID\tTOKEN\tLABEL\tSCOPES\tREPOSITORIES\tREFS\tENDS\tUSED")
		for _, v := range tokens {
			fmt.Fprintf(t, "%d\tsgt_…%s\t%s\t%s\t%s\t%s\t%s\t%s\n", v.ID, v.Hint, v.Label, join(v.Grant.Scopes),
				orAll(v.Grant.AllRepos, join(v.Repos)), orAll(v.Grant.AllRefs, join(v.Grant.Refs)), day(v.ExpiresAt, "never"), day(v.UsedAt, "never"))
		}
		return t.Flush()
	})
}

func join[T any](items []T) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = fmt.Sprint(item)
	}
	return strings.Join(words, ",")
}

func orAll(all bool, some string) string {
	if all {
		return "all"
	}
	return some
}

func day(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.Local().Format("2006-01-02 15:04")
}

type tokenRevokeCmd struct {
	User string `arg:"" help:"Name of the account."`
	ID   int64  `arg:"" help:"Number of the token, as token list shows it."`
}

func (c *tokenRevokeCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		err := f.RevokeTokenOf(ctx, operator, c.User, c.ID)
		if err == nil {
			fmt.Fprintf(w.Out, "token %d of %s revoked\n", c.ID, c.User)
		}
		return err
	})
}
