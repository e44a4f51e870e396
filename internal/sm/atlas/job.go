package atlas

import (
	"context"
	"crypto/rand"
	"slices"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/agent"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// Types of events about jobs.
const (
	JobSubmitted = "job.submitted"
	JobClaimed   = "job.claimed"
	JobCallback  = "job.callback.received"
	JobCompleted = "job.completed"
	JobFailed    = "job.failed"
	JobCancelled = "job.cancelled"
	RunStarted   = "run.started"
	RunSummary   = "run.summary"
)

// JobRequest asks for a job.
type JobRequest struct {
	Extension string // qualified or bare, maybe after "action:" or "analyzer:"
	Node      string // path; empty for an extension that works on no file
	AutoFix   bool   // a finder's fixers follow by themselves
	// FindingIDs narrow a fixer to some findings; nil means all.
	FindingIDs []int64
	Force      bool // do not look for a twin first; a live one still stands in the way
	TTL        *int64
	Priority   *int
	By         string // who asks, for the record; may be empty
	// Skills offers the project's skills as actions too, as "skill:NAME".
	Skills bool
	// Lift makes room for a finder: what the file's sidecar suppresses of it is
	// taken out, where that is granted.
	Lift bool
}

// SubmitOutcome says what came of a request.
type SubmitOutcome string

const (
	Created    SubmitOutcome = "created"
	Duplicate  SubmitOutcome = "duplicate"   // the same work is queued
	Occupied   SubmitOutcome = "job-running" // the same work, or a fixer on the same findings, is running
	Drifted    SubmitOutcome = "drift"       // the file is another than the map's
	Unreadable SubmitOutcome = "unreadable"
	NoFindings SubmitOutcome = "no-findings"
)

// Submission is what came of a request.
type Submission struct {
	Outcome       SubmitOutcome
	Job           job.Job // with its nonce, when created
	Node          string
	Extension     string
	ExistingID    string   // of the job that stands in the way
	SupersededIDs []string // never nil when created
	Detail        string   // why a file cannot be read, as a sentence
	Lifted        LiftedFor
}

// Refusal is the outcome as a fault, for doors that tell it as one; nil when
// the job was created.
func (s Submission) Refusal() error {
	var f *fault.Fault
	switch s.Outcome {
	case Duplicate:
		f = fault.Coded(fault.Conflict, "duplicate-job", "The same job is queued already: %s.", s.ExistingID)
	case Occupied:
		f = fault.Coded(fault.Conflict, "job-running", "A job on the same thing is running: %s.", s.ExistingID)
	case Drifted:
		return fault.Coded(fault.Conflict, "node-drifted", "%s changed since the last scan. Scan first, then ask again.", s.Node)
	case Unreadable:
		return fault.Coded(fault.Conflict, "unreadable", "%s", s.Detail)
	case NoFindings:
		return fault.Coded(fault.Conflict, "no-findings", "Nothing is open in %s that %s could mend.", s.Node, s.Extension)
	default:
		return nil
	}
	return f.With("existingId", s.ExistingID)
}

// SubmitJob queues a job. What keeps it from being queued is an outcome; a
// request that makes no sense is a fault: NotFound for an unknown node or
// extension, Invalid for a deterministic or ambiguous one, a virtual node, a
// bad number or a broken prompt, Conflict with the code "no-processing-agent"
// while no agent has the skill.
func (a *Atlas) SubmitJob(ctx context.Context, by sm.Channel, in JobRequest) (Submission, error) {
	return a.submit(ctx, by, in, gated)
}

// SubmitNodeless queues a job of an extension that works on no file, whether
// an agent has the skill or not. The fault is Invalid for any other extension.
func (a *Atlas) SubmitNodeless(ctx context.Context, by sm.Channel, extension string) (Submission, error) {
	s := a.Settings()
	e, err := a.catalog(s).Resolve(extension)
	if err != nil {
		return Submission{}, err
	}
	if !e.Nodeless {
		return Submission{}, fault.New(fault.Invalid, "%s works on a file; say which.", e.ID)
	}
	return a.submit(ctx, by, JobRequest{Extension: e.ID}, submitMode{})
}

// submitMode is how a request reaches the queue.
type submitMode struct {
	gate   bool   // an agent must have the skill
	run    string // of the events; a new one when empty
	detail string // for the operations log
}

var gated = submitMode{gate: true}

// draft is a request that makes sense, on its way into the queue.
type draft struct {
	request   JobRequest
	settings  *config.Settings
	extension job.Extension
	skill     *job.Skill
	job       job.Job
	node      *skillmap.Node // nil for an extension without a file
	roots     []string
	entries   *job.Entries // of a fixer
}

func (a *Atlas) submit(ctx context.Context, by sm.Channel, in JobRequest, mode submitMode) (Submission, error) {
	d, err := a.draft(in)
	if err != nil {
		return Submission{}, err
	}
	if err := a.target(ctx, d); err != nil {
		return Submission{}, err
	}
	if mode.gate {
		if err := a.needAgent(); err != nil {
			return Submission{}, err
		}
	}
	return a.enqueue(ctx, by, d, mode)
}

// draft settles everything that depends on no file and no database.
func (a *Atlas) draft(in JobRequest) (*draft, error) {
	d := &draft{request: in, settings: a.Settings()}
	var err error
	if d.extension, d.skill, err = a.resolve(d.settings, in); err != nil {
		return nil, err
	}
	if err := job.CheckTemplate(d.extension.Prompt); err != nil {
		return nil, err
	}
	e := &d.extension
	d.job = job.Job{
		ExtensionID: e.ID, ExtensionVersion: e.Version, ExtensionKind: e.Kind, NodeID: in.Node,
		AutoFix: in.AutoFix && e.Kind == job.Analyzer, Priority: priorityOf(d.settings, e, in.Priority),
	}
	if in.By != "" {
		d.job.SubmittedBy = &in.By
	}
	if d.job.TTLSeconds, err = ttlOf(d.settings, e, in.TTL); err != nil {
		return nil, err
	}
	d.job.FindingIDs, err = targets(e, in.FindingIDs)
	return d, err
}

// resolve finds the extension that is asked for.
func (a *Atlas) resolve(s *config.Settings, in JobRequest) (job.Extension, *job.Skill, error) {
	if in.Skills {
		if e, skill, ok := a.skillAction(s, in.Extension); ok {
			return e, skill, nil
		}
	}
	e, err := a.catalog(s).Resolve(in.Extension)
	return e, nil, err
}

func priorityOf(s *config.Settings, e *job.Extension, asked *int) int {
	if asked != nil {
		return *asked
	}
	for _, id := range []string{e.ID, skillmap.ShortID(e.ID)} {
		if p, ok := s.Jobs.PerExtensionPriority[id]; ok {
			return p
		}
	}
	return e.DefaultPriority
}

// ttlOf is how long an agent may hold the job, nil for ever.
func ttlOf(s *config.Settings, e *job.Extension, asked *int64) (*int64, error) {
	if asked != nil {
		if *asked < 0 {
			return nil, fault.New(fault.Invalid, "A job lives for a number of seconds, or 0 for ever; %d is neither.", *asked)
		}
		if *asked == 0 {
			return nil, nil
		}
		return asked, nil
	}
	for _, id := range []string{e.ID, skillmap.ShortID(e.ID)} {
		if n, ok := s.Jobs.PerExtensionTTL[id]; ok {
			ttl := int64(n)
			return &ttl, nil
		}
	}
	if n := int64(s.Jobs.TTLSeconds); n > 0 {
		return &n, nil
	}
	return nil, nil
}

// targets are the findings that a fixer is narrowed to, nil for all of them.
func targets(e *job.Extension, ids []int64) ([]int64, error) {
	if ids == nil {
		return nil, nil
	}
	if e.Role() != job.Fixer || mendsIssues(e) {
		return nil, fault.New(fault.Invalid, "%s mends no findings, so it cannot be narrowed to some.", e.ID)
	}
	if len(ids) == 0 {
		return nil, fault.New(fault.Invalid, "Name at least one finding, or leave the list out for all of them.")
	}
	out := slices.Clone(ids)
	slices.Sort(out)
	for _, id := range out {
		if id <= 0 {
			return nil, fault.New(fault.Invalid, "A finding's id is a positive number; %d is none.", id)
		}
	}
	return slices.Compact(out), nil
}

// target finds the node that the job is about.
func (a *Atlas) target(ctx context.Context, d *draft) error {
	e, path := &d.extension, d.request.Node
	if e.Nodeless {
		if path != "" {
			return fault.New(fault.Invalid, "%s works on no file; leave the node out.", e.ID)
		}
		d.job.NodeID = job.NodelessID(e.ID)
		return nil
	}
	if path == "" {
		return fault.Coded(fault.Invalid, "node-missing", "%s works on a file; say which.", e.ID)
	}
	err := a.look(ctx, func(tx *store.Tx) (err error) {
		if d.node, err = tx.NodeOf(ctx, path); err != nil || d.node == nil {
			return err
		}
		meta, err := tx.Meta(ctx)
		if err != nil {
			return err
		}
		d.roots = meta.Roots
		if e.Role() == job.Fixer {
			d.entries, err = entriesFor(ctx, tx, d)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case d.node == nil:
		return unknownNode(path)
	case d.node.Virtual:
		return fault.New(fault.Invalid, "%s is no file: nothing can be asked about it.", path).With("path", path)
	}
	return nil
}

func unknownNode(path string) error {
	return fault.Coded(fault.NotFound, "not-found", "Unknown node path: %s", path).With("path", path)
}

// needAgent refuses work that nobody would do.
func (a *Atlas) needAgent() error {
	if agent.Present(a.project.Path(".")) {
		return nil
	}
	return fault.Coded(fault.Conflict, "no-processing-agent", "There is no processing agent for this job: no agent of this project has the skill that works through the queue. Give it to yours with `sm agent install --for HOST`.")
}

// entriesFor lists what a fixer is to mend, nil when there is nothing.
func entriesFor(ctx context.Context, tx *store.Tx, d *draft) (*job.Entries, error) {
	if mendsIssues(&d.extension) {
		return issueEntries(ctx, tx, d)
	}
	all, err := tx.Findings(ctx, d.node.Path)
	if err != nil {
		return nil, err
	}
	list := []job.FindingEntry{}
	for _, f := range all {
		if f.Origin != finding.Extension || !f.Is("") || !skillmap.MatchExtension(f.ExtensionID, d.extension.AnalyzerIDs...) {
			continue
		}
		if d.job.FindingIDs != nil && !slices.Contains(d.job.FindingIDs, f.ID) {
			continue
		}
		list = append(list, job.FindingEntry{ID: f.ID, Type: f.Type, Severity: f.Severity, Message: f.Message, Detail: f.Detail, Confidence: f.Confidence, Stale: f.Stale})
	}
	slices.SortFunc(list, func(x, y job.FindingEntry) int { return int(x.ID - y.ID) })
	if len(list) == 0 {
		return nil, nil
	}
	return &job.Entries{Heading: "Findings to resolve", List: list}, nil
}

func issueEntries(ctx context.Context, tx *store.Tx, d *draft) (*job.Entries, error) {
	issues, _, err := tx.Issues(ctx, store.IssueFilter{Nodes: []string{d.node.Path}, Analyzers: d.extension.AnalyzerIDs})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(issues, func(x, y skillmap.Issue) int {
		return compareTexts(x.NodeIDs[0], y.NodeIDs[0], x.Target(), y.Target(), x.Message, y.Message)
	})
	list := []job.IssueEntry{}
	for _, is := range issues {
		list = append(list, job.IssueEntry{Target: wordOf(is.Data, "target"), Kind: wordOf(is.Data, "kind"), Severity: is.Severity, Message: is.Message})
	}
	if len(list) == 0 {
		return nil, nil
	}
	return &job.Entries{Heading: "Issues to resolve", List: list}, nil
}

// compareTexts compares pairs of texts, the first that differ deciding.
func compareTexts(pairs ...string) int {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			if pairs[i] < pairs[i+1] {
				return -1
			}
			return 1
		}
	}
	return 0
}

func wordOf(m map[string]any, key string) *string {
	s, ok := m[key].(string)
	if !ok {
		return nil
	}
	return &s
}

// enqueue renders the job and queues it, unless something keeps it from that.
func (a *Atlas) enqueue(ctx context.Context, by sm.Channel, d *draft, mode submitMode) (Submission, error) {
	out := Submission{Node: d.job.NodeID, Extension: d.extension.ID}
	fixer := d.extension.Role() == job.Fixer
	if fixer && d.entries == nil {
		out.Outcome = NoFindings
		return out, nil
	}
	parts, refusal, detail := a.parts(d)
	if refusal != "" {
		out.Outcome, out.Detail = refusal, detail
		return out, nil
	}
	text, err := job.Render(&d.extension, parts)
	if err != nil {
		return Submission{}, err
	}
	d.job.ContentHash = text.ContentHash
	if d.job.Nonce, err = job.NewNonce(rand.Reader); err != nil {
		return Submission{}, err
	}
	err = a.write(ctx, func(tx *store.Tx) error {
		done, err := tx.Enqueue(ctx, &d.job, text.Content, fixer)
		if err != nil {
			return err
		}
		out.ExistingID, out.SupersededIDs = "", done.Superseded
		if done.Live != nil {
			out.ExistingID = done.Live.ID
			out.Outcome = Duplicate
			if done.Live.Status == job.Running {
				out.Outcome = Occupied
			}
			return nil
		}
		out.Outcome, out.Job = Created, d.job
		return nil
	})
	if err != nil || out.Outcome != Created {
		return out, err
	}
	if out.SupersededIDs == nil {
		out.SupersededIDs = []string{}
	}
	a.submitted(by, out, mode)
	if d.request.Lift && d.job.ExtensionKind == job.Analyzer && d.node != nil {
		out.Lifted, err = a.LiftFor(ctx, d.node.Path, d.extension.ID)
	}
	return out, err
}

// submitted tells of a new job.
func (a *Atlas) submitted(by sm.Channel, out Submission, mode submitMode) {
	run := mode.run
	if run == "" {
		run = sm.NewRunID(sm.QueueRun, a.now())
	}
	a.tellJob(run, JobSubmitted, out.Job.ID, jobSubmitted{out.Node, out.Extension, out.SupersededIDs})
	a.Log(sm.Operation{Op: "jobs.submit", Target: out.Node, Extension: out.Extension, Channel: by, Outcome: "queued", ID: out.Job.ID, Detail: mode.detail})
}

type jobSubmitted struct {
	NodePath      string   `json:"nodePath"`
	ExtensionID   string   `json:"extensionId"`
	SupersededIDs []string `json:"supersededIds"`
}

// tellJob publishes an event about a job.
func (a *Atlas) tellJob(run, kind, id string, data any) sm.Event {
	e := a.jobEvent(run, kind, id, data)
	a.Events.Publish(e)
	return e
}

func (a *Atlas) jobEvent(run, kind, id string, data any) sm.Event {
	e := sm.Event{Type: kind, Timestamp: a.now().UnixMilli(), RunID: run, Data: data}
	if id != "" {
		e.JobID = &id
	}
	return e
}

// parts are what the job's text is made of. A file that cannot be quoted, or
// that is another than the map's, refuses the job.
func (a *Atlas) parts(d *draft) (p job.Parts, refusal SubmitOutcome, detail string) {
	if d.extension.Nodeless {
		return job.Parts{Node: d.job.NodeID, BodyHash: job.Nodeless, FrontmatterHash: job.Nodeless}, "", ""
	}
	taken, why := a.take(d.node, d.roots, d.settings.Scan.FollowExternalSymlinks)
	if why != "" {
		return p, Unreadable, why
	}
	if taken.BodyHash != d.node.BodyHash {
		return p, Drifted, ""
	}
	p = job.Parts{Node: d.node.Path, Body: taken.Body, BodyHash: d.node.BodyHash, FrontmatterHash: d.node.FrontmatterHash, Entries: d.entries, Skill: d.skill}
	if job.EnvelopeOf(d.extension.ReportSchema) == job.TagReport {
		p.Tags = store.TagsOf(d.node)
	}
	return p, "", ""
}

// Batch is what came of one request for many files.
type Batch struct{ Submitted, Refused []Submission }

// SubmitAll queues one job for every file that the extension is for. A file
// that is refused keeps none of the others from being queued.
func (a *Atlas) SubmitAll(ctx context.Context, by sm.Channel, in JobRequest) (Batch, error) {
	d, err := a.draft(in)
	if err != nil {
		return Batch{}, err
	}
	if d.extension.Nodeless {
		return Batch{}, fault.New(fault.Invalid, "%s works on no file; there is nothing to do for all of them.", d.extension.ID)
	}
	if in.FindingIDs != nil {
		return Batch{}, fault.New(fault.Invalid, "Findings belong to one file; name it instead of all.")
	}
	if err := a.needAgent(); err != nil {
		return Batch{}, err
	}
	var nodes []skillmap.Node
	err = a.look(ctx, func(tx *store.Tx) (err error) {
		nodes, err = tx.Nodes(ctx, store.NodeFilter{})
		return err
	})
	batch := Batch{Submitted: []Submission{}, Refused: []Submission{}}
	if err != nil {
		return batch, err
	}
	for i := range nodes {
		if !d.extension.Precondition.Admits(&nodes[i]) {
			continue
		}
		one := *d
		one.request.Node, one.job.NodeID = nodes[i].Path, nodes[i].Path
		err := a.target(ctx, &one)
		var done Submission
		if err == nil {
			done, err = a.enqueue(ctx, by, &one, submitMode{})
		}
		switch {
		case err != nil && fault.Of(err) == fault.Internal, ctx.Err() != nil:
			return batch, err
		case err != nil:
			batch.Refused = append(batch.Refused, Submission{Node: one.job.NodeID, Extension: d.extension.ID, Outcome: SubmitOutcome(fault.Code(err)), Detail: fault.Text(err)})
		case done.Outcome == Created:
			batch.Submitted = append(batch.Submitted, done)
		default:
			batch.Refused = append(batch.Refused, done)
		}
	}
	return batch, nil
}

// JobFilter selects jobs; an empty field admits everything.
type JobFilter struct {
	Status, Extension, Node string
	// Own shows the host's own jobs too.
	Own bool
}

// Jobs lists the queue, the newest first. It is empty where there is no
// database.
func (a *Atlas) Jobs(ctx context.Context, f JobFilter) ([]job.Job, error) {
	list := []job.Job{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Jobs(ctx, store.JobFilter{Status: f.Status, Extension: f.Extension, Node: f.Node})
		for _, j := range all {
			if f.Own || j.ExtensionID != job.Ping {
				list = append(list, j)
			}
		}
		return err
	})
	return list, ifMissing(err)
}

