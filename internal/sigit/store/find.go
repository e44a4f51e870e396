package store

import (
	"context"
	"fmt"
	"strings"

	"skillforge/internal/sigit"
)

// gram is the length of the runs of letters by which texts are found. What is
// shorter is looked for in every row.
const gram = 3

// sievedFrom is the number of rows from which the index is worth a question.
const sievedFrom = 500

// found lists what holds a text by way of the index, and is false where
// reading the rows in order is better: for a text shorter than a gram, in a
// small repository, and when half of the rows may hold it.
func found[T any](ctx context.Context, tx *Tx, k kind, from string, repo sigit.Repo, filter sigit.Filter, at place, limit int,
	read func(func(...any) error) (T, error)) (list sigit.List[T], ok bool, err error) {
	grams := gramsOf(query(filter.Query))
	if len(grams) == 0 {
		return list, false, nil
	}
	var all int
	if err := tx.one(ctx, sigit.NoRepo(), []any{&all}, `SELECT `+k.sum(sigit.Any)+` FROM repositories WHERE id = $1`, repo.ID); err != nil {
		return list, false, err
	}
	if all < sievedFrom {
		return list, false, nil
	}
	for _, statement := range tx.d.beforeSieve {
		if _, err := tx.exec(ctx, statement); err != nil {
			return list, false, err
		}
	}
	sieve, args := tx.d.sieve(k, repo.ID, grams, query(filter.Query))
	var n int
	var c where
	c.add(`SELECT COUNT(*) FROM (SELECT 1 AS one FROM (`+sieve+`) AS s LIMIT ?) AS c`, append(args, all/2)...)
	if err := tx.one(ctx, nil, []any{&n}, c.conditions[0], c.args...); err != nil || n >= all/2 {
		return list, false, err
	}
	numbers, err := tx.numbersIn(ctx, k, repo, filter, at, sieve, args)
	if err != nil {
		return list, false, err
	}
	if list.Total = at.Total; at.Before == 0 {
		list.Total = len(numbers)
	}
	if numbers = numbers[:min(len(numbers), limit+1)]; len(numbers) == 0 {
		return list, true, nil
	}
	var w where
	w.add(k.as+`.repo_id = ?`, repo.ID)
	w.add(k.as+`.number IN (?`+strings.Repeat(", ?", len(numbers)-1)+`)`, numbers...)
	err = tx.rows(ctx, func(scan func(...any) error) error {
		item, err := read(scan)
		list.Items = append(list.Items, item)
		return err
	}, from+w.String()+` ORDER BY `+k.as+`.number DESC`, w.args...)
	return list, true, err
}

// numbersIn lists the numbers of all rows of a list that come through the
// sieve and hold the text, the highest first.
func (tx *Tx) numbersIn(ctx context.Context, k kind, repo sigit.Repo, filter sigit.Filter, at place, sieve string, args []any) (numbers []any, err error) {
	var w where
	w.add(k.as+`.id IN (`+sieve+`)`, args...)
	// Written so that no index but that of id can serve: engines take the one
	// of states for the better, and read every row.
	w.add(k.as+`.repo_id + 0 = ?`, repo.ID)
	if state := orOpen(filter.State); state != sigit.Any {
		w.add(k.as+`.state || '' = ?`, string(state))
	}
	if at.Before > 0 {
		w.add(k.as+`.number + 0 < ?`, at.Before)
	}
	w.add(tx.d.find+`(`+k.as+`.folded, ?) > 0`, query(filter.Query))
	err = tx.rows(ctx, func(scan func(...any) error) error {
		var n int
		err := scan(&n)
		numbers = append(numbers, n)
		return err
	}, `SELECT `+k.as+`.number FROM `+k.table+` `+k.as+w.String()+` ORDER BY 1 DESC`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("find in the %s of %s: %w", k.table, repo.Name, err)
	}
	return numbers, nil
}

// gramsOf are the runs of three letters in a folded text, none for a shorter
// one. A long text is found as well by some of them.
func gramsOf(folded string) []string {
	const most = 64
	runes := []rune(folded)
	var list []string
	for i := 0; i+gram <= len(runes) && len(list) < most; i++ {
		list = append(list, string(runes[i:i+gram]))
	}
	return list
}
