package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Version is the number of the newest migration: what a dump can be loaded into.
func (db *DB) Version(ctx context.Context) (version int, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		return tx.one(ctx, nil, []any{&version}, `SELECT COALESCE(MAX(version), 0) FROM migrations`)
	})
	return version, err
}

// OldestDump is the oldest Version whose dumps have the columns of today.
const OldestDump = 1

// dumped are the tables of a dump, each after those it refers to. Uses of what
// is rationed are not worth keeping.
var dumped = []string{"users", "tokens", "repositories", "redirects", "collaborators", "issues", "pulls", "comments", "acts"}

// Tables lists the tables of a dump in the order in which they are loaded.
func Tables() []string { return slices.Clone(dumped) }

// Dump gives every row of a table to emit, after the names of its columns.
// Values are nil, bool, int64 and string on both engines, so that what one
// dumps the other loads.
func (tx *Tx) Dump(ctx context.Context, table string, emit func(row []any) error) error {
	if !slices.Contains(dumped, table) {
		return fmt.Errorf("dump %s: no such table", table)
	}
	rows, err := tx.tx.QueryContext(ctx, `SELECT * FROM `+table+` ORDER BY 1, 2`)
	if err != nil {
		return fmt.Errorf("dump %s: %w", table, err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return fmt.Errorf("dump %s: %w", table, err)
	}
	header := make([]any, len(columns))
	for i, c := range columns {
		header[i] = c.Name()
	}
	if err := emit(header); err != nil {
		return err
	}
	into := make([]any, len(columns))
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("dump %s: %w", table, err)
		}
		for i, v := range values {
			switch v := v.(type) {
			case []byte:
				values[i] = string(v)
			case int64: // SQLite knows no truth, only numbers
				if strings.HasPrefix(columns[i].DatabaseTypeName(), "BOOL") {
					values[i] = v != 0
				}
			}
		}
		if err := emit(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Load stores the rows of a table that next gives: first the names of its
// columns, then rows, then nil. Numbers may be json.Number.
func (tx *Tx) Load(ctx context.Context, table string, next func() ([]any, error)) error {
	if !slices.Contains(dumped, table) {
		return fmt.Errorf("load %s: no such table", table)
	}
	header, err := next()
	if err != nil {
		return err
	}
	columns, err := tx.columns(ctx, table, header)
	if err != nil {
		return fmt.Errorf("load %s: %w", table, err)
	}
	marks := make([]string, len(columns))
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	insert, err := tx.tx.PrepareContext(ctx, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`)
	if err != nil {
		return fmt.Errorf("load %s: %w", table, err)
	}
	defer insert.Close()
	for {
		row, err := next()
		if err != nil || row == nil {
			return err
		}
		if len(row) != len(columns) {
			return fmt.Errorf("load %s: a row has %d values for %d columns", table, len(row), len(columns))
		}
		for i, v := range row {
			if n, ok := v.(json.Number); ok {
				if row[i], err = n.Int64(); err != nil {
					return fmt.Errorf("load %s: %w", table, err)
				}
			}
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return fmt.Errorf("load %s: %w", table, err)
		}
	}
}

// columns checks that the names, which come from a file, are exactly those of
// the table.
func (tx *Tx) columns(ctx context.Context, table string, header []any) ([]string, error) {
	rows, err := tx.tx.QueryContext(ctx, `SELECT * FROM `+table+` WHERE 1 = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	given := make([]string, len(header))
	for i, h := range header {
		given[i], _ = h.(string)
	}
	sorted := slices.Sorted(slices.Values(given))
	if !slices.Equal(sorted, slices.Sorted(slices.Values(have))) {
		return nil, fmt.Errorf("its columns are %v, not %v", have, given)
	}
	return given, rows.Err()
}

// Counters tell for each numbered table the last number that was given out,
// which may be higher than any row's.
func (tx *Tx) Counters(ctx context.Context) (map[string]int64, error) {
	counters := map[string]int64{}
	for _, table := range numberedTables {
		var last int64
		if err := tx.one(ctx, nil, []any{&last}, tx.d.counter, table); err != nil {
			return nil, fmt.Errorf("read the counter of %s: %w", table, err)
		}
		counters[table] = last
	}
	return counters, nil
}

// numberedTables give their rows numbers that are never used again.
var numberedTables = []string{"users", "tokens", "repositories", "issues", "pulls", "comments", "acts"}

// SetCounters makes the tables go on after the given numbers.
func (tx *Tx) SetCounters(ctx context.Context, counters map[string]int64) error {
	for _, table := range numberedTables {
		last := counters[table]
		if last < 1 {
			continue
		}
		for _, statement := range tx.d.setCounter {
			if _, err := tx.exec(ctx, statement, table, last); err != nil {
				return fmt.Errorf("set the counter of %s: %w", table, err)
			}
		}
	}
	return nil
}

// Empty says whether nothing was ever stored.
func (tx *Tx) Empty(ctx context.Context) (bool, error) {
	var n int
	err := tx.one(ctx, nil, []any{&n}, `SELECT (SELECT COUNT(*) FROM users) + (SELECT COUNT(*) FROM acts)`)
	return n == 0, err
}