// ifMissing forgives a database that is not there: what it would hold is
// nothing.
func ifMissing(err error) error {
	if fault.Code(err) == "db-missing" {
		return nil
	}
	return err
}

// CheckStatus refuses a word that is no status of a job.
func CheckStatus(word string) error {
	if word == "" || slices.Contains(job.Statuses, job.Status(word)) {
		return nil
	}
	return fault.New(fault.Invalid, "A job is queued, running, completed, failed or cancelled; %q is none.", word)
}

// Job answers one job. The fault is NotFound for an id that is none, also
// where there is no database.
func (a *Atlas) Job(ctx context.Context, id string) (job.Job, error) {
	var found *job.Job
	err := a.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.Job(ctx, id)
		return err
	})
	if err := ifMissing(err); err != nil {
		return job.Job{}, err
	}
	if found == nil {
		return job.Job{}, unknownJob(id)
	}
	return *found, nil
}

func unknownJob(id string) error {
	return fault.Coded(fault.NotFound, "not-found", "Unknown job id: %s", id).With("id", id)
}

// Preview answers the text of a job for a person to read: of the job with the
// id, or of the newest one when it is empty. The fault is NotFound for a job
// that is none, and for a text that is gone.
func (a *Atlas) Preview(ctx context.Context, id string) (job.Job, string, error) {
	var found *job.Job
	var text string
	var has bool
	err := a.Read(ctx, func(tx *store.Tx) (err error) {
		if id == "" {
			newest, err := tx.Jobs(ctx, store.JobFilter{Limit: 1})
			if err != nil || len(newest) == 0 {
				return err
			}
			found = &newest[0]
		} else if found, err = tx.Job(ctx, id); err != nil || found == nil {
			return err
		}
		text, has, err = tx.Content(ctx, found.ContentHash)
		return err
	})
	switch {
	case err != nil:
		return job.Job{}, "", err
	case found == nil && id == "":
		return job.Job{}, "", fault.Coded(fault.NotFound, "not-found", "There is no job yet.")
	case found == nil:
		return job.Job{}, "", unknownJob(id)
	case !has:
		return *found, "", fault.Coded(fault.NotFound, "job-file-missing", "The text of job %s is gone.", found.ID)
	}
	return *found, job.Readable(text), nil
}

