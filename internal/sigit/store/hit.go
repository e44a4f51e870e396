package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Hit counts one use of what the bucket names in a sliding window: at most
// limit in any stretch of that length. It is true when the use is within the
// limit; else nothing is counted and wait says when the next one will be. No
// two transactions count the same bucket at once.
func (tx *Tx) Hit(ctx context.Context, bucket string, limit int, window time.Duration) (ok bool, wait time.Duration, err error) {
	if tx.d.lockName != "" {
		if _, err := tx.exec(ctx, tx.d.lockName, bucket); err != nil {
			return false, 0, fmt.Errorf("lock the count of %s: %w", bucket, err)
		}
	}
	start := micros(tx.now.Add(-window))
	var count int
	var oldest sql.NullInt64
	// The limit-th latest use decides when there is room again.
	err = tx.one(ctx, nil, []any{&count, &oldest}, `
		SELECT COUNT(*), MIN(at) FROM (SELECT at FROM hits WHERE bucket = $1 AND at > $2 ORDER BY at DESC LIMIT $3) AS latest`, bucket, start, limit)
	if err != nil {
		return false, 0, fmt.Errorf("count %s: %w", bucket, err)
	}
	if count >= limit {
		return false, max(moment(oldest.Int64).Add(window).Sub(tx.now), time.Second), nil
	}
	if _, err := tx.exec(ctx, `DELETE FROM hits WHERE bucket = $1 AND at <= $2`, bucket, start); err != nil {
		return false, 0, fmt.Errorf("forget old uses of %s: %w", bucket, err)
	}
	if _, err := tx.exec(ctx, `INSERT INTO hits (bucket, at) VALUES ($1, $2)`, bucket, micros(tx.now)); err != nil {
		return false, 0, fmt.Errorf("count %s: %w", bucket, err)
	}
	return true, 0, nil
}

// ForgetHits forgets what the bucket counted.
func (tx *Tx) ForgetHits(ctx context.Context, bucket string) error {
	if _, err := tx.exec(ctx, `DELETE FROM hits WHERE bucket = $1`, bucket); err != nil {
		return fmt.Errorf("forget uses of %s: %w", bucket, err)
	}
	return nil
}

// SweepHits forgets all uses before the time.
func (tx *Tx) SweepHits(ctx context.Context, before time.Time) error {
	if _, err := tx.exec(ctx, `DELETE FROM hits WHERE at < $1`, micros(before)); err != nil {
		return fmt.Errorf("sweep uses: %w", err)
	}
	return nil
}
