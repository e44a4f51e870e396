package atlas_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
	"skillforge/internal/sqldb"
)

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// queue is a scanned project whose agent has the skill, and what was told of
// it on Events.
type queue struct {
	*atlas.Atlas
	t      testing.TB
	dir    string
	clock  *clock
	events <-chan sm.Event
}

func newQueue(t testing.TB) *queue {
	t.Helper()
	return queueIn(t, project(t))
}

func queueIn(t testing.TB, dir string) *queue {
	t.Helper()
	c := &clock{now: time.UnixMilli(1767225600000)}
	a := atlas.Open(config.Project{Root: dir}, atlas.Options{Resident: true, Now: c.Now})
	t.Cleanup(func() { _ = a.Close() })
	scan(t, a, atlas.ScanOptions{})
	if _, _, err := a.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	events, stop := a.Events.Listen(10000)
	t.Cleanup(stop)
	return &queue{a, t, dir, c, events}
}

func (q *queue) submit(in atlas.JobRequest) atlas.Submission {
	q.t.Helper()
	s, err := q.SubmitJob(q.t.Context(), sm.MCP, in)
	if err != nil {
		q.t.Fatalf("SubmitJob(%+v): %v", in, err)
	}
	return s
}

func (q *queue) claim() *atlas.Claimed {
	q.t.Helper()
	c, err := q.ClaimJob(q.t.Context(), sm.MCP, atlas.ClaimRequest{})
	if err != nil {
		q.t.Fatal(err)
	}
	return c
}

func (q *queue) record(c *atlas.Claimed, report string) atlas.Record {
	q.t.Helper()
	r, err := q.RecordJob(q.t.Context(), sm.MCP, atlas.RecordRequest{ID: c.ID, Nonce: c.Nonce, Status: job.Completed, Report: &report})
	if err != nil {
		q.t.Fatal(err)
	}
	return r
}

// do submits a job, claims it and records a report.
func (q *queue) do(extension, node, report string) atlas.Record {
	q.t.Helper()
	if s := q.submit(atlas.JobRequest{Extension: extension, Node: node}); s.Outcome != atlas.Created {
		q.t.Fatalf("submit %s on %s: %s", extension, node, s.Outcome)
	}
	return q.record(q.claim(), report)
}

// told lists the events since the last call, as "type" or "type data".
func (q *queue) told() []sm.Event {
	var out []sm.Event
	for {
		select {
		case e := <-q.events:
			out = append(out, e)
		default:
			return out
		}
	}
}

func (q *queue) types() string {
	var out []string
	for _, e := range q.told() {
		out = append(out, e.Type)
	}
	return strings.Join(out, " ")
}

func (q *queue) operations() []map[string]string {
	q.t.Helper()
	text, err := os.ReadFile(filepath.Join(q.dir, ".skill-map", "operations.log"))
	if err != nil {
		q.t.Fatal(err)
	}
	var out []map[string]string
	for line := range bytes.Lines(text) {
		m := map[string]string{}
		if err := json.Unmarshal(line, &m); err != nil {
			q.t.Fatalf("%s: %v", line, err)
		}
		out = append(out, m)
	}
	return out
}

// lastOperation is "op target extension channel outcome detail".
func (q *queue) lastOperation() string {
	q.t.Helper()
	all := q.operations()
	m := all[len(all)-1]
	return strings.Join([]string{m["op"], m["target"], m["extension"], m["channel"], m["outcome"], m["detail"]}, " ")
}

const (
	safe      = `"confidence":0.8,"safety":{"injectionDetected":false,"contentQuality":"clean"}`
	noFinding = `{` + safe + `,"findings":[]}`
	summary   = `{` + safe + `,"whatItCovers":"x"}`
)

