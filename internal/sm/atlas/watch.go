package atlas

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm"
	"skillforge/internal/sm/store"
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

// pollEvery is how often files are looked at where the system does not tell of
// changes.
const pollEvery = 2 * time.Second

// patience bounds how long changes that keep coming put a batch off, in
// multiples of the debounce.
const patience = 10

// Watch scans whenever files change, until ctx ends; a running batch is then
// finished first. Events tells of each batch, of watcher.started and, when
// something does not work, of watcher.error. Where the system cannot watch so
// many folders, the files are looked at every two seconds instead.
//
// The files are watched before the first scan, so no change falls between.
func (a *Atlas) Watch(ctx context.Context, opt WatchOptions) error {
	if opt.Scan.Channel == "" {
		opt.Scan.Channel = sm.Watcher
	}
	w := &watch{a: a, opt: opt, run: sm.NewRunID(sm.ScanRun, a.now()), wait: debounce(opt.Debounce, a.Settings()), done: make(chan batch, 1)}
	if err := w.begin(); err != nil {
		return err
	}
	defer w.end()
	a.tell(w.run, sm.WatcherStarted, map[string]any{"roots": w.rootNames(), "debounceMs": w.wait.Milliseconds()})
	if opt.Ready != nil {
		opt.Ready()
	}
	return w.loop(ctx)
}

// watch is one Watch under way. One goroutine runs its loop; a batch runs
// beside it, one at a time.
type watch struct {
	a    *Atlas
	opt  WatchOptions
	run  string
	wait time.Duration

	tree    *tree // what is watched; nil while polling
	pending pending
	since   time.Time   // of the oldest pending change
	timer   *time.Timer // runs while changes settle
	tick    *time.Ticker
	running bool
	done    chan batch
	failed  int // batches in a row
}

// pending are the changes that wait for a batch.
type pending struct {
	paths map[string]bool
	full  bool // look at everything
	meta  bool // the rules may be others
}

func (p *pending) any() bool { return p.full || len(p.paths) > 0 }

func (p *pending) add(path string) {
	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.paths[path] = true
}

type batch struct {
	done *Scanned
	err  error
}

// begin starts to watch, or to poll.
func (w *watch) begin() error {
	w.timer = time.NewTimer(time.Hour)
	w.timer.Stop()
	w.tick = time.NewTicker(pollEvery)
	w.tick.Stop()
	t, err := newTree(w.a, w.opt.Scan)
	if errors.Is(err, errTooMany) {
		w.poll(err)
		err = nil
	}
	if err != nil {
		w.tick.Stop()
		return err
	}
	w.tree = t
	if w.a.Settings().Scan.FollowExternalSymlinks { // nobody tells of what lies outside
		w.tick.Reset(w.a.poll)
	}
	if w.opt.First {
		w.pending.full = true
		w.start()
	}
	return nil
}

// poll goes over to looking from time to time, and says so.
func (w *watch) poll(why error) {
	w.complain(fmt.Errorf("the system cannot watch this project, so its files are looked at every %v instead: %w", w.a.poll, why))
	if w.tree != nil {
		w.tree.close()
		w.tree = nil
	}
	w.tick.Reset(w.a.poll)
}

// complain tells the operator and the listeners.
func (w *watch) complain(err error) {
	text := fault.Text(err)
	if _, ok := errors.AsType[*fault.Fault](err); !ok {
		text = err.Error()
	}
	w.a.log.Warn("watch", "error", err)
	w.a.tell(w.run, sm.WatcherError, map[string]any{"message": text})
}

// end waits for the running batch and stops watching.
func (w *watch) end() {
	if w.running {
		w.finished(<-w.done)
	}
	w.timer.Stop()
	w.tick.Stop()
	if w.tree != nil {
		w.tree.close()
	}
}

func (w *watch) rootNames() []string {
	var names []string
	for _, r := range w.a.roots(w.opt.Scan.Roots) {
		names = append(names, r.Name)
	}
	return names
}