// JobCounts counts the jobs in each status.
func (a *Atlas) JobCounts(ctx context.Context) (counts map[job.Status]int, err error) {
	err = a.Read(ctx, func(tx *store.Tx) (err error) {
		counts, err = tx.JobCounts(ctx)
		return err
	})
	return counts, err
}

// EndOutcome says what came of calling a job off or giving it up.
type EndOutcome string

const (
	Ended     EndOutcome = "ended"
	Terminal  EndOutcome = "already-terminal"
	NoSuchJob EndOutcome = "not-found"
)

// Refusal is the outcome as a fault, for doors that tell it as one.
func (o EndOutcome) Refusal(id string) error {
	switch o {
	case Terminal:
		return fault.Coded(fault.Conflict, "job-terminal", "Job %s has ended already.", id)
	case NoSuchJob:
		return unknownJob(id)
	}
	return nil
}

// CancelJob calls a job off. Whoever works on it is not interrupted, but
// cannot record it any more.
func (a *Atlas) CancelJob(ctx context.Context, by sm.Channel, id string) (EndOutcome, error) {
	return a.end(ctx, by, id, job.Cancel)
}

// FailJob gives a job up.
func (a *Atlas) FailJob(ctx context.Context, by sm.Channel, id string) (EndOutcome, error) {
	return a.end(ctx, by, id, job.Fail)
}

