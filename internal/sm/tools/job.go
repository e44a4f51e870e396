package tools

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

// jobTools work the queue.
func (d *Door) jobTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "list_extensions", Title: "List submittable extensions", Annotations: mcp.Reads(), Handler: d.listExtensions,
			Description: "Lists what an agent can be asked to do with a file: finders judge it, fixers mend what was found, the others do something else. submit_job takes their ids.",
			InputSchema: object(),
		},
		{
			Name: "list_jobs", Title: "List queue jobs", Annotations: mcp.Reads(), Handler: d.listJobs,
			Description: "Lists jobs, the newest first.",
			InputSchema: object(
				text("status", "queued, running, completed, failed or cancelled."),
				text("extension", "Jobs of this extension; its id, qualified or bare."),
				text("node", "Jobs about this node; its path."),
			),
		},
		{
			Name: "get_job", Title: "Get one job", Annotations: mcp.Reads(), Handler: d.getJob,
			Description: "Shows one job: where it stands, and why it failed if it did.",
			InputSchema: object(must(text("id", "Id of the job."))),
		},
		{
			Name: "submit_job", Title: "Enqueue a job", Annotations: mcp.Writes(false, false), Handler: d.submitJob,
			Description: "Asks for a job on one file. It waits in the queue until an agent claims it; `outcome` says whether it was created, and if not, what stands in the way.",
			InputSchema: object(
				must(text("node", "Path of the file, as query_graph gives it.")),
				must(text("extension", "What to do; an id from list_extensions.")),
				switched("autoFix", "When a finder finds something, queue the matching fixer by itself."),
				positives("findingIds", "Of a fixer: mend only these findings. All that are open unless said."),
				switched("force", "Do not look for the same job first. One that is queued or running still counts."),
				whole("ttl", "Seconds an agent may hold the job before it is given up; 0 for ever. As the project has it unless said."),
				whole("priority", "Higher goes first."),
			),
		},
		{
			Name: "claim_job", Title: "Claim the next job", Annotations: mcp.Writes(false, false), Handler: d.claimJob,
			Description: "Takes the next job: its id, its text, and the nonce that record_job asks for. Null when there is none. Do what the text says, then record; keep the nonce to yourself.",
			InputSchema: object(
				text("runner", "Who works: `agent` unless said."),
				text("filter", "Only jobs of this extension."),
				positive("wait", "Seconds to wait for a job, at most 3600. The call is held until one is there; set your client's timeout higher, or ask for progress if progress extends it."),
			),
		},
		{
			Name: "record_job", Title: "Close a running job", Annotations: mcp.Writes(false, false), Handler: d.recordJob,
			Description: "Closes a job that you claimed. A report that breaks the job's contract fails the job, so check it first.",
			InputSchema: object(
				must(text("id", "Id of the job.")),
				must(text("nonce", "The nonce that came with the claim.")),
				must(one("status", "How it ended.", "completed", "failed")),
				text("report", "The report as JSON text, required for completed. For failed: one sentence on why."),
				text("failureReason", "For failed: runner-error (unless said), report-invalid, timeout, abandoned, job-file-missing or user-failed."),
				natural("tokensIn", "Tokens read, if known."),
				natural("tokensOut", "Tokens written, if known."),
				natural("durationMs", "How long it took, if known."),
				text("model", "Name of the model that did it."),
			),
		},
		{
			Name: "cancel_job", Title: "Cancel a job", Annotations: mcp.Writes(true, true), Handler: d.endJob((*atlas.Atlas).CancelJob, "cancelled"),
			Description: "Calls a queued or running job off. Whoever works on it is not interrupted, but cannot record it any more.",
			InputSchema: object(must(text("id", "Id of the job."))),
		},
		{
			Name: "fail_job", Title: "Fail a job", Annotations: mcp.Writes(true, true), Handler: d.endJob((*atlas.Atlas).FailJob, "failed"),
			Description: "Gives a queued or running job up, as when its agent is known to be gone.",
			InputSchema: object(must(text("id", "Id of the job."))),
		},
	}
}

func (d *Door) listExtensions(_ context.Context, _ *mcp.Call) (mcp.Result, error) {
	return mcp.Answer(struct {
		Extensions []atlas.Extension `json:"extensions"`
	}{d.atlas.Extensions()})
}

func (d *Door) listJobs(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ Status, Extension, Node string }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	list, err := d.atlas.Jobs(ctx, atlas.JobFilter{Status: in.Status, Extension: in.Extension, Node: in.Node})
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Answer(struct {
		Items []job.Job `json:"items"`
	}{list})
}

