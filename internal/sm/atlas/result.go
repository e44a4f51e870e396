package atlas

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm/store"
)

// Snapshot is the map as it is now: the newest copy in memory, brought up to
// date first when somebody changed the database. Without a database it is
// empty.
func (a *Atlas) Snapshot(ctx context.Context) (*Snapshot, error) {
	return a.follower.current(ctx, a)
}

// Result is the whole map. It is shared: do not change it.
func (s *Snapshot) Result() *skillmap.ScanResult { return s.result }

// ScanResult is the whole map, an empty one before the first scan. It is
// shared: do not change it.
func (a *Atlas) ScanResult(ctx context.Context) (*skillmap.ScanResult, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.result, nil
}

// ScanJSON is the whole map as JSON. The caller must not change it.
func (a *Atlas) ScanJSON(ctx context.Context) ([]byte, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.json(), nil
}

// Meta is the map without its lists: scalars and stats.
func (a *Atlas) Meta(ctx context.Context) (*skillmap.ScanResult, error) {
	if a.resident {
		s, err := a.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		r := *s.result
		r.Nodes, r.Links, r.Issues = []skillmap.Node{}, []skillmap.Link{}, []skillmap.Issue{}
		return &r, nil
	}
	var r *skillmap.ScanResult
	err := a.Read(ctx, func(tx *store.Tx) (err error) {
		r, err = tx.Meta(ctx)
		return err
	})
	if fault.Code(err) == "db-missing" {
		return skillmap.Empty(a.now().UnixMilli()), nil
	}
	return r, err
}
