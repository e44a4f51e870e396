package cli

import (
	"context"

	"skillforge/internal/sm/job"
)

func jobsStatusVerb() *verb {
	var id string
	return &verb{
		name: "jobs status", category: queueing, brief: "Count the jobs, or say where one stands",
		args:  []arg{maybe(&id, "ID", "one job")},
		exits: []exit{{5, "there is no such job, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			if id != "" {
				j, err := a.Job(ctx, id)
				if err != nil {
					return err
				}
				if s.json {
					return s.emit(struct {
						ID            string      `json:"id"`
						Status        job.Status  `json:"status"`
						FailureReason *job.Reason `json:"failureReason"`
					}{j.ID, j.Status, j.FailureReason})
				}
				s.printf("%s\n", j.Status)
				return nil
			}
			counts, err := a.JobCounts(ctx)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					Queued    int `json:"queued"`
					Running   int `json:"running"`
					Completed int `json:"completed"`
					Failed    int `json:"failed"`
					Cancelled int `json:"cancelled"`
				}{counts[job.Queued], counts[job.Running], counts[job.Completed], counts[job.Failed], counts[job.Cancelled]})
			}
			for _, status := range job.Statuses {
				s.printf("%-9s  %d\n", status, counts[status])
			}
			return nil
		},
	}
}
