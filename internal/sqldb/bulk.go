package sqldb

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
)

// Rows are rows for one table of a new file.
type Rows struct {
	Table string
	Count int
	// ID is the number of the i-th row. Numbers rise.
	ID func(i int) int64
	// Row puts the values of the i-th row into r, all columns in the order in
	// which the table declares them; one that is another name for the number
	// is NULL.
	Row func(i int, r *Record)
	// Key is the value of an indexed column of the i-th row, false for NULL. It
	// is what Row puts there as a text.
	Key func(i int, column string) (string, bool)
}

// ErrBulk says that Bulk cannot fill a table, which must be filled by
// statements instead. The file is as it was, unless it would have become larger
// than a gigabyte; then it is of no use any more.
var ErrBulk = errors.New("the table cannot be filled in bulk")

// Bulk fills empty tables of a SQLite file that nobody has open, several times
// faster than statements could: it writes the pages of their trees itself, as
// the file format has them (https://www.sqlite.org/fileformat2.html).
//
// Nothing is checked: no NOT NULL, CHECK or UNIQUE. The tables must have
// numbered rows, and indexes of one column each, which hold texts or NULL. Where
// they have not, and where two rows are alike in a unique column, the error is
// ErrBulk and nothing is written.
func Bulk(ctx context.Context, path string, tables []Rows) error {
	plans, err := planBulk(ctx, path, tables)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	w, err := openPages(f)
	if err == nil {
		err = writeAll(w, plans)
	}
	if err == nil {
		err = w.finish()
	}
	return errors.Join(err, f.Close())
}

// writeAll writes the rows of the tables on one core and their indexes on
// another. Pages of both come as they are ready.
func writeAll(w *pages, plans []*bulkTable) error {
	if len(plans) == 0 {
		return nil
	}
	var wait sync.WaitGroup
	var rows, indexes error
	wait.Go(func() {
		for _, t := range plans {
			if rows == nil {
				rows = t.writeRows(w)
			}
		}
	})
	wait.Go(func() {
		plans[0].words.rank()
		for _, t := range plans {
			for i := range t.indexes {
				if indexes == nil {
					indexes = t.writeIndex(w, &t.indexes[i])
				}
			}
		}
	})
	wait.Wait()
	return errors.Join(rows, indexes)
}

// bulkTable is a table as the file has it, with the rows for it.
type bulkTable struct {
	Rows
	root    uint32
	columns int
	indexes []bulkIndex
	words   *dictionary
}

type bulkIndex struct {
	root   uint32
	column string
	unique bool
	keys   []int32 // of each row: the number of its text, -1 for NULL
}

