package store

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// SetCollaborator gives the user a role in the repository.
func (tx *Tx) SetCollaborator(ctx context.Context, repoID, userID int64, role sigit.Role) error {
	_, err := tx.exec(ctx, `
		INSERT INTO collaborators (repo_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (repo_id, user_id) DO UPDATE SET role = excluded.role`, repoID, userID, int(role), micros(tx.now))
	if err != nil {
		return fmt.Errorf("set a collaborator of repository %d: %w", repoID, err)
	}
	return nil
}

// DropCollaborator takes the user's role; NotFound when there was none.
func (tx *Tx) DropCollaborator(ctx context.Context, repoID, userID int64) error {
	n, err := tx.exec(ctx, `DELETE FROM collaborators WHERE repo_id = $1 AND user_id = $2`, repoID, userID)
	if err != nil {
		return fmt.Errorf("drop a collaborator of repository %d: %w", repoID, err)
	}
	if n == 0 {
		return fault.New(fault.NotFound, "this user is no collaborator of the repository")
	}
	return nil
}

// Collaborators lists those of a repository in the order they came.
func (tx *Tx) Collaborators(ctx context.Context, repoID int64) ([]sigit.Collaborator, error) {
	var list []sigit.Collaborator
	err := tx.rows(ctx, func(scan func(...any) error) error {
		var c sigit.Collaborator
		var since int64
		err := scan(&c.UserID, &c.User, &c.Role, &since)
		c.Since = moment(since)
		list = append(list, c)
		return err
	}, `SELECT c.user_id, u.name, c.role, c.created_at FROM collaborators c JOIN users u ON u.id = c.user_id
		WHERE c.repo_id = $1 ORDER BY c.created_at, c.user_id`, repoID)
	if err != nil {
		return nil, fmt.Errorf("list the collaborators of repository %d: %w", repoID, err)
	}
	return list, nil
}
