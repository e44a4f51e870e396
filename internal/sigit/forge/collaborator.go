package forge

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/store"
)

// Collaborators lists who else has a role in a repository, for those who may
// write to it.
func (f *Forge) Collaborators(ctx context.Context, by sigit.Actor, name sigit.RepoName) (list []sigit.Collaborator, err error) {
	err = f.in(ctx, by, sigit.SeeCollaborators, name, func(tx *store.Tx, r sigit.Repo) error {
		list, err = tx.Collaborators(ctx, r.ID)
		return err
	})
	return list, err
}

// SetCollaborator gives a user the role read, write or admin. NotFound for a
// user that does not exist.
func (f *Forge) SetCollaborator(ctx context.Context, by sigit.Actor, name sigit.RepoName, user string, role sigit.Role) error {
	if role < sigit.RoleRead || role > sigit.RoleAdmin {
		return fault.New(fault.Invalid, "a collaborator's role is read, write or admin")
	}
	return f.change(ctx, by, sigit.SettleRepo, name, func(tx *store.Tx, r sigit.Repo) error {
		u, err := tx.User(ctx, user)
		if err != nil {
			return err
		}
		if u.ID == r.OwnerID {
			return fault.New(fault.Invalid, "%s owns the repository and needs no role", u.Name)
		}
		if err := tx.SetCollaborator(ctx, r.ID, u.ID, role); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.RepoChanged, r, 0, "collaborator "+u.Name+" "+role.String())
	})
}

// DropCollaborator takes a user's role. Everybody may drop their own.
func (f *Forge) DropCollaborator(ctx context.Context, by sigit.Actor, name sigit.RepoName, user string) error {
	action := sigit.SettleRepo
	if by.Known() && by.User.Name == user {
		action = sigit.LeaveRepo
	}
	return f.change(ctx, by, action, name, func(tx *store.Tx, r sigit.Repo) error {
		u, err := tx.User(ctx, user)
		if err != nil {
			return err
		}
		if err := tx.DropCollaborator(ctx, r.ID, u.ID); err != nil {
			return err
		}
		return act(ctx, tx, by, sigit.RepoChanged, r, 0, "collaborator "+u.Name+" none")
	})
}
