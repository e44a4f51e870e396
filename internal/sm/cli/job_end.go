package cli

import (
	"context"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// ending is what cancel and fail share.
type ending struct {
	word string // cancelled or failed
	id   string
	all  bool
	one  func(*atlas.Atlas, context.Context, sm.Channel, string) (atlas.EndOutcome, error)
	each func(*atlas.Atlas, context.Context, sm.Channel) (int, error)
}

func jobsCancelVerb() *verb {
	o := &ending{word: "cancelled", one: (*atlas.Atlas).CancelJob, each: (*atlas.Atlas).CancelJobs}
	return o.verb("jobs cancel", "Call a job off", "Whoever works on it is not interrupted, but cannot record it any more.")
}

func jobsFailVerb() *verb {
	o := &ending{word: "failed", one: (*atlas.Atlas).FailJob, each: (*atlas.Atlas).FailJobs}
	return o.verb("jobs fail", "Give a job up", "For a job whose agent is known to be gone.")
}

func (o *ending) verb(name, brief, details string) *verb {
	return &verb{
		name: name, category: queueing, brief: brief, details: details,
		args:  []arg{maybe(&o.id, "ID", "the job")},
		flags: []flag{toggle(&o.all, "all", "", "Every job that is queued or running.")},
		exits: []exit{{5, "there is no such job, or no map yet"}},
		run:   o.run,
	}
}

func (o *ending) run(ctx context.Context, s *session) error {
	if err := theJob(o.id, o.all); err != nil {
		return err
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was ended is committed
	tell := s.herald(a)
	defer func() { tell(ctx) }()
	if o.all {
		n, err := o.each(a, ctx, sm.CLI)
		if err != nil {
			return err
		}
		if s.json {
			return s.emit(map[string]int{o.word: n})
		}
		s.printf("%s %s\n", plural(n, "job"), o.word)
		return nil
	}
	outcome, err := o.one(a, ctx, sm.CLI, o.id)
	if err == nil {
		err = outcome.Refusal(o.id)
	}
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(map[string]any{"id": o.id, o.word: true})
	}
	s.printf("%s %s\n", o.id, o.word)
	return nil
}
