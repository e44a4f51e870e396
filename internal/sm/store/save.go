package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm"
	"skillforge/internal/sqldb"
)

// Map is a map to keep and what the next scan needs of it.
type Map struct {
	Result  *skillmap.ScanResult
	Renames []survey.Rename
	Scores  []check.Adjustment
	Cache   []Piece // survey.Cache in its parts
	Record  []byte  // for survey.Unchanged
	Anew    bool    // write every row, whatever the notes say
	// Before are the digests of a map that this process saved before, whose
	// nouns did not change since; it may be nil.
	Before *Digests
}

// Saved says what Save did.
type Saved struct {
	Unchanged bool // the rows are as they were; only the time is new
	Written   int  // rows of nodes, links and issues
	Dropped   int
	Stranded  int // issues added for what has no node any more
	// Collisions counts what was kept about a renamed file and gave way to
	// what is kept about its new path.
	Collisions int
	Rebuilt    bool   // the tables were made anew first
	Backup     string // where they lie as they were, when they held anything of the user's
	Digests    *Digests
}

// Names of the values in scan_cache.
const (
	cacheSurvey     = "survey"     // survey.Cache
	cacheRecord     = "record"     // for survey.Unchanged
	cacheRows       = "rows"       // notes
	cacheSummary    = "summary"    // Summary as JSON
	cacheStranded   = "stranded"   // the paths of issues that Save added, as JSON
	cacheGeneration = "generation" // counts changes of the map's rows
)

// Save keeps a map in one transaction, with what became of renamed files. It
// adds to m.Result an issue for every path that something is kept about and
// that no node has.
//
// A process that dies in it leaves the map before, whole.
func (s *Store) Save(ctx context.Context, m *Map) (Saved, error) {
	s.sweep()
	if s.db == nil || s.before.drift() == Fresh {
		done, err := s.saveFirst(ctx, m)
		return done, s.explain(err)
	}
	v := &saver{m: m, now: s.now().UnixMilli()}
	if err := s.bringUp(ctx, v); err != nil {
		return v.done, s.explain(err)
	}
	if !m.Anew {
		v.digest()
	}
	err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
		c, err := inspect(ctx, tx)
		if err != nil {
			return err
		}
		if d := c.drift(); d != Ours && c.schema != current {
			return c.refusal(s.path)
		}
		v.tx = tx
		return v.save(ctx)
	})
	if err != nil {
		return v.done, s.explain(err)
	}
	if v.done.Written+v.done.Dropped > 1000 {
		s.checkpoint(ctx)
	}
	v.done.Digests = &Digests{m.Result, v.digests}
	return v.done, nil
}

// checkpoint moves what was written into the file itself, unless readers hold
// it up: then somebody else will.
func (s *Store) checkpoint(ctx context.Context) {
	_, _ = s.db.Writer().ExecContext(ctx, `PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 5000`)
}

// saver is one Save under way.
type saver struct {
	tx   *sqldb.Tx
	m    *Map
	now  int64
	done Saved

	bulk    bool        // the large tables are written in another way, afterwards
	kept    []keepsake  // what then goes into scan_cache
	digests [3][]uint64 // of nodes, links and issues, when they were taken before the transaction
	old     notes
	new     notes
}

// keepsake is a value of scan_cache that is written in bulk.
type keepsake struct {
	name string
	text func() []byte
}

// notes say what the tables hold, so that a later Save need not look.
type notes struct {
	lists        [3]rows
	tags, scores uint64
}

// What of a map is in which list.
const (
	nodes = iota
	links
	issues
)

var lists = [3]list{nodeList, linkList, issueList}

// fill spreads the i-th noun of a list over the columns after the number.
func (v *saver) fill(which int, r *row, i int) {
	switch which {
	case nodes:
		r.node(&v.m.Result.Nodes[i], v.now)
	case links:
		r.link(&v.m.Result.Links[i])
	case issues:
		r.issue(&v.m.Result.Issues[i])
	}
}

func (v *saver) len(which int) int {
	switch which {
	case nodes:
		return len(v.m.Result.Nodes)
	case links:
		return len(v.m.Result.Links)
	}
	return len(v.m.Result.Issues)
}

