package store

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// Thread says whether the number is an issue's or a pull request's; NotFound
// when it is none's.
func (tx *Tx) Thread(ctx context.Context, repo sigit.Repo, number int) (onPull bool, err error) {
	err = tx.one(ctx, fault.New(fault.NotFound, "no issue or pull request #%d in %s", number, repo.Name), []any{&onPull}, `
		SELECT FALSE FROM issues WHERE repo_id = $1 AND number = $2
		UNION ALL
		SELECT TRUE FROM pulls WHERE repo_id = $1 AND number = $2`, repo.ID, number)
	if err != nil {
		return false, fmt.Errorf("look for #%d in %s: %w", number, repo.Name, err)
	}
	return onPull, nil
}

// AddComment stores a comment by its author; NotFound when the number is none's.
func (tx *Tx) AddComment(ctx context.Context, repo sigit.Repo, by sigit.Actor, n sigit.NewComment) (sigit.Comment, error) {
	onPull, err := tx.Thread(ctx, repo, n.Number)
	if err != nil {
		return sigit.Comment{}, err
	}
	c := sigit.Comment{
		RepoID: repo.ID, Repo: repo.Name, Number: n.Number, OnPull: onPull, Body: n.Body,
		AuthorID: by.User.ID, Author: by.User.Name, Via: by.Via(), CreatedAt: tx.now, UpdatedAt: tx.now,
	}
	err = tx.one(ctx, nil, []any{&c.ID}, `
		INSERT INTO comments (repo_id, number, on_pull, author_id, via_token, via_client, created_at, updated_at, body)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)
		RETURNING id`,
		repo.ID, n.Number, onPull, c.AuthorID, c.Via.Token, c.Via.Client, micros(tx.now), c.Body)
	if err != nil {
		return sigit.Comment{}, fmt.Errorf("add a comment on #%d of %s: %w", n.Number, repo.Name, err)
	}
	table := "issues"
	if onPull {
		table = "pulls"
	}
	_, err = tx.exec(ctx, `UPDATE `+table+` SET comments = comments + 1, updated_at = $3 WHERE repo_id = $1 AND number = $2`,
		repo.ID, n.Number, micros(tx.now))
	if err != nil {
		return sigit.Comment{}, fmt.Errorf("count the comments on #%d of %s: %w", n.Number, repo.Name, err)
	}
	return c, nil
}

// Comment is what was said on a number under an id; NotFound when there is none.
func (tx *Tx) Comment(ctx context.Context, repo sigit.Repo, number int, id int64) (sigit.Comment, error) {
	c := sigit.Comment{ID: id, RepoID: repo.ID, Repo: repo.Name, Number: number}
	var created, updated int64
	err := tx.one(ctx, fault.New(fault.NotFound, "there is no such comment on #%d in %s", number, repo.Name),
		[]any{&c.OnPull, &c.AuthorID, &c.Author, &c.Via.Token, &c.Via.Client, &created, &updated, &c.Body}, `
		SELECT c.on_pull, c.author_id, a.name, c.via_token, c.via_client, c.created_at, c.updated_at, c.body
		FROM comments c JOIN users a ON a.id = c.author_id
		WHERE c.repo_id = $1 AND c.number = $2 AND c.id = $3`, repo.ID, number, id)
	if err != nil {
		return c, fmt.Errorf("read comment %d on #%d of %s: %w", id, number, repo.Name, err)
	}
	c.CreatedAt, c.UpdatedAt = moment(created), moment(updated)
	return c, nil
}

// ChangeComment gives a comment another body.
func (tx *Tx) ChangeComment(ctx context.Context, c sigit.Comment, body string) (sigit.Comment, error) {
	_, err := tx.exec(ctx, `UPDATE comments SET body = $2, updated_at = $3 WHERE id = $1`, c.ID, body, micros(tx.now))
	if err != nil {
		return c, fmt.Errorf("change comment %d on #%d of %s: %w", c.ID, c.Number, c.Repo, err)
	}
	c.Body, c.UpdatedAt = body, tx.now
	return c, nil
}

// Comments lists what was said on a number, oldest first.
func (tx *Tx) Comments(ctx context.Context, repo sigit.Repo, number int, page sigit.Page) (sigit.List[sigit.Comment], error) {
	var list sigit.List[sigit.Comment]
	var after int64
	if page.Cursor != "" {
		if err := sigit.DecodeCursor(page.Cursor, &after); err != nil {
			return list, err
		}
	}
	err := tx.one(ctx, nil, []any{&list.Total}, `SELECT COUNT(*) FROM comments WHERE repo_id = $1 AND number = $2`, repo.ID, number)
	if err != nil {
		return list, fmt.Errorf("count the comments on #%d of %s: %w", number, repo.Name, err)
	}
	limit := page.Size(100)
	err = tx.rows(ctx, func(scan func(...any) error) error {
		c := sigit.Comment{RepoID: repo.ID, Repo: repo.Name, Number: number}
		var created, updated int64
		err := scan(&c.ID, &c.OnPull, &c.AuthorID, &c.Author, &c.Via.Token, &c.Via.Client, &created, &updated, &c.Body)
		c.CreatedAt, c.UpdatedAt = moment(created), moment(updated)
		list.Items = append(list.Items, c)
		return err
	}, `SELECT c.id, c.on_pull, c.author_id, a.name, c.via_token, c.via_client, c.created_at, c.updated_at, c.body
		FROM comments c JOIN users a ON a.id = c.author_id
		WHERE c.repo_id = $1 AND c.number = $2 AND c.id > $3 ORDER BY c.id LIMIT $4`, repo.ID, number, after, limit+1)
	if err != nil {
		return list, fmt.Errorf("list the comments on #%d of %s: %w", number, repo.Name, err)
	}
	cut(&list, limit, func(c sigit.Comment) any { return c.ID })
	return list, nil
}
