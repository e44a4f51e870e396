package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

type history struct {
	f            atlas.HistoryFilter
	since, until string
	period       string
	top          int
}

func (o *history) times() (since, until time.Time, err error) {
	if o.since != "" {
		if since, err = parseTime(o.since); err != nil {
			return since, until, err
		}
	}
	if o.until != "" {
		until, err = parseTime(o.until)
	}
	return since, until, err
}

func historyVerb() *verb {
	var o history
	return &verb{
		name: "history", category: queueing, brief: "List what ran, the newest first",
		flags: []flag{
			nodeFlag(&o.f.Node, "node", "n", "Only on this node."),
			text(&o.f.Extension, "extension", "", "ID", "Only of this extension."),
			commaList(&o.f.Statuses, "status", "", "LIST", "completed, failed or cancelled; several separated by commas."),
			text(&o.since, "since", "", "TIME", "Started at or after this moment."),
			text(&o.until, "until", "", "TIME", "Started before this moment."),
			number(&o.f.Limit, "limit", "", "N", 1, "Show at most N."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.list,
	}
}

func (o *history) list(ctx context.Context, s *session) error {
	var err error
	if o.f.Since, o.f.Until, err = o.times(); err != nil {
		return err
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	list, err := a.History(ctx, o.f)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(list)
	}
	if len(list) == 0 {
		s.note("Nothing ran.")
		return nil
	}
	t := table{head: []string{"WHEN", "STATUS", "EXTENSION", "NODE", "MODEL"}}
	for _, e := range list {
		status := string(e.Status)
		if e.FailureReason != nil {
			status += " (" + string(*e.FailureReason) + ")"
		}
		model := ""
		if e.Model != nil {
			model = *e.Model
		}
		t.rows = append(t.rows, []string{moment(&e.StartedAt), status, draw.Line(e.ExtensionID), draw.Line(strings.Join(e.NodeIDs, ", ")), draw.Line(model)})
	}
	s.printf("%s", t.text(s.tty.out, s.tty.wide))
	return nil
}

func historyStatsVerb() *verb {
	var o history
	return &verb{
		name: "history stats", category: queueing, brief: "Add up what ran",
		flags: []flag{
			text(&o.since, "since", "", "TIME", "Started at or after this moment."),
			text(&o.until, "until", "", "TIME", "Started before this moment; now unless said."),
			choice(&o.period, "period", "", "UNIT", "Add up by day, week or month (unless said).", job.Periods...),
			number(&o.top, "top", "", "N", 1, "List the N nodes most worked on (10)."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.stats,
	}
}

func (o *history) stats(ctx context.Context, s *session) error {
	since, until, err := o.times()
	if err != nil {
		return err
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	stats, err := a.Stats(ctx, job.StatsOptions{Since: since, Until: until, Period: o.period, Top: o.top})
	if err != nil {
		return err
	}
	if s.json {
		stats.ElapsedMs = s.elapsedMs()
		return s.emit(stats)
	}
	s.showStats(stats)
	return nil
}

func (s *session) showStats(st *job.Stats) {
	p := s.tty.out
	s.printf("%s, %d failed; %d tokens read, %d written\n", plural(st.Totals.Executions, "run"), st.Totals.Failed, st.Totals.TokensIn, st.Totals.TokensOut)
	if len(st.TokensPerExtension) > 0 {
		t := table{head: []string{"EXTENSION", "RUNS", "TOKENS", "MEAN"}, right: map[int]bool{1: true, 2: true, 3: true}}
		for _, e := range st.TokensPerExtension {
			mean := "-"
			if e.MeanMs != nil {
				mean = duration(time.Duration(*e.MeanMs) * time.Millisecond)
			}
			t.rows = append(t.rows, []string{draw.Line(e.ID), fmt.Sprint(e.Executions), fmt.Sprint(e.TokensIn + e.TokensOut), mean})
		}
		s.printf("\n%s", t.text(p, s.tty.wide))
	}
	if len(st.TopNodes) > 0 {
		t := table{head: []string{"NODE", "RUNS"}, right: map[int]bool{1: true}}
		for _, n := range st.TopNodes {
			t.rows = append(t.rows, []string{draw.Line(n.Path), fmt.Sprint(n.Executions)})
		}
		s.printf("\n%s", t.text(p, s.tty.wide))
	}
}
