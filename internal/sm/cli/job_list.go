package cli

import (
	"context"

	"skillforge/internal/sm/atlas"
)

func jobsListVerb() *verb {
	var f atlas.JobFilter
	return &verb{
		name: "jobs list", category: queueing, brief: "List jobs, the newest first",
		flags: []flag{
			text(&f.Status, "status", "", "STATUS", "queued, running, completed, failed or cancelled."),
			text(&f.Extension, "extension", "", "ID", "Only jobs of this extension."),
			nodeFlag(&f.Node, "node", "n", "Only jobs about this node."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			if err := atlas.CheckStatus(f.Status); err != nil {
				return err
			}
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			f.Own = true
			jobs, err := a.Jobs(ctx, f)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(jobs)
			}
			if len(jobs) == 0 {
				s.note("No job matches.")
				return nil
			}
			s.printf("%s", s.jobTable(jobs))
			return nil
		},
	}
}