func (a *Atlas) end(ctx context.Context, by sm.Channel, id string, e job.Event) (EndOutcome, error) {
	outcome := NoSuchJob
	err := a.write(ctx, func(tx *store.Tx) error {
		outcome = NoSuchJob
		found, err := tx.Job(ctx, id)
		if err != nil || found == nil {
			return err
		}
		moved, err := tx.MoveJob(ctx, id, e, endReason(e))
		outcome = Terminal
		if moved {
			outcome = Ended
		}
		return err
	})
	if err != nil || outcome != Ended {
		return outcome, err
	}
	a.tellEnd(sm.NewRunID(sm.QueueRun, a.now()), id, e)
	op, word := endWords(e)
	a.Log(sm.Operation{Op: op, Target: "*", Channel: by, Outcome: word, ID: id})
	return outcome, nil
}

func endReason(e job.Event) *job.Reason {
	if e != job.Fail {
		return nil
	}
	reason := job.UserFailed
	return &reason
}

func endWords(e job.Event) (op, outcome string) {
	if e == job.Fail {
		return "jobs.fail", "failed"
	}
	return "jobs.cancel", "cancelled"
}

func (a *Atlas) tellEnd(run, id string, e job.Event) {
	if e == job.Fail {
		a.tellJob(run, JobFailed, id, map[string]job.Reason{"reason": job.UserFailed})
		return
	}
	a.tellJob(run, JobCancelled, id, struct{}{})
}

