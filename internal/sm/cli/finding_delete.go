package cli

import (
	"context"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// deleting is what prune and clear share.
type deleting struct {
	dryRun, yes, all bool
	node             string
	do               func(ctx context.Context, a *atlas.Atlas, dryRun bool) (int, error)
	question         string
}

func findingsPruneVerb() *verb {
	o := &deleting{question: "Delete them?"}
	o.do = func(ctx context.Context, a *atlas.Atlas, dryRun bool) (int, error) {
		return a.PruneFindings(ctx, sm.CLI, dryRun)
	}
	return &verb{
		name: "findings prune", category: queueing, brief: "Delete findings whose file changed since",
		flags: []flag{
			toggle(&o.dryRun, "dry-run", "n", "Say what would be done, do nothing."),
			toggle(&o.yes, "yes", "y", "Do not ask."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.run,
	}
}

func findingsClearVerb() *verb {
	o := &deleting{question: "Delete them all?"}
	o.do = func(ctx context.Context, a *atlas.Atlas, dryRun bool) (int, error) {
		return a.ClearFindings(ctx, sm.CLI, o.node, dryRun)
	}
	return &verb{
		name: "findings clear", category: queueing, brief: "Delete findings, settled ones too",
		flags: []flag{
			nodeFlag(&o.node, "node", "n", "Those about this node."),
			toggle(&o.all, "all", "", "Those of the whole project."),
			toggle(&o.dryRun, "dry-run", "", "Say what would be done, do nothing."),
			toggle(&o.yes, "yes", "y", "Do not ask."),
		},
		exits: []exit{{5, "there is no such node, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			if (o.node == "") == !o.all {
				return usage("say which node, or --all")
			}
			return o.run(ctx, s)
		},
	}
}

func (o *deleting) run(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was deleted is committed
	would, err := o.do(ctx, a, true)
	if err != nil {
		return err
	}
	deleted := 0
	if would > 0 && !o.dryRun {
		s.note("%s.", plural(would, "finding"))
		if s.sure(o.yes, o.question) {
			if deleted, err = o.do(ctx, a, false); err != nil {
				return err
			}
		}
	}
	if s.json {
		return s.emit(struct {
			Deleted     int   `json:"deleted"`
			WouldDelete int   `json:"wouldDelete"`
			ElapsedMs   int64 `json:"elapsedMs"`
		}{deleted, would, s.elapsedMs()})
	}
	if o.dryRun {
		s.printf("%s would be deleted\n", plural(would, "finding"))
		return nil
	}
	s.printf("%s deleted\n", plural(deleted, "finding"))
	return nil
}
