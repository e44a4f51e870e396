package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"skillforge/internal/sqldb"
)

// batchValues is how many values one statement inserts at most: enough that
// the cost of a call is shared, few enough that the statement stays small.
const batchValues = 800

// inserter gathers rows of one table and writes many with one statement.
type inserter struct {
	ctx   context.Context
	tx    *sqldb.Tx
	list  list
	batch int // rows in a statement
	full  *sql.Stmt
	args  []any
}

func newInserter(ctx context.Context, tx *sqldb.Tx, l list) *inserter {
	return &inserter{ctx: ctx, tx: tx, list: l, batch: max(1, batchValues/len(l.columns))}
}

// add takes over a copy of the row.
func (in *inserter) add(row []any) error {
	in.args = append(in.args, row...)
	if len(in.args) < in.batch*len(in.list.columns) {
		return nil
	}
	if in.full == nil {
		var err error
		if in.full, err = in.tx.PrepareContext(in.ctx, in.list.insert(in.batch)); err != nil {
			return err
		}
	}
	_, err := in.full.ExecContext(in.ctx, in.args...)
	in.args = in.args[:0]
	return err
}

// close writes what is left.
func (in *inserter) close() error {
	var err error
	if n := len(in.args) / len(in.list.columns); n > 0 {
		_, err = in.tx.ExecContext(in.ctx, in.list.insert(n), in.args...)
		in.args = nil
	}
	if in.full != nil {
		err = errors.Join(err, in.full.Close())
	}
	return err
}

// insert is the statement for n rows.
func (l list) insert(n int) string {
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", len(l.columns)), ",") + "),"
	return "INSERT INTO " + l.table + " (" + strings.Join(l.columns, ",") + ") VALUES " + strings.TrimSuffix(strings.Repeat(one, n), ",")
}
