package atlas

import (
	"context"
	"encoding/json"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// RecordRequest closes a job.
type RecordRequest struct {
	ID, Nonce string
	Status    job.Status // Completed or Failed
	// Report is the agent's JSON, or with Failed a sentence on why. It may be
	// nil with Failed only.
	Report *string
	// Reason is why the job failed; RunnerError when empty.
	Reason     string
	TokensIn   *int64
	TokensOut  *int64
	DurationMs *int64
	Model      *string
}

// RecordOutcome says what came of closing a job.
type RecordOutcome string

const (
	Recorded         RecordOutcome = "completed" // the call closed the job, completed or failed
	NonceMismatch    RecordOutcome = "nonce-mismatch"
	NotRunning       RecordOutcome = "not-running"
	RecordNotFound   RecordOutcome = "not-found"
	ReportInvalid    RecordOutcome = "report-invalid"    // the job is failed
	SchemaUnresolved RecordOutcome = "schema-unresolved" // nobody knows any more what the report must hold
)

// Record is what came of closing a job.
type Record struct {
	Outcome     RecordOutcome
	ExecutionID string
	Status      job.Status // of the job now
	Detail      string     // of ReportInvalid and SchemaUnresolved
	Job         *job.Job   // nil when there is none
	// Tags are what a tagger proposed; nil for every other extension.
	Tags []string
	// Events tell the run from its start to its sum, as the command line
	// writes them.
	Events []sm.Event
}

// Refusal is the outcome as a fault, for doors that tell it as one; nil when
// the call closed the job as it was meant to.
func (r Record) Refusal(id string) error {
	switch r.Outcome {
	case NonceMismatch:
		return fault.Coded(fault.Denied, "nonce-mismatch", "This is not the nonce of job %s.", id)
	case NotRunning:
		return fault.Coded(fault.Conflict, "not-running", "Job %s is %s, not in running state, so nothing can be recorded.", id, r.Status)
	case RecordNotFound:
		return unknownJob(id)
	case ReportInvalid:
		return fault.Coded(fault.Invalid, "report-invalid", "%s. The job is failed.", upperFirst(r.Detail))
	case SchemaUnresolved:
		return fault.Coded(fault.Invalid, "schema-unresolved", "%s", r.Detail)
	}
	return nil
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// RecordJob closes a running job with what its agent reports: it checks the
// report, keeps it, and does what it means. A finder's findings replace its
// earlier ones about the file, a fixer's verdicts settle the findings it was
// given, a summary replaces the summary. Fixers that were to follow a finder
// are queued.
//
// The fault is Invalid for a request that is none: another status, a completed
// one without a report, an unknown reason.
func (a *Atlas) RecordJob(ctx context.Context, by sm.Channel, in RecordRequest) (Record, error) {
	reason, err := in.check()
	if err != nil {
		return Record{}, err
	}
	r := recording{atlas: a, in: in, reason: reason}
	if err := a.look(ctx, func(tx *store.Tx) (err error) {
		r.job, err = tx.Job(ctx, in.ID)
		return err
	}); err != nil {
		return Record{}, err
	}
	switch {
	case r.job == nil:
		return Record{Outcome: RecordNotFound}, nil
	case !r.job.Seal.Opens(in.Nonce):
		return Record{Outcome: NonceMismatch, Status: r.job.Status, Job: r.job}, nil
	case r.job.Status != job.Running:
		return Record{Outcome: NotRunning, Status: r.job.Status, Job: r.job}, nil
	}
	if in.Status == job.Completed {
		if unresolved := r.judge(); unresolved != "" {
			return Record{Outcome: SchemaUnresolved, Status: r.job.Status, Detail: unresolved, Job: r.job}, nil
		}
	}
	return r.close(ctx, by)
}

func (in RecordRequest) check() (job.Reason, error) {
	if strings.TrimSpace(in.ID) == "" {
		return "", fault.New(fault.Invalid, "Say which job is to be closed.")
	}
	switch in.Status {
	case job.Completed:
		if in.Report == nil {
			return "", fault.New(fault.Invalid, "A completed job needs a report.")
		}
		return "", nil
	case job.Failed:
		if in.Reason == "" {
			return job.RunnerError, nil
		}
		return job.CheckReason(in.Reason)
	}
	return "", fault.New(fault.Invalid, "A job is recorded as completed or failed; %q is neither.", in.Status)
}

// recording is a job on its way to its end.
type recording struct {
	atlas     *Atlas
	in        RecordRequest
	job       *job.Job
	extension job.Extension
	degraded  bool // the extension is off: the history is all that is kept
	envelope  job.Envelope
	report    *job.Report // nil when the job fails
	reason    job.Reason  // why it fails
	invalid   string      // what is wrong with the report, empty when nothing is
	execution job.Execution
}

// judge checks the report against the contract of the job's extension. It says
// why there is no contract, empty when there is.
func (r *recording) judge() (unresolved string) {
	s := r.atlas.Settings()
	schema := job.SkillSchema()
	if !strings.HasPrefix(r.job.ExtensionID, skillPrefix) {
		e, ok := r.atlas.everything(s).ByKind(r.job.ExtensionID, r.job.ExtensionKind)
		if !ok {
			return "There is no extension " + r.job.ExtensionID + " any more, so nobody knows what its report must hold."
		}
		_, on := r.atlas.catalog(s).ByKind(e.ID, e.Kind)
		r.extension, r.degraded, schema = e, !on, e.ReportSchema
	}
	contract, err := job.NewContract(schema)
	if err != nil {
		return "The report schema of " + r.job.ExtensionID + " is broken: " + err.Error()
	}
	r.envelope = contract.Envelope
	report, err := contract.Check(*r.in.Report)
	if err != nil {
		r.invalid, r.reason = err.Error(), job.ReportInvalid
		return ""
	}
	if r.envelope != job.FindingReport {
		report.Findings = nil
	}
	r.report = report
	return ""
}

// close writes it all in one transaction, and tells of it.
func (r *recording) close(ctx context.Context, by sm.Channel) (Record, error) {
	out := Record{Status: job.Failed, Job: r.job}
	event := job.Break
	if r.report != nil {
		event, out.Status = job.Finish, job.Completed
	}
	moved := false
	err := r.atlas.write(ctx, func(tx *store.Tx) (err error) {
		var why *job.Reason
		if event == job.Break {
			why = &r.reason
		}
		if moved, err = tx.MoveJob(ctx, r.job.ID, event, why); err != nil || !moved {
			return err
		}
		r.settle(tx.Now, out.Status)
		if err := tx.AddExecution(ctx, &r.execution); err != nil {
			return err
		}
		if r.report == nil || r.degraded {
			return nil
		}
		return r.writeThrough(ctx, tx)
	})
	if err != nil {
		return Record{}, err
	}
	if !moved { // it ended in another way meanwhile
		now, err := r.atlas.Job(ctx, r.job.ID)
		return Record{Outcome: NotRunning, Status: now.Status, Job: r.job}, err
	}
	out.Outcome, out.ExecutionID = Recorded, r.execution.ID
	if r.invalid != "" {
		out.Outcome, out.Detail = ReportInvalid, r.invalid
	}
	r.tell(&out, by)
	if r.report != nil && !r.degraded {
		r.chain(ctx, by, out.Events[0].RunID)
	}
	return out, nil
}

// settle fills the line of the history. A report that breaks the contract is
// not kept.
func (r *recording) settle(now int64, status job.Status) {
	e := executionOf(r.job, now)
	e.Status, e.DurationMs, e.TokensIn, e.TokensOut, e.Model = status, r.in.DurationMs, r.in.TokensIn, r.in.TokensOut, r.in.Model
	if status == job.Failed {
		e.FailureReason = &r.reason
	}
	if r.invalid == "" {
		e.Report = r.in.Report
	}
	r.execution = e
}

// writeThrough does what the report means for the file it speaks of. A file
// that left the map has nothing to be said about.
func (r *recording) writeThrough(ctx context.Context, tx *store.Tx) error {
	node, err := tx.NodeOf(ctx, r.job.NodeID)
	if err != nil || node == nil {
		return err
	}
	if r.job.ExtensionKind == job.Analyzer {
		if err := r.findings(ctx, tx, node); err != nil {
			return err
		}
	}
	if err := r.safety(ctx, tx, node); err != nil {
		return err
	}
	if r.envelope == job.SummaryReport {
		return tx.PutSummary(ctx, job.Summary{
			NodeID: node.Path, ActionID: r.job.ExtensionID, ActionVersion: r.job.ExtensionVersion, Kind: node.Kind,
			BodyHashAtGeneration: node.BodyHash, GeneratedAt: tx.Now, Model: r.in.Model, Report: json.RawMessage(*r.in.Report),
		})
	}
	return r.verdicts(ctx, tx)
}

// note is a finding of this report.
func (r *recording) note(tx *store.Tx, node *skillmap.Node, origin finding.Origin) finding.Record {
	return finding.Record{
		NodeID: node.Path, ExtensionID: r.job.ExtensionID, ExtensionVersion: r.job.ExtensionVersion, Origin: origin,
		Confidence: r.report.Confidence, Model: r.in.Model, BodyHashAtGeneration: node.BodyHash, GeneratedAt: tx.Now, JobID: &r.job.ID,
	}
}

// findings puts what a finder reports in the place of what it reported before.
func (r *recording) findings(ctx context.Context, tx *store.Tx, node *skillmap.Node) error {
	if err := tx.ClearReported(ctx, node.Path, r.job.ExtensionID); err != nil {
		return err
	}
	for _, reply := range r.report.Findings {
		f := r.note(tx, node, finding.Extension)
		f.Type, f.Severity, f.Message, f.Detail = reply.Type, skillmap.Severity(reply.Severity), reply.Message, reply.Detail
		if reply.Confidence != nil {
			f.Confidence = *reply.Confidence
		}
		if err := tx.AddFinding(ctx, &f); err != nil {
			return err
		}
	}
	return nil
}

// safety notes what the file tried to do to the agent that read it, in the
// place of what was noted before.
func (r *recording) safety(ctx context.Context, tx *store.Tx, node *skillmap.Node) error {
	if err := tx.ClearKernel(ctx, node.Path); err != nil {
		return err
	}
	for _, w := range warnings(r.report.Safety) {
		f := r.note(tx, node, finding.Kernel)
		f.Type, f.Severity, f.Message, f.Detail = w.kind, skillmap.Warn, w.message, w.detail
		if err := tx.AddFinding(ctx, &f); err != nil {
			return err
		}
	}
	return nil
}

type warning struct {
	kind, message string
	detail        *string
}

func warnings(s job.Safety) []warning {
	var out []warning
	if s.InjectionDetected {
		out = append(out, warning{"injection-detected", "The file tries to give orders to the agent that reads it.", s.InjectionDetails})
	}
	switch s.ContentQuality {
	case "suspicious":
		out = append(out, warning{"content-suspicious", "The file hides or disguises something from its readers.", nil})
	case "malformed":
		out = append(out, warning{"content-malformed", "The file cannot be read as what it claims to be.", nil})
	}
	return out
}

// verdicts settles the findings that a fixer speaks of. One about another
// file, of another finder, or called fixed by nobody, is passed over.
func (r *recording) verdicts(ctx context.Context, tx *store.Tx) error {
	if r.extension.Role() != job.Fixer {
		return nil
	}
	for _, v := range r.report.Resolved {
		to := finding.Resolution(v.State)
		if v.ID == nil || to != finding.Fixed && to != finding.HumanDecision || to == finding.Fixed && v.By == "" {
			continue
		}
		f, err := tx.Finding(ctx, *v.ID)
		if err != nil {
			return err
		}
		if f == nil || f.Origin != finding.Extension || f.NodeID != r.job.NodeID || !skillmap.MatchExtension(f.ExtensionID, r.extension.AnalyzerIDs...) {
			continue
		}
		f.Settle(to, finding.Actor(v.By), v.Note, r.job.ExtensionID, tx.Now)
		if err := tx.SaveResolution(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

type jobCompleted struct {
	ExtensionID   string    `json:"extensionId"`
	ExtensionKind job.Kind  `json:"extensionKind"`
	NodeID        string    `json:"nodeId"`
	DurationMs    *int64    `json:"durationMs"`
	TokensIn      *int64    `json:"tokensIn"`
	TokensOut     *int64    `json:"tokensOut"`
	Model         *string   `json:"model"`
	ExecutionID   string    `json:"executionId"`
	TagsProposed  *[]string `json:"tagsProposed,omitempty"`
}

type jobCallback struct {
	Status      job.Status `json:"status"`
	Model       *string    `json:"model"`
	ExecutionID string     `json:"executionId"`
}

// tell puts the events of the run together and publishes how the job ended.
func (r *recording) tell(out *Record, by sm.Channel) {
	a, id := r.atlas, r.job.ID
	run := sm.NewRunID(sm.ExternalRun, a.now())
	totals := runTotals{Attempted: 1, Duration: orZero(r.in.DurationMs), TokensIn: orZero(r.in.TokensIn), TokensOut: orZero(r.in.TokensOut)}
	var end sm.Event
	if out.Status == job.Completed {
		totals.Completed = 1
		data := jobCompleted{r.job.ExtensionID, r.job.ExtensionKind, r.job.NodeID, r.in.DurationMs, r.in.TokensIn, r.in.TokensOut, r.in.Model, out.ExecutionID, nil}
		if r.envelope == job.TagReport {
			out.Tags = append([]string{}, r.report.Tags...)
			data.TagsProposed = &out.Tags
		}
		end = a.jobEvent(run, JobCompleted, id, data)
	} else {
		totals.Failed = 1
		message := r.invalid
		if message == "" && r.in.Report != nil {
			message = *r.in.Report
		}
		end = a.jobEvent(run, JobFailed, id, jobFailed{Reason: r.reason, Message: message, DurationMs: r.in.DurationMs})
	}
	out.Events = []sm.Event{
		a.jobEvent(run, RunStarted, "", map[string]string{"mode": "external"}),
		a.jobEvent(run, JobClaimed, id, claimedData(r.job)),
		a.jobEvent(run, JobCallback, id, jobCallback{r.in.Status, r.in.Model, out.ExecutionID}),
		end,
		a.jobEvent(run, RunSummary, "", totals),
	}
	a.Events.Publish(end)
	op := sm.Operation{Op: "jobs.record", Target: r.job.NodeID, Extension: r.job.ExtensionID, Channel: by, Outcome: string(out.Status), ID: id}
	if r.invalid != "" {
		op.Detail = string(job.ReportInvalid)
	}
	a.Log(op)
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// chain queues the fixers that were to follow a finder. One that is refused,
// as when nothing was found, changes nothing.
func (r *recording) chain(ctx context.Context, by sm.Channel, run string) {
	if !r.job.AutoFix || r.job.ExtensionKind != job.Analyzer {
		return
	}
	for _, e := range r.atlas.catalog(r.atlas.Settings()).FixersOf(r.job.ExtensionID) {
		done, err := r.atlas.submit(ctx, by, JobRequest{Extension: "action:" + e.ID, Node: r.job.NodeID}, submitMode{run: run, detail: "auto-fix"})
		if err != nil {
			r.atlas.log.Warn("a fixer could not follow its finder", "fixer", e.ID, "node", r.job.NodeID, "err", err)
		} else if done.Outcome != Created {
			r.atlas.log.Debug("no fixer follows", "fixer", e.ID, "node", r.job.NodeID, "outcome", done.Outcome)
		}
	}
}
