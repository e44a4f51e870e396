package sigit

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"skillforge/internal/fault"
)

// User is an account. A user from another identity provider carries its name
// and the id there (Origin, OriginID) and has no password here.
type User struct {
	ID        int64
	Name      string // unique, whatever the case of its letters
	Email     string // unique, whatever the case of its letters
	Admin     bool   // may manage the accounts of others
	Disabled  bool   // may do nothing
	Origin    string // "local", "smbcloud", …
	OriginID  string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewUser is what it takes to make an account.
type NewUser struct {
	Name     string
	Email    string
	Password string // empty: an account that only its tokens can use
	Admin    bool
	Origin   string // empty: "local"
	OriginID string
}

var userName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$`)

// reserved are the first segments of our own addresses; a user of that name
// would be unreachable.
var reserved = []string{
	"about", "admin", "api", "assets", "explore", "favicon-ico", "healthz", "help", "login", "logout", "mcp", "metrics",
	"new", "oauth", "readyz", "repositories", "search", "settings", "sigit", "sign-in", "sign-out", "sign-up", "static", "users", "well-known",
}

// Password lengths that are accepted. The upper bound keeps hashing bounded.
const (
	MinPassword = 8
	MaxPassword = 1024
)

// Check says what is wrong with the account, as Invalid.
func (n NewUser) Check() error {
	if err := CheckUserName(n.Name); err != nil {
		return err
	}
	at := strings.LastIndexByte(n.Email, '@')
	if at < 1 || at == len(n.Email)-1 || len(n.Email) > 254 || !utf8.ValidString(n.Email) || strings.ContainsFunc(n.Email, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fault.New(fault.Invalid, "%q is no e-mail address", n.Email)
	}
	if n.Password == "" {
		return nil
	}
	return CheckPassword(n.Password)
}

// CheckUserName says why the name cannot be a user's, as Invalid.
func CheckUserName(name string) error {
	if !userName.MatchString(name) || strings.Contains(name, "--") {
		return fault.New(fault.Invalid, "%q is no user name; use 1 to 39 letters, digits and single hyphens between them", Short(name, 60))
	}
	if slices.Contains(reserved, strings.ToLower(name)) {
		return fault.New(fault.Invalid, "the name %q is reserved", name)
	}
	return nil
}

// CheckPassword says why the password is refused, as Invalid.
func CheckPassword(password string) error {
	if len(password) < MinPassword || len(password) > MaxPassword {
		return fault.New(fault.Invalid, "a password has %d to %d bytes", MinPassword, MaxPassword)
	}
	return nil
}
