package store

import (
	"context"
	"database/sql"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

const pullSelect = `
	SELECT p.id, p.number, p.title, p.state, p.author_id, a.name, p.via_token, p.via_client, p.head_ref, p.base_ref, p.head_id, p.base_id,
		p.comments, p.created_at, p.updated_at, p.closed_at, COALESCE(c.name, ''), p.merged_at, COALESCE(m.name, ''), p.merge_id, p.body
	FROM pulls p JOIN users a ON a.id = p.author_id LEFT JOIN users c ON c.id = p.closed_by LEFT JOIN users m ON m.id = p.merged_by`

func scanPull(repo sigit.Repo, scan func(...any) error) (sigit.Pull, error) {
	p := sigit.Pull{RepoID: repo.ID, Repo: repo.Name}
	var created, updated int64
	var closed, merged sql.NullInt64
	err := scan(&p.ID, &p.Number, &p.Title, &p.State, &p.AuthorID, &p.Author, &p.Via.Token, &p.Via.Client, &p.Head, &p.Base, &p.HeadID, &p.BaseID,
		&p.Comments, &created, &updated, &closed, &p.ClosedBy, &merged, &p.MergedBy, &p.MergeID, &p.Body)
	p.CreatedAt, p.UpdatedAt, p.ClosedAt, p.MergedAt = moment(created), moment(updated), momentOf(closed), momentOf(merged)
	return p, err
}

// AddPull stores a pull request, whose ends are pinned to two commits, by its
// author under the repository's next number.
func (tx *Tx) AddPull(ctx context.Context, repo sigit.Repo, by sigit.Actor, n sigit.NewPull, headID, baseID string) (sigit.Pull, error) {
	number, err := tx.nextNumber(ctx, repo.ID, pulls)
	if err != nil {
		return sigit.Pull{}, err
	}
	p := sigit.Pull{
		RepoID: repo.ID, Repo: repo.Name, Number: number, Title: n.Title, Body: n.Body, State: sigit.Open,
		AuthorID: by.User.ID, Author: by.User.Name, Via: by.Via(), Head: n.Head, Base: n.Base, HeadID: headID, BaseID: baseID,
		CreatedAt: tx.now, UpdatedAt: tx.now,
	}
	err = tx.one(ctx, nil, []any{&p.ID}, `
		INSERT INTO pulls (repo_id, number, title, state, author_id, via_token, via_client, head_ref, base_ref, head_id, base_id,
			comments, created_at, updated_at, merge_id, folded, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, $12, $12, '', $13, $14)
		RETURNING id`,
		repo.ID, number, p.Title, string(p.State), p.AuthorID, p.Via.Token, p.Via.Client, p.Head, p.Base, headID, baseID,
		micros(tx.now), foldBoth(p.Title, p.Body), p.Body)
	if err != nil {
		return sigit.Pull{}, fmt.Errorf("add pull request #%d of %s: %w", number, repo.Name, err)
	}
	return p, nil
}

// Pull reads a pull request by its number; NotFound when the number is none's
// or an issue's.
func (tx *Tx) Pull(ctx context.Context, repo sigit.Repo, number int) (sigit.Pull, error) {
	list, err := tx.pulls(ctx, repo, ` AND p.number = $2`, number)
	if err != nil {
		return sigit.Pull{}, fmt.Errorf("read pull request #%d of %s: %w", number, repo.Name, err)
	}
	if len(list) == 0 {
		return sigit.Pull{}, fault.New(fault.NotFound, "no pull request #%d in %s", number, repo.Name)
	}
	return list[0], nil
}

// OpenPullsOn lists the open pull requests that have the branch as head or base.
func (tx *Tx) OpenPullsOn(ctx context.Context, repo sigit.Repo, branch string) ([]sigit.Pull, error) {
	list, err := tx.pulls(ctx, repo, ` AND p.state = 'open' AND (p.head_ref = $2 OR p.base_ref = $2) ORDER BY p.number`, branch)
	if err != nil {
		return nil, fmt.Errorf("list pull requests on %s of %s: %w", branch, repo.Name, err)
	}
	return list, nil
}

func (tx *Tx) pulls(ctx context.Context, repo sigit.Repo, more string, args ...any) ([]sigit.Pull, error) {
	var list []sigit.Pull
	err := tx.rows(ctx, func(scan func(...any) error) error {
		p, err := scanPull(repo, scan)
		list = append(list, p)
		return err
	}, pullSelect+` WHERE p.repo_id = $1`+more, append([]any{repo.ID}, args...)...)
	return list, err
}

// Pulls lists the repository's pull requests, the highest number first.
func (tx *Tx) Pulls(ctx context.Context, repo sigit.Repo, filter sigit.Filter, page sigit.Page) (sigit.List[sigit.Pull], error) {
	return numbered(ctx, tx, pulls, pullSelect, repo, filter, page,
		func(scan func(...any) error) (sigit.Pull, error) { return scanPull(repo, scan) },
		func(p sigit.Pull) int { return p.Number })
}

// SetPullText stores the title and the body of p.
func (tx *Tx) SetPullText(ctx context.Context, p sigit.Pull) (sigit.Pull, error) {
	p.UpdatedAt = tx.now
	_, err := tx.exec(ctx, `UPDATE pulls SET title = $2, body = $3, folded = $4, updated_at = $5 WHERE id = $1`,
		p.ID, p.Title, p.Body, foldBoth(p.Title, p.Body), micros(tx.now))
	if err != nil {
		return sigit.Pull{}, fmt.Errorf("change pull request #%d of %s: %w", p.Number, p.Repo, err)
	}
	return p, nil
}

// PinPull stores the commits at the ends of p. It is false, and nothing is
// stored, when p is not open any more or another pinned it since p was read.
func (tx *Tx) PinPull(ctx context.Context, p sigit.Pull, headID, baseID string) (sigit.Pull, bool, error) {
	n, err := tx.exec(ctx, `
		UPDATE pulls SET head_id = $2, base_id = $3, updated_at = $4
		WHERE id = $1 AND state = 'open' AND head_id = $5 AND base_id = $6`,
		p.ID, headID, baseID, micros(tx.now), p.HeadID, p.BaseID)
	if err != nil {
		return sigit.Pull{}, false, fmt.Errorf("pin pull request #%d of %s: %w", p.Number, p.Repo, err)
	}
	if n == 1 {
		p.HeadID, p.BaseID, p.UpdatedAt = headID, baseID, tx.now
	}
	return p, n == 1, nil
}

// SetPullState moves p to open, closed or merged (then mergeID is the commit
// that the base had after). Conflict when the move is none: only an open pull
// request is closed or merged, only a closed one reopened.
func (tx *Tx) SetPullState(ctx context.Context, p sigit.Pull, by sigit.User, to sigit.State, mergeID string) (sigit.Pull, error) {
	from := sigit.Open
	if to == sigit.Open {
		from = sigit.Closed
	}
	p.State, p.UpdatedAt, p.ClosedAt, p.ClosedBy, p.MergeID = to, tx.now, nil, "", mergeID
	var closer, merger sql.NullInt64
	if to != sigit.Open {
		p.ClosedAt, p.ClosedBy, closer = &tx.now, by.Name, person(by)
	}
	if to == sigit.Merged {
		p.MergedAt, p.MergedBy, merger = &tx.now, by.Name, person(by)
	}
	n, err := tx.exec(ctx, `
		UPDATE pulls SET state = $2, updated_at = $3, closed_at = $4, closed_by = $5, merged_at = $6, merged_by = $7, merge_id = $8
		WHERE id = $1 AND state = $9`,
		p.ID, string(to), micros(tx.now), microsOf(p.ClosedAt), closer, microsOf(p.MergedAt), merger, mergeID, string(from))
	if err != nil {
		return sigit.Pull{}, fmt.Errorf("set pull request #%d of %s %s: %w", p.Number, p.Repo, to, err)
	}
	if n == 0 {
		return sigit.Pull{}, fault.Coded(fault.Conflict, "state", "pull request #%d is not %s any more", p.Number, from)
	}
	return p, tx.recount(ctx, p.RepoID, pulls, from, to)
}
