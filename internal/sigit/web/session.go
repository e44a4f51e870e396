package web

import (
	"net/http"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// cookieName is the cookie that holds a session's token. Over https its name
// keeps a neighbouring host from planting another's.
func (d *web) cookieName() string {
	if d.secure {
		return "__Host-sigit"
	}
	return "sigit"
}

// actor is who a request's session stands for: nobody for none, for one that
// ended, and for a token that is no session's.
func (d *web) actor(r *http.Request) (sigit.Actor, error) {
	cookie, err := r.Cookie(d.cookieName())
	if err != nil || cookie.Value == "" {
		return sigit.Anonymous(), nil
	}
	by, err := d.forge.Authenticate(r.Context(), cookie.Value)
	switch {
	case fault.Code(err) == "bad-token":
		return sigit.Anonymous(), nil
	case err != nil:
		return sigit.Anonymous(), err
	case by.Token.Kind != sigit.SessionToken:
		return sigit.Anonymous(), nil
	}
	by.Client = "" // a person at a page, not a program
	return by, nil
}

// startSession gives the browser the session's token.
func (c *call) startSession(secret sigit.Secret, ends *time.Time) {
	cookie := c.cookie(c.cookieName(), secret.Reveal())
	if ends != nil {
		cookie.Expires = *ends
	}
	http.SetCookie(c.w, cookie)
}

// endSession takes the token from the browser.
func (c *call) endSession() {
	cookie := c.cookie(c.cookieName(), "")
	cookie.MaxAge = -1
	http.SetCookie(c.w, cookie)
}

func (c *call) cookie(name, value string) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode}
}

// local is where to go after signing in: a page here, never another site.
func local(to string) string {
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") || len(to) > 2000 {
		return "/"
	}
	return to
}

type signInPage struct {
	To, Email string
	Elsewhere string // name of the other server whose accounts may sign in
}

func (c *call) signInPage(to, email string) signInPage {
	p := signInPage{To: local(to), Email: email}
	if c.Elsewhere != nil {
		p.Elsewhere = c.Elsewhere.Name
	}
	return p
}

func signInForm(c *call) error {
	if c.by.Known() {
		c.leave(local(c.query("to")))
		return nil
	}
	return c.show(http.StatusOK, "sign_in", frame{Title: "Sign in", Data: c.signInPage(c.query("to"), "")})
}

func signIn(c *call) error {
	in := c.signInPage(c.form("to"), c.form("email"))
	var token sigit.Token
	var secret sigit.Secret
	var err error
	if c.Elsewhere != nil && c.form("elsewhere") != "" {
		token, secret, err = c.forge.SignInWith(c.r.Context(), c.From(c.r), "", strings.TrimSpace(c.form("token")), c.Elsewhere.Authenticate)
	} else {
		token, secret, err = c.forge.SignIn(c.r.Context(), c.From(c.r), "", in.Email, c.r.PostFormValue("password"))
	}
	if err != nil {
		return c.again("sign_in", frame{Title: "Sign in", Data: in}, err)
	}
	c.startSession(secret, token.ExpiresAt)
	c.leave(in.To)
	return nil
}

func signOut(c *call) error {
	if c.by.Known() {
		if err := c.forge.SignOut(c.r.Context(), c.by); err != nil {
			return err
		}
	}
	c.endSession()
	c.leave("/")
	return nil
}

type signUpPage struct{ Name, Email string }

func signUpForm(c *call) error {
	if !c.SignUp {
		return fault.New(fault.NotFound, "Accounts are made by the administrators here. Ask one of them.")
	}
	return c.show(http.StatusOK, "sign_up", frame{Title: "Make an account", Data: signUpPage{}})
}

func signUp(c *call) error {
	if !c.SignUp {
		return fault.New(fault.NotFound, "Accounts are made by the administrators here. Ask one of them.")
	}
	in := signUpPage{Name: c.form("name"), Email: c.form("email")}
	token, secret, err := c.forge.SignUp(c.r.Context(), c.From(c.r), sigit.NewUser{Name: in.Name, Email: in.Email, Password: c.r.PostFormValue("password")})
	if err != nil {
		return c.again("sign_up", frame{Title: "Make an account", Data: in}, err)
	}
	c.startSession(secret, token.ExpiresAt)
	c.leave("/")
	return nil
}

// setTheme remembers in the browser which colours somebody wants; the zero
// value follows the system.
func setTheme(c *call) error {
	cookie := c.cookie("theme", "")
	cookie.MaxAge = -1
	if theme := c.form("theme"); theme == "light" || theme == "dark" {
		cookie.Value, cookie.MaxAge = theme, 365*24*3600
	}
	http.SetCookie(c.w, cookie)
	c.leave(local(c.form("to")))
	return nil
}

func (c *call) theme() string {
	cookie, err := c.r.Cookie("theme")
	if err == nil && (cookie.Value == "light" || cookie.Value == "dark") {
		return cookie.Value
	}
	return ""
}