func (w *watch) loop(ctx context.Context) error {
	for {
		var events <-chan fsnotify.Event
		var errs <-chan error
		if w.tree != nil {
			events, errs = w.tree.notices.events, w.tree.notices.errors
		}
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			w.notice(e)
		case err := <-errs:
			w.trouble(err)
		case <-w.timer.C:
			w.start()
		case <-w.tick.C:
			w.look(ctx)
		case b := <-w.done:
			w.running = false
			if err := w.finished(b); err != nil {
				return err
			}
			w.settle()
		}
	}
}

// notice takes in what the system tells.
func (w *watch) notice(e fsnotify.Event) {
	before := w.pending.any()
	if err := w.tree.take(e, &w.pending); err != nil {
		w.poll(err)
		w.pending.full = true
	}
	if !w.pending.any() {
		return
	}
	if !before {
		w.since = w.a.now()
	}
	w.settle()
}

// trouble is an error of the watching itself. After an overflow anything may
// have happened.
func (w *watch) trouble(err error) {
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		w.complain(err)
	}
	w.pending.full, w.pending.meta = true, true
	w.settle()
}

// settle lets pending changes wait until no more come, but not for ever.
func (w *watch) settle() {
	if w.running || !w.pending.any() {
		return
	}
	if w.wait == 0 {
		w.start()
		return
	}
	if left := w.wait*patience - w.a.now().Sub(w.since); left < w.wait {
		w.timer.Reset(max(0, left))
		return
	}
	w.timer.Reset(w.wait)
}

// start runs a batch beside the loop.
func (w *watch) start() {
	if w.running || !w.pending.any() {
		return
	}
	p := w.pending
	w.pending, w.running = pending{}, true
	if p.meta && w.tree != nil {
		if err := w.tree.renew(); err != nil {
			w.poll(err)
		}
	}
	var changed []string
	if !p.full {
		for path := range p.paths {
			changed = append(changed, path)
		}
	}
	go func() { w.done <- w.a.batch(w.opt.Scan, changed) }()
}

// batch is one scan of a watch. It is finished even when the watch ends.
func (a *Atlas) batch(opt ScanOptions, changed []string) batch {
	ctx := context.Background()
	release, err := a.turn(ctx, false)
	if err != nil {
		return batch{err: err}
	}
	defer release()
	done, err := a.scan(ctx, opt, changed)
	return batch{done, err}
}

// finished takes note of a batch. The error ends the watch.
func (w *watch) finished(b batch) error {
	if w.opt.Batch != nil {
		w.opt.Batch(b.done, b.err)
	}
	if b.err == nil {
		w.failed = 0
		return nil
	}
	w.complain(b.err)
	w.failed++
	if w.opt.MaxFailures > 0 && w.failed >= w.opt.MaxFailures {
		return fmt.Errorf("%d scans in a row failed, the last one: %w", w.failed, b.err)
	}
	return nil
}

// look finds out whether anything changed where nobody tells.
func (w *watch) look(ctx context.Context) {
	if w.running {
		return
	}
	stale, err := w.a.isStale(ctx, w.opt.Scan)
	if err != nil {
		w.complain(err)
		return
	}
	if stale {
		w.pending.full = true
		w.start()
	}
}

// isStale reports whether a scan would give another map.
func (a *Atlas) isStale(ctx context.Context, opt ScanOptions) (bool, error) {
	settings := a.Settings()
	lens, err := a.project.Lens(settings, opt.Roots...)
	if err != nil {
		return false, err
	}
	s, err := a.open(ctx, store.Scanning)
	if err != nil {
		return false, err
	}
	record, err := s.Record(ctx)
	if err := errors.Join(err, s.Close()); err != nil {
		return false, err
	}
	same, err := survey.Unchanged(ctx, a.input(opt, settings, lens), record)
	return !same, err
}