// planBulk finds out what the file has, and looks through the rows once for
// what its indexes need.
func planBulk(ctx context.Context, path string, tables []Rows) (plans []*bulkTable, err error) {
	db, err := Open(ctx, "sqlite:"+path, Options{MustExist: true, Scratch: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	words := &dictionary{number: map[string]int32{}}
	err = db.Write(ctx, func(tx *Tx) error { // one connection for all: it holds the file
		for _, rows := range tables {
			t := &bulkTable{Rows: rows, words: words}
			if err := t.inspect(ctx, tx); err != nil {
				return err
			}
			plans = append(plans, t)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, t := range plans {
		t.collect()
		if err := t.checkUnique(); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func (t *bulkTable) inspect(ctx context.Context, tx *Tx) error {
	var sql string
	if err := tx.QueryRowContext(ctx, `SELECT rootpage, sql FROM sqlite_schema WHERE type = 'table' AND name = $1`, t.Table).Scan(&t.root, &sql); err != nil {
		return fmt.Errorf("find table %s: %w", t.Table, err)
	}
	var filled bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+t.Table+`")`).Scan(&filled); err != nil {
		return err
	}
	if filled || strings.Contains(strings.ToUpper(sql), "WITHOUT ROWID") {
		return fmt.Errorf("%s: %w", t.Table, ErrBulk)
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM pragma_table_info($1)`, t.Table).Scan(&t.columns); err != nil {
		return err
	}
	return t.inspectIndexes(ctx, tx)
}

func (t *bulkTable) inspectIndexes(ctx context.Context, tx *Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT s.rootpage, l."unique", l.partial OR max(i.desc) OR max(i.coll <> 'BINARY'), count(*), min(i.name), min(i.cid)
		FROM pragma_index_list($1) l JOIN sqlite_schema s ON s.name = l.name JOIN pragma_index_xinfo(l.name) i ON i.key
		GROUP BY l.name ORDER BY s.rootpage`, t.Table)
	if err != nil {
		return err
	}
	for rows.Next() {
		var x bulkIndex
		var special bool
		var columns, cid int
		var name *string
		if err := rows.Scan(&x.root, &x.unique, &special, &columns, &name, &cid); err != nil {
			return errors.Join(err, rows.Close())
		}
		if special || columns != 1 || cid < 0 || name == nil {
			return errors.Join(fmt.Errorf("an index of %s: %w", t.Table, ErrBulk), rows.Close())
		}
		x.column = *name
		t.indexes = append(t.indexes, x)
	}
	return errors.Join(rows.Err(), rows.Close())
}

// collect numbers the texts that are indexed.
func (t *bulkTable) collect() {
	for i := range t.indexes {
		t.indexes[i].keys = make([]int32, t.Count)
	}
	last := make([]string, len(t.indexes)) // of the row before
	for row := range t.Count {
		for i := range t.indexes {
			x := &t.indexes[i]
			text, ok := t.Key(row, x.column)
			switch {
			case !ok:
				x.keys[row] = isNull
			case row > 0 && text == last[i] && x.keys[row-1] >= 0:
				x.keys[row] = x.keys[row-1]
			case i > 0 && text == last[i-1] && t.indexes[i-1].keys[row] >= 0: // two columns often say the same
				x.keys[row] = t.indexes[i-1].keys[row]
			default:
				x.keys[row] = t.words.of(text)
			}
			last[i] = text
		}
	}
}

// checkUnique refuses rows that a unique index would.
func (t *bulkTable) checkUnique() error {
	for _, x := range t.indexes {
		if !x.unique {
			continue
		}
		seen := make([]bool, len(t.words.texts))
		for _, k := range x.keys {
			if k >= 0 && seen[k] {
				return fmt.Errorf("two rows of %s are alike: %w", t.Table, ErrBulk)
			}
			if k >= 0 {
				seen[k] = true
			}
		}
	}
	return nil
}

// dictionary numbers texts, so that indexes over the same ones are sorted by
// numbers.
type dictionary struct {
	number map[string]int32
	texts  []string
	ranks  []int32 // of each number, once rank was called
}

// isNull stands for NULL, which has no number.
const isNull = -1

func (d *dictionary) of(text string) int32 {
	n, ok := d.number[text]
	if !ok {
		n = int32(len(d.texts))
		d.number[text] = n
		d.texts = append(d.texts, text)
	}
	return n
}

// rank orders the texts as SQLite does: by their bytes.
func (d *dictionary) rank() {
	order := make([]int32, len(d.texts))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(d.texts[a], d.texts[b]) })
	d.ranks = make([]int32, len(order))
	for rank, n := range order {
		d.ranks[n] = int32(rank)
	}
}

// sorted gives the rows in order of their keys, NULL first, rows with equal
// keys in their own order.
func (d *dictionary) sorted(keys []int32) []int32 {
	next := make([]int32, len(d.texts)+2)
	slot := func(k int32) int32 {
		if k < 0 {
			return 0
		}
		return d.ranks[k] + 1
	}
	for _, k := range keys {
		next[slot(k)+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	out := make([]int32, len(keys))
	for row, k := range keys {
		at := &next[slot(k)]
		out[*at] = int32(row)
		*at++
	}
	return out
}

// writeRows writes the table itself.
func (t *bulkTable) writeRows(w *pages) error {
	b := newTree(w, t.root, tableTree)
	var r Record
	for i := range t.Count {
		r.reset()
		t.Row(i, &r)
		if r.columns != t.columns {
			return fmt.Errorf("a row of %s has %d values, not %d", t.Table, r.columns, t.columns)
		}
		if err := b.add(t.ID(i), r.payload()); err != nil {
			return err
		}
	}
	return b.finish()
}

func (t *bulkTable) writeIndex(w *pages, x *bulkIndex) error {
	b := newTree(w, x.root, indexTree)
	var r Record
	for _, row := range t.words.sorted(x.keys) {
		r.reset()
		if k := x.keys[row]; k >= 0 {
			r.Text(t.words.texts[k])
		} else {
			r.Null()
		}
		r.Int(t.ID(int(row)))
		if err := b.add(0, r.payload()); err != nil {
			return err
		}
	}
	return b.finish()
}

// Record is a row in the form of the file: the kinds of its values, then the
// values.
type Record struct {
	columns              int
	kinds, values, whole []byte
	last                 []byte // see Last
}

func (r *Record) reset() {
	r.columns, r.kinds, r.values, r.last = 0, r.kinds[:0], r.values[:0], nil
}

// Null puts NULL.
func (r *Record) Null() {
	r.columns++
	r.kinds = append(r.kinds, 0)
}

// Float puts a number.
func (r *Record) Float(f float64) {
	r.columns++
	r.kinds = append(r.kinds, 7)
	r.values = binary.BigEndian.AppendUint64(r.values, math.Float64bits(f))
}

// Text puts a text.
func (r *Record) Text(s string) {
	r.columns++
	r.kinds = appendVarint(r.kinds, uint64(13+2*len(s)))
	r.values = append(r.values, s...)
}

// Write puts the text that write appends.
func (r *Record) Write(write func([]byte) []byte) {
	before := len(r.values)
	r.values = write(r.values)
	r.columns++
	r.kinds = appendVarint(r.kinds, uint64(13+2*(len(r.values)-before)))
}

// Blob puts bytes.
func (r *Record) Blob(b []byte) {
	r.columns++
	r.kinds = appendVarint(r.kinds, uint64(12+2*len(b)))
	r.values = append(r.values, b...)
}

// Last puts bytes as the last value of the row. They are not copied, so that
// long ones cost no memory.
func (r *Record) Last(b []byte) {
	r.columns++
	r.kinds = appendVarint(r.kinds, uint64(12+2*len(b)))
	r.last = b
}

// Int puts an integer, in as few bytes as it needs.
func (r *Record) Int(n int64) {
	r.columns++
	switch {
	case n == 0:
		r.kinds = append(r.kinds, 8)
		return
	case n == 1:
		r.kinds = append(r.kinds, 9)
		return
	}
	for kind, size := range [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8} {
		if size == 0 || size < 8 && (n < -1<<(8*size-1) || n >= 1<<(8*size-1)) {
			continue
		}
		r.kinds = append(r.kinds, byte(kind))
		for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
			r.values = append(r.values, byte(n>>shift))
		}
		return
	}
}

// head is the length of the kinds with the varint that says it.
func (r *Record) head() int {
	n := len(r.kinds) + 1
	if n > 127 {
		n++
	}
	return n
}

func (r *Record) len() int { return r.head() + len(r.values) + len(r.last) }

func (r *Record) payload() payload {
	r.whole = appendVarint(r.whole[:0], uint64(r.head()))
	r.whole = append(r.whole, r.kinds...)
	r.whole = append(r.whole, r.values...)
	return payload{r.whole, r.last}
}

// appendVarint writes a number as the file does: seven bits a byte, the
// highest first, all eight bits of a ninth byte.
func appendVarint(b []byte, n uint64) []byte {
	if n < 0x80 {
		return append(b, byte(n))
	}
	if n >= 1<<56 {
		for shift := 57; shift >= 8; shift -= 7 {
			b = append(b, byte(n>>shift)|0x80)
		}
		return append(b, byte(n))
	}
	var room [8]byte
	at := len(room)
	for last := byte(0); at == len(room) || n > 0; last = 0x80 {
		at--
		room[at] = byte(n&0x7f) | last
		n >>= 7
	}
	return append(b, room[at:]...)
}