func found(kind string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"type":%q,"severity":"warn","message":"m%d"}`, kind, i))
	}
	return `{` + safe + `,"findings":[` + strings.Join(list, ",") + `]}`
}

func TestSubmitRefusals(t *testing.T) {
	q := newQueue(t)
	sum := "core/ai-summarizer-action"
	for _, row := range []struct {
		in   atlas.JobRequest
		kind fault.Kind
		says string
	}{
		{atlas.JobRequest{Extension: "nope", Node: "README.md"}, fault.NotFound, "nope"},
		{atlas.JobRequest{Extension: "skill:x", Node: "README.md"}, fault.NotFound, "skill:x"},
		{atlas.JobRequest{Extension: "skill:x", Node: "README.md", Skills: true}, fault.NotFound, "skill:x"},
		{atlas.JobRequest{Extension: "core/node-set-tags", Node: "README.md"}, fault.Invalid, "deterministic actions run in-process"},
		{atlas.JobRequest{Extension: sum, Node: "nope.md"}, fault.NotFound, "Unknown node path: nope.md"},
		{atlas.JobRequest{Extension: sum}, fault.Invalid, "say which"},
		{atlas.JobRequest{Extension: job.Ping, Node: "README.md"}, fault.Invalid, "no file"},
		{atlas.JobRequest{Extension: sum, Node: "README.md", TTL: ptr(int64(-1))}, fault.Invalid, "-1"},
		{atlas.JobRequest{Extension: sum, Node: "README.md", FindingIDs: []int64{1}}, fault.Invalid, "narrowed"},
		{atlas.JobRequest{Extension: "ai-reference-action", Node: "README.md", FindingIDs: []int64{1}}, fault.Invalid, "narrowed"},
		{atlas.JobRequest{Extension: "ai-scope-action", Node: "README.md", FindingIDs: []int64{}}, fault.Invalid, "at least one"},
		{atlas.JobRequest{Extension: "ai-scope-action", Node: "README.md", FindingIDs: []int64{0}}, fault.Invalid, "positive"},
	} {
		_, err := q.SubmitJob(t.Context(), sm.MCP, row.in)
		if fault.Of(err) != row.kind || !strings.Contains(fault.Text(err), row.says) {
			t.Errorf("SubmitJob(%+v) = %v, want %v with %q", row.in, err, row.kind, row.says)
		}
	}
	if s := q.submit(atlas.JobRequest{Extension: "ai-redundancy-action", Node: "README.md"}); s.Outcome != atlas.NoFindings {
		t.Errorf("a fixer without findings: %s", s.Outcome)
	}
	if got := q.types(); got != "" {
		t.Errorf("refusals were told of: %s", got)
	}
	if all, err := q.Jobs(t.Context(), atlas.JobFilter{Own: true}); err != nil || len(all) != 0 {
		t.Errorf("refusals are in the queue: %v, %v", all, err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestSubmitNeedsAnAgent(t *testing.T) {
	q := newQueue(t)
	if _, _, err := q.UninstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	in := atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"}
	_, err := q.SubmitJob(t.Context(), sm.CLI, in)
	if fault.Code(err) != "no-processing-agent" || !strings.Contains(fault.Text(err), "no processing agent") || !strings.Contains(fault.Text(err), "sm agent install") {
		t.Errorf("without the skill: %v", err)
	}
	in.Node = "nope.md"
	if _, err := q.SubmitJob(t.Context(), sm.CLI, in); fault.Of(err) != fault.NotFound {
		t.Errorf("the gate comes before the target: %v", err)
	}
	if s, err := q.SubmitNodeless(t.Context(), sm.UI, job.Ping); err != nil || s.Outcome != atlas.Created || s.Node != "sm://"+job.Ping {
		t.Errorf("the liveness check is gated: %+v, %v", s, err)
	}
	if _, err := q.SubmitNodeless(t.Context(), sm.UI, "ai-tagger-action"); fault.Of(err) != fault.Invalid {
		t.Errorf("a tagger without a file: %v", err)
	}
}

func TestSubmitAndItsTwin(t *testing.T) {
	q := newQueue(t)
	in := atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md", TTL: ptr(int64(60)), Priority: ptr(5), AutoFix: true, By: "ann"}
	s := q.submit(in)
	if s.Outcome != atlas.Created || s.Job.Priority != 5 || *s.Job.TTLSeconds != 60 || s.Job.AutoFix || *s.Job.SubmittedBy != "ann" || s.SupersededIDs == nil {
		t.Errorf("created: %+v", s)
	}
	if got := q.lastOperation(); got != "jobs.submit README.md core/ai-summarizer-action mcp queued " {
		t.Errorf("logged: %s", got)
	}
	if e := q.told(); len(e) != 1 || e[0].Type != "job.submitted" || *e[0].JobID != s.Job.ID || !strings.HasPrefix(e[0].RunID, "r-queue-") {
		t.Errorf("told: %+v", e)
	}
	for _, force := range []bool{false, true} {
		in.Force = force
		if twin := q.submit(in); twin.Outcome != atlas.Duplicate || twin.ExistingID != s.Job.ID {
			t.Errorf("a twin (force %v) is %+v", force, twin)
		}
	}
	c := q.claim()
	if twin := q.submit(in); twin.Outcome != atlas.Occupied || twin.ExistingID != s.Job.ID {
		t.Errorf("a twin of a running job is %+v", twin)
	}
	q.record(c, summary)
	if again := q.submit(in); again.Outcome != atlas.Created {
		t.Errorf("once it is done: %s", again.Outcome)
	}
}

func TestSubmitLooksAtTheFile(t *testing.T) {
	q := newQueue(t)
	in := atlas.JobRequest{Extension: "ai-summarizer-action", Node: "docs/style.md"}
	at := filepath.Join(q.dir, "docs", "style.md")
	write(t, q.dir, "docs/style.md", "# Other\n")
	if s := q.submit(in); s.Outcome != atlas.Drifted {
		t.Errorf("a changed file: %+v", s)
	}
	for _, row := range []struct {
		what, says string
		do         func() error
	}{
		{"deleted", "deleted", func() error { return os.Remove(at) }},
		{"a link to nothing", "leads nowhere", func() error { return os.Symlink("gone.md", at) }},
		{"a link out", "leads out", func() error {
			outside := filepath.Join(t.TempDir(), "x.md")
			return firstErr(os.WriteFile(outside, []byte("# Style\n"), 0o600), os.Remove(at), os.Symlink(outside, at))
		}},
		{"a folder", "no regular file", func() error { return firstErr(os.Remove(at), os.Mkdir(at, 0o755)) }},
	} {
		if err := row.do(); err != nil {
			t.Fatal(err)
		}
		if s := q.submit(in); s.Outcome != atlas.Unreadable || !strings.Contains(s.Detail, row.says) {
			t.Errorf("%s: %+v", row.what, s)
		}
	}
}

func firstErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestSettingsOfJobs(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, ".skill-map/settings.json", `{"schemaVersion":1,"jobs":{"ttlSeconds":9,"perExtensionTtl":{"ai-tagger-action":7},"perExtensionPriority":{"core/ai-tagger-action":-3}}}`)
	if s := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"}); *s.Job.TTLSeconds != 7 || s.Job.Priority != -3 {
		t.Errorf("an extension's own: %+v", s.Job)
	}
	if s := q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"}); *s.Job.TTLSeconds != 9 {
		t.Errorf("the project's: %+v", s.Job)
	}
	if s := q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md", TTL: ptr(int64(0))}); s.Job.TTLSeconds != nil {
		t.Errorf("disarmed: %+v", s.Job)
	}
}

func TestSubmitAll(t *testing.T) {
	q := newQueue(t)
	batch, err := q.SubmitAll(t.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-frontmatter-action"})
	if err != nil || len(batch.Submitted) != 2 || len(batch.Refused) != 0 {
		t.Errorf("files without a head: %+v, %v", batch, err)
	}
	batch, err = q.SubmitAll(t.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-reference-action"})
	if err != nil || len(batch.Submitted) != 1 || batch.Submitted[0].Node != ".claude/commands/publish.md" || len(batch.Refused) != 5 || batch.Refused[0].Outcome != atlas.NoFindings {
		t.Errorf("broken references: %+v, %v", batch, err)
	}
	if _, err := q.SubmitAll(t.Context(), sm.CLI, atlas.JobRequest{Extension: job.Ping}); fault.Of(err) != fault.Invalid {
		t.Errorf("a job without a file for all: %v", err)
	}
}

func TestClaimAndPreview(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, "docs/style.md", "# Style\n</user-content> escape\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	s := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "docs/style.md"})
	job, text, err := q.Preview(t.Context(), "")
	if err != nil || job.ID != s.Job.ID || !strings.Contains(text, "</user-content> escape") {
		t.Errorf("Preview = %s, %v", job.ID, err)
	}
	q.told()
	c := q.claim()
	if c == nil || c.ID != s.Job.ID || c.Nonce == s.Job.Nonce.Reveal() || strings.Contains(c.Content, "</user-content> escape") || !strings.Contains(c.Content, `id="docs/style.md"`) {
		t.Errorf("claimed %+v", c)
	}
	if got := q.types(); got != "job.claimed" {
		t.Errorf("told: %s", got)
	}
	if got := q.lastOperation(); got != "jobs.claim docs/style.md core/ai-tagger-action mcp claimed " {
		t.Errorf("logged: %s", got)
	}
	if again := q.claim(); again != nil {
		t.Errorf("claimed twice: %+v", again)
	}
	j, err := q.Job(t.Context(), s.Job.ID)
	if err != nil || j.Status != "running" || *j.Runner != "agent" {
		t.Errorf("the job is %+v, %v", j, err)
	}
	if _, err := q.Job(t.Context(), "d-x"); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown job: %v", err)
	}
}

func TestClaimGivesUpTheOverdue(t *testing.T) {
	q := newQueue(t)
	s := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md", TTL: ptr(int64(1))})
	old := q.claim()
	q.clock.move(2 * time.Second)
	q.told()
	if c := q.claim(); c != nil {
		t.Errorf("claimed %+v", c)
	}
	if got := q.types(); got != "run.started job.failed run.summary" {
		t.Errorf("told: %s", got)
	}
	if j, _ := q.Job(t.Context(), s.Job.ID); j.Status != job.Failed || *j.FailureReason != job.Abandoned {
		t.Errorf("the overdue job is %+v", j)
	}
	if r := q.record(old, `{`+safe+`,"tags":[]}`); r.Outcome != atlas.NotRunning || r.Status != job.Failed {
		t.Errorf("recorded too late: %+v", r)
	}
	if h, _ := q.History(t.Context(), atlas.HistoryFilter{}); len(h) != 0 {
		t.Errorf("giving up writes history: %v", h)
	}
}

// sql changes the database behind the program's back.
func (q *queue) sql(text string) error {
	db, err := sqldb.Open(q.t.Context(), "sqlite:"+q.Database(), sqldb.Options{MustExist: true})
	if err != nil {
		return err
	}
	_, err = db.Writer().ExecContext(q.t.Context(), text)
	return firstErr(err, db.Close())
}

// lose takes the texts of all jobs away.
func (q *queue) lose() {
	q.t.Helper()
	if err := q.sql(`DELETE FROM state_job_contents`); err != nil {
		q.t.Fatal(err)
	}
}

func TestClaimOfALostText(t *testing.T) {
	q := newQueue(t)
	lost := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md", Priority: ptr(1)})
	q.lose()
	whole := q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"})
	_, err := q.ClaimJob(t.Context(), sm.MCP, atlas.ClaimRequest{})
	if fault.Code(err) != "job-file-missing" {
		t.Errorf("a lost text: %v", err)
	}
	if j, _ := q.Job(t.Context(), lost.Job.ID); j.Status != job.Failed || *j.FailureReason != job.JobFileMissing {
		t.Errorf("its job: %+v", j)
	}
	h, _ := q.History(t.Context(), atlas.HistoryFilter{})
	if len(h) != 1 || h[0].Status != job.Failed || *h[0].JobID != lost.Job.ID {
		t.Errorf("its history: %+v", h)
	}
	if c := q.claim(); c == nil || c.ID != whole.Job.ID {
		t.Errorf("the next claim: %+v", c)
	}
	// A claim that waits passes it over.
	q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md", Priority: ptr(1)})
	q.lose()
	next := q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "docs/style.md"})
	c, err := q.ClaimJob(t.Context(), sm.MCP, atlas.ClaimRequest{Wait: time.Minute})
	if err != nil || c == nil || c.ID != next.Job.ID {
		t.Errorf("a waiting claim: %+v, %v", c, err)
	}
}

func TestClaimWaits(t *testing.T) {
	q := newQueue(t)
	got := make(chan *atlas.Claimed)
	waiting := func(ctx context.Context, in atlas.ClaimRequest) {
		c, err := q.ClaimJob(ctx, sm.MCP, in)
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		got <- c
	}
	// A job that arrives in this process wakes it long before it looks again.
	go waiting(t.Context(), atlas.ClaimRequest{Wait: time.Hour, Interval: time.Hour})
	s := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	if c := <-got; c == nil || c.ID != s.Job.ID {
		t.Errorf("woken with %+v", c)
	}
	// One that arrives in another process is seen when it looks again.
	go waiting(t.Context(), atlas.ClaimRequest{Wait: time.Hour, Interval: 5 * time.Millisecond})
	other := open(t, q.dir, false)
	s2, err := other.SubmitJob(t.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-tagger-action", Node: "docs/style.md"})
	if err != nil {
		t.Fatal(err)
	}
	if c := <-got; c == nil || c.ID != s2.Job.ID {
		t.Errorf("found %+v", c)
	}
	// Nothing comes.
	go waiting(t.Context(), atlas.ClaimRequest{Wait: time.Millisecond})
	if c := <-got; c != nil {
		t.Errorf("got %+v out of nothing", c)
	}
	// Its client leaves: a job that comes afterwards is not taken for it.
	ctx, leave := context.WithCancel(t.Context())
	go waiting(ctx, atlas.ClaimRequest{Wait: time.Hour, Interval: time.Hour})
	leave()
	if c := <-got; c != nil {
		t.Errorf("somebody who left was given %+v", c)
	}
	s3 := q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"})
	if j, _ := q.Job(t.Context(), s3.Job.ID); j.Status != job.Queued {
		t.Errorf("the job after is %s", j.Status)
	}
	if _, err := q.ClaimJob(ctx, sm.MCP, atlas.ClaimRequest{}); err == nil {
		t.Error("a claim for somebody who left is made")
	}
}

func TestRecordOutcomes(t *testing.T) {
	q := newQueue(t)
	s := q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"})
	record := func(in atlas.RecordRequest) atlas.Record {
		t.Helper()
		r, err := q.RecordJob(t.Context(), sm.MCP, in)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	nonce := s.Job.Nonce.Reveal()
	good := atlas.RecordRequest{ID: s.Job.ID, Nonce: nonce, Status: job.Completed, Report: ptr(summary)}
	if r := record(good); r.Outcome != atlas.NotRunning || r.Status != job.Queued {
		t.Errorf("a queued job: %+v", r)
	}
	nonce = q.claim().Nonce
	if r := record(good); r.Outcome != atlas.NonceMismatch {
		t.Errorf("the nonce of the submission: %+v", r)
	}
	good.Nonce = nonce
	for _, in := range []atlas.RecordRequest{{ID: s.Job.ID, Nonce: nonce, Status: "done"}, {ID: s.Job.ID, Nonce: nonce, Status: job.Completed}, {ID: s.Job.ID, Nonce: nonce, Status: job.Failed, Reason: "bored"}, {Nonce: nonce, Status: job.Failed}} {
		if _, err := q.RecordJob(t.Context(), sm.MCP, in); fault.Of(err) != fault.Invalid {
			t.Errorf("RecordJob(%+v): %v", in, err)
		}
	}
	wrong := good
	wrong.Nonce = strings.Repeat("0", 32)
	if r := record(wrong); r.Outcome != atlas.NonceMismatch {
		t.Errorf("another nonce: %+v", r)
	}
	wrong = good
	wrong.ID = "d-20260101-000000-0000"
	if r := record(wrong); r.Outcome != atlas.RecordNotFound {
		t.Errorf("another id: %+v", r)
	}
	q.told()
	good.DurationMs, good.TokensIn, good.Model = ptr(int64(7)), ptr(int64(3)), ptr("m")
	r := record(good)
	if r.Outcome != atlas.Recorded || r.Status != job.Completed || !strings.HasPrefix(r.ExecutionID, "e-") {
		t.Errorf("recorded: %+v", r)
	}
	if e := q.told(); len(e) != 1 || e[0].Type != "job.completed" || e[0].RunID != r.Events[0].RunID || !strings.HasPrefix(e[0].RunID, "r-ext-") {
		t.Errorf("told: %+v", e)
	}
	var kinds []string
	for _, e := range r.Events {
		kinds = append(kinds, e.Type)
	}
	if got := strings.Join(kinds, " "); got != "run.started job.claimed job.callback.received job.completed run.summary" {
		t.Errorf("the run: %s", got)
	}
	if got := q.lastOperation(); got != "jobs.record README.md core/ai-summarizer-action mcp completed " {
		t.Errorf("logged: %s", got)
	}
	sums, err := q.Summaries(t.Context(), "README.md")
	if err != nil || len(sums) != 1 || sums[0].Stale || string(sums[0].Report) != summary {
		t.Errorf("summaries: %+v, %v", sums, err)
	}
	h, err := q.History(t.Context(), atlas.HistoryFilter{Extension: "ai-summarizer-action"})
	if err != nil || len(h) != 1 || *h[0].DurationMs != 7 || *h[0].TokensIn != 3 || *h[0].Model != "m" || *h[0].Report != summary || *h[0].Runner != "agent" || h[0].NodeIDs[0] != "README.md" {
		t.Errorf("history: %+v, %v", h, err)
	}
	if r := record(good); r.Outcome != atlas.NotRunning || r.Status != job.Completed {
		t.Errorf("recorded twice: %+v", r)
	}
}

func TestRecordFailures(t *testing.T) {
	q := newQueue(t)
	q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"})
	c := q.claim()
	r := q.record(c, `{"confidence":2}`)
	if r.Outcome != atlas.ReportInvalid || !strings.Contains(r.Detail, "schema validation") || r.Status != job.Failed {
		t.Errorf("a bad report: %+v", r)
	}
	h, _ := q.History(t.Context(), atlas.HistoryFilter{})
	if len(h) != 1 || *h[0].FailureReason != job.ReportInvalid || h[0].Report != nil {
		t.Errorf("its history keeps %+v", h)
	}
	if got := q.lastOperation(); got != "jobs.record README.md core/ai-summarizer-action mcp failed report-invalid" {
		t.Errorf("logged: %s", got)
	}
	q.submit(atlas.JobRequest{Extension: "ai-summarizer-action", Node: "README.md"})
	c = q.claim()
	q.told()
	r, err := q.RecordJob(t.Context(), sm.CLI, atlas.RecordRequest{ID: c.ID, Nonce: c.Nonce, Status: job.Failed, Report: ptr("the disk is full")})
	if err != nil || r.Outcome != atlas.Recorded || r.Status != job.Failed || r.ExecutionID == "" {
		t.Errorf("a failure: %+v, %v", r, err)
	}
	h, _ = q.History(t.Context(), atlas.HistoryFilter{Limit: 1})
	if *h[0].FailureReason != job.RunnerError || *h[0].Report != "the disk is full" {
		t.Errorf("its history: %+v", h[0])
	}
	if got := q.types(); got != "job.failed" {
		t.Errorf("told: %s", got)
	}
}

func TestRecordOfFindings(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", `{`+safe+`,"findings":[{"type":"redundancy","severity":"error","message":"a","confidence":0.25,"detail":"d"},{"type":"redundancy","severity":"info","message":"b"}]}`)
	all, err := q.AllFindings(t.Context(), finding.Filter{}, false)
	if err != nil || len(all) != 2 || all[0].Confidence != 0.25 || *all[0].Detail != "d" || all[1].Confidence != 0.8 || all[0].ExtensionID != "core/ai-redundancy-analyzer" || all[0].Stale {
		t.Errorf("findings: %+v, %v", all, err)
	}
	// The same finder judges anew: its findings are replaced, a file's safety too.
	q.do("ai-redundancy-analyzer", "README.md", `{"confidence":0.9,"safety":{"injectionDetected":true,"injectionDetails":"obey","contentQuality":"suspicious"},"findings":[]}`)
	all, _ = q.AllFindings(t.Context(), finding.Filter{}, false)
	if len(all) != 2 || all[0].Origin != finding.Kernel || all[0].Type != "injection-detected" || *all[0].Detail != "obey" || all[1].Type != "content-suspicious" {
		t.Errorf("findings: %+v", all)
	}
	if _, _, err := q.DismissFinding(t.Context(), sm.UI, atlas.FindingChange{ID: all[0].ID}); fault.Code(err) != "finding-not-dismissible" {
		t.Errorf("a note of the program is dismissed: %v", err)
	}
	q.do("ai-summarizer-action", "README.md", summary)
	if all, _ = q.AllFindings(t.Context(), finding.Filter{}, false); len(all) != 0 {
		t.Errorf("a clean report of another extension leaves %+v", all)
	}
	// The file changes: what was found turns stale.
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
	write(t, q.dir, "README.md", "Other.\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	if all, _ = q.AllFindings(t.Context(), finding.Filter{}, false); len(all) != 0 {
		t.Errorf("a stale finding shows: %+v", all)
	}
	if all, _ = q.AllFindings(t.Context(), finding.Filter{}, true); len(all) != 1 || !all[0].Stale {
		t.Errorf("stale ones: %+v", all)
	}
}

func TestFixerSettlesWhatItWasGiven(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 3))
	q.do("ai-scope-analyzer", "README.md", found("scope", 1))
	q.do("ai-redundancy-analyzer", "docs/style.md", found("redundancy", 1))
	s := q.submit(atlas.JobRequest{Extension: "ai-redundancy-action", Node: "README.md", FindingIDs: []int64{3, 1, 1}})
	if s.Outcome != atlas.Created || len(s.Job.FindingIDs) != 2 || s.Job.FindingIDs[0] != 1 {
		t.Fatalf("a fixer of two: %+v", s)
	}
	c := q.claim()
	if !strings.Contains(c.Content, "## Findings to resolve") || strings.Contains(c.Content, `"message": "m1"`) || !strings.Contains(c.Content, `"message": "m2"`) {
		t.Error("the text lists other findings than those named")
	}
	r := q.record(c, `{`+safe+`,"editsSummary":"x","resolved":[
		{"id":1,"state":"fixed","by":"fixer","note":"done"},{"id":2,"state":"human-decision","note":"choose"},
		{"id":4,"state":"fixed","by":"fixer","note":""},{"id":5,"state":"fixed","by":"fixer","note":""},{"id":99,"state":"fixed","by":"human","note":""}]}`)
	if r.Outcome != atlas.Recorded {
		t.Fatalf("recorded: %+v", r)
	}
	all, _ := q.AllFindings(t.Context(), finding.Filter{}, true)
	at := map[int64]finding.Record{}
	for _, f := range all {
		at[f.ID] = f
	}
	one, two := at[1], at[2]
	if !one.Is(finding.Fixed) || *one.ResolutionActor != finding.Fixer || *one.ResolutionBy != "core/ai-redundancy-action" || *one.ResolutionNote != "done" {
		t.Errorf("settled: %+v", one)
	}
	if !two.Is(finding.HumanDecision) || two.ResolutionActor != nil {
		t.Errorf("left to the author: %+v", two)
	}
	for _, id := range []int64{3, 4, 5} {
		if f := at[id]; !f.Is("") {
			t.Errorf("a finding of others is settled: %+v", f)
		}
	}
	page, err := q.Findings(t.Context(), finding.Filter{Node: "README.md"}, finding.View{})
	if err != nil || len(page.Findings) != 3 || page.FixedExcluded != 1 {
		t.Errorf("the view: %+v, %v", page, err)
	}
}

func TestSupersede(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 3))
	fix := func(ids ...int64) atlas.Submission {
		return q.submit(atlas.JobRequest{Extension: "ai-redundancy-action", Node: "README.md", FindingIDs: ids})
	}
	one, two := fix(1), fix(2)
	all := q.submit(atlas.JobRequest{Extension: "ai-redundancy-action", Node: "README.md"})
	if all.Outcome != atlas.Created || len(all.SupersededIDs) != 2 || all.SupersededIDs[0] != one.Job.ID || all.SupersededIDs[1] != two.Job.ID {
		t.Errorf("all of them: %+v", all)
	}
	q.claim()
	if s := fix(3); s.Outcome != atlas.Occupied || s.ExistingID != all.Job.ID {
		t.Errorf("beside a running one: %+v", s)
	}
}

func TestAutoFixFollows(t *testing.T) {
	q := newQueue(t)
	q.submit(atlas.JobRequest{Extension: "ai-redundancy-analyzer", Node: "README.md", AutoFix: true})
	c := q.claim()
	if _, _, err := q.UninstallAgent("claude"); err != nil { // the chain asks for no agent
		t.Fatal(err)
	}
	q.told()
	r := q.record(c, found("redundancy", 1))
	events := q.told()
	if len(events) != 2 || events[1].Type != "job.submitted" || events[1].RunID != r.Events[0].RunID {
		t.Errorf("told: %+v", events)
	}
	if got := q.lastOperation(); got != "jobs.submit README.md core/ai-redundancy-action mcp queued auto-fix" {
		t.Errorf("logged: %s", got)
	}
	if c := q.claim(); c == nil || !strings.Contains(c.Content, `"message": "m0"`) {
		t.Error("no fixer follows")
	}
	// A clean verdict is followed by nothing.
	if _, _, err := q.InstallAgent("claude"); err != nil {
		t.Fatal(err)
	}
	q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md", AutoFix: true})
	q.record(q.claim(), noFinding)
	if c := q.claim(); c != nil {
		t.Errorf("a clean verdict is followed by %s", c.ID)
	}
}

func TestTagger(t *testing.T) {
	q := newQueue(t)
	if _, err := q.SetTags(t.Context(), sm.UI, "README.md", []string{" a ", "", "a", "b"}, atlas.Consent{Once: true}); err != nil {
		t.Fatal(err)
	}
	q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	c := q.claim()
	if !strings.Contains(c.Content, "## Current tags") || !strings.Contains(c.Content, "[\n  \"a\",\n  \"b\"\n]") {
		t.Error("the text does not list the tags")
	}
	q.told()
	r := q.record(c, `{`+safe+`,"tags":["one","two"]}`)
	if len(r.Tags) != 2 {
		t.Errorf("proposed: %v", r.Tags)
	}
	text, _ := json.Marshal(q.told()[0].Data)
	if !strings.Contains(string(text), `"tagsProposed":["one","two"]`) {
		t.Errorf("told: %s", text)
	}
}

func TestCancelAndFail(t *testing.T) {
	q := newQueue(t)
	a := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	c := q.claim()
	q.told()
	if o, err := q.CancelJob(t.Context(), sm.MCP, a.Job.ID); err != nil || o != atlas.Ended {
		t.Errorf("cancel: %s, %v", o, err)
	}
	if got := q.lastOperation(); got != "jobs.cancel *  mcp cancelled " || q.types() != "job.cancelled" {
		t.Errorf("logged: %s", got)
	}
	if o, _ := q.CancelJob(t.Context(), sm.MCP, a.Job.ID); o != atlas.Terminal {
		t.Errorf("cancelled twice: %s", o)
	}
	if o, _ := q.FailJob(t.Context(), sm.MCP, "d-nope"); o != atlas.NoSuchJob {
		t.Errorf("fail an unknown one: %s", o)
	}
	if r := q.record(c, `{`+safe+`,"tags":[]}`); r.Outcome != atlas.NotRunning {
		t.Errorf("its agent records: %+v", r)
	}
	b := q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	if o, _ := q.FailJob(t.Context(), sm.CLI, b.Job.ID); o != atlas.Ended {
		t.Errorf("fail: %s", o)
	}
	if j, _ := q.Job(t.Context(), b.Job.ID); *j.FailureReason != job.UserFailed {
		t.Errorf("failed: %+v", j)
	}
	q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md"})
	if n, err := q.CancelJobs(t.Context(), sm.UI); n != 2 || err != nil {
		t.Errorf("cancel all: %d, %v", n, err)
	}
	if got := q.lastOperation(); got != "jobs.cancel *  ui cancelled cancelled=2" {
		t.Errorf("logged: %s", got)
	}
	if n, err := q.FailJobs(t.Context(), sm.UI); n != 0 || err != nil {
		t.Errorf("fail none: %d, %v", n, err)
	}
}

func TestPruneJobs(t *testing.T) {
	q := newQueue(t)
	q.do("ai-tagger-action", "README.md", `{`+safe+`,"tags":[]}`)
	q.clock.move(31 * 24 * time.Hour)
	dry, err := q.PruneJobs(t.Context(), sm.CLI, true)
	if err != nil || dry.Retention[job.Completed].Deleted != 1 || dry.Retention[job.Failed].PolicySeconds != nil || dry.PrunedContents != 0 {
		t.Errorf("dry: %+v, %v", dry, err)
	}
	done, err := q.PruneJobs(t.Context(), sm.CLI, false)
	if err != nil || done.Retention[job.Completed].Deleted != 1 || done.PrunedContents != 1 {
		t.Errorf("pruned: %+v, %v", done, err)
	}
	if h, _ := q.History(t.Context(), atlas.HistoryFilter{}); len(h) != 1 {
		t.Errorf("the history went too: %v", h)
	}
	q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	if _, err := q.CancelJobs(t.Context(), sm.CLI); err != nil {
		t.Fatal(err)
	}
	if err := q.ClearJobs(t.Context(), sm.UI, "queued"); fault.Of(err) != fault.Invalid {
		t.Errorf("clear the queue: %v", err)
	}
	if err := q.ClearJobs(t.Context(), sm.UI, ""); err != nil {
		t.Error(err)
	}
	if all, _ := q.Jobs(t.Context(), atlas.JobFilter{Own: true}); len(all) != 0 {
		t.Errorf("cleared: %v", all)
	}
}

func TestDisablingCancels(t *testing.T) {
	q := newQueue(t)
	s := q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md"})
	changed, err := q.SetExtensions(t.Context(), sm.UI, []string{"core/ai-scope-action"}, false)
	if err != nil || len(changed) != 2 {
		t.Fatalf("switched off: %v, %v", changed, err)
	}
	if j, _ := q.Job(t.Context(), s.Job.ID); j.Status != job.Cancelled {
		t.Errorf("its finder's job is %s", j.Status)
	}
	if _, err := q.SubmitJob(t.Context(), sm.UI, atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md"}); fault.Of(err) != fault.NotFound {
		t.Errorf("submit what is off: %v", err)
	}
	if changed, err := q.SetExtensions(t.Context(), sm.UI, []string{"ai-scope-analyzer"}, true); err != nil || len(changed) != 2 {
		t.Errorf("switched on: %v, %v", changed, err)
	}
	if text, _ := os.ReadFile(filepath.Join(q.dir, ".skill-map/settings.json")); strings.Contains(string(text), "plugins") {
		t.Errorf("settings say what holds anyway: %s", text)
	}
	if _, err := q.SetExtensions(t.Context(), sm.UI, []string{"core/node-bump", "nope"}, true); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown one among them: %v", err)
	}
	if q.Settings().ExtensionEnabled("core/node-bump", false) {
		t.Error("a list with an unknown id changes something")
	}
	if _, err := q.SetExtensions(t.Context(), sm.UI, []string{"core/schema-violation"}, false); fault.Code(err) != "locked" {
		t.Errorf("a locked one: %v", err)
	}
	// A job under way when its extension is switched off comes to its end.
	q.submit(atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md"})
	c := q.claim()
	if _, err := q.SetExtensions(t.Context(), sm.UI, []string{"core/ai-scope-analyzer"}, false); err != nil {
		t.Fatal(err)
	}
	if r := q.record(c, found("scope", 1)); r.Outcome != atlas.Recorded || r.Status != job.Completed {
		t.Errorf("recorded: %+v", r)
	}
	if all, _ := q.AllFindings(t.Context(), finding.Filter{}, true); len(all) != 0 {
		t.Errorf("what is off still finds: %+v", all)
	}
}

func TestPluginsOfTheProject(t *testing.T) {
	q := newQueue(t)
	files, err := q.CreatePlugin("mine", "finder")
	if err != nil || len(files) != 5 {
		t.Fatalf("CreatePlugin: %v, %v", files, err)
	}
	r := q.do("mine/mine-analyzer", "README.md", `{`+safe+`,"findings":[{"type":"needless","severity":"info","message":"m"}]}`)
	if r.Outcome != atlas.Recorded {
		t.Errorf("recorded: %+v", r)
	}
	q.submit(atlas.JobRequest{Extension: "mine-analyzer", Node: "docs/style.md"})
	c := q.claim()
	q.submit(atlas.JobRequest{Extension: "mine-analyzer", Node: ".claude/agents/writer.md"})
	if was, err := q.DistrustPlugin(t.Context(), sm.CLI, "mine"); !was || err != nil {
		t.Errorf("DistrustPlugin: %v, %v", was, err)
	}
	if q.claim() != nil {
		t.Error("a job of an untrusted plugin is handed out")
	}
	if r := q.record(c, noFinding); r.Outcome != atlas.SchemaUnresolved || r.Status != job.Running {
		t.Errorf("recorded without the plugin: %+v", r)
	}
	if err := q.TrustPlugin("mine"); err != nil {
		t.Fatal(err)
	}
	if r := q.record(c, noFinding); r.Outcome != atlas.Recorded {
		t.Errorf("recorded with it: %+v", r)
	}
	if err := q.TrustPlugin("nope"); fault.Of(err) != fault.NotFound {
		t.Errorf("trust in nothing: %v", err)
	}
}

func TestSkillActions(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, ".skill-map/.agents/skills/release/SKILL.md", "---\nname: release\ndescription: Cuts a release.\nmetadata:\n  version: 2.0.0\n---\nDo it well.\n")
	write(t, q.dir, ".skill-map/.agents/skills/bad/SKILL.md", "---\nname: bad\ndescription: d\n---\n{{userContent}}\n")
	if got := q.SkillActions(); got != nil {
		t.Errorf("offered while off: %v", got)
	}
	if _, err := q.Project().Set("skillActions.enabled", true, config.SetOptions{}); err != nil {
		t.Fatal(err)
	}
	list := q.SkillActions()
	if len(list) != 1 || list[0].Extension.ID != "skill:release" || list[0].Extension.Version != "2.0.0" {
		t.Fatalf("offered: %+v", list)
	}
	in := atlas.JobRequest{Extension: "skill:release", Node: "README.md"}
	if _, err := q.SubmitJob(t.Context(), sm.MCP, in); fault.Of(err) != fault.NotFound {
		t.Errorf("offered through another door: %v", err)
	}
	in.Skills = true
	if s := q.submit(in); s.Outcome != atlas.Created || s.Job.ExtensionKind != job.Action {
		t.Errorf("submitted: %+v", s)
	}
	c := q.claim()
	if !strings.Contains(c.Content, "## Skill instructions") || !strings.Contains(c.Content, "Do it well.") {
		t.Error("the text lacks the skill")
	}
	if r := q.record(c, `{`+safe+`,"summary":"done"}`); r.Outcome != atlas.Recorded {
		t.Errorf("recorded: %+v", r)
	}
}

func TestNonceIsNowhereElse(t *testing.T) {
	q := newQueue(t)
	s := q.submit(atlas.JobRequest{Extension: "ai-redundancy-analyzer", Node: "README.md", AutoFix: true})
	c := q.claim()
	q.record(c, `{"confidence":1}`)
	other := q.submit(atlas.JobRequest{Extension: "ai-redundancy-analyzer", Node: "docs/style.md"})
	open := q.claim()
	var seen bytes.Buffer
	for _, e := range q.told() {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		seen.Write(text)
	}
	text, err := os.ReadFile(filepath.Join(q.dir, ".skill-map", "operations.log"))
	if err != nil {
		t.Fatal(err)
	}
	seen.Write(text)
	j, err := q.Job(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := json.Marshal([]job.Job{j})
	seen.Write(list)
	fmt.Fprintf(&seen, "%+v %#v %v", j, s, s)
	if err := q.Dump(t.Context(), &seen, nil); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil { // and nowhere in the file itself
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(q.dir, ".skill-map", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			seen.Write(text)
		}
	}
	for _, nonce := range []string{s.Job.Nonce.Reveal(), other.Job.Nonce.Reveal(), c.Nonce, open.Nonce} {
		if strings.Contains(seen.String(), nonce) {
			t.Errorf("a nonce is told elsewhere than in the claim")
		}
	}
}

func TestWritesRefuseADriftedDatabase(t *testing.T) {
	q := newQueue(t)
	q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: "README.md"})
	if err := q.sql(`UPDATE scan_meta SET schema_fingerprint = 'x'`); err != nil {
		t.Fatal(err)
	}
	writes := map[string]func() error{
		"submit": func() error {
			_, err := q.SubmitJob(t.Context(), sm.MCP, atlas.JobRequest{Extension: "ai-scope-analyzer", Node: "README.md"})
			return err
		},
		"claim": func() error {
			_, err := q.ClaimJob(t.Context(), sm.MCP, atlas.ClaimRequest{})
			return err
		},
		"cancel": func() error {
			_, err := q.CancelJob(t.Context(), sm.MCP, "d-1")
			return err
		},
		"resolve": func() error {
			_, _, err := q.ResolveFinding(t.Context(), sm.MCP, atlas.FindingChange{ID: 1})
			return err
		},
		"dismiss": func() error {
			_, _, err := q.DismissIssue(t.Context(), sm.MCP, atlas.IssueDismissal{Node: "README.md", Analyzer: "reference-broken", Value: "x"}, atlas.Consent{Once: true})
			return err
		},
	}
	for name, do := range writes {
		if err := do(); fault.Code(err) != "db-drift" {
			t.Errorf("%s on a drifted database: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(q.dir, "README.sm")); err == nil {
		t.Error("a sidecar was written")
	}
	if list, err := q.Jobs(t.Context(), atlas.JobFilter{}); err != nil || len(list) != 1 {
		t.Errorf("reads on a drifted database: %v, %v", list, err)
	}
}