// CancelJobs calls every live job off, FailJobs gives every one up. They
// return how many there were.
func (a *Atlas) CancelJobs(ctx context.Context, by sm.Channel) (int, error) {
	return a.endAll(ctx, by, job.Cancel, nil, "")
}

// FailJobs gives every live job up.
func (a *Atlas) FailJobs(ctx context.Context, by sm.Channel) (int, error) {
	return a.endAll(ctx, by, job.Fail, nil, "")
}

// endAll ends live jobs: all of them, or the queued ones of some extensions.
func (a *Atlas) endAll(ctx context.Context, by sm.Channel, e job.Event, queuedOf []string, why string) (int, error) {
	var ended []job.Job
	err := a.write(ctx, func(tx *store.Tx) (err error) {
		ended, err = tx.MoveJobs(ctx, e, endReason(e), queuedOf)
		return err
	})
	if err != nil || len(ended) == 0 {
		return 0, err
	}
	run := sm.NewRunID(sm.QueueRun, a.now())
	for _, j := range ended {
		a.tellEnd(run, j.ID, e)
	}
	op, word := endWords(e)
	a.Log(sm.Operation{Op: op, Target: "*", Channel: by, Outcome: word, Detail: why + word + "=" + itoa(len(ended))})
	return len(ended), nil
}