func (d *Door) getJob(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ ID string }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	found, err := d.atlas.Job(ctx, in.ID)
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Answer(struct {
		Item job.Job `json:"item"`
	}{found})
}

func (d *Door) submitJob(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Node, Extension string
		AutoFix, Force  bool
		FindingIDs      []int64
		TTL             *int64
		Priority        *int
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	if in.Node == "" {
		return mcp.Result{}, unknown(fault.New(fault.NotFound, ""), "")
	}
	done, err := d.atlas.SubmitJob(ctx, sm.MCP, atlas.JobRequest{
		Extension: in.Extension, Node: in.Node, AutoFix: in.AutoFix, FindingIDs: in.FindingIDs, Force: in.Force, TTL: in.TTL, Priority: in.Priority,
	})
	if err != nil {
		return mcp.Result{}, err
	}
	if done.Outcome == atlas.Created {
		return mcp.Answer(struct {
			Outcome       atlas.SubmitOutcome `json:"outcome"`
			JobID         string              `json:"jobId"`
			NodePath      string              `json:"nodePath"`
			SupersededIDs []string            `json:"supersededIds"`
		}{done.Outcome, done.Job.ID, done.Node, done.SupersededIDs})
	}
	return mcp.Answer(struct {
		Outcome    atlas.SubmitOutcome `json:"outcome"`
		ExistingID string              `json:"existingId,omitempty"`
		Detail     string              `json:"detail,omitempty"`
	}{done.Outcome, done.ExistingID, done.Detail})
}

// waitMax is the longest that a claim is held.
const waitMax = time.Hour

func (d *Door) claimJob(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Runner, Filter string
		Wait           float64
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	claim := atlas.ClaimRequest{Runner: in.Runner, Filter: in.Filter, SkipLost: true, Wait: time.Duration(math.Min(in.Wait, waitMax.Seconds()) * float64(time.Second))}
	if c.WantsProgress() {
		claim.Progress = func(waited time.Duration) {
			_ = c.Progress(ctx, math.Round(waited.Seconds()), 0, "") // a client that left is noticed by its context
		}
	}
	got, err := d.atlas.ClaimJob(ctx, sm.MCP, claim)
	if err != nil {
		return mcp.Result{}, err
	}
	if got == nil {
		return mcp.Result{JSON: []byte("null"), TextOnly: true}, nil
	}
	return mcp.Answer(got)
}

func (d *Door) recordJob(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		ID, Nonce, Status, FailureReason string
		Report, Model                    *string
		TokensIn, TokensOut, DurationMs  *int64
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	done, err := d.atlas.RecordJob(ctx, sm.MCP, atlas.RecordRequest{
		ID: in.ID, Nonce: in.Nonce, Status: job.Status(in.Status), Report: in.Report, Reason: in.FailureReason,
		TokensIn: in.TokensIn, TokensOut: in.TokensOut, DurationMs: in.DurationMs, Model: in.Model,
	})
	if err != nil {
		return mcp.Result{}, err
	}
	out := struct {
		Outcome     atlas.RecordOutcome `json:"outcome"`
		ExecutionID string              `json:"executionId,omitempty"`
		Status      job.Status          `json:"status,omitempty"`
		Detail      string              `json:"detail,omitempty"`
	}{Outcome: done.Outcome, Detail: done.Detail}
	switch done.Outcome {
	case atlas.NotRunning:
		out.Status = done.Status
	case atlas.Recorded:
		out.ExecutionID = done.ExecutionID
		if done.Status == job.Failed { // closed, but not done
			out.Status = done.Status
		}
	}
	return mcp.Answer(out)
}

// endJob is the handler of a tool that ends a job; word is its outcome when it
// did.
func (d *Door) endJob(end func(*atlas.Atlas, context.Context, sm.Channel, string) (atlas.EndOutcome, error), word string) func(context.Context, *mcp.Call) (mcp.Result, error) {
	return func(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
		var in struct{ ID string }
		if err := c.Bind(&in); err != nil {
			return mcp.Result{}, err
		}
		outcome, err := end(d.atlas, ctx, sm.MCP, in.ID)
		if err != nil {
			return mcp.Result{}, err
		}
		if outcome == atlas.Ended {
			return outcomeOf(word)
		}
		return outcomeOf(outcome)
	}
}

// outcomeOf is the answer of a tool that says one word.
func outcomeOf[T ~string](word T) (mcp.Result, error) {
	text, err := json.Marshal(map[string]string{"outcome": string(word)})
	return mcp.Result{JSON: text}, err
}