// digest takes the digests of all rows, outside the transaction because it is
// most of the work when little changed.
func (v *saver) digest() {
	var wait sync.WaitGroup
	for which := range lists {
		wait.Go(func() {
			if known := v.m.Before; known != nil {
				v.digests[which] = v.digestLike(which, known)
				return
			}
			v.digests[which] = v.digestFrom(which, 0)
		})
	}
	wait.Wait()
}

func (v *saver) digestFrom(which, from int) []uint64 {
	var d digester
	out := make([]uint64, 0, v.len(which)-from)
	for i := from; i < v.len(which); i++ {
		out = append(out, v.digestOf(&d, which, i))
	}
	return out
}

// digestOf is the digest of the i-th noun of a list.
func (v *saver) digestOf(d *digester, which, i int) uint64 {
	switch which {
	case nodes:
		return d.node(&v.m.Result.Nodes[i])
	case links:
		return d.link(&v.m.Result.Links[i])
	}
	return d.issue(&v.m.Result.Issues[i])
}

func (v *saver) save(ctx context.Context) error {
	moved, err := moveState(ctx, v.tx, v.m.Renames)
	if err != nil {
		return fmt.Errorf("follow renames: %w", err)
	}
	v.done.Collisions = moved
	stranded, err := v.strand(ctx)
	if err != nil {
		return fmt.Errorf("look for stranded state: %w", err)
	}
	known, before, err := v.recall(ctx)
	if err != nil {
		return err
	}
	v.new.tags, v.new.scores = v.tagDigest(), v.scoreDigest()
	if known {
		for which := range lists {
			v.new.lists[which].digests = v.digests[which]
		}
		print := v.fingerprint()
		if print == before && len(v.m.Renames) == 0 {
			v.done.Unchanged = true
			return v.note(ctx, print, stranded, false)
		}
	}
	for which := range lists {
		if err := v.put(ctx, which, known); err != nil {
			return fmt.Errorf("write %s: %w", lists[which].table, err)
		}
	}
	if err := v.putTags(ctx, known); err != nil {
		return fmt.Errorf("write tags: %w", err)
	}
	if err := v.putScores(ctx, known); err != nil {
		return fmt.Errorf("write scores: %w", err)
	}
	return v.note(ctx, v.fingerprint(), stranded, true)
}

// recall reads the notes of the last Save. known is false when there are none,
// or the caller does not trust them.
func (v *saver) recall(ctx context.Context) (known bool, print string, err error) {
	if v.m.Anew {
		return false, "", nil
	}
	text, err := cachedWhole(ctx, v.tx, cacheRows)
	if err != nil || text == nil {
		return false, "", err
	}
	if v.old, err = readNotes(text); err != nil {
		return false, "", nil // of another version: write anew
	}
	var stored sql.NullString
	err = v.tx.QueryRowContext(ctx, `SELECT result_fingerprint FROM scan_meta WHERE id = 1`).Scan(&stored)
	if errors.Is(err, sql.ErrNoRows) {
		return false, "", nil
	}
	return err == nil, stored.String, err
}

// put brings one list up to date: only the rows that differ when the notes
// are known, all of them otherwise.
func (v *saver) put(ctx context.Context, which int, known bool) error {
	if v.bulk {
		return v.reserve(ctx, which)
	}
	if !known {
		return v.putAll(ctx, which)
	}
	ids, holes, ok := plan(v.old.lists[which], v.new.lists[which].digests)
	if !ok {
		return v.putAll(ctx, which)
	}
	for _, h := range holes {
		if h.dropped == 0 {
			continue
		}
		query := `DELETE FROM ` + lists[which].table + ` WHERE rowid > $1 AND rowid < $2`
		if _, err := v.tx.ExecContext(ctx, query, h.low, h.high); err != nil {
			return err
		}
		v.done.Dropped += h.dropped
	}
	in := newInserter(ctx, v.tx, lists[which])
	var r row
	for _, h := range holes {
		for i := h.from; i < h.to; i++ {
			r.reset()
			r.int(ids[i])
			v.fill(which, &r, i)
			if err := in.add(r.args); err != nil {
				return err
			}
			v.done.Written++
		}
	}
	v.new.lists[which].ids = ids
	return in.close()
}

