package store

import (
	"context"
	"fmt"

	"skillforge/internal/sigit"
)

// place is where a list of numbered things goes on. The total travels along:
// counting again what a text is found in would read everything once more.
type place struct {
	Before int `json:"b"`
	Total  int `json:"t"`
}

// numbered lists what has a number in a repository, the highest first.
func numbered[T any](ctx context.Context, tx *Tx, k kind, from string, repo sigit.Repo, filter sigit.Filter, page sigit.Page,
	read func(func(...any) error) (T, error), number func(T) int) (sigit.List[T], error) {
	var list sigit.List[T]
	at := place{}
	if page.Cursor != "" {
		if err := sigit.DecodeCursor(page.Cursor, &at); err != nil {
			return list, err
		}
	}
	limit := page.Size(50)
	if filter.Query != "" {
		list, ok, err := found(ctx, tx, k, from, repo, filter, at, limit, read)
		if ok && err == nil {
			cut(&list, limit, func(item T) any { return place{number(item), list.Total} })
		}
		if ok || err != nil {
			return list, err
		}
	}
	var w where
	w.add(k.as+`.repo_id = ?`, repo.ID)
	if state := orOpen(filter.State); state != sigit.Any {
		w.add(k.as+`.state = ?`, string(state))
	}
	if filter.Query != "" {
		w.add(tx.d.find+`(`+k.as+`.folded, ?) > 0`, query(filter.Query))
	}
	all := w.clone()
	if at.Before > 0 {
		w.add(k.as+`.number < ?`, at.Before)
	}
	w.args = append(w.args, limit+1)
	err := tx.rows(ctx, func(scan func(...any) error) error {
		item, err := read(scan)
		list.Items = append(list.Items, item)
		return err
	}, from+w.String()+fmt.Sprintf(` ORDER BY %s.number DESC LIMIT $%d`, k.as, len(w.args)), w.args...)
	if err != nil {
		return list, fmt.Errorf("list the %s of %s: %w", k.table, repo.Name, err)
	}
	if page.Cursor == "" {
		at.Total, err = tx.total(ctx, k, repo, filter, all, len(list.Items), limit)
	}
	list.Total = at.Total
	cut(&list, limit, func(item T) any { return place{number(item), at.Total} })
	return list, err
}

func orOpen(s sigit.State) sigit.State {
	if s == "" {
		return sigit.Open
	}
	return s
}

// total is how long the whole list is, of whose first part got items came. It
// reads no more than it must: nothing when the part was the whole, one row of
// counts when no text is looked for.
func (tx *Tx) total(ctx context.Context, k kind, repo sigit.Repo, filter sigit.Filter, all where, got, limit int) (n int, err error) {
	switch {
	case got <= limit:
		return got, nil
	case filter.Query != "":
		err = tx.one(ctx, nil, []any{&n}, `SELECT COUNT(*) FROM `+k.table+` `+k.as+all.String(), all.args...)
	default:
		err = tx.one(ctx, sigit.NoRepo(), []any{&n}, `SELECT `+k.sum(filter.State)+` FROM repositories WHERE id = $1`, repo.ID)
	}
	if err != nil {
		return 0, fmt.Errorf("count the %s of %s: %w", k.table, repo.Name, err)
	}
	return n, nil
}

// sum is what a repository's row says of how many are in a state.
func (k kind) sum(state sigit.State) string {
	switch {
	case state == sigit.Any && k == issues:
		return "open_issues + closed_issues"
	case state == sigit.Any:
		return "open_pulls + closed_pulls + merged_pulls"
	}
	return k.counter(orOpen(state))
}
