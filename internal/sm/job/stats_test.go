package job_test

import (
	"testing"
	"time"

	"skillforge/internal/sm/job"
)

func ran(at string, extension string, status job.Status, tokens, duration int64) job.Execution {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	e := job.Execution{ExtensionID: extension, ExtensionVersion: "1", Status: status, StartedAt: t.UnixMilli(), NodeIDs: []string{"a.md"}, TokensIn: &tokens}
	if duration > 0 {
		e.DurationMs = &duration
	}
	if status == job.Failed {
		reason := job.ReportInvalid
		e.FailureReason = &reason
	}
	return e
}

func TestStats(t *testing.T) {
	all := []job.Execution{
		ran("2026-03-01T23:59:59Z", "core/a", job.Completed, 10, 100), // a Sunday
		ran("2026-03-02T00:00:00Z", "core/a", job.Failed, 1, 0),
		ran("2026-03-31T12:00:00Z", "core/b", job.Completed, 90, 50),
		ran("2026-04-01T00:00:00Z", "core/a", job.Completed, 0, 301),
	}
	all[2].NodeIDs = []string{"b.md", "a.md"}
	s, err := job.Add(all, job.StatsOptions{Until: time.UnixMilli(0)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Totals != (job.Totals{Executions: 4, Completed: 3, Failed: 1, TokensIn: 101, DurationMs: 451}) || s.Range.Since != nil || s.Range.Until != "1970-01-01T00:00:00.000Z" {
		t.Errorf("totals %+v of %+v", s.Totals, s.Range)
	}
	if b := s.TokensPerExtension; len(b) != 2 || b[0].ID != "core/b" || *b[1].MeanMs != 201 || *b[1].MedianMs != 201 || b[1].Executions != 3 {
		t.Errorf("by extension %+v", b)
	}
	if p := s.ExecutionsPerPeriod; len(p) != 2 || p[0].Start != "2026-03-01T00:00:00.000Z" || p[0].Executions != 3 || p[1].Start != "2026-04-01T00:00:00.000Z" {
		t.Errorf("by month %+v", p)
	}
	if n := s.TopNodes; len(n) != 2 || n[0].Path != "a.md" || n[0].Executions != 4 || n[0].LastAt != all[3].StartedAt {
		t.Errorf("by node %+v", n)
	}
	r := s.ErrorRates
	if r.Global != 0.25 || len(r.PerReason) != len(job.Reasons) || r.PerReason[job.ReportInvalid] != 1 || r.PerExtension[0].Failed != 1 {
		t.Errorf("rates %+v", r)
	}
	weeks, _ := job.Add(all, job.StatsOptions{Period: "week", Top: 1})
	if p := weeks.ExecutionsPerPeriod; len(p) != 3 || p[0].Start != "2026-02-23T00:00:00.000Z" || p[1].Start != "2026-03-02T00:00:00.000Z" || len(weeks.TopNodes) != 1 {
		t.Errorf("by week %+v", p)
	}
	if _, err := job.Add(nil, job.StatsOptions{Period: "year"}); err == nil {
		t.Error("a year is a period")
	}
	if empty, _ := job.Add(nil, job.StatsOptions{}); empty.TopNodes == nil || empty.ErrorRates.Global != 0 {
		t.Errorf("nothing adds up to %+v", empty)
	}
}
