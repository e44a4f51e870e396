package api

import (
	"net/http"
	"reflect"
	"strconv"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// signedInAs is the answer that clients of the forge know from its identity
// provider.
type signedInAs struct {
	Ready struct {
		AccessToken string `json:"access_token"`
	} `json:"Ready"`
}

// signInRoute answers 200, as clients expect, though a token is made.
var signInRoute = route{
	method: http.MethodPost, path: "/auth/sign_in", scope: public, name: "signIn", summary: "Sign in; the token is good for 30 days.",
	in: reflect.TypeFor[credentials](), out: reflect.TypeFor[signedInAs](), status: http.StatusOK,
	serve: func(c *call) error {
		var in credentials
		if err := httpd.Decode(c.r, &in); err != nil {
			return err
		}
		_, secret, err := c.forge.SignIn(c.r.Context(), c.from(c.r), c.by.Client, in.Email, in.Password)
		if err != nil {
			return err
		}
		var out signedInAs
		out.Ready.AccessToken = secret.Reveal()
		c.w.Header().Set("Cache-Control", "no-store")
		return httpd.JSON(c.w, http.StatusOK, out)
	},
}

func signOut(c *call, _ nothing) (nothing, error) {
	return nothing{}, c.forge.SignOut(c.r.Context(), c.by)
}

func me(c *call) (user, error) {
	u, err := c.forge.Me(c.r.Context(), c.by)
	return userView(u), err
}

type passwordChange struct {
	Old string `json:"old"`
	New string `json:"new"`
}

func changePassword(c *call, in passwordChange) (nothing, error) {
	return nothing{}, c.forge.ChangePassword(c.r.Context(), c.by, in.Old, in.New)
}

func listUsers(c *call) (list[user], error) {
	page, err := c.page()
	if err != nil {
		return list[user]{}, err
	}
	l, err := c.forge.Users(c.r.Context(), c.by, page)
	return listOf(l, userView), err
}

type newUser struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password,omitempty"`
	Admin    bool   `json:"admin,omitempty"`
}

func addUser(c *call, in newUser) (user, error) {
	u, err := c.forge.AddUser(c.r.Context(), c.by, sigit.NewUser{Name: in.Name, Email: in.Email, Password: in.Password, Admin: in.Admin})
	return userView(u), err
}

type userChange struct {
	Admin    *bool `json:"admin,omitempty"`
	Disabled *bool `json:"disabled,omitempty"`
}

func changeUser(c *call, in userChange) (user, error) {
	u, err := c.forge.SetUser(c.r.Context(), c.by, c.r.PathValue("user"), in.Admin, in.Disabled)
	return userView(u), err
}

func listTokens(c *call) (list[token], error) {
	tokens, err := c.forge.Tokens(c.r.Context(), c.by)
	return allOf(tokens, tokenView), err
}

type newToken struct {
	Label        string     `json:"label,omitempty"`
	Scopes       []string   `json:"scopes,omitempty" jsonschema:"such as repo:read, issue:write; absent for the usual ones"`
	Repositories []string   `json:"repositories,omitempty" jsonschema:"the only ones it shall reach, as owner/name"`
	Refs         []string   `json:"refs,omitempty" jsonschema:"the only ones it may push, such as agent/*"`
	NoForce      bool       `json:"no_force,omitempty" jsonschema:"may not delete refs or rewrite history"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty"`
}

func (n newToken) noun() (sigit.NewToken, error) {
	out := sigit.NewToken{Label: n.Label, NoForce: n.NoForce, ExpiresAt: n.ExpiresAt}
	var err error
	if out.Scopes, err = sigit.ParseScopes(n.Scopes...); err != nil {
		return out, err
	}
	for _, text := range n.Repositories {
		name, err := sigit.ParseRepoName(text)
		if err != nil {
			return out, err
		}
		out.Repos = append(out.Repos, name)
	}
	for _, text := range n.Refs {
		out.Refs = append(out.Refs, sigit.RefRule(text))
	}
	return out, nil
}

func addToken(c *call, in newToken) (token, error) {
	n, err := in.noun()
	if err != nil {
		return token{}, err
	}
	t, secret, err := c.forge.MintToken(c.r.Context(), c.by, n)
	if err != nil {
		return token{}, err
	}
	c.w.Header().Set("Cache-Control", "no-store")
	v := tokenView(forge.TokenView{Token: t, Repos: n.Repos})
	v.Token = secret.Reveal()
	return v, nil
}

func revokeToken(c *call, _ nothing) (nothing, error) {
	id, err := strconv.ParseInt(c.r.PathValue("id"), 10, 64)
	if err != nil {
		return nothing{}, fault.New(fault.Invalid, "%q is no number of a token", sigit.Short(c.r.PathValue("id"), 40))
	}
	return nothing{}, c.forge.RevokeToken(c.r.Context(), c.by, id)
}
