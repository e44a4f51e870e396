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
	events, end := a.Events.Listen(4096)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for e := range events {
			if s.json {
				_ = s.emit(e) // a reader that left ends the program by itself
			}
		}
	}()
	failures := 0
	var last error
	options := o.options(s, sm.Watcher)
	err := a.Watch(ctx, atlas.WatchOptions{
		Scan: options, First: true, MaxFailures: o.maxFailures,
		Ready: func() { s.note("Watching. Press Ctrl+C to stop.") },
		Batch: func(done *atlas.Scanned, err error) {
			if err != nil {
				failures++
				last = err
				s.complain(err)
				return
			}
			failures = 0
			s.watched(done, o.roots)
		},
	})
	end()
	<-told
	if ctx.Err() != nil {
		return nil // interrupted, as told
	}
	if err == nil && failures >= o.maxFailures {
		err = last
	}
	if err != nil && last != nil {
		return fault.New(fault.Invalid, "Gave up after %s that failed. `sm doctor` may say why.", plural(failures, "scan")).Because(err)
	}
	return err
}

// watched tells a person what a batch found.
func (s *session) watched(done *atlas.Scanned, roots []string) {
	if s.json {
		return
	}
	s.scanWarnings(done, roots)
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
