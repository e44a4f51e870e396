package forge

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// Bounds on signing in, in any stretch of signInWindow.
const (
	signInWindow   = 15 * time.Minute
	signInsByPair  = 10  // of one address from one place
	signInsByPlace = 60  // of any address from one place
	signInsByEmail = 100 // of one address from anywhere
)

// sessionLength is how long a token from signing in lasts.
const sessionLength = 30 * 24 * time.Hour

// AddUser makes an account. Denied for all but administrators, Invalid for a
// bad name, address or password, Conflict when name or address is taken.
func (f *Forge) AddUser(ctx context.Context, by sigit.Actor, n sigit.NewUser) (sigit.User, error) {
	if err := by.MayAlone(sigit.ManageUsers); err != nil {
		return sigit.User{}, err
	}
	return f.addUser(ctx, n)
}

func (f *Forge) addUser(ctx context.Context, n sigit.NewUser) (sigit.User, error) {
	if err := n.Check(); err != nil {
		return sigit.User{}, err
	}
	var hash string
	if n.Password != "" {
		var err error
		if hash, err = f.hashing.hash(ctx, n.Password); err != nil {
			return sigit.User{}, err
		}
	}
	var u sigit.User
	err := f.db.Write(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.AddUser(ctx, n, hash)
		return err
	})
	return u, err
}

// Users lists the accounts, for administrators.
func (f *Forge) Users(ctx context.Context, by sigit.Actor, page sigit.Page) (list sigit.List[sigit.User], err error) {
	if err := by.MayAlone(sigit.ReadUsers); err != nil {
		return list, err
	}
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Users(ctx, page)
		return err
	})
	return list, err
}

// Me is the caller's own account.
func (f *Forge) Me(ctx context.Context, by sigit.Actor) (u sigit.User, err error) {
	if err := by.MayAlone(sigit.ReadSelf); err != nil {
		return u, err
	}
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		u, err = tx.UserByID(ctx, by.User.ID)
		return err
	})
	return u, err
}

// SetPassword gives another's account a password, for administrators. Every
// session of the account ends.
func (f *Forge) SetPassword(ctx context.Context, by sigit.Actor, name, password string) error {
	if err := by.MayAlone(sigit.ManageUsers); err != nil {
		return err
	}
	return f.setPassword(ctx, password, 0, func(tx *store.Tx) (sigit.User, error) { return tx.User(ctx, name) })
}

// ChangePassword gives the caller's account another password. Every other
// session of the account ends. Denied when the old one is wrong.
func (f *Forge) ChangePassword(ctx context.Context, by sigit.Actor, old, password string) error {
	if err := by.MayAlone(sigit.ChangeSelf); err != nil {
		return err
	}
	if err := f.ration(ctx, fmt.Sprintf("password:%d", by.User.ID), signInsByPair, signInWindow, "attempts"); err != nil {
		return err
	}
	var hash string
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		_, hash, err = tx.UserByEmail(ctx, by.User.Email)
		return err
	})
	if err != nil {
		return err
	}
	if ok, err := f.hashing.matches(ctx, old, hash); err != nil || !ok {
		if err == nil {
			err = fault.Coded(fault.Denied, "wrong-password", "the old password is wrong")
		}
		return err
	}
	return f.setPassword(ctx, password, by.Token.ID, func(tx *store.Tx) (sigit.User, error) { return tx.UserByID(ctx, by.User.ID) })
}

func (f *Forge) setPassword(ctx context.Context, password string, keep int64, whose func(*store.Tx) (sigit.User, error)) error {
	if err := sigit.CheckPassword(password); err != nil {
		return err
	}
	hash, err := f.hashing.hash(ctx, password)
	if err != nil {
		return err
	}
	return f.db.Write(ctx, func(tx *store.Tx) error {
		u, err := whose(tx)
		if err != nil {
			return err
		}
		if err := tx.SetPassword(ctx, u.ID, hash); err != nil {
			return err
		}
		return tx.RevokeTokens(ctx, u.ID, keep, sigit.APIToken)
	})
}

// SetUser makes an account an administrator's or not, and enables or disables
// it; nil leaves a thing as it is. Nobody disables or demotes themselves, so
// one administrator always remains.
func (f *Forge) SetUser(ctx context.Context, by sigit.Actor, name string, admin, disabled *bool) (u sigit.User, err error) {
	if err := by.MayAlone(sigit.ManageUsers); err != nil {
		return u, err
	}
	err = f.db.Write(ctx, func(tx *store.Tx) error {
		if u, err = tx.User(ctx, name); err != nil {
			return err
		}
		if u.ID == by.User.ID {
			return fault.New(fault.Denied, "ask another administrator to change your own account")
		}
		if admin != nil {
			u.Admin = *admin
		}
		if disabled != nil {
			u.Disabled = *disabled
		}
		return tx.SetUserFlags(ctx, u.ID, u.Admin, u.Disabled)
	})
	return u, err
}

