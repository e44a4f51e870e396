package cli

import (
	"context"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

// queue looks at what the database keeps of agents' work.
func (d *doctoring) queue(ctx context.Context, s *session, a *atlas.Atlas) {
	for _, c := range []struct {
		id   string
		look func(context.Context, *session, *atlas.Atlas) (trouble, well string, err error)
	}{{"orphan-history", orphanHistory}, {"job-contents", jobContents}, {"job-gc", jobLeftovers}, {"jobs-overdue", overdueJobs}} {
		trouble, well, err := c.look(ctx, s, a)
		switch {
		case err != nil:
			d.warn(c.id, "It cannot be told: %s", sentence(cause(err)))
		case trouble != "":
			d.warn(c.id, "%s", trouble)
		default:
			d.ok(c.id, "%s", well)
		}
	}
}

// cause is what a person reads of an error.
func cause(err error) string {
	if fault.Of(err) == fault.Internal {
		return err.Error()
	}
	return fault.Text(err)
}

// orphanHistory counts runs about nodes that are gone.
func orphanHistory(ctx context.Context, _ *session, a *atlas.Atlas) (trouble, well string, err error) {
	paths, err := a.Paths(ctx)
	if err != nil {
		return "", "", err
	}
	runs, err := a.History(ctx, atlas.HistoryFilter{})
	if err != nil {
		return "", "", err
	}
	gone := 0
	for _, r := range runs {
		if slices.ContainsFunc(r.NodeIDs, func(id string) bool {
			_, found := slices.BinarySearch(paths, id)
			return !found && !strings.Contains(id, "://")
		}) {
			gone++
		}
	}
	if gone > 0 {
		return plural(gone, "run") + " of the history about files that are gone; `sm orphans` shows them.", "", nil
	}
	return "", "The history is about files that are there.", nil
}

// jobContents counts waiting jobs whose text is lost.
func jobContents(ctx context.Context, _ *session, a *atlas.Atlas) (trouble, well string, err error) {
	lost := 0
	for _, status := range []job.Status{job.Queued, job.Running} {
		jobs, err := a.Jobs(ctx, atlas.JobFilter{Status: string(status), Own: true})
		if err != nil {
			return "", "", err
		}
		for _, j := range jobs {
			if _, _, err := a.Preview(ctx, j.ID); fault.Code(err) == "job-file-missing" {
				lost++
			} else if err != nil {
				return "", "", err
			}
		}
	}
	if lost > 0 {
		return plural(lost, "job") + " without its text; `sm jobs cancel ID` ends it, and submitting again makes it anew.", "", nil
	}
	return "", "Every waiting job has its text.", nil
}

// jobLeftovers counts finished jobs past their time.
func jobLeftovers(ctx context.Context, _ *session, a *atlas.Atlas) (trouble, well string, err error) {
	report, err := a.PruneJobs(ctx, sm.CLI, true)
	if err != nil {
		return "", "", err
	}
	old := 0
	for _, p := range report.Retention {
		old += p.Deleted
	}
	if old > 0 {
		return plural(old, "finished job") + " past the time that jobs.retention keeps them; `sm jobs prune` deletes them.", "", nil
	}
	return "", "No finished job is past its time.", nil
}

// overdueJobs counts running jobs whose agent should have answered.
func overdueJobs(ctx context.Context, s *session, a *atlas.Atlas) (trouble, well string, err error) {
	jobs, err := a.Jobs(ctx, atlas.JobFilter{Status: string(job.Running), Own: true})
	if err != nil {
		return "", "", err
	}
	late := 0
	for _, j := range jobs {
		if j.ExpiresAt != nil && *j.ExpiresAt < s.Now().UnixMilli() {
			late++
		}
	}
	if late > 0 {
		return plural(late, "running job") + " past its deadline; the next claim gives it up, `sm jobs fail ID` does so now.", "", nil
	}
	return "", "No running job is overdue.", nil
}
