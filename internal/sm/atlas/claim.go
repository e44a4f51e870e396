package atlas

import (
	"context"
	"crypto/rand"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// ClaimRequest asks for the next job.
type ClaimRequest struct {
	Runner string // "in-process", or anything else for an agent
	Filter string // one extension, qualified or bare; empty for any
	// SkipLost passes over a job whose text is gone; a claim that waits always
	// does.
	SkipLost bool
	// Wait is how long to wait for a job; 0 does not.
	Wait time.Duration
	// Interval is how often a waiting claim looks; 2 seconds when 0. A job
	// that arrives in this process is seen at once.
	Interval time.Duration
	// Progress is told every 15 seconds how long the wait has been. It may be
	// nil.
	Progress func(waited time.Duration)
}

// Claimed is a job handed to whoever does it. It alone holds the nonce.
type Claimed struct {
	ID      string `json:"id"`
	Nonce   string `json:"nonce"`
	Content string `json:"content"`
}

// How a waiting claim behaves.
const (
	claimInterval = 2 * time.Second
	claimProgress = 15 * time.Second
)

// ClaimJob hands out the next job, nil when there is none, or none comes in
// time. Overdue jobs are given up first.
//
// It looks whether ctx still stands before each try, so that no job is taken
// for a client that left. A job whose text is gone is failed, and then passed
// over or a fault with the code "job-file-missing".
func (a *Atlas) ClaimJob(ctx context.Context, by sm.Channel, in ClaimRequest) (*Claimed, error) {
	if in.Wait <= 0 {
		got, err := a.claimOnce(ctx, by, in)
		for in.SkipLost && fault.Code(err) == string(job.JobFileMissing) {
			got, err = a.claimOnce(ctx, by, in)
		}
		return got, err
	}
	began := time.Now()
	deadline := time.NewTimer(in.Wait)
	defer deadline.Stop()
	if in.Interval <= 0 {
		in.Interval = claimInterval
	}
	tick := time.NewTicker(in.Interval)
	defer tick.Stop()
	beat := time.NewTicker(claimProgress)
	defer beat.Stop()
	arrived, stop := a.Events.Listen(64)
	defer func() { stop() }()
	for {
		got, err := a.claimOnce(ctx, by, in)
		if fault.Code(err) == string(job.JobFileMissing) {
			continue // it is failed now; the next one may be whole
		}
		if got != nil || err != nil {
			return got, err
		}
		for again := false; !again; {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-deadline.C:
				return nil, nil
			case <-tick.C:
				again = true
			case <-beat.C:
				if in.Progress != nil {
					in.Progress(time.Since(began))
				}
			case e, ok := <-arrived:
				if !ok { // a burst outran us: a job may have been among it
					stop()
					arrived, stop = a.Events.Listen(64)
				}
				again = !ok || e.Type == JobSubmitted
			}
		}
	}
}

// claimOnce is one try.
func (a *Atlas) claimOnce(ctx context.Context, by sm.Channel, in ClaimRequest) (*Claimed, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	runner := "agent"
	if in.Runner == "in-process" {
		runner = in.Runner
	}
	var yes bool
	err := a.look(ctx, func(tx *store.Tx) (err error) {
		yes, err = tx.Claimable(ctx, in.Filter)
		return err
	})
	if err != nil || !yes {
		return nil, err
	}
	nonce, err := job.NewNonce(rand.Reader)
	if err != nil {
		return nil, err
	}
	var c claimed
	if err := a.write(ctx, func(tx *store.Tx) error { return c.claim(ctx, tx, runner, in.Filter, nonce) }); err != nil {
		return nil, err
	}
	a.tellReaped(c.reaped)
	if c.job == nil {
		return nil, nil
	}
	return a.handOver(ctx, by, c)
}

// claimed is what one try took.
type claimed struct {
	reaped  []job.Job
	job     *job.Job
	content string
	whole   bool // the text is there
}