// badSignIn is said of a wrong password, an unknown address and a disabled
// account alike.
func badSignIn() error {
	return fault.Coded(fault.Denied, "bad-credentials", "the e-mail address or the password is wrong")
}

// SignIn checks a password and mints a session's token. from is where the
// caller connects from, for the bounds on attempts. Denied when address and
// password do not belong together, Busy after too many attempts.
func (f *Forge) SignIn(ctx context.Context, from, client, email, password string) (sigit.Token, sigit.Secret, error) {
	if len(email) > 254 || len(password) > sigit.MaxPassword {
		return sigit.Token{}, sigit.Secret{}, badSignIn()
	}
	key := strings.ToLower(email)
	for _, b := range []struct {
		bucket string
		limit  int
	}{{"sign-in:" + from, signInsByPlace}, {"sign-in:" + from + " " + key, signInsByPair}, {"sign-in:* " + key, signInsByEmail}} {
		if err := f.ration(ctx, b.bucket, b.limit, signInWindow, "attempts to sign in"); err != nil {
			return sigit.Token{}, sigit.Secret{}, err
		}
	}
	var u sigit.User
	var hash string
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		u, hash, err = tx.UserByEmail(ctx, email)
		return err
	})
	if err != nil && fault.Of(err) != fault.NotFound {
		return sigit.Token{}, sigit.Secret{}, err
	}
	ok, err := f.hashing.matches(ctx, password, hash)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	if !ok || u.Disabled {
		return sigit.Token{}, sigit.Secret{}, badSignIn()
	}
	return f.startSession(ctx, u, client, "sign-in:"+from+" "+key)
}

// SignInWith starts a session for whom another identity says a token stands,
// under the bounds of SignIn. A token that this forge minted opens none: a
// session would reach further than it does.
func (f *Forge) SignInWith(ctx context.Context, from, client, token string, whose func(context.Context, string) (sigit.Actor, error)) (sigit.Token, sigit.Secret, error) {
	if err := f.ration(ctx, "sign-in:"+from, signInsByPlace, signInWindow, "attempts to sign in"); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	if token == "" || len(token) > 8<<10 || sigit.LooksLikeSecret(token) {
		return sigit.Token{}, sigit.Secret{}, BadToken()
	}
	by, err := whose(ctx, token)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	if !by.Known() || by.User.Disabled {
		return sigit.Token{}, sigit.Secret{}, BadToken()
	}
	return f.startSession(ctx, by.User, client, "sign-in:"+from+" "+strings.ToLower(by.User.Email))
}

func (f *Forge) startSession(ctx context.Context, u sigit.User, client, bucket string) (sigit.Token, sigit.Secret, error) {
	secret, err := sigit.NewSecret(f.random)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, fmt.Errorf("draw a token: %w", err)
	}
	var t sigit.Token
	err = f.db.Write(ctx, func(tx *store.Tx) (err error) {
		ends := tx.Now().Add(sessionLength)
		if err := tx.ForgetHits(ctx, bucket); err != nil {
			return err
		}
		t, err = tx.AddToken(ctx, sigit.Token{
			UserID: u.ID, Kind: sigit.SessionToken, Label: sigit.Short(sigit.Clean(client), sigit.MaxLabel-4), Grant: sigit.Whole(), ExpiresAt: &ends,
		}, secret)
		return err
	})
	return t, secret, err
}

// SignOut ends the token that the caller showed.
func (f *Forge) SignOut(ctx context.Context, by sigit.Actor) error {
	if !by.Known() || by.Token.ID == 0 {
		return fault.Coded(fault.Denied, "sign-in", "nobody is signed in")
	}
	return f.db.Write(ctx, func(tx *store.Tx) error { return tx.RevokeToken(ctx, by.User.ID, by.Token.ID) })
}

// BadToken is the fault for a token that opens nothing: unknown, ended,
// revoked, or of a disabled account.
func BadToken() error {
	return fault.Coded(fault.Denied, "bad-token", "the access token is not valid; it may have ended or been revoked")
}