// Pruned says how many jobs of one status went, under which rule.
type Pruned struct {
	PolicySeconds *int64 `json:"policySeconds"` // null: kept for ever
	Deleted       int    `json:"deleted"`
}

// PruneReport says what PruneJobs did, or would do.
type PruneReport struct {
	DryRun         bool                  `json:"dryRun"`
	Retention      map[job.Status]Pruned `json:"retention"`
	PrunedContents int                   `json:"prunedContents"`
}

// PruneJobs deletes the jobs that the settings keep no longer, and the texts
// that no job has any more. Executions and findings stay.
func (a *Atlas) PruneJobs(ctx context.Context, by sm.Channel, dryRun bool) (PruneReport, error) {
	keep := a.Settings().Jobs.Retention
	report := PruneReport{DryRun: dryRun, Retention: map[job.Status]Pruned{
		job.Completed: {PolicySeconds: keep.Completed}, job.Failed: {PolicySeconds: keep.Failed}, job.Cancelled: {PolicySeconds: keep.Cancelled},
	}}
	before := map[job.Status]int64{}
	for status, p := range report.Retention {
		if p.PolicySeconds != nil {
			before[status] = a.now().UnixMilli() - *p.PolicySeconds*1000
		}
	}
	deleted, contents, err := a.deleteJobs(ctx, by, before, dryRun)
	for status, n := range deleted {
		report.Retention[status] = Pruned{report.Retention[status].PolicySeconds, n}
	}
	report.PrunedContents = contents
	return report, err
}

