package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

func profile(c *call) error {
	u, err := c.forge.Me(c.r.Context(), c.by)
	if err != nil {
		return err
	}
	return c.show(http.StatusOK, "profile", frame{Title: "Your account", Tab: "profile", Data: u})
}

func changePassword(c *call) error {
	next := c.r.PostFormValue("new")
	err := c.forge.ChangePassword(c.r.Context(), c.by, c.r.PostFormValue("old"), next)
	if err == nil {
		c.leave("/settings?done=password")
		return nil
	}
	u, e := c.forge.Me(c.r.Context(), c.by)
	if e != nil {
		return e
	}
	return c.again("profile", frame{Title: "Your account", Tab: "profile", Data: u}, err)
}

type tokensPage struct {
	List   []forge.TokenView
	Areas  []area
	Label  string
	Repos  string
	Refs   string
	Ends   string
	Gentle bool // may not force
	Made   sigit.Token
	Secret string // shown this once
	Site   sigit.Site
	Open   bool // the form is unfolded
}

// area is a row of the form for scopes.
type area struct {
	Name, What string
	Chosen     string // "", "read" or "write"
}

func areas(chosen func(name string) string) []area {
	list := []area{
		{Name: "repo", What: "Repositories: read and push code, settings"},
		{Name: "issue", What: "Issues, pull requests and comments"},
		{Name: "user", What: "Your account and its tokens"},
		{Name: "admin", What: "Other accounts, for administrators"},
	}
	for i := range list {
		list[i].Chosen = chosen(list[i].Name)
	}
	return list
}

func (c *call) tokensPage() (tokensPage, error) {
	standard := map[string]string{"repo": "write", "issue": "write", "user": "read"}
	p := tokensPage{Ends: "30", Site: c.forge.Site(), Areas: areas(func(n string) string { return standard[n] })}
	var err error
	p.List, err = c.forge.Tokens(c.r.Context(), c.by)
	return p, err
}

func tokens(c *call) error {
	p, err := c.tokensPage()
	if err != nil {
		return err
	}
	p.Open = len(p.List) == 0
	return c.show(http.StatusOK, "tokens", frame{Title: "Access tokens", Tab: "tokens", Data: p})
}

func addToken(c *call) error {
	n, err := c.newToken()
	var made sigit.Token
	var secret sigit.Secret
	if err == nil {
		made, secret, err = c.forge.MintToken(c.r.Context(), c.by, n)
	}
	p, e := c.tokensPage()
	if e != nil {
		return e
	}
	f := frame{Title: "Access tokens", Tab: "tokens"}
	if err != nil {
		p.Open, p.Label, p.Repos, p.Refs, p.Ends, p.Gentle = true, c.form("label"), c.form("repos"), c.form("refs"), c.form("ends"), c.form("gentle") != ""
		p.Areas = areas(func(n string) string { return c.form("scope-" + n) })
		f.Data = p
		return c.again("tokens", f, err)
	}
	p.Made, p.Secret = made, secret.Reveal()
	f.Data = p
	c.w.Header().Set("Cache-Control", "no-store")
	return c.show(http.StatusOK, "tokens", f)
}

// newToken reads the form.
func (c *call) newToken() (sigit.NewToken, error) {
	n := sigit.NewToken{Label: strings.TrimSpace(c.form("label")), NoForce: c.form("gentle") != ""}
	for _, a := range areas(func(n string) string { return c.form("scope-" + n) }) {
		if a.Chosen == "" {
			continue
		}
		s, err := sigit.ParseScope(a.Name + ":" + a.Chosen)
		if err != nil {
			return n, err
		}
		n.Scopes = append(n.Scopes, s)
	}
	if n.Label == "" {
		return n, fault.New(fault.Invalid, "Give the token a label, so that you know it again.")
	}
	if len(n.Scopes) == 0 {
		return n, fault.New(fault.Invalid, "Choose at least one thing that the token may do.")
	}
	for line := range strings.FieldsSeq(c.form("repos")) {
		name, err := sigit.ParseRepoName(line)
		if err != nil {
			return n, err
		}
		n.Repos = append(n.Repos, name)
	}
	for line := range strings.FieldsSeq(c.form("refs")) {
		n.Refs = append(n.Refs, sigit.RefRule(line))
	}
	if ends := c.form("ends"); ends != "never" {
		days, err := strconv.Atoi(ends)
		if err != nil || days < 1 || days > 3650 {
			return n, fault.New(fault.Invalid, "Choose when the token ends.")
		}
		end := time.Now().AddDate(0, 0, days)
		n.ExpiresAt = &end
	}
	return n, nil
}

func revokeToken(c *call) error {
	id, err := strconv.ParseInt(c.form("id"), 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "That is no token.")
	}
	if err := c.forge.RevokeToken(c.r.Context(), c.by, id); err != nil {
		return err
	}
	c.leave("/settings/tokens?done=revoked")
	return nil
}
