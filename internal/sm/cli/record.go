package cli

import (
	"context"
	"io"
	"os"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

type recording struct {
	id, nonce, status              string
	report, failure, model         string
	tokensIn, tokensOut, durationM int
}

func recordVerb() *verb {
	o := recording{tokensIn: -1, tokensOut: -1, durationM: -1}
	return &verb{
		name: "record", category: queueing, brief: "Close a job with what its agent reports",
		details: "For agents. The report is checked against the job's contract; one that breaks it fails the job.",
		flags: []flag{
			text(&o.id, "id", "", "ID", "The job."),
			text(&o.nonce, "nonce", "", "NONCE", "The nonce that came with the claim."),
			choice(&o.status, "status", "", "STATUS", "How it ended.", "completed", "failed"),
			text(&o.report, "report", "", "FILE", "The report as JSON; - reads standard input."),
			text(&o.failure, "error", "", "TEXT", "With failed: one sentence on why."),
			text(&o.model, "model", "", "NAME", "The model that did it."),
			number(&o.tokensIn, "tokens-in", "", "N", 0, "Tokens read."),
			number(&o.tokensOut, "tokens-out", "", "N", 0, "Tokens written."),
			number(&o.durationM, "duration-ms", "", "N", 0, "How long it took."),
		},
		examples: []example{{"sm record --id ID --nonce NONCE --status completed --report - --model NAME", "the report on standard input"}},
		exits:    []exit{{4, "the nonce is another job's"}, {5, "there is no such job, or no map yet"}},
		run:      o.run,
	}
}

func (o *recording) request(s *session) (atlas.RecordRequest, error) {
	in := atlas.RecordRequest{ID: o.id, Nonce: o.nonce, Status: job.Status(o.status), Model: orNull(o.model)}
	for name, value := range map[string]string{"id": o.id, "nonce": o.nonce, "status": o.status} {
		if value == "" {
			return in, usage("option '--%s' is missing", name)
		}
	}
	in.TokensIn, in.TokensOut, in.DurationMs = given(o.tokensIn), given(o.tokensOut), given(o.durationM)
	switch {
	case in.Status == job.Failed && o.report != "":
		return in, usage("a failed job has no --report; say why with --error")
	case in.Status == job.Failed:
		in.Report = orNull(o.failure)
		return in, nil
	case o.failure != "":
		return in, usage("--error is for a job that failed")
	case o.report == "":
		return in, usage("a completed job needs its --report")
	}
	text, err := s.readText(o.report)
	in.Report = &text
	return in, err
}

func given(n int) *int64 {
	if n < 0 {
		return nil
	}
	v := int64(n)
	return &v
}

// readText reads a file that the command line names; - is standard input.
func (s *session) readText(name string) (string, error) {
	const most = 16 << 20
	in, what := s.input(), "standard input"
	if name == "-" && s.tty.asks {
		s.note("Type it, and end with Ctrl+D.")
	}
	if name != "-" {
		what = name
		f, err := os.Open(s.inDir(name))
		if err != nil {
			return "", fault.New(fault.Invalid, "%s cannot be read.", draw.Line(name)).Because(err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return "", fault.New(fault.Invalid, "%s cannot be read.", draw.Line(what)).Because(err)
	}
	if len(text) > most {
		return "", fault.New(fault.Invalid, "%s is larger than 16 MiB.", draw.Line(what))
	}
	return string(text), nil
}

func (o *recording) run(ctx context.Context, s *session) error {
	in, err := o.request(s)
	if err != nil {
		return err
	}
	a, err := s.queue()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was recorded is committed
	tell := s.herald(a)
	defer func() { tell(ctx) }()
	done, err := a.RecordJob(ctx, sm.CLI, in)
	if err != nil {
		return err
	}
	if s.json {
		for _, e := range done.Events {
			if err := s.emit(e); err != nil {
				return err
			}
		}
	}
	if err := done.Refusal(o.id); err != nil {
		return err
	}
	if done.Tags != nil {
		s.note("%s proposed for %s: %s", plural(len(done.Tags), "tag"), draw.Line(done.Job.NodeID), draw.Line(strings.Join(done.Tags, ", ")))
	}
	s.note("%s is %s.", o.id, done.Status)
	return nil
}