// reserve numbers the rows of a list that is written afterwards.
func (v *saver) reserve(ctx context.Context, which int) error {
	n := v.len(which)
	v.new.lists[which] = rows{fresh(n), v.digests[which]}
	v.done.Written += n
	if which == nodes {
		return nil
	}
	_, err := v.tx.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)`, lists[which].table, int64(n)*gap)
	return err
}

// putAll writes one list whole. Its indexes are made afterwards, which costs a
// fraction of keeping them in step.
func (v *saver) putAll(ctx context.Context, which int) error {
	n := v.len(which)
	l := lists[which]
	if _, err := v.tx.ExecContext(ctx, `DELETE FROM `+l.table); err != nil {
		return err
	}
	restore, err := dropIndexes(ctx, v.tx, l.table, n)
	if err != nil {
		return err
	}
	ids, digests := fresh(n), make([]uint64, n)
	in := newInserter(ctx, v.tx, l)
	var r row
	var d digester
	for i := range n {
		digests[i] = v.digestOf(&d, which, i)
		r.reset()
		r.int(ids[i])
		v.fill(which, &r, i)
		if err := in.add(r.args); err != nil {
			return err
		}
	}
	if err := in.close(); err != nil {
		return err
	}
	v.done.Written += n
	v.done.Dropped += len(v.old.lists[which].ids)
	v.new.lists[which] = rows{ids, digests}
	return restore(ctx)
}

// dropIndexes takes the indexes off a table that is about to get many rows,
// and returns what puts them back.
func dropIndexes(ctx context.Context, tx *sqldb.Tx, table string, n int) (func(context.Context) error, error) {
	if n < 500 {
		return func(context.Context) error { return nil }, nil
	}
	rows, err := tx.QueryContext(ctx, `SELECT name || char(0) || sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = $1 AND sql IS NOT NULL`, table)
	indexes, err := collect[string](rows, err)
	if err != nil {
		return nil, err
	}
	var again []string
	for _, ix := range indexes {
		name, sql, _ := strings.Cut(ix, "\x00")
		if _, err := tx.ExecContext(ctx, `DROP INDEX `+name); err != nil {
			return nil, err
		}
		again = append(again, sql)
	}
	return func(ctx context.Context) error {
		for _, sql := range again {
			if _, err := tx.ExecContext(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// fingerprint is a digest of the whole map without its times. The digests of
// its rows must be there.
func (v *saver) fingerprint() string {
	h := sha256.New()
	var b []byte
	for _, l := range v.new.lists {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(l.digests)))
		for _, d := range l.digests {
			b = binary.LittleEndian.AppendUint64(b, d)
		}
		h.Write(b)
	}
	still := *v.m.Result
	still.ScannedAt, still.Stats.DurationMs = 0, 0
	b = still.AppendTail(still.AppendHead(b[:0]))
	b = binary.LittleEndian.AppendUint64(b, v.new.tags)
	b = binary.LittleEndian.AppendUint64(b, v.new.scores)
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Summary counts a map.
type Summary struct {
	Nodes, Links, Issues int
	Errors, Warns, Infos int
}

func summarize(r *skillmap.ScanResult) Summary {
	s := Summary{Nodes: len(r.Nodes), Links: len(r.Links), Issues: len(r.Issues)}
	for i := range r.Issues {
		switch r.Issues[i].Severity {
		case skillmap.Error:
			s.Errors++
		case skillmap.Warn:
			s.Warns++
		default:
			s.Infos++
		}
	}
	return s
}

// note writes the one row about the scan, and what the next one needs.
func (v *saver) note(ctx context.Context, print string, stranded []string, changed bool) error {
	if err := v.putMeta(ctx, print); err != nil {
		return fmt.Errorf("write scan_meta: %w", err)
	}
	if err := v.keep(ctx, cacheSurvey, v.m.Cache); err != nil {
		return err
	}
	if err := v.keep(ctx, cacheRecord, piecesOf(survey.CutRecord(v.m.Record))); err != nil {
		return err
	}
	if !changed {
		return nil
	}
	summary, err := json.Marshal(summarize(v.m.Result))
	if err != nil {
		return err
	}
	next, err := nextGeneration(ctx, v.tx)
	if err != nil {
		return err
	}
	if err := v.keep(ctx, cacheRows, v.new.pieces()); err != nil {
		return err
	}
	return errors.Join(v.keepShort(ctx, cacheSummary, summary), v.keepShort(ctx, cacheStranded, skillmap.AppendStrings(nil, stranded)),
		v.keepShort(ctx, cacheGeneration, next))
}

// keep keeps a long value of scan_cache.
func (v *saver) keep(ctx context.Context, value string, pieces []Piece) error {
	if !v.bulk {
		if err := rememberPieces(ctx, v.tx, value, pieces); err != nil {
			return fmt.Errorf("write the cache of %s: %w", value, err)
		}
		return nil
	}
	if len(pieces) == 0 {
		return nil
	}
	written := map[string]bool{}
	for _, p := range pieces {
		if !written[p.Sum] {
			v.kept = append(v.kept, keepsake{pieceName(value, p.Sum), p.Text})
		}
		written[p.Sum] = true
	}
	return v.keepShort(ctx, value, sumsOf(pieces))
}

func (v *saver) keepShort(ctx context.Context, value string, text []byte) error {
	if v.bulk {
		v.kept = append(v.kept, keepsake{value, func() []byte { return text }})
		return nil
	}
	if err := remember(ctx, v.tx, value, text); err != nil {
		return fmt.Errorf("write the cache of %s: %w", value, err)
	}
	return nil
}

func (v *saver) putMeta(ctx context.Context, print string) error {
	r := v.m.Result
	by := r.ScannedBy
	if by == nil {
		by = &skillmap.ScannedBy{Name: sm.Name, Version: sm.Version, SpecVersion: sm.SpecVersion}
	}
	_, err := v.tx.ExecContext(ctx, `INSERT OR REPLACE INTO scan_meta (id, roots_json, scanned_at, scanned_by_name, scanned_by_version,
		scanned_by_spec_version, providers_json, stats_files_walked, stats_files_skipped, stats_duration_ms, scan_ceiling, scan_truncated,
		max_render_nodes, files_oversized, oversized_files_json, tokenizer, active_provider, schema_fingerprint, result_fingerprint)
		VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		string(skillmap.AppendStrings(nil, r.Roots)), r.ScannedAt, by.Name, by.Version, by.SpecVersion,
		string(skillmap.AppendStrings(nil, r.Providers)), r.Stats.FilesWalked, r.Stats.FilesSkipped, r.Stats.DurationMs, r.ScanCeiling, r.ScanTruncated,
		r.MaxRenderNodes, r.Stats.FilesOversized, string(skillmap.AppendSizedFiles(nil, r.OversizedFiles)),
		null(r.Tokenizer), null(r.ActiveProvider), fingerprint, print)
	return err
}

