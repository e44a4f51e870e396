package forge

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// maxTokens bounds the API tokens that an account has at once.
const maxTokens = 500

// MintToken makes an API token of the caller's account. What the request
// leaves out comes from what the caller holds. The secret is shown this once.
//
// Denied when the request exceeds the token that asks, NotFound for a
// repository that the caller cannot see.
func (f *Forge) MintToken(ctx context.Context, by sigit.Actor, n sigit.NewToken) (sigit.Token, sigit.Secret, error) {
	if err := by.MayAlone(sigit.ManageTokens); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	return f.mint(ctx, by, n)
}

// MintTokenFor makes an API token of another's account, for the operator.
func (f *Forge) MintTokenFor(ctx context.Context, by sigit.Actor, user string, n sigit.NewToken) (sigit.Token, sigit.Secret, error) {
	if !by.Operator {
		return sigit.Token{}, sigit.Secret{}, fault.New(fault.Denied, "only the operator mints tokens for others")
	}
	u, err := f.UserNamed(ctx, by, user)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	return f.mint(ctx, sigit.SignedIn(u), n)
}

// UserNamed reads an account by its name, for administrators.
func (f *Forge) UserNamed(ctx context.Context, by sigit.Actor, name string) (u sigit.User, err error) {
	if err := by.MayAlone(sigit.ReadUsers); err != nil {
		return u, err
	}
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		u, err = tx.User(ctx, name)
		return err
	})
	return u, err
}

func (f *Forge) mint(ctx context.Context, by sigit.Actor, n sigit.NewToken) (sigit.Token, sigit.Secret, error) {
	if err := n.Check(); err != nil {
		return sigit.Token{}, sigit.Secret{}, err
	}
	secret, err := sigit.NewSecret(f.random)
	if err != nil {
		return sigit.Token{}, sigit.Secret{}, fmt.Errorf("draw a token: %w", err)
	}
	var t sigit.Token
	err = f.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, by.User.ID); err != nil {
			return err
		}
		held, err := tx.Tokens(ctx, by.User.ID)
		if err != nil {
			return err
		}
		if len(held) >= maxTokens {
			return fault.New(fault.Conflict, "this account has %d tokens; revoke some first", len(held))
		}
		t, err = newToken(ctx, tx, by, n)
		if err != nil {
			return err
		}
		t, err = tx.AddToken(ctx, t, secret)
		return err
	})
	return t, secret, err
}

// newToken works out the grant of a token that by mints.
func newToken(ctx context.Context, tx *store.Tx, by sigit.Actor, n sigit.NewToken) (sigit.Token, error) {
	t := sigit.Token{UserID: by.User.ID, Kind: sigit.APIToken, Label: n.Label, ExpiresAt: n.ExpiresAt}
	t.Grant = sigit.Grant{
		Scopes:   sigit.Normal(n.Scopes),
		AllRepos: by.Grant.AllRepos, Repos: by.Grant.Repos,
		AllRefs: by.Grant.AllRefs, Refs: by.Grant.Refs,
		NoForce: n.NoForce || by.Grant.NoForce,
	}
	if len(n.Scopes) == 0 {
		for _, s := range sigit.DefaultScopes() {
			if by.Grant.Has(s) {
				t.Grant.Scopes = append(t.Grant.Scopes, s)
			} else if r := sigit.Read(s.Area); by.Grant.Has(r) {
				t.Grant.Scopes = append(t.Grant.Scopes, r)
			}
		}
	}
	if len(n.Repos) > 0 {
		t.Grant.AllRepos, t.Grant.Repos = false, nil
		for _, name := range n.Repos {
			repo, err := tx.RepoFor(ctx, by, name)
			if err != nil {
				return t, err
			}
			t.Grant.Repos = append(t.Grant.Repos, repo.ID)
		}
	}
	if len(n.Refs) > 0 {
		t.Grant.AllRefs, t.Grant.Refs = false, n.Refs
	}
	if err := by.Grant.Covers(t.Grant); err != nil {
		return t, err
	}
	if t.ExpiresAt != nil && !t.ExpiresAt.After(tx.Now()) {
		return t, fault.New(fault.Invalid, "the token would have ended before it began")
	}
	if by.Token.ID == 0 || by.Token.Kind != sigit.APIToken {
		return t, nil // a person: tokens outlive the session that minted them
	}
	t.ParentID = by.Token.ID
	if end := by.Token.ExpiresAt; end != nil {
		if t.ExpiresAt == nil {
			t.ExpiresAt = end
		}
		if t.ExpiresAt.After(*end) {
			return t, fault.Coded(fault.Denied, "exceeds-parent", "this token ends %s and cannot make one that lasts longer", end.Format("2006-01-02 15:04 MST"))
		}
	}
	return t, nil
}

// TokenView is a token with the names of the repositories it is confined to.
type TokenView struct {
	sigit.Token
	Repos []sigit.RepoName
}

// Tokens lists the caller's API tokens, newest first. A token that was itself
// minted for a program sees those it minted and itself.
func (f *Forge) Tokens(ctx context.Context, by sigit.Actor) ([]TokenView, error) {
	if err := by.MayAlone(sigit.ManageTokens); err != nil {
		return nil, err
	}
	return f.tokens(ctx, by)
}

// TokensOf lists another's API tokens, for the operator.
func (f *Forge) TokensOf(ctx context.Context, by sigit.Actor, user string) ([]TokenView, error) {
	if !by.Operator {
		return nil, fault.New(fault.Denied, "only the operator lists the tokens of others")
	}
	u, err := f.UserNamed(ctx, by, user)
	if err != nil {
		return nil, err
	}
	return f.tokens(ctx, sigit.SignedIn(u))
}

func (f *Forge) tokens(ctx context.Context, by sigit.Actor) (list []TokenView, err error) {
	err = f.db.Read(ctx, func(tx *store.Tx) error {
		list = nil
		all, err := tx.Tokens(ctx, by.User.ID)
		if err != nil {
			return err
		}
		for _, t := range all {
			if by.Token.Kind == sigit.APIToken && t.ID != by.Token.ID && t.ParentID != by.Token.ID {
				continue
			}
			v := TokenView{Token: t}
			for _, id := range t.Grant.Repos {
				if repo, err := tx.RepoByID(ctx, sigit.SignedIn(by.User), id); err == nil {
					v.Repos = append(v.Repos, repo.Name)
				}
			}
			list = append(list, v)
		}
		return nil
	})
	return list, err
}

// RevokeToken ends one of the caller's tokens and all that were minted with
// it. A token minted for a program can end itself and those it minted.
func (f *Forge) RevokeToken(ctx context.Context, by sigit.Actor, id int64) error {
	if err := by.MayAlone(sigit.ManageTokens); err != nil {
		return err
	}
	mine, err := f.tokens(ctx, by)
	if err != nil {
		return err
	}
	for _, t := range mine {
		if t.ID == id {
			return f.db.Write(ctx, func(tx *store.Tx) error { return tx.RevokeToken(ctx, by.User.ID, id) })
		}
	}
	return fault.New(fault.NotFound, "no token %d of this account", id)
}

// RevokeTokenOf ends another's token, for the operator.
func (f *Forge) RevokeTokenOf(ctx context.Context, by sigit.Actor, user string, id int64) error {
	if !by.Operator {
		return fault.New(fault.Denied, "only the operator revokes the tokens of others")
	}
	u, err := f.UserNamed(ctx, by, user)
	if err != nil {
		return err
	}
	return f.db.Write(ctx, func(tx *store.Tx) error { return tx.RevokeToken(ctx, u.ID, id) })
}
