package store

import (
	"context"
	"slices"

	"skillforge/internal/skillmap"
	"skillforge/internal/sqldb"
)

// Touch notes that a scan found the map as it is. It returns the map without
// its lists, and how much there is. ok is false, and nothing is noted, when
// the map is not what a scan would keep now: its tables are of another
// version, or something is kept about other files than before.
func (s *Store) Touch(ctx context.Context, scannedAt, durationMs int64) (r *skillmap.ScanResult, sum Summary, ok bool, err error) {
	if s.db == nil || s.before.drift() != Ours || !s.before.scanned {
		return nil, sum, false, nil
	}
	err = s.explain(s.db.Write(ctx, func(base *sqldb.Tx) error {
		tx := &Tx{Tx: base, Now: scannedAt}
		if same, err := tx.strandedAsBefore(ctx); err != nil || !same {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE scan_meta SET scanned_at = $1, stats_duration_ms = $2 WHERE id = 1`, scannedAt, durationMs)
		if err != nil {
			return err
		}
		if r, err = tx.Meta(ctx); err != nil {
			return err
		}
		sum, err = tx.Summary(ctx)
		ok = err == nil
		return err
	}))
	return r, sum, ok && err == nil, err
}

// strandedAsBefore reports whether the paths that something is kept about and
// that no node has are those that the last Save found.
func (tx *Tx) strandedAsBefore(ctx context.Context) (bool, error) {
	text, err := cached(ctx, tx, cacheStranded)
	if err != nil || text == nil {
		return false, err
	}
	var before []string
	if unjson(text, &before) != nil {
		return false, nil
	}
	rows, err := tx.QueryContext(ctx, stateIDs+` AND node_id NOT IN (SELECT path FROM scan_nodes) ORDER BY node_id`)
	now, err := collect[string](rows, err)
	return slices.Equal(before, now), err
}
