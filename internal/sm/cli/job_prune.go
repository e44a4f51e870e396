package cli

import (
	"context"

	"skillforge/internal/sm"
	"skillforge/internal/sm/job"
)

func jobsPruneVerb() *verb {
	var dryRun bool
	return &verb{
		name: "jobs prune", category: queueing, brief: "Delete jobs that are kept long enough",
		details: "How long is settled under jobs.retention. The history and the findings stay.",
		flags:   []flag{toggle(&dryRun, "dry-run", "n", "Say what would be done, do nothing.")},
		exits:   []exit{{5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // what was deleted is committed
			report, err := a.PruneJobs(ctx, sm.CLI, dryRun)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(report)
			}
			for _, status := range []job.Status{job.Completed, job.Failed, job.Cancelled} {
				p := report.Retention[status]
				if p.PolicySeconds == nil {
					s.printf("%-9s  kept for ever\n", status)
					continue
				}
				s.printf("%-9s  %d deleted (older than %d days)\n", status, p.Deleted, *p.PolicySeconds/86400)
			}
			return nil
		},
	}
}
