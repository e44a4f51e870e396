package atlas

import (
	"context"
	"time"
)

// WatchOptions say how to follow the files.
type WatchOptions struct {
	Scan     ScanOptions
	Debounce *time.Duration // nil: as settled
	// First scans before the first change is waited for.
	First bool
	// MaxFailures ends the watch after so many failed batches in a row; 0
	// never ends it.
	MaxFailures int
	// Ready is called once when the files are being watched; it may be nil.
	Ready func()
	// Batch is called after each batch; it may be nil.
	Batch func(*Scanned, error)
}

// Watch scans whenever files change, until ctx ends; a running batch is then
// finished first. Events tells of each batch, of watcher.started and, where
// following falls back to looking from time to time, of watcher.error.
func (a *Atlas) Watch(ctx context.Context, opt WatchOptions) error { return nil }
