package store

import (
	"context"
	"fmt"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
)

// repoSelect reads repositories as one user sees them; $1 is that user's id.
const repoSelect = `
	SELECT r.id, r.owner_id, o.name, r.name, r.description, r.default_branch, r.private, r.created_at, r.updated_at, r.open_issues, r.open_pulls,
		COALESCE((SELECT c.role FROM collaborators c WHERE c.repo_id = r.id AND c.user_id = $1), 0)
	FROM repositories r JOIN users o ON o.id = r.owner_id`

func scanRepo(scan func(...any) error) (sigit.Repo, error) {
	var r sigit.Repo
	var created, updated int64
	err := scan(&r.ID, &r.OwnerID, &r.Name.Owner, &r.Name.Name, &r.Description, &r.DefaultBranch, &r.Private, &created, &updated, &r.OpenIssues, &r.OpenPulls, &r.Given)
	r.CreatedAt, r.UpdatedAt = moment(created), moment(updated)
	return r, err
}

// AddRepo stores a repository of the owner. Conflict when the name is taken;
// a redirect from that name ends.
func (tx *Tx) AddRepo(ctx context.Context, owner sigit.User, n sigit.NewRepo) (sigit.Repo, error) {
	r := sigit.Repo{
		OwnerID: owner.ID, Name: sigit.RepoName{Owner: owner.Name, Name: n.Name.Name}, Description: n.Description,
		DefaultBranch: n.DefaultBranch, Private: n.Private, CreatedAt: tx.now, UpdatedAt: tx.now,
	}
	err := tx.one(ctx, nil, []any{&r.ID}, `
		INSERT INTO repositories (owner_id, name, name_key, description, default_branch, private,
			last_number, open_issues, closed_issues, open_pulls, closed_pulls, merged_pulls, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, 0, 0, 0, $7, $7)
		RETURNING id`,
		owner.ID, r.Name.Name, fold(r.Name.Name), r.Description, r.DefaultBranch, r.Private, micros(tx.now))
	if unique(err) {
		return sigit.Repo{}, taken(r.Name).Because(err)
	}
	if err != nil {
		return sigit.Repo{}, fmt.Errorf("add repository %s: %w", r.Name, err)
	}
	return r, tx.dropRedirect(ctx, owner.ID, r.Name.Name)
}

func taken(n sigit.RepoName) *fault.Fault {
	return fault.Coded(fault.Conflict, "taken", "there is a repository %s already", n)
}

func (tx *Tx) dropRedirect(ctx context.Context, ownerID int64, name string) error {
	if _, err := tx.exec(ctx, `DELETE FROM redirects WHERE owner_id = $1 AND name_key = $2`, ownerID, fold(name)); err != nil {
		return fmt.Errorf("end a redirect: %w", err)
	}
	return nil
}

// RepoFor reads the repository of that name, or that had it before, as by
// sees it. NotFound when there is none and when by may not see it, in the same
// words and by the same statements, which give no row for either.
func (tx *Tx) RepoFor(ctx context.Context, by sigit.Actor, name sigit.RepoName) (sigit.Repo, error) {
	owner, own := fold(name.Owner), fold(name.Name)
	r, err := tx.repo(ctx, by, `o.name_key = ? AND r.name_key = ?`, owner, own)
	if fault.Of(err) == fault.NotFound {
		// Asked for a hidden one too, or its answer would come sooner.
		r, err = tx.repo(ctx, by, `r.id = (SELECT d.repo_id FROM redirects d JOIN users u ON u.id = d.owner_id WHERE u.name_key = ? AND d.name_key = ?)`, owner, own)
	}
	return r, err
}

// RepoByID reads a repository as by sees it; NotFound as for RepoFor.
func (tx *Tx) RepoByID(ctx context.Context, by sigit.Actor, id int64) (sigit.Repo, error) {
	return tx.repo(ctx, by, `r.id = ?`, id)
}

