package cli

import (
	"context"
	"fmt"
	"time"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/job"
)

func jobsShowVerb() *verb {
	var id string
	return &verb{
		name: "jobs show", category: queueing, brief: "Show one job",
		args:  []arg{one(&id, "ID", "the job, as `sm jobs list` shows it")},
		exits: []exit{{5, "there is no such job, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			j, err := a.Job(ctx, id)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(j)
			}
			s.showJob(j)
			return nil
		},
	}
}

func (s *session) showJob(j job.Job) {
	p := s.tty.out
	s.printf("%s\n", p.bold(j.ID))
	row := func(name, value string) {
		if value != "" {
			s.printf("  %s  %s\n", p.dim(fmt.Sprintf("%-10s", name)), value)
		}
	}
	row("extension", draw.Line(j.ExtensionID)+" "+draw.Line(j.ExtensionVersion))
	row("node", draw.Line(j.NodeID))
	status := string(j.Status)
	if j.FailureReason != nil {
		status += " (" + string(*j.FailureReason) + ")"
	}
	row("status", status)
	if j.FindingIDs != nil {
		row("findings", fmt.Sprint(j.FindingIDs))
	}
	if j.Priority != 0 {
		row("priority", fmt.Sprint(j.Priority))
	}
	row("created", moment(&j.CreatedAt))
	row("claimed", moment(j.ClaimedAt))
	row("finished", moment(j.FinishedAt))
	row("deadline", moment(j.ExpiresAt))
}

// moment is a time in unix milliseconds, empty for none.
func moment(ms *int64) string {
	if ms == nil {
		return ""
	}
	return time.UnixMilli(*ms).Format("2006-01-02 15:04:05")
}
