package store

import (
	"context"
	"database/sql"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

const issueSelect = `
	SELECT i.id, i.number, i.title, i.state, i.author_id, a.name, i.via_token, i.via_client, i.comments,
		i.created_at, i.updated_at, i.closed_at, COALESCE(c.name, ''), i.body
	FROM issues i JOIN users a ON a.id = i.author_id LEFT JOIN users c ON c.id = i.closed_by`

func scanIssue(repo sigit.Repo, scan func(...any) error) (sigit.Issue, error) {
	i := sigit.Issue{RepoID: repo.ID, Repo: repo.Name}
	var created, updated int64
	var closed sql.NullInt64
	err := scan(&i.ID, &i.Number, &i.Title, &i.State, &i.AuthorID, &i.Author, &i.Via.Token, &i.Via.Client, &i.Comments,
		&created, &updated, &closed, &i.ClosedBy, &i.Body)
	i.CreatedAt, i.UpdatedAt, i.ClosedAt = moment(created), moment(updated), momentOf(closed)
	return i, err
}

// AddIssue stores an issue by its author under the repository's next number.
func (tx *Tx) AddIssue(ctx context.Context, repo sigit.Repo, by sigit.Actor, n sigit.NewIssue) (sigit.Issue, error) {
	number, err := tx.nextNumber(ctx, repo.ID, issues)
	if err != nil {
		return sigit.Issue{}, err
	}
	i := sigit.Issue{
		RepoID: repo.ID, Repo: repo.Name, Number: number, Title: n.Title, Body: n.Body, State: sigit.Open,
		AuthorID: by.User.ID, Author: by.User.Name, Via: by.Via(), CreatedAt: tx.now, UpdatedAt: tx.now,
	}
	err = tx.one(ctx, nil, []any{&i.ID}, `
		INSERT INTO issues (repo_id, number, title, state, author_id, via_token, via_client, comments, created_at, updated_at, folded, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8, $9, $10)
		RETURNING id`,
		repo.ID, number, i.Title, string(i.State), i.AuthorID, i.Via.Token, i.Via.Client, micros(tx.now), foldBoth(i.Title, i.Body), i.Body)
	if err != nil {
		return sigit.Issue{}, fmt.Errorf("add issue #%d of %s: %w", number, repo.Name, err)
	}
	return i, nil
}

// Issue reads an issue by its number; NotFound when the number is none's or a
// pull request's.
func (tx *Tx) Issue(ctx context.Context, repo sigit.Repo, number int) (sigit.Issue, error) {
	var i sigit.Issue
	err := fault.New(fault.NotFound, "no issue #%d in %s", number, repo.Name)
	found := false
	if e := tx.rows(ctx, func(scan func(...any) error) (e error) {
		found = true
		i, e = scanIssue(repo, scan)
		return e
	}, issueSelect+` WHERE i.repo_id = $1 AND i.number = $2`, repo.ID, number); e != nil {
		return sigit.Issue{}, fmt.Errorf("read issue #%d of %s: %w", number, repo.Name, e)
	}
	if !found {
		return sigit.Issue{}, err
	}
	return i, nil
}

// Issues lists the repository's issues, the highest number first.
func (tx *Tx) Issues(ctx context.Context, repo sigit.Repo, filter sigit.Filter, page sigit.Page) (sigit.List[sigit.Issue], error) {
	return numbered(ctx, tx, issues, issueSelect, repo, filter, page,
		func(scan func(...any) error) (sigit.Issue, error) { return scanIssue(repo, scan) },
		func(i sigit.Issue) int { return i.Number })
}

// SetIssueText stores the title and the body of i.
func (tx *Tx) SetIssueText(ctx context.Context, i sigit.Issue) (sigit.Issue, error) {
	i.UpdatedAt = tx.now
	_, err := tx.exec(ctx, `UPDATE issues SET title = $2, body = $3, folded = $4, updated_at = $5 WHERE id = $1`,
		i.ID, i.Title, i.Body, foldBoth(i.Title, i.Body), micros(tx.now))
	if err != nil {
		return sigit.Issue{}, fmt.Errorf("change issue #%d of %s: %w", i.Number, i.Repo, err)
	}
	return i, nil
}

// SetIssueState closes or reopens i. Conflict when it stands there already.
func (tx *Tx) SetIssueState(ctx context.Context, i sigit.Issue, by sigit.User, to sigit.State) (sigit.Issue, error) {
	i.State, i.UpdatedAt, i.ClosedAt, i.ClosedBy = to, tx.now, nil, ""
	var closer sql.NullInt64
	if to == sigit.Closed {
		i.ClosedAt, i.ClosedBy, closer = &tx.now, by.Name, person(by)
	}
	n, err := tx.exec(ctx, `UPDATE issues SET state = $2, updated_at = $3, closed_at = $4, closed_by = $5 WHERE id = $1 AND state <> $2`,
		i.ID, string(to), micros(tx.now), microsOf(i.ClosedAt), closer)
	if err != nil {
		return sigit.Issue{}, fmt.Errorf("set issue #%d of %s %s: %w", i.Number, i.Repo, to, err)
	}
	if n == 0 {
		return sigit.Issue{}, fault.Coded(fault.Conflict, "state", "issue #%d is %s already", i.Number, to)
	}
	from := sigit.Open
	if to == sigit.Open {
		from = sigit.Closed
	}
	return i, tx.recount(ctx, i.RepoID, issues, from, to)
}

// person is the id of a user, nothing for nobody.
func person(u sigit.User) sql.NullInt64 { return sql.NullInt64{Int64: u.ID, Valid: u.ID != 0} }