// Authenticate finds who a token stands for. Denied (see BadToken) when
// nobody.
func (f *Forge) Authenticate(ctx context.Context, text string) (sigit.Actor, error) {
	secret, ok := sigit.ParseSecret(text)
	if !ok {
		return sigit.Actor{}, BadToken()
	}
	var t sigit.Token
	var u sigit.User
	var now time.Time
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now()
		t, u, err = tx.TokenBySecret(ctx, secret)
		return err
	})
	switch {
	case fault.Of(err) == fault.NotFound:
		return sigit.Actor{}, BadToken()
	case err != nil:
		return sigit.Actor{}, err
	case !t.Live(now) || u.Disabled:
		return sigit.Actor{}, BadToken()
	}
	if t.UsedAt == nil || now.Sub(*t.UsedAt) > time.Minute {
		if err := f.db.Write(ctx, func(tx *store.Tx) error { return tx.TouchToken(ctx, t.ID) }); err != nil {
			f.log.WarnContext(ctx, "a token's last use was not noted", "token", t.ID, "err", err)
		}
	}
	return sigit.Bearer(u, t), nil
}

var notNameRun = regexp.MustCompile(`[^a-z0-9]+`)

// Mirror finds or makes the account that stands for one of another identity
// provider. It follows the address there. The name is made from the address;
// where it is taken a number is added.
func (f *Forge) Mirror(ctx context.Context, origin, id, email string) (sigit.User, error) {
	var u sigit.User
	err := f.db.Read(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.UserByOrigin(ctx, origin, id)
		return err
	})
	if err == nil && u.Email == email {
		return u, nil
	}
	if err != nil && fault.Of(err) != fault.NotFound {
		return sigit.User{}, err
	}
	if err == nil {
		err = f.db.Write(ctx, func(tx *store.Tx) error { return tx.SetEmail(ctx, u.ID, email) })
		if fault.Of(err) == fault.Conflict { // the old one has to do
			f.log.WarnContext(ctx, "a mirrored account keeps its address", "user", u.Name, "err", err)
			return u, nil
		}
		u.Email = email
		return u, err
	}
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	base := strings.Trim(notNameRun.ReplaceAllString(local, "-"), "-")
	base = strings.Trim(base[:min(len(base), 32)], "-")
	if base == "" || sigit.CheckUserName(base) != nil {
		base = "user"
	}
	for i := range 1000 {
		name := base
		if i > 0 {
			name = fmt.Sprintf("%s-%d", base, i+1)
		}
		u, err := f.addUser(ctx, sigit.NewUser{Name: name, Email: email, Origin: origin, OriginID: id})
		if fault.Of(err) != fault.Conflict {
			return u, err
		}
		// Taken: by the name, by the address of another account, or by a
		// request for the same person that came first.
		err = f.db.Read(ctx, func(tx *store.Tx) error {
			if u, err = tx.UserByOrigin(ctx, origin, id); err == nil {
				return nil
			}
			if _, _, err := tx.UserByEmail(ctx, email); err == nil {
				return fault.Coded(fault.Conflict, "taken", "another account here has the address %s", email)
			}
			u = sigit.User{}
			return nil
		})
		if err != nil || u.ID != 0 {
			return u, err
		}
	}
	return sigit.User{}, fault.New(fault.Conflict, "no free name for %s", email)
}

// ration counts a use; Busy when it is over the limit.
func (f *Forge) ration(ctx context.Context, bucket string, limit int, window time.Duration, what string) error {
	var ok bool
	var wait time.Duration
	err := f.db.Write(ctx, func(tx *store.Tx) (err error) {
		ok, wait, err = tx.Hit(ctx, bucket, limit, window)
		return err
	})
	if err != nil || ok {
		return err
	}
	seconds := int((wait + time.Second - 1) / time.Second)
	return fault.Coded(fault.Busy, "rate-limit", "too many %s: at most %d in %s; try again in %d seconds", what, limit, length(window), seconds).With("retry_after", seconds)
}

func length(d time.Duration) string {
	if d == time.Hour {
		return "an hour"
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// WebSearches is how many searches of the web a user has in an hour.
const WebSearches = 60

// RationWebSearch lets the caller search the web once more, counted by user
// over all tokens. Busy when the hour's searches are used up.
func (f *Forge) RationWebSearch(ctx context.Context, by sigit.Actor) error {
	if err := by.MayAlone(sigit.SearchWeb); err != nil {
		return err
	}
	return f.ration(ctx, fmt.Sprintf("web-search:%d", by.User.ID), WebSearches, time.Hour, "web searches")
}
