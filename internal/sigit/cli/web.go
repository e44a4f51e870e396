package cli

import (
	"context"
	"log/slog"
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/search"
	"skillforge/internal/sigit/web"
)

// pageSettings are those of the pages for people.
type pageSettings struct {
	SignUp bool `help:"Let everybody who reaches the pages make an account." env:"SIGIT_SIGN_UP"`
}

// pages is the door of people.
func (c *serveCmd) pages(f *forge.Forge, identity auth.Identity, from func(*http.Request) string, work *chores, log *slog.Logger) (http.Handler, error) {
	var elsewhere *web.Elsewhere
	switch c.Identity {
	case "smbcloud":
		elsewhere = &web.Elsewhere{Name: "smbCloud", Authenticate: identity.Authenticate}
	case "oidc":
		elsewhere = &web.Elsewhere{Name: "OpenID Connect", Authenticate: identity.Authenticate}
	}
	door, err := web.Handler(web.Options{Forge: f, Log: log, From: from, SignUp: c.SignUp, Elsewhere: elsewhere, Beside: func(context.Context) web.Beside {
		b := web.Beside{SearchProvider: c.searcher().SearchProvider, Chores: work.tell()}
		if err := search.New(search.Options{Env: c.searcher().setting}).Ready(); err != nil {
			b.SearchTrouble = fault.Text(err)
		}
		return b
	}})
	if err != nil {
		return nil, err
	}
	return timely(door), nil
}