// repo reads the repository that the condition finds, if by sees it.
func (tx *Tx) repo(ctx context.Context, by sigit.Actor, condition string, args ...any) (r sigit.Repo, err error) {
	w := where{args: []any{by.User.ID}}
	w.add(condition, args...)
	visible(&w, by)
	err = tx.rows(ctx, func(scan func(...any) error) (err error) {
		r, err = scanRepo(scan)
		return err
	}, repoSelect+w.String(), w.args...)
	if err != nil {
		return sigit.Repo{}, fmt.Errorf("read repository: %w", err)
	}
	if r.ID == 0 || !by.Sees(r) {
		return sigit.Repo{}, sigit.NoRepo()
	}
	return r, nil
}

// RepoFilter narrows a list of repositories.
type RepoFilter struct {
	Query string // substring of "owner/name", whatever the case
	Owner string // user name; empty: any
}

// Repos lists the repositories that by sees, the latest change first.
func (tx *Tx) Repos(ctx context.Context, by sigit.Actor, filter RepoFilter, page sigit.Page) (sigit.List[sigit.Repo], error) {
	var list sigit.List[sigit.Repo]
	w := where{args: []any{by.User.ID}}
	visible(&w, by)
	if filter.Query != "" {
		w.add(tx.d.find+`(o.name_key || '/' || r.name_key, ?) > 0`, query(filter.Query))
	}
	if filter.Owner != "" {
		w.add(`o.name_key = ?`, fold(filter.Owner))
	}
	count := `SELECT COUNT(*) FROM (` + repoSelect + w.String() + `) AS visible`
	if err := tx.one(ctx, nil, []any{&list.Total}, count, w.args...); err != nil {
		return list, fmt.Errorf("count repositories: %w", err)
	}
	if page.Cursor != "" {
		var at [2]int64
		if err := sigit.DecodeCursor(page.Cursor, &at); err != nil {
			return list, err
		}
		w.add(`(r.updated_at, r.id) < (?, ?)`, at[0], at[1])
	}
	limit := page.Size(30)
	w.args = append(w.args, limit+1)
	err := tx.rows(ctx, func(scan func(...any) error) error {
		r, err := scanRepo(scan)
		list.Items = append(list.Items, r)
		return err
	}, repoSelect+w.String()+fmt.Sprintf(` ORDER BY r.updated_at DESC, r.id DESC LIMIT $%d`, len(w.args)), w.args...)
	if err != nil {
		return list, fmt.Errorf("list repositories: %w", err)
	}
	cut(&list, limit, func(r sigit.Repo) any { return [2]int64{micros(r.UpdatedAt), r.ID} })
	return list, nil
}

// visible adds what Actor.Sees says, for repositories r with by as $1.
func visible(w *where, by sigit.Actor) {
	if !by.Operator {
		w.add(`(NOT r.private OR r.owner_id = $1 OR EXISTS (SELECT 1 FROM collaborators c WHERE c.repo_id = r.id AND c.user_id = $1 AND c.role > 0))`)
	}
	if by.User.Disabled {
		w.add(`1 = 0`)
	}
	if by.Grant.AllRepos {
		return
	}
	if len(by.Grant.Repos) == 0 {
		w.add(`1 = 0`)
		return
	}
	ids := make([]any, len(by.Grant.Repos))
	for i, id := range by.Grant.Repos {
		ids[i] = id
	}
	w.add(`r.id IN (?`+strings.Repeat(", ?", len(ids)-1)+`)`, ids...)
}