// ClearJobs deletes the jobs of a terminal status at once, of all three when
// it is empty. The fault is Invalid for a status that is not terminal.
func (a *Atlas) ClearJobs(ctx context.Context, by sm.Channel, status string) error {
	before := map[job.Status]int64{}
	for _, s := range []job.Status{job.Completed, job.Failed, job.Cancelled} {
		if status == "" || status == string(s) {
			before[s] = a.now().UnixMilli() + 1
		}
	}
	if len(before) == 0 {
		return fault.New(fault.Invalid, "Jobs that are completed, failed or cancelled can be cleared; %q is none of these.", status)
	}
	_, _, err := a.deleteJobs(ctx, by, before, false)
	return err
}

// deleteJobs deletes terminal jobs that finished before a moment for their
// status, and counts them.
func (a *Atlas) deleteJobs(ctx context.Context, by sm.Channel, before map[job.Status]int64, dryRun bool) (deleted map[job.Status]int, contents int, err error) {
	sum := 0
	err = a.write(ctx, func(tx *store.Tx) error {
		deleted, contents, sum = map[job.Status]int{}, 0, 0
		for status, moment := range before {
			n, err := tx.PruneJobs(ctx, status, moment, dryRun)
			if err != nil {
				return err
			}
			deleted[status] = n
			sum += n
		}
		if dryRun {
			return nil
		}
		var err error
		contents, err = tx.PruneContents(ctx)
		return err
	})
	if err == nil && sum+contents > 0 && !dryRun {
		a.Log(sm.Operation{Op: "jobs.prune", Target: "*", Channel: by, Outcome: "ok", Detail: "deleted=" + itoa(sum)})
	}
	return deleted, contents, err
}
