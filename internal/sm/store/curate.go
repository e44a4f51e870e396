package store

import (
	"context"
	"slices"

	"skillforge/internal/skillmap"
)

// SetSidecar mirrors in a node what its sidecar says now, before a scan reads
// it: annotations, the whole file, and its state. It reports whether a node
// has the path.
func (tx *Tx) SetSidecar(ctx context.Context, path string, s skillmap.Sidecar) (bool, error) {
	var r row
	r.object(s.Annotations)
	r.object(s.Root)
	var known any
	if v, ok := version(s.Annotations); ok {
		known = v
	}
	done, err := tx.ExecContext(ctx, `UPDATE scan_nodes SET sidecar_present = $1, sidecar_status = $2, annotations_json = $3, sidecar_root_json = $4,
		stability = $5, version = $6 WHERE path = $7`,
		s.Present, s.Status, r.args[0], r.args[1], null(stability(s.Annotations)), known, path)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	if err := tx.retag(ctx, path, s); err != nil {
		return false, err
	}
	var id int64
	if err := tx.QueryRowContext(ctx, `SELECT rowid FROM scan_nodes WHERE path = $1`, path).Scan(&id); err != nil {
		return false, err
	}
	return true, tx.amend(ctx, func(n *notes) {
		n.tags = 0
		if i, ok := slices.BinarySearch(n.lists[nodes].ids, id); ok {
			n.lists[nodes].digests[i] = 0
		}
	})
}

func (tx *Tx) retag(ctx context.Context, path string, s skillmap.Sidecar) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM scan_node_tags WHERE node_path = $1`, path); err != nil {
		return err
	}
	for _, tag := range TagsOf(&skillmap.Node{Sidecar: s}) {
		if _, err := tx.ExecContext(ctx, `INSERT INTO scan_node_tags (node_path, tag) VALUES ($1, $2)`, path, tag); err != nil {
			return err
		}
	}
	return nil
}

// DeleteIssues removes the issues of a rule about a node that flag a value, as
// a dismissal does at once, and returns how many there were.
func (tx *Tx) DeleteIssues(ctx context.Context, node, analyzer, value string) (int, error) {
	type numbered struct {
		id    int64
		issue skillmap.Issue
	}
	found, err := fetch(ctx, tx, 0, func(v values, n *numbered) error {
		n.id = int64(v.int(0))
		return readIssue(v[1:], &n.issue)
	}, `SELECT id, `+issueColumns+` FROM scan_issues WHERE instr(node_ids_json, $1) > 0`, string(skillmap.AppendString(nil, node)))
	if err != nil {
		return 0, err
	}
	found = slices.DeleteFunc(found, func(n numbered) bool {
		return n.issue.Target() != value || !n.issue.Touches(node) || !skillmap.MatchAnalyzer(n.issue.AnalyzerID, analyzer)
	})
	for _, n := range found {
		if _, err := tx.ExecContext(ctx, `DELETE FROM scan_issues WHERE id = $1`, n.id); err != nil {
			return 0, err
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	return len(found), tx.amend(ctx, func(n *notes) {
		for _, f := range found {
			n.lists[issues].remove(f.id)
		}
	})
}

// amend brings the notes in step with rows that somebody other than Save
// changed, so that the next scan mends what differs, and tells readers that
// the map is another.
func (tx *Tx) amend(ctx context.Context, change func(*notes)) error {
	text, err := cachedWhole(ctx, tx, cacheRows)
	if err != nil {
		return err
	}
	if n, err := readNotes(text); err == nil {
		change(&n)
		if err := rememberPieces(ctx, tx.Tx, cacheRows, n.pieces()); err != nil {
			return err
		}
	}
	if err := rememberPieces(ctx, tx.Tx, cacheRecord, nil); err != nil {
		return err
	}
	if err := remember(ctx, tx.Tx, cacheSummary, nil); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE scan_meta SET result_fingerprint = NULL`); err != nil {
		return err
	}
	return bump(ctx, tx.Tx)
}

// remove takes one row out.
func (r *rows) remove(id int64) {
	if i, ok := slices.BinarySearch(r.ids, id); ok {
		r.ids = slices.Delete(r.ids, i, i+1)
		r.digests = slices.Delete(r.digests, i, i+1)
	}
}