// null is s, or NULL when it is empty.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// cached reads a value of scan_cache, nil when there is none.
func cached(ctx context.Context, q querier, name string) ([]byte, error) {
	var value []byte
	err := q.QueryRowContext(ctx, `SELECT value FROM scan_cache WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// remember writes a value of scan_cache; a nil one is removed.
func remember(ctx context.Context, tx *sqldb.Tx, name string, value []byte) error {
	if value == nil {
		_, err := tx.ExecContext(ctx, `DELETE FROM scan_cache WHERE name = $1`, name)
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO scan_cache (name, value) VALUES ($1, $2)`, name, value)
	return err
}

// bump counts one more change of the map's rows.
func bump(ctx context.Context, tx *sqldb.Tx) error {
	next, err := nextGeneration(ctx, tx)
	if err != nil {
		return err
	}
	return remember(ctx, tx, cacheGeneration, next)
}

func nextGeneration(ctx context.Context, tx *sqldb.Tx) ([]byte, error) {
	text, err := cached(ctx, tx, cacheGeneration)
	return binary.LittleEndian.AppendUint64(nil, generation(text)+1), err
}

func generation(text []byte) uint64 {
	if len(text) != 8 {
		return 0
	}
	return binary.LittleEndian.Uint64(text)
}

const notesForm = 2

// pieces encodes the notes.
func (n *notes) pieces() []Piece {
	list := []Piece{pieceOf([]byte{notesForm})}
	for _, l := range n.lists {
		for _, run := range l.runs() {
			list = append(list, pieceOf(run))
		}
	}
	tail := binary.LittleEndian.AppendUint64(nil, n.tags)
	return append(list, pieceOf(binary.LittleEndian.AppendUint64(tail, n.scores)))
}

func readNotes(b []byte) (n notes, err error) {
	if len(b) == 0 || b[0] != notesForm {
		return notes{}, errRows
	}
	b = b[1:]
	for i := range n.lists {
		if n.lists[i], b, err = readRows(b); err != nil {
			return notes{}, err
		}
	}
	if len(b) != 16 {
		return notes{}, errRows
	}
	n.tags, n.scores = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return n, nil
}
