package cli

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

type watching struct{ scanning }

func watchVerb() *verb {
	o := watching{scanning{maxFailures: 5}}
	return &verb{
		name: "watch", category: mapping, brief: "Scan, and scan again whenever files change", untimed: true,
		details: "Ends when you interrupt it. Under --json every event is one line of JSON.",
		args:    []arg{rest(&o.roots, "FOLDER", "what to map; the project itself when none is named")},
		flags: append(o.flags(),
			number(&o.maxFailures, "max-consecutive-failures", "", "N", 1, "Give up after N scans in a row that failed (5).")),
		run: o.run,
	}
}

func (o *watching) run(ctx context.Context, s *session) error {
	a := s.open()
	defer func() { _ = a.Close() }() // the watch has ended by then
	told := s.tellEvents(a)
	watch, stop := context.WithCancel(ctx)
	defer stop()
	w := watchLog{s: s, stop: stop}
	err := a.Watch(watch, atlas.WatchOptions{
		Scan: o.options(s, sm.Watcher), First: true, MaxFailures: o.maxFailures,
		Ready: func() { s.note("Watching. Press Ctrl+C to stop.") },
		Batch: w.batch,
	})
	told()
	switch {
	case ctx.Err() != nil:
		return nil // interrupted, as told
	case w.hopeless != nil:
		return w.hopeless
	case w.last != nil:
		return fault.New(fault.Invalid, "Gave up after %s in a row that failed. `sm doctor` may say why.", plural(w.failures, "scan")).Because(err)
	}
	return err
}

// tellEvents writes every event as a line of JSON when that is asked for. The
// function it returns ends that, after the last event is written.
func (s *session) tellEvents(a *atlas.Atlas) (end func()) {
	if !s.json {
		return func() {}
	}
	events, stop := a.Events.Listen(4096)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range events {
			_ = s.emit(e) // a reader that left ends the program by itself
		}
	}()
	return func() {
		stop()
		<-done
	}
}

// watchLog hears of every batch of a watch.
type watchLog struct {
	s        *session
	stop     context.CancelFunc
	batches  int
	failures int   // in a row
	last     error // of the last batch
	hopeless error // the first scan cannot be done as it was asked for
}

func (w *watchLog) batch(done *atlas.Scanned, err error) {
	w.batches++
	w.last = err
	switch {
	case err == nil:
		w.failures = 0
		w.s.watched(done)
	case w.batches == 1 && fault.Of(err) == fault.Invalid:
		w.hopeless = err
		w.stop()
	default:
		w.failures++
		w.s.complain(err)
	}
}

// watched tells a person what a batch found.
func (s *session) watched(done *atlas.Scanned) {
	if s.json {
		return
	}
	s.scanWarnings(done)
	if done.Change.IsEmpty() {
		s.scanSummary(done)
		return
	}
	s.noteChange("+", done.Change.Added)
	s.noteChange("-", done.Change.Removed)
	s.noteChange("~", done.Change.Changed)
	s.scanSummary(done)
}

// mostChanges is how many paths of one kind a batch names.
const mostChanges = 10

func (s *session) noteChange(mark string, paths []string) {
	for _, path := range paths[:min(len(paths), mostChanges)] {
		s.note("%s %s", mark, draw.Line(path))
	}
	if left := len(paths) - mostChanges; left > 0 {
		s.note("%s and %d more", mark, left)
	}
}
