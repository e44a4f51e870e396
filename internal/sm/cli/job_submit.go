package cli

import (
	"context"
	"strconv"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
)

type submitting struct {
	extension, node string
	all             bool
	force, autoFix  bool
	ttl, priority   string
	findings        []string
}

func jobsSubmitVerb() *verb {
	var o submitting
	return &verb{
		name: "jobs submit", category: queueing, brief: "Ask your agent for a piece of work",
		details: "Prints the id of the job. `sm actions list` shows what can be asked for.",
		args:    []arg{one(&o.extension, "EXTENSION", "what to do, such as ai-redundancy-analyzer")},
		flags: []flag{
			nodeFlag(&o.node, "node", "n", "The file to work on."),
			toggle(&o.all, "all", "", "One job for every file that the extension is for."),
			toggle(&o.force, "force", "", "Do not look for the same job first. One that is queued or running still counts."),
			text(&o.ttl, "ttl", "", "SECONDS", "Give the job up when its agent holds it longer; 0 for ever."),
			text(&o.priority, "priority", "", "N", "Higher goes first."),
			toggle(&o.autoFix, "auto-fix", "", "When a finder finds something, queue the matching fixer by itself."),
			texts(&o.findings, "finding", "", "ID", "Of a fixer: mend only this finding."),
		},
		examples: []example{
			{"sm jobs submit ai-security-analyzer -n .claude/agents/deploy.md", "judge one file"},
			{"sm jobs submit ai-trigger-analyzer --all --auto-fix", "judge and mend all of them"},
		},
		exits: []exit{{3, "the same job is there already"}, {5, "no such extension or node, or no map yet"}},
		run:   o.run,
	}
}

func (o *submitting) request() (atlas.JobRequest, error) {
	in := atlas.JobRequest{Extension: o.extension, Node: o.node, Force: o.force, AutoFix: o.autoFix, Lift: true}
	if o.ttl != "" {
		n, err := strconv.ParseInt(o.ttl, 10, 64)
		if err != nil {
			return in, usage("option '--ttl' must be a number of seconds, not %q", o.ttl)
		}
		in.TTL = &n
	}
	if o.priority != "" {
		n, err := strconv.Atoi(o.priority)
		if err != nil {
			return in, usage("option '--priority' must be an integer, not %q", o.priority)
		}
		in.Priority = &n
	}
	for _, text := range o.findings {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 {
			return in, usage("option '--finding' must be the number of a finding, not %q", text)
		}
		in.FindingIDs = append(in.FindingIDs, id)
	}
	if o.all && o.node != "" {
		return in, usage("--all and --node contradict each other")
	}
	return in, nil
}

func (o *submitting) run(ctx context.Context, s *session) error {
	in, err := o.request()
	if err != nil {
		return err
	}
	a, err := s.queue()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was queued is committed
	tell := s.herald(a)
	defer func() { tell(ctx) }()
	if a.AgentOutdated() {
		s.note("An agent has an older version of the skill; `sm agent install` brings it up to date.")
	}
	if o.all {
		return o.submitAll(ctx, s, a, in)
	}
	done, err := a.SubmitJob(ctx, sm.CLI, in)
	if fault.Code(err) == "node-missing" {
		return usage("%s --node PATH names one, --all takes every file that it is for.", fault.Text(err))
	}
	if err != nil {
		return err
	}
	if done.Outcome == atlas.Duplicate || done.Outcome == atlas.Occupied {
		if s.json {
			err = s.emit(struct {
				NodeID     string `json:"nodeId"`
				Duplicate  bool   `json:"duplicate"`
				ExistingID string `json:"existingId"`
			}{done.Node, true, done.ExistingID})
		}
		if err != nil {
			return err
		}
		return done.Refusal()
	}
	if err := done.Refusal(); err != nil {
		return err
	}
	s.tellLifted(done.Node, done.Lifted)
	for _, id := range done.SupersededIDs {
		s.note("It takes the place of the queued job %s.", id)
	}
	if s.json {
		return s.emit(done.Job.WithNonce())
	}
	s.printf("%s\n", done.Job.ID)
	s.waiting(ctx, a)
	return nil
}

// waiting tells how long the queue is.
func (s *session) waiting(ctx context.Context, a *atlas.Atlas) {
	if counts, err := a.JobCounts(ctx); err == nil && counts[job.Queued] > 0 {
		s.note("%s in the queue.", plural(counts[job.Queued], "job"))
	}
}

// tellLifted tells what became of a finder's suppressions.
func (s *session) tellLifted(node string, lifted atlas.LiftedFor) {
	for _, c := range lifted.Lifted {
		s.note("%s does not suppress %s any more: you asked for it.", draw.Line(node), draw.Line(class(c)))
	}
	for _, c := range lifted.Kept {
		s.note("%s suppresses %s, so what is found stays hidden. `sm findings undismiss` shows it.", draw.Line(node), draw.Line(class(c)))
	}
}

// class names what a suppression hides.
func class(c finding.Class) string {
	if c.Type == "" {
		return c.Extension
	}
	return c.Extension + " (" + c.Type + ")"
}

func (o *submitting) submitAll(ctx context.Context, s *session, a *atlas.Atlas, in atlas.JobRequest) error {
	batch, err := a.SubmitAll(ctx, sm.CLI, in)
	if err != nil {
		return err
	}
	type submitted struct {
		ID     string `json:"id"`
		NodeID string `json:"nodeId"`
	}
	type refused struct {
		NodeID     string `json:"nodeId"`
		Reason     string `json:"reason"`
		ExistingID string `json:"existingId,omitempty"`
		Detail     string `json:"detail,omitempty"`
	}
	type counts struct {
		Submitted int `json:"submitted"`
		Refused   int `json:"refused"`
		Total     int `json:"total"`
	}
	out := struct {
		Submitted []submitted `json:"submitted"`
		Refused   []refused   `json:"refused"`
		Counts    counts      `json:"counts"`
	}{[]submitted{}, []refused{}, counts{len(batch.Submitted), len(batch.Refused), len(batch.Submitted) + len(batch.Refused)}}
	for _, b := range batch.Submitted {
		out.Submitted = append(out.Submitted, submitted{b.Job.ID, b.Node})
		s.tellLifted(b.Node, b.Lifted)
	}
	for _, b := range batch.Refused {
		out.Refused = append(out.Refused, refused{b.Node, string(b.Outcome), b.ExistingID, b.Detail})
	}
	if s.json {
		return s.emit(out)
	}
	for _, b := range out.Submitted {
		s.printf("%s\n", b.ID)
	}
	for _, b := range out.Refused {
		s.note("%s  %s", draw.Line(b.NodeID), b.Reason)
	}
	s.note("%s queued, %d refused.", plural(out.Counts.Submitted, "job"), out.Counts.Refused)
	return nil
}

// theJob says that exactly one of a job and all of them is meant.
func theJob(id string, all bool) error {
	if (id == "") == !all {
		return usage("say which job, or --all")
	}
	return nil
}
