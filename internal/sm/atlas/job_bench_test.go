package atlas_test

import (
	"fmt"
	"testing"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

// manyPages is a queue over n files.
func manyPages(b *testing.B, n int) *queue {
	b.Helper()
	dir := project(b)
	for i := range n {
		write(b, dir, fmt.Sprintf("pages/%04d.md", i), fmt.Sprintf("# Page %d\n\nSome words.\n", i))
	}
	return queueIn(b, dir)
}

// BenchmarkSubmit queues one job after the other, BenchmarkClaim hands them
// out, BenchmarkRecord takes their reports.
func BenchmarkSubmit(b *testing.B) {
	q := manyPages(b, 500)
	for i := 0; b.Loop(); i++ {
		if i%500 == 0 {
			b.StopTimer()
			if _, err := q.CancelJobs(b.Context(), sm.CLI); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		q.submit(atlas.JobRequest{Extension: "ai-tagger-action", Node: fmt.Sprintf("pages/%04d.md", i%500)})
	}
}

func BenchmarkSubmitAll(b *testing.B) {
	q := manyPages(b, 500)
	for b.Loop() {
		if _, err := q.SubmitAll(b.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-tagger-action"}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if _, err := q.CancelJobs(b.Context(), sm.CLI); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*500), "µs/job")
}

func BenchmarkClaimAndRecord(b *testing.B) {
	q := manyPages(b, 500)
	report := `{` + safe + `,"tags":["aa","bb"],"rationale":"so"}`
	for i := 0; b.Loop(); i++ {
		if i%500 == 0 {
			b.StopTimer()
			if _, err := q.SubmitAll(b.Context(), sm.CLI, atlas.JobRequest{Extension: "ai-tagger-action"}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		c := q.claim()
		r, err := q.RecordJob(b.Context(), sm.MCP, atlas.RecordRequest{ID: c.ID, Nonce: c.Nonce, Status: job.Completed, Report: &report})
		if err != nil || r.Outcome != atlas.Recorded {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