// SetRepo stores the settings of r, found by its ID. Conflict when the name is
// another's. A former name redirects here until something else takes it.
func (tx *Tx) SetRepo(ctx context.Context, r sigit.Repo, former string) (sigit.Repo, error) {
	r.UpdatedAt = tx.now
	n, err := tx.exec(ctx, `
		UPDATE repositories SET name = $2, name_key = $3, description = $4, default_branch = $5, private = $6, updated_at = $7
		WHERE id = $1`,
		r.ID, r.Name.Name, fold(r.Name.Name), r.Description, r.DefaultBranch, r.Private, micros(tx.now))
	if unique(err) {
		return sigit.Repo{}, taken(r.Name).Because(err)
	}
	if err != nil {
		return sigit.Repo{}, fmt.Errorf("change repository %s: %w", r.Name, err)
	}
	if n == 0 {
		return sigit.Repo{}, sigit.NoRepo()
	}
	if fold(former) == fold(r.Name.Name) {
		return r, nil
	}
	if err := tx.dropRedirect(ctx, r.OwnerID, r.Name.Name); err != nil {
		return sigit.Repo{}, err
	}
	_, err = tx.exec(ctx, `
		INSERT INTO redirects (owner_id, name_key, repo_id) VALUES ($1, $2, $3)
		ON CONFLICT (owner_id, name_key) DO UPDATE SET repo_id = excluded.repo_id`, r.OwnerID, fold(former), r.ID)
	if err != nil {
		return sigit.Repo{}, fmt.Errorf("redirect from %s: %w", former, err)
	}
	return r, nil
}

// TouchRepo notes that the repository changed now.
func (tx *Tx) TouchRepo(ctx context.Context, id int64) error {
	if _, err := tx.exec(ctx, `UPDATE repositories SET updated_at = $2 WHERE id = $1`, id, micros(tx.now)); err != nil {
		return fmt.Errorf("note the change of repository %d: %w", id, err)
	}
	return nil
}

// DeleteRepo deletes the repository with its issues, pull requests and comments.
func (tx *Tx) DeleteRepo(ctx context.Context, id int64) error {
	if _, err := tx.exec(ctx, `DELETE FROM repositories WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete repository %d: %w", id, err)
	}
	return nil
}

// RepoIDs lists every repository by number.
func (tx *Tx) RepoIDs(ctx context.Context) ([]int64, error) {
	var ids []int64
	err := tx.rows(ctx, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM repositories ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list repositories: %w", err)
	}
	return ids, nil
}

// LockRepo keeps other writers out of the repository's rows until the
// transaction ends. NotFound when it is gone.
func (tx *Tx) LockRepo(ctx context.Context, id int64) error {
	var got int64
	return tx.one(ctx, sigit.NoRepo(), []any{&got}, `SELECT id FROM repositories WHERE id = $1`+tx.d.forUpdate, id)
}

// nextNumber draws the next number that issues and pull requests of the
// repository share, and counts one more open issue or pull request. The row
// stays locked until the transaction ends and the number is given back when it
// fails, so there are no gaps and no doubles.
func (tx *Tx) nextNumber(ctx context.Context, repoID int64, kind kind) (int, error) {
	var number int
	err := tx.one(ctx, sigit.NoRepo(), []any{&number},
		`UPDATE repositories SET last_number = last_number + 1, `+kind.adds(sigit.Open, 1)+` WHERE id = $1 RETURNING last_number`, repoID)
	if err != nil {
		return 0, fmt.Errorf("number in repository %d: %w", repoID, err)
	}
	return number, nil
}

// kind is what has a number: its table, and the name it has in statements.
type kind struct{ table, as string }

var (
	issues = kind{"issues", "i"}
	pulls  = kind{"pulls", "p"}
)

// counter is the column of repositories that counts those in a state.
func (k kind) counter(state sigit.State) string { return string(state) + "_" + k.table }

func (k kind) adds(state sigit.State, n int) string {
	return fmt.Sprintf("%s = %s + %d", k.counter(state), k.counter(state), n)
}

// recount notes in the repository's row that one of a kind went from one state
// to another.
func (tx *Tx) recount(ctx context.Context, repoID int64, k kind, from, to sigit.State) error {
	_, err := tx.exec(ctx, `UPDATE repositories SET `+k.adds(from, -1)+`, `+k.adds(to, 1)+` WHERE id = $1`, repoID)
	if err != nil {
		return fmt.Errorf("count the %s of repository %d: %w", k.table, repoID, err)
	}
	return nil
}
