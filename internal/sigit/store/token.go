package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

const tokenColumns = `t.id, t.user_id, t.parent_id, t.kind, t.label, t.hint, t.reach, t.created_at, t.expires_at, t.used_at, t.revoked_at`

// reach is a Grant as it is stored.
type reach struct {
	Scopes   []sigit.Scope   `json:"scopes"`
	AllRepos bool            `json:"all_repos,omitempty"`
	Repos    []int64         `json:"repos,omitempty"`
	AllRefs  bool            `json:"all_refs,omitempty"`
	Refs     []sigit.RefRule `json:"refs,omitempty"`
	NoForce  bool            `json:"no_force,omitempty"`
}

type tokenRow struct {
	t                              sigit.Token
	parent, expires, used, revoked sql.NullInt64
	created                        int64
	kind, reach                    string
}

func (r *tokenRow) into() []any {
	return []any{&r.t.ID, &r.t.UserID, &r.parent, &r.kind, &r.t.Label, &r.t.Hint, &r.reach, &r.created, &r.expires, &r.used, &r.revoked}
}

func (r *tokenRow) token() (sigit.Token, error) {
	var grant reach
	if err := json.Unmarshal([]byte(r.reach), &grant); err != nil {
		return sigit.Token{}, fmt.Errorf("read the grant of token %d: %w", r.t.ID, err)
	}
	r.t.ParentID, r.t.Kind, r.t.Grant = r.parent.Int64, sigit.TokenKind(r.kind), sigit.Grant(grant)
	r.t.CreatedAt, r.t.ExpiresAt, r.t.UsedAt, r.t.RevokedAt = moment(r.created), momentOf(r.expires), momentOf(r.used), momentOf(r.revoked)
	return r.t, nil
}

// AddToken stores a token under the hash of its secret.
func (tx *Tx) AddToken(ctx context.Context, t sigit.Token, secret sigit.Secret) (sigit.Token, error) {
	grant, err := json.Marshal(reach(t.Grant))
	if err != nil {
		return sigit.Token{}, fmt.Errorf("write the grant of a token: %w", err)
	}
	t.CreatedAt, t.Hint = tx.now, secret.Hint()
	parent := sql.NullInt64{Int64: t.ParentID, Valid: t.ParentID != 0}
	err = tx.one(ctx, nil, []any{&t.ID}, `
		INSERT INTO tokens (user_id, parent_id, kind, label, hint, hash, reach, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		RETURNING id`,
		t.UserID, parent, string(t.Kind), t.Label, t.Hint, hashText(secret), string(grant), micros(tx.now), microsOf(t.ExpiresAt))
	if err != nil {
		return sigit.Token{}, fmt.Errorf("add a token: %w", err)
	}
	return t, nil
}

func hashText(s sigit.Secret) string {
	hash := s.Hash()
	return hex.EncodeToString(hash[:])
}

// TokenBySecret reads a token and its user by the secret, live or not;
// NotFound when there is none. The lookup is by the hash of the secret, so
// how long it takes tells nothing of other secrets.
func (tx *Tx) TokenBySecret(ctx context.Context, secret sigit.Secret) (sigit.Token, sigit.User, error) {
	var row tokenRow
	var u sigit.User
	var created, updated int64
	err := tx.one(ctx, fault.New(fault.NotFound, "no such token"), append(row.into(), scanUser(&u, &created, &updated)...),
		`SELECT `+tokenColumns+`, `+userColumns+` FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = $1`, hashText(secret))
	if err != nil {
		return sigit.Token{}, sigit.User{}, fmt.Errorf("read a token: %w", err)
	}
	u.CreatedAt, u.UpdatedAt = moment(created), moment(updated)
	t, err := row.token()
	return t, u, err
}

// Tokens lists the user's API tokens that are not revoked, newest first.
func (tx *Tx) Tokens(ctx context.Context, userID int64) ([]sigit.Token, error) {
	var list []sigit.Token
	err := tx.rows(ctx, func(scan func(...any) error) error {
		var row tokenRow
		if err := scan(row.into()...); err != nil {
			return err
		}
		t, err := row.token()
		list = append(list, t)
		return err
	}, `SELECT `+tokenColumns+` FROM tokens t WHERE t.user_id = $1 AND t.kind = $2 AND t.revoked_at IS NULL ORDER BY t.id DESC`,
		userID, string(sigit.APIToken))
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return list, nil
}

// RevokeToken ends a token of the user and every token minted with it;
// NotFound when the user has none of that number.
func (tx *Tx) RevokeToken(ctx context.Context, userID, id int64) error {
	n, err := tx.exec(ctx, `
		WITH RECURSIVE family (id) AS (
			SELECT id FROM tokens WHERE id = $1 AND user_id = $2
			UNION
			SELECT t.id FROM tokens t JOIN family f ON t.parent_id = f.id
		)
		UPDATE tokens SET revoked_at = COALESCE(revoked_at, $3) WHERE id IN (SELECT id FROM family)`,
		id, userID, micros(tx.now))
	if err != nil {
		return fmt.Errorf("revoke token %d: %w", id, err)
	}
	if n == 0 {
		return fault.New(fault.NotFound, "no token %d of this account", id)
	}
	return nil
}

// RevokeTokens ends every token of the user except one (0: none excepted) and
// those of the kind to keep (empty: none).
func (tx *Tx) RevokeTokens(ctx context.Context, userID, except int64, keep sigit.TokenKind) error {
	_, err := tx.exec(ctx, `UPDATE tokens SET revoked_at = $1 WHERE user_id = $2 AND id <> $3 AND kind <> $4 AND revoked_at IS NULL`,
		micros(tx.now), userID, except, string(keep))
	if err != nil {
		return fmt.Errorf("revoke the tokens of user %d: %w", userID, err)
	}
	return nil
}

// TouchToken notes that the token was used now.
func (tx *Tx) TouchToken(ctx context.Context, id int64) error {
	if _, err := tx.exec(ctx, `UPDATE tokens SET used_at = $1 WHERE id = $2`, micros(tx.now), id); err != nil {
		return fmt.Errorf("note the use of token %d: %w", id, err)
	}
	return nil
}

// SweepTokens deletes tokens that ended before the time and are no parents.
func (tx *Tx) SweepTokens(ctx context.Context, before time.Time) (int64, error) {
	n, err := tx.exec(ctx, `
		DELETE FROM tokens
		WHERE (revoked_at < $1 OR expires_at < $1)
		AND NOT EXISTS (SELECT 1 FROM tokens child WHERE child.parent_id = tokens.id)`, micros(before))
	if err != nil {
		return 0, fmt.Errorf("sweep tokens: %w", err)
	}
	return n, nil
}
