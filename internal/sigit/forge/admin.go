package forge

import (
	"context"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// signUpsByPlace bounds the accounts that one place makes in an hour.
const signUpsByPlace = 10

// SignUp makes an account for somebody who asks for one, never an
// administrator's, and signs in. Whether that is wanted is the door's to know.
// from is where the caller connects from. Busy after too many accounts.
func (f *Forge) SignUp(ctx context.Context, from string, n sigit.NewUser) (sigit.Token, sigit.Secret, error) {
	n = sigit.NewUser{Name: n.Name, Email: n.Email, Password: n.Password}
	if err := n.Check(); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	if err := sigit.CheckPassword(n.Password); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	if err := f.ration(ctx, "sign-up:"+from, signUpsByPlace, time.Hour, "new accounts"); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	u, err := f.addUser(ctx, n)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	return f.startSession(ctx, u, "", "sign-in:"+from+" "+u.Email)
}

// AllRepos lists every repository for administrators: that it is there, whose
// it is and how it changed. What is in a private one stays its people's.
func (f *Forge) AllRepos(ctx context.Context, by sigit.Actor, filter RepoFilter, page sigit.Page) (list sigit.List[sigit.Repo], err error) {
	if err := by.MayAlone(sigit.ReadUsers); err != nil {
		return list, err
	}
	if by.Grant.Narrow() {
		return list, fault.Coded(fault.Denied, "narrow-token", "this token is confined to some repositories")
	}
	if err := checkQuery(filter.Query); err != nil {
		return list, err
	}
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Repos(ctx, sigit.Operator(by.User), filter, page)
		return err
	})
	return list, err
}

// Parts says what the forge runs on: where the database is and which git it
// has, for administrators.
func (f *Forge) Parts(ctx context.Context, by sigit.Actor) (database, git string, err error) {
	if err := by.MayAlone(sigit.ReadUsers); err != nil {
		return "", "", err
	}
	git, err = f.git.Version(ctx)
	return f.db.Name(), git, err
}

// Examine is Doctor for administrators.
func (f *Forge) Examine(ctx context.Context, by sigit.Actor) ([]Check, error) {
	if err := by.MayAlone(sigit.ReadUsers); err != nil {
		return nil, err
	}
	return f.Doctor(ctx), nil
}
