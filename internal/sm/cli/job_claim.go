package cli

import (
	"context"
	"time"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

type claiming struct {
	filter            string
	wait              bool
	interval, timeout int
}

func jobsClaimVerb() *verb {
	var o claiming
	return &verb{
		name: "jobs claim", category: queueing, brief: "Take the next job",
		details: "For agents: with --json it prints id, nonce and text. Do what the text says, then `sm record`. The nonce closes the job and is shown nowhere else.",
		flags: []flag{
			text(&o.filter, "filter", "", "ID", "Only jobs of this extension."),
			toggle(&o.wait, "wait", "", "Wait until there is one."),
			number(&o.interval, "interval", "", "SECONDS", 1, "How often a waiting claim looks (jobs.claimWaitSeconds, 2)."),
			number(&o.timeout, "timeout", "", "SECONDS", 1, "How long it waits; for ever unless said."),
		},
		examples: []example{{"sm jobs claim --wait --json", "an agent that stays"}},
		exits:    []exit{{1, "there is none"}, {5, "there is no map yet"}},
		run:      o.run,
	}
}

func (o *claiming) run(ctx context.Context, s *session) error {
	if !o.wait && (o.interval > 0 || o.timeout > 0) {
		return usage("--interval and --timeout need --wait")
	}
	a, err := s.queue()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was claimed is committed
	tell := s.herald(a)
	defer func() { tell(ctx) }()
	in := atlas.ClaimRequest{Runner: "agent", Filter: o.filter}
	if o.wait {
		s.parked = true
		in.Wait, in.Interval = o.patience(a)
	}
	got, err := a.ClaimJob(ctx, sm.CLI, in)
	switch {
	case err != nil:
		return err
	case got == nil:
		s.note("No job is waiting.")
		return errNotClean
	case s.json:
		err = s.emit(got)
	default:
		err = s.write([]byte(got.ID + "\n"))
	}
	if err != nil { // nobody has the nonce now
		s.warn("Job %s is claimed and was handed to nobody. `sm jobs fail %s` gives it up.", got.ID, got.ID)
	}
	return err
}

// patience is how long to wait, and how often to look meanwhile.
func (o *claiming) patience(a *atlas.Atlas) (wait, interval time.Duration) {
	wait = 100 * 365 * 24 * time.Hour
	if o.timeout > 0 {
		wait = time.Duration(o.timeout) * time.Second
	}
	if o.interval == 0 {
		o.interval = a.Settings().Jobs.ClaimWaitSeconds
	}
	return wait, time.Duration(o.interval) * time.Second
}
