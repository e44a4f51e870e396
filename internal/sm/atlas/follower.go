package atlas

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm/store"
)

// follower holds the newest snapshot and finds out, before each answer,
// whether the database is still the one it was taken of: whoever wrote it,
// this process or another.
//
// What it asks is cheap: is the file the same, and did anybody commit since?
// Only then it looks whether the map was touched, and reads it anew if so.
type follower struct {
	snap atomic.Pointer[Snapshot]

	mu      sync.Mutex // guards what follows
	store   *store.Store
	conn    *sql.Conn // its data_version tells of commits of others
	file    os.FileInfo
	version int64
}

// current is the map as it is now. Answers that run meanwhile keep theirs.
func (f *follower) current(ctx context.Context, a *Atlas) (*Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // what one caller gives up the next one wants
	file, err := os.Stat(a.database)
	if err != nil || file.Size() == 0 {
		return f.nothing(a), f.drop()
	}
	if f.store != nil && !os.SameFile(file, f.file) { // another file took its place
		if err := f.drop(); err != nil {
			return nil, err
		}
	}
	if f.store == nil {
		if err := f.follow(ctx, a, file); err != nil {
			if fault.Code(err) == "db-missing" {
				return f.nothing(a), nil
			}
			return nil, err
		}
	}
	return f.refresh(ctx)
}

// nothing is the map before the first scan.
func (f *follower) nothing(a *Atlas) *Snapshot {
	f.snap.Store(nil)
	return newSnapshot(skillmap.Empty(a.now().UnixMilli()), store.Generation{}, nil)
}

// follow opens the file.
func (f *follower) follow(ctx context.Context, a *Atlas, file os.FileInfo) error {
	s, err := a.open(ctx, store.Reading)
	if err != nil {
		return err
	}
	conn, err := s.Conn(ctx)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	f.store, f.conn, f.file, f.version = s, conn, file, -1
	return nil
}

// refresh brings the snapshot up to date.
func (f *follower) refresh(ctx context.Context) (*Snapshot, error) {
	var version int64
	if err := f.conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version); err != nil {
		return nil, errors.Join(fmt.Errorf("look for changes: %w", err), f.drop())
	}
	snap := f.snap.Load()
	if snap != nil && version == f.version {
		return snap, nil
	}
	snap, err := f.renew(ctx, snap)
	if err != nil { // the next answer opens the file anew and says what it is
		return nil, errors.Join(err, f.drop())
	}
	f.snap.Store(snap)
	f.version = version
	return snap, nil
}

// renew is snap when it is still the map, else the map read anew, as far as it
// must be.
func (f *follower) renew(ctx context.Context, snap *Snapshot) (*Snapshot, error) {
	g, err := f.store.Generation(ctx)
	switch {
	case err != nil:
		return nil, err
	case snap != nil && snap.at == g:
		return snap, nil
	case snap != nil && snap.at.Rows == g.Rows && g.Rows > 0: // scanned again, and nothing changed
		meta, err := f.store.Meta(ctx)
		if err != nil {
			return nil, err
		}
		return snap.with(meta, g), nil
	}
	r, g, err := f.store.Load(ctx)
	if err != nil {
		return nil, err
	}
	return newSnapshot(r, g, snap), nil
}

// adopt takes a map that this process has just kept, so that it need not be
// read again.
func (f *follower) adopt(r *skillmap.ScanResult, at store.Generation, changed map[string]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	snap := newSnapshot(r, at, f.snap.Load())
	if changed != nil {
		snap.inherit(f.snap.Load(), changed)
	}
	f.snap.Store(snap)
	f.version = -1 // somebody may have kept another one since
}

// known is the map of the newest snapshot, nil when there is none.
func (f *follower) known() *skillmap.ScanResult {
	if s := f.snap.Load(); s != nil {
		return s.result
	}
	return nil
}

// drop lets the file go. The caller holds mu.
func (f *follower) drop() error {
	if f.store == nil {
		return nil
	}
	err := errors.Join(f.conn.Close(), f.store.Close())
	f.store, f.conn, f.file = nil, nil, nil
	f.snap.Store(nil)
	return err
}

func (f *follower) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.drop()
}
