package cli

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/conformance"
)

func conformanceVerb() *verb {
	return &verb{name: "conformance", category: upkeep, brief: "Hold an sm program against the contract", group: true}
}

type conforming struct {
	data, program, scope, only string
	jobs                       int
}

func conformanceRunVerb() *verb {
	o := conforming{jobs: runtime.NumCPU()}
	return &verb{
		name: "conformance run", category: upkeep, brief: "Run conformance cases and say which hold",
		details: "Every case runs in a temporary folder through a real program. Without --data a small suite that comes with sm is run.",
		flags: []flag{
			text(&o.data, "data", "", "DIR", "The suite: a folder with <group>/cases, <group>/fixtures and schemas."),
			text(&o.scope, "scope", "", "SCOPE", "spec, provider:ID or all (all)."),
			text(&o.only, "case", "", "ID", "Only this case."),
			text(&o.program, "sm", "", "PATH", "The program to test; this one when left out."),
			number(&o.jobs, "jobs", "", "N", 1, "So many cases at once; one for each core when left out."),
		},
		examples: []example{{"sm conformance run --data suite --scope spec", ""}, {"sm conformance run --data suite --sm ./other/sm --json", "another program"}},
		exits:    []exit{{1, "a case does not hold"}, {5, "there is no such suite or case"}},
		run:      o.run,
	}
}

func (o *conforming) run(ctx context.Context, s *session) error {
	suite, program, err := o.inputs(s)
	if err != nil {
		return err
	}
	report, err := conformance.Run(ctx, conformance.Options{
		Suite: suite, Program: program, Scope: o.scope, Case: o.only, Jobs: o.jobs,
		Each: func(scope string, r conformance.CaseResult) { s.showCase(scope, r) },
	})
	if err != nil {
		return err
	}
	if s.json {
		if err := s.emit(report); err != nil {
			return err
		}
	} else {
		for _, sc := range report.Scopes {
			s.printf("%-24s %d of %d\n", draw.Line(sc.Label), sc.PassCount, sc.CaseCount)
		}
	}
	if report.Totals.FailCount > 0 {
		return errNotClean
	}
	return nil
}

// inputs finds the suite and the program.
func (o *conforming) inputs(s *session) (fs.FS, string, error) {
	suite := conformance.BuiltIn()
	if o.data != "" {
		opened, err := conformance.Open(s.inDir(o.data))
		if err != nil {
			return nil, "", err
		}
		suite = opened
	}
	program := s.inDir(o.program)
	if program == "" {
		own, err := os.Executable()
		return suite, own, err
	}
	if info, err := os.Stat(program); err != nil || info.IsDir() {
		return nil, "", fault.New(fault.NotFound, "There is no program %s.", draw.Line(o.program))
	}
	return suite, program, nil
}

// showCase is one line a case, and one for each thing that does not hold.
func (s *session) showCase(scope string, r conformance.CaseResult) {
	if s.json {
		return
	}
	mark := s.tty.out.green("pass")
	if r.Status != "pass" {
		mark = s.tty.out.red("FAIL")
	}
	s.printf("%s  %s/%s  %s\n", mark, draw.Line(scope), draw.Line(r.ID), s.tty.out.dim(duration(r.Took.Round(time.Millisecond))))
	for _, f := range r.Failures {
		s.printf("      %s: %s\n", draw.Line(f.Type), draw.Line(f.Reason))
	}
}