func (c *claimed) claim(ctx context.Context, tx *store.Tx, runner, filter string, nonce job.Nonce) (err error) {
	*c = claimed{}
	if c.reaped, err = tx.Reap(ctx); err != nil {
		return err
	}
	if c.job, err = tx.Claim(ctx, runner, filter, nonce); err != nil || c.job == nil {
		return err
	}
	if c.content, c.whole, err = tx.Content(ctx, c.job.ContentHash); err != nil || c.whole {
		return err
	}
	reason := job.JobFileMissing
	if _, err := tx.MoveJob(ctx, c.job.ID, job.Break, &reason); err != nil {
		return err
	}
	e := executionOf(c.job, tx.Now)
	e.Status, e.FailureReason = job.Failed, &reason
	return tx.AddExecution(ctx, &e)
}

// executionOf is the line of the history for a job that ends now.
func executionOf(j *job.Job, now int64) job.Execution {
	e := job.Execution{
		ExtensionID: j.ExtensionID, ExtensionVersion: j.ExtensionVersion, NodeIDs: []string{j.NodeID}, ContentHash: &j.ContentHash,
		Runner: j.Runner, StartedAt: now, FinishedAt: now, JobID: &j.ID,
	}
	if j.ClaimedAt != nil {
		e.StartedAt = *j.ClaimedAt
	}
	return e
}

type jobClaimed struct {
	ExtensionID      string   `json:"extensionId"`
	ExtensionVersion string   `json:"extensionVersion"`
	ExtensionKind    job.Kind `json:"extensionKind"`
	NodeID           string   `json:"nodeId"`
	TTLSeconds       *int64   `json:"ttlSeconds"`
	Priority         int      `json:"priority"`
}

func claimedData(j *job.Job) jobClaimed {
	return jobClaimed{j.ExtensionID, j.ExtensionVersion, j.ExtensionKind, j.NodeID, j.TTLSeconds, j.Priority}
}

type jobFailed struct {
	Reason     job.Reason `json:"reason"`
	Message    string     `json:"message"`
	ExitCode   *int       `json:"exitCode"`
	DurationMs *int64     `json:"durationMs"`
}

// handOver tells of a claim and gives the job out.
func (a *Atlas) handOver(ctx context.Context, by sm.Channel, c claimed) (*Claimed, error) {
	run := sm.NewRunID(sm.QueueRun, a.now())
	if !c.whole {
		a.tellJob(run, JobFailed, c.job.ID, jobFailed{Reason: job.JobFileMissing, Message: "The text of the job is gone."})
		a.Log(sm.Operation{Op: "jobs.claim", Target: c.job.NodeID, Extension: c.job.ExtensionID, Channel: by, Outcome: "failed", ID: c.job.ID, Detail: string(job.JobFileMissing)})
		return nil, fault.Coded(fault.Internal, string(job.JobFileMissing), "The text of job %s is gone, so the job is failed. Claim again for the next one.", c.job.ID).With("id", c.job.ID)
	}
	a.tellJob(run, JobClaimed, c.job.ID, claimedData(c.job))
	a.Log(sm.Operation{Op: "jobs.claim", Target: c.job.NodeID, Extension: c.job.ExtensionID, Channel: by, Outcome: "claimed", ID: c.job.ID})
	if ctx.Err() != nil {
		a.log.Warn("the client left while it was given a job; fail the job if nobody records it", "job", c.job.ID)
	}
	return &Claimed{ID: c.job.ID, Nonce: c.job.Nonce.Reveal(), Content: c.content}, nil
}

// runTotals adds up a run in which an agent was outside.
type runTotals struct {
	Attempted int   `json:"jobsAttempted"`
	Completed int   `json:"jobsCompleted"`
	Failed    int   `json:"jobsFailed"`
	Duration  int64 `json:"totalDurationMs"`
	TokensIn  int64 `json:"totalTokensIn"`
	TokensOut int64 `json:"totalTokensOut"`
}

// tellReaped tells of jobs whose agent was not heard of again.
func (a *Atlas) tellReaped(jobs []job.Job) {
	for _, j := range jobs {
		run := sm.NewRunID(sm.ExternalRun, a.now())
		var held int64
		if j.ClaimedAt != nil {
			held = a.now().UnixMilli() - *j.ClaimedAt
		}
		a.tellJob(run, RunStarted, "", map[string]string{"mode": "external"})
		a.tellJob(run, JobFailed, j.ID, jobFailed{Reason: job.Abandoned, Message: "The agent was not heard of before the deadline.", DurationMs: &held})
		a.tellJob(run, RunSummary, "", runTotals{Attempted: 1, Failed: 1, Duration: held})
	}
}
