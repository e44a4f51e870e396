package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

type findingsList struct {
	filter                  finding.Filter
	severity, since, least  string
	stale, fixed, dismissed bool
}

func findingsVerb() *verb {
	var o findingsList
	return &verb{
		name: "findings", category: queueing, brief: "List what agents found in your files",
		details: "Shows what is open. --stale, --fixed and --dismissed show those instead.",
		flags: []flag{
			nodeFlag(&o.filter.Node, "node", "n", "Only about this node."),
			commaList(&o.filter.Extensions, "extension", "", "IDS", "Only of these finders."),
			text(&o.filter.Type, "type", "", "TYPE", "Only of this type."),
			choice(&o.severity, "severity", "", "LEVEL", "At least this grave.", "info", "warn", "error"),
			text(&o.since, "since", "", "TIME", "Found at or after this moment, such as 2026-01-31 or 2026-01-31T12:00:00Z."),
			text(&o.least, "threshold", "", "N", "At least this sure, from 0 to 1."),
			toggle(&o.stale, "stale", "", "Open ones whose file changed since."),
			toggle(&o.fixed, "fixed", "", "Fixed ones."),
			toggle(&o.dismissed, "dismissed", "", "Dismissed ones."),
		},
		examples: []example{{"sm findings -n .claude/agents/deploy.md", ""}, {"sm findings --severity warn --json", "for a script"}},
		exits:    []exit{{5, "there is no map yet"}},
		run:      o.run,
	}
}

func (o *findingsList) run(ctx context.Context, s *session) error {
	o.filter.Severity = skillmap.Severity(o.severity)
	if o.since != "" {
		t, err := parseTime(o.since)
		if err != nil {
			return err
		}
		o.filter.Since = t.UnixMilli()
	}
	if o.least != "" {
		n, err := strconv.ParseFloat(o.least, 64)
		if err != nil || n < 0 || n > 1 {
			return usage("option '--threshold' must be a number from 0 to 1, not %q", o.least)
		}
		o.filter.Threshold = n
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	page, err := a.Findings(ctx, o.filter, finding.View{Dismissed: o.dismissed, Fixed: o.fixed, Stale: o.stale})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK                bool             `json:"ok"`
			Kind              string           `json:"kind"`
			Findings          []finding.Record `json:"findings"`
			Total             int              `json:"total"`
			DismissedExcluded int              `json:"dismissedExcluded"`
			FixedExcluded     int              `json:"fixedExcluded"`
			ElapsedMs         int64            `json:"elapsedMs"`
		}{true, "findings", page.Findings, len(page.Findings), page.DismissedExcluded, page.FixedExcluded, s.elapsedMs()})
	}
	s.showFindings(page.Findings)
	if n := page.DismissedExcluded; n > 0 {
		s.note("%d dismissed; --dismissed shows them.", n)
	}
	if n := page.FixedExcluded; n > 0 {
		s.note("%d fixed; --fixed shows them.", n)
	}
	return nil
}

func (s *session) showFindings(all []finding.Record) {
	if len(all) == 0 {
		s.printf("%s\n", s.tty.out.green("No findings."))
		return
	}
	p := s.tty.out
	node := ""
	for _, f := range all {
		if f.NodeID != node {
			node = f.NodeID
			s.printf("%s\n", p.bold(draw.Line(node)))
		}
		mark := ""
		if f.Stale {
			mark += " (stale)"
		}
		if f.Resolution != nil {
			mark += " (" + string(*f.Resolution) + ")"
		}
		s.printf("  %s  %s  %s%s\n", s.severity(f.Severity), p.dim(fmt.Sprintf("#%d %s", f.ID, draw.Line(f.Type))), draw.Line(f.Message), p.yellow(mark))
		if f.Is(finding.HumanDecision) && f.ResolutionNote != nil {
			s.printf("         to decide: %s\n", draw.Line(*f.ResolutionNote))
		}
	}
}

// parseTime reads a moment: a day, or a date and time with a zone.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("%q is no moment such as 2026-01-31 or 2026-01-31T12:00:00Z", text)
}

// findingArg is the number of a finding.
func findingArg(id *int64) arg {
	return arg{name: "ID", help: "the finding's number, as `sm findings` shows it", set: func(v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n <= 0 {
			return fault.New(fault.Invalid, "%q is no number of a finding", v)
		}
		*id = n
		return nil
	}}
}

// settling runs a verb that changes where one finding stands, and shows it.
func (s *session) settling(ctx context.Context, id int64, word string, bare bool, change func(*atlas.Atlas) (atlas.FindingOutcome, *finding.Record, error)) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was settled is committed
	outcome, f, err := change(a)
	if err == nil {
		err = outcome.Refusal(id)
	}
	switch {
	case err != nil:
		return err
	case s.json && bare:
		return s.emit(f)
	case s.json:
		return s.emit(struct {
			OK      bool            `json:"ok"`
			Kind    string          `json:"kind"`
			Finding *finding.Record `json:"finding"`
		}{true, "finding", f})
	}
	s.printf("#%d %s\n", id, word)
	return nil
}
