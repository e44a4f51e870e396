package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"skillforge/internal/sigit"
)

// Act is a line of the record of who did what, and through what.
type Act struct {
	ID     int64
	At     time.Time
	Kind   sigit.EventKind
	RepoID int64
	Repo   string
	Number int
	Actor  string
	Via    sigit.Via
	Detail string
}

// AddAct records what by did. Kind, RepoID, Repo, Number and Detail of a are kept.
func (tx *Tx) AddAct(ctx context.Context, by sigit.Actor, a Act) error {
	via := by.Via()
	_, err := tx.exec(ctx, `
		INSERT INTO acts (at, kind, repo_id, repo, number, actor_id, actor, token_id, via_token, via_client, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		micros(tx.now), string(a.Kind), a.RepoID, a.Repo, a.Number, by.User.ID, by.User.Name, by.Token.ID, via.Token, via.Client, a.Detail)
	if err != nil {
		return fmt.Errorf("record %s: %w", a.Kind, err)
	}
	return nil
}

// Acts lists what was done in a repository, latest first.
func (tx *Tx) Acts(ctx context.Context, repoID int64, limit int) ([]Act, error) {
	var list []Act
	err := tx.rows(ctx, func(scan func(...any) error) error {
		var a Act
		var at int64
		err := scan(&a.ID, &at, &a.Kind, &a.RepoID, &a.Repo, &a.Number, &a.Actor, &a.Via.Token, &a.Via.Client, &a.Detail)
		a.At = moment(at)
		list = append(list, a)
		return err
	}, `SELECT id, at, kind, repo_id, repo, number, actor, via_token, via_client, detail FROM acts WHERE repo_id = $1 ORDER BY id DESC LIMIT $2`, repoID, limit)
	if err != nil {
		return nil, fmt.Errorf("list acts: %w", err)
	}
	return list, nil
}

// ActsOn lists what was done with an issue or pull request beside comments,
// oldest first, the latest limit of them.
func (tx *Tx) ActsOn(ctx context.Context, repoID int64, number, limit int) ([]Act, error) {
	var list []Act
	err := tx.rows(ctx, func(scan func(...any) error) error {
		a := Act{RepoID: repoID, Number: number}
		var at int64
		err := scan(&a.ID, &at, &a.Kind, &a.Repo, &a.Actor, &a.Via.Token, &a.Via.Client, &a.Detail)
		a.At = moment(at)
		list = append(list, a)
		return err
	}, `SELECT id, at, kind, repo, actor, via_token, via_client, detail FROM acts
		WHERE repo_id = $1 AND number = $2 AND kind NOT LIKE 'comment.%' ORDER BY id DESC LIMIT $3`, repoID, number, limit)
	if err != nil {
		return nil, fmt.Errorf("list acts on #%d: %w", number, err)
	}
	slices.Reverse(list)
	return list, nil
}
