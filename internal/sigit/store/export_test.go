package store

import (
	"context"

	"skillforge/internal/sqldb"
)

// MakeFirst makes the tables as the first version of the forge had them.
func MakeFirst(ctx context.Context, address string) error {
	db, err := sqldb.Open(ctx, address, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	s := &DB{db: db, d: dialectOf(db.Engine())}
	steps, err := s.steps()
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx, steps, ledger{}, 1)
	return err
}

// CopyFirst copies the rows of from into what MakeFirst made.
func CopyFirst(ctx context.Context, from *DB, address string) error {
	db, err := sqldb.Open(ctx, address, sqldb.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	to := &DB{db: db, d: dialectOf(db.Engine()), now: from.now}
	for _, table := range Tables() {
		var rows [][]any
		err := from.Read(ctx, func(tx *Tx) error {
			return tx.Dump(ctx, table, func(row []any) error {
				rows = append(rows, append([]any(nil), row...))
				return nil
			})
		})
		if err != nil {
			return err
		}
		err = to.Write(ctx, func(tx *Tx) error {
			i := -1
			return tx.Load(ctx, table, func() ([]any, error) {
				if i++; i == len(rows) {
					return nil, nil
				}
				return rows[i], nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
