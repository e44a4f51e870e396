package store

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

const userColumns = `u.id, u.name, u.email, u.admin, u.disabled, u.origin, u.origin_id, u.created_at, u.updated_at`

func scanUser(u *sigit.User, created, updated *int64) []any {
	return []any{&u.ID, &u.Name, &u.Email, &u.Admin, &u.Disabled, &u.Origin, &u.OriginID, created, updated}
}

func noUser(name string) error {
	return fault.New(fault.NotFound, "no user %s", sigit.Short(name, 60))
}

// AddUser stores an account. password is its hash, empty for none. Conflict
// when the name or the address is taken.
func (tx *Tx) AddUser(ctx context.Context, n sigit.NewUser, password string) (sigit.User, error) {
	u := sigit.User{Name: n.Name, Email: n.Email, Admin: n.Admin, Origin: n.Origin, OriginID: n.OriginID, CreatedAt: tx.now, UpdatedAt: tx.now}
	if u.Origin == "" {
		u.Origin = "local"
	}
	err := tx.one(ctx, nil, []any{&u.ID}, `
		INSERT INTO users (name, name_key, email, email_key, password, admin, disabled, origin, origin_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
		RETURNING id`,
		u.Name, fold(u.Name), u.Email, fold(u.Email), password, u.Admin, false, u.Origin, u.OriginID, micros(tx.now))
	if unique(err) {
		return sigit.User{}, fault.Coded(fault.Conflict, "taken", "the name %s or the address %s is taken", n.Name, n.Email).Because(err)
	}
	if err != nil {
		return sigit.User{}, fmt.Errorf("add user %s: %w", n.Name, err)
	}
	return u, nil
}

func (tx *Tx) user(ctx context.Context, absent error, condition string, args ...any) (sigit.User, string, error) {
	var u sigit.User
	var created, updated int64
	var password string
	err := tx.one(ctx, absent, append(scanUser(&u, &created, &updated), &password),
		`SELECT `+userColumns+`, u.password FROM users u WHERE `+condition, args...)
	if err != nil {
		return sigit.User{}, "", fmt.Errorf("read user: %w", err)
	}
	u.CreatedAt, u.UpdatedAt = moment(created), moment(updated)
	return u, password, nil
}

// User reads an account by its name; NotFound when there is none.
func (tx *Tx) User(ctx context.Context, name string) (sigit.User, error) {
	u, _, err := tx.user(ctx, noUser(name), `u.name_key = $1`, fold(name))
	return u, err
}

// UserByID reads an account; NotFound when there is none.
func (tx *Tx) UserByID(ctx context.Context, id int64) (sigit.User, error) {
	u, _, err := tx.user(ctx, noUser(fmt.Sprint(id)), `u.id = $1`, id)
	return u, err
}

// UserByEmail reads an account and the hash of its password; NotFound when
// there is none.
func (tx *Tx) UserByEmail(ctx context.Context, email string) (u sigit.User, password string, err error) {
	return tx.user(ctx, noUser(email), `u.email_key = $1`, fold(email))
}

// UserByOrigin reads the account that mirrors one of another provider;
// NotFound when there is none.
func (tx *Tx) UserByOrigin(ctx context.Context, origin, id string) (sigit.User, error) {
	u, _, err := tx.user(ctx, noUser(origin+" "+id), `u.origin = $1 AND u.origin_id = $2 AND u.origin_id <> ''`, origin, id)
	return u, err
}

// SetPassword stores the hash of a password.
func (tx *Tx) SetPassword(ctx context.Context, userID int64, hash string) error {
	return tx.setUser(ctx, userID, `password = $3`, hash)
}

// SetEmail stores an address; Conflict when it is taken.
func (tx *Tx) SetEmail(ctx context.Context, userID int64, email string) error {
	err := tx.setUser(ctx, userID, `email = $3, email_key = $4`, email, fold(email))
	if unique(err) {
		return fault.Coded(fault.Conflict, "taken", "the address %s is taken", email).Because(err)
	}
	return err
}

// SetUserFlags stores whether the account is an administrator's and whether
// it is disabled.
func (tx *Tx) SetUserFlags(ctx context.Context, userID int64, admin, disabled bool) error {
	return tx.setUser(ctx, userID, `admin = $3, disabled = $4`, admin, disabled)
}

func (tx *Tx) setUser(ctx context.Context, userID int64, set string, args ...any) error {
	n, err := tx.exec(ctx, `UPDATE users SET updated_at = $2, `+set+` WHERE id = $1`, append([]any{userID, micros(tx.now)}, args...)...)
	if err != nil {
		return fmt.Errorf("change user %d: %w", userID, err)
	}
	if n == 0 {
		return noUser(fmt.Sprint(userID))
	}
	return nil
}

// LockUser keeps other transactions from adding to what is counted for the
// user until this one ends.
func (tx *Tx) LockUser(ctx context.Context, userID int64) error {
	var id int64
	return tx.one(ctx, noUser(fmt.Sprint(userID)), []any{&id}, `SELECT id FROM users WHERE id = $1`+tx.d.forUpdate, userID)
}

// Users lists accounts in the order they were made.
func (tx *Tx) Users(ctx context.Context, page sigit.Page) (sigit.List[sigit.User], error) {
	var list sigit.List[sigit.User]
	var after int64
	if page.Cursor != "" {
		if err := sigit.DecodeCursor(page.Cursor, &after); err != nil {
			return list, err
		}
	}
	if err := tx.one(ctx, nil, []any{&list.Total}, `SELECT COUNT(*) FROM users`); err != nil {
		return list, fmt.Errorf("count users: %w", err)
	}
	limit := page.Size(50)
	err := tx.rows(ctx, func(scan func(...any) error) error {
		var u sigit.User
		var created, updated int64
		if err := scan(scanUser(&u, &created, &updated)...); err != nil {
			return err
		}
		u.CreatedAt, u.UpdatedAt = moment(created), moment(updated)
		list.Items = append(list.Items, u)
		return nil
	}, `SELECT `+userColumns+` FROM users u WHERE u.id > $1 ORDER BY u.id LIMIT $2`, after, limit+1)
	if err != nil {
		return list, fmt.Errorf("list users: %w", err)
	}
	cut(&list, limit, func(u sigit.User) any { return u.ID })
	return list, nil
}

// cut takes the one item too many that was asked for to learn whether the
// list goes on, and says where.
func cut[T any](list *sigit.List[T], limit int, at func(T) any) {
	if len(list.Items) > limit {
		list.Items = list.Items[:limit]
		list.Next = sigit.EncodeCursor(at(list.Items[limit-1]))
	}
}
