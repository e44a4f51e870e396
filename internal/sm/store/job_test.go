package store_test

import (
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// queue is a database with a map of n files, and a clock that the test moves.
func queue(t testing.TB, n int) (s *store.Store, clock *time.Time) {
	t.Helper()
	at := path(t)
	save(t, open(t, at, store.Scanning), &store.Map{Result: world(n)})
	now := time.UnixMilli(1767225600000)
	s, err := store.Open(t.Context(), at, store.Writing, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, &now
}

func within(t testing.TB, s *store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := s.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func newJob(node, hash string) *job.Job {
	nonce, _ := job.NewNonce(rand.Reader)
	return &job.Job{ExtensionID: "core/x-action", ExtensionVersion: "1", ExtensionKind: job.Action, NodeID: node, ContentHash: strings.Repeat(hash, 64)[:64], Nonce: nonce}
}

// enqueue queues a job that nothing stands in the way of.
func enqueue(t testing.TB, s *store.Store, j *job.Job) *job.Job {
	t.Helper()
	within(t, s, func(tx *store.Tx) error {
		done, err := tx.Enqueue(t.Context(), j, "text of "+j.NodeID, false)
		if done.Live != nil {
			t.Fatalf("%s stands in the way of %s", done.Live.ID, j.NodeID)
		}
		return err
	})
	return j
}

func claim(t testing.TB, s *store.Store, extension string) (got *job.Job) {
	t.Helper()
	within(t, s, func(tx *store.Tx) (err error) {
		nonce, err := job.NewNonce(rand.Reader)
		if err != nil {
			return err
		}
		got, err = tx.Claim(t.Context(), "agent", extension, nonce)
		return err
	})
	return got
}

func TestJobComesBackAsItWas(t *testing.T) {
	s, now := queue(t, 1)
	j := newJob("a.md", "a")
	j.FindingIDs, j.TTLSeconds, j.Priority, j.AutoFix, j.SubmittedBy = []int64{3, 5}, ptr(int64(60)), -2, true, ptr("me")
	enqueue(t, s, j)
	*now = now.Add(time.Second)
	got := claim(t, s, "x-action")
	if got == nil || got.ID != j.ID || !got.Seal.Opens(got.Nonce.Reveal()) || got.Seal.Opens(j.Nonce.Reveal()) || got.Status != job.Running || *got.Runner != "agent" || *got.ExpiresAt != now.UnixMilli()+60000 ||
		*got.ClaimedAt != now.UnixMilli() || got.CreatedAt != now.UnixMilli()-1000 || len(got.FindingIDs) != 2 || !got.AutoFix || got.Priority != -2 || *got.SubmittedBy != "me" {
		t.Errorf("claimed %+v of %+v", got, j)
	}
	within(t, s, func(tx *store.Tx) error {
		text, ok, err := tx.Content(t.Context(), j.ContentHash)
		if text != "text of a.md" || !ok {
			t.Errorf("the content is %q, %v", text, ok)
		}
		return err
	})
}

func TestClaimOrder(t *testing.T) {
	s, now := queue(t, 1)
	var want []string
	for i, priority := range []int{0, 5, 0, 5, 9} {
		j := newJob("a.md", string(rune('a'+i)))
		j.Priority = priority
		enqueue(t, s, j)
		want = append(want, j.ID)
		if i == 2 {
			*now = now.Add(time.Second)
		}
	}
	other := newJob("a.md", "f")
	other.ExtensionID = "core/y_action"
	enqueue(t, s, other)
	for _, i := range []int{4, 1, 3, 0, 2} {
		if got := claim(t, s, "core/x-action"); got == nil || got.ID != want[i] {
			t.Errorf("claimed %v, want job %d", got, i)
		}
	}
	if got := claim(t, s, "yxaction"); got != nil {
		t.Error("a wild card in an id is taken for one")
	}
	if got := claim(t, s, ""); got == nil || got.ID != other.ID {
		t.Errorf("claimed %v, want the other extension's", got)
	}
	if got := claim(t, s, ""); got != nil {
		t.Errorf("an empty queue gives %v", got)
	}
}

func TestSameWorkIsQueuedOnce(t *testing.T) {
	s, _ := queue(t, 1)
	j := enqueue(t, s, newJob("a.md", "a"))
	within(t, s, func(tx *store.Tx) error {
		done, err := tx.Enqueue(t.Context(), newJob("a.md", "a"), "text", false)
		if done.Live == nil || done.Live.ID != j.ID {
			t.Errorf("a twin is queued: %+v", done)
		}
		return err
	})
	// The index holds even for somebody who does not look.
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO state_jobs SELECT id || 'x', extension_id, extension_version, extension_kind, auto_fix, finding_ids_json,
			node_id, content_hash, nonce, priority, status, failure_reason, runner, ttl_seconds, created_at, claimed_at, finished_at, expires_at, submitted_by FROM state_jobs`)
		return err
	})
	if err == nil {
		t.Error("two live jobs of one kind are in the table")
	}
	claim(t, s, "")
	within(t, s, func(tx *store.Tx) error {
		if moved, err := tx.MoveJob(t.Context(), j.ID, job.Finish, nil); !moved || err != nil {
			t.Errorf("finish: %v %v", moved, err)
		}
		return nil
	})
	enqueue(t, s, newJob("a.md", "a")) // done once, wanted again
}

func TestFixersGiveWay(t *testing.T) {
	s, _ := queue(t, 1)
	submit := func(hash string, ids []int64) (done store.Enqueued, id string) {
		j := newJob("a.md", hash)
		j.FindingIDs = ids
		within(t, s, func(tx *store.Tx) (err error) {
			done, err = tx.Enqueue(t.Context(), j, "text", true)
			return err
		})
		return done, j.ID
	}
	_, one := submit("a", []int64{1})
	_, two := submit("b", []int64{2}) // shares nothing: stands beside
	done, _ := submit("c", []int64{1, 3})
	if done.Live != nil || len(done.Superseded) != 1 || done.Superseded[0] != one {
		t.Errorf("a wider job gives %+v, want %s superseded", done, one)
	}
	running := claim(t, s, "")
	if running.ID != two {
		t.Fatalf("claimed %s", running.ID)
	}
	if done, _ := submit("d", nil); done.Live == nil || done.Live.ID != two {
		t.Errorf("a job for all beside a running one gives %+v", done)
	}
	within(t, s, func(tx *store.Tx) error {
		jobs, err := tx.Jobs(t.Context(), store.JobFilter{Status: "cancelled"})
		if len(jobs) != 1 || jobs[0].ID != one {
			t.Errorf("cancelled: %v", jobs)
		}
		return err
	})
}

// The random part of an id is small; a burst within a second must not fail.
func TestManyJobsInOneSecond(t *testing.T) {
	s, _ := queue(t, 1)
	within(t, s, func(tx *store.Tx) error {
		for i := range 3000 {
			j := newJob(pathOf(i), "a")
			if _, err := tx.Enqueue(t.Context(), j, "text", false); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestReapAndMoves(t *testing.T) {
	s, now := queue(t, 1)
	j := newJob("a.md", "a")
	j.TTLSeconds = ptr(int64(1))
	enqueue(t, s, j)
	forever := enqueue(t, s, newJob("a.md", "b"))
	claim(t, s, "")
	claim(t, s, "")
	*now = now.Add(1000 * time.Millisecond)
	within(t, s, func(tx *store.Tx) error {
		reaped, err := tx.Reap(t.Context())
		if len(reaped) != 0 {
			t.Errorf("reaped %v on the stroke", reaped)
		}
		return err
	})
	*now = now.Add(time.Millisecond)
	within(t, s, func(tx *store.Tx) error {
		if yes, err := tx.Claimable(t.Context(), ""); !yes || err != nil {
			t.Errorf("Claimable = %v, %v with an overdue job", yes, err)
		}
		reaped, err := tx.Reap(t.Context())
		if len(reaped) != 1 || reaped[0].ID != j.ID || *reaped[0].FailureReason != job.Abandoned {
			t.Errorf("reaped %v", reaped)
		}
		return err
	})
	reason := job.UserFailed
	within(t, s, func(tx *store.Tx) error {
		if moved, _ := tx.MoveJob(t.Context(), j.ID, job.Cancel, nil); moved {
			t.Error("a failed job is cancelled")
		}
		moved, err := tx.MoveJobs(t.Context(), job.Fail, &reason, nil)
		if len(moved) != 1 || moved[0].ID != forever.ID || moved[0].Status != job.Failed {
			t.Errorf("failed %v", moved)
		}
		counts, err2 := tx.JobCounts(t.Context())
		if counts[job.Failed] != 2 || counts[job.Queued] != 0 || len(counts) != 5 {
			t.Errorf("counts %v", counts)
		}
		if yes, _ := tx.Claimable(t.Context(), ""); yes {
			t.Error("an empty queue is claimable")
		}
		return firstErr(err, err2)
	})
}

func firstErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestPruneJobs(t *testing.T) {
	s, now := queue(t, 1)
	enqueue(t, s, newJob("a.md", "a"))
	enqueue(t, s, newJob("b.md", "a")) // shares the text
	within(t, s, func(tx *store.Tx) error {
		_, err := tx.MoveJobs(t.Context(), job.Cancel, nil, nil)
		return err
	})
	*now = now.Add(time.Hour)
	within(t, s, func(tx *store.Tx) error {
		for _, dry := range []bool{true, false} {
			if n, err := tx.PruneJobs(t.Context(), job.Cancelled, tx.Now, dry); n != 2 || err != nil {
				t.Errorf("PruneJobs(dry %v) = %d, %v", dry, n, err)
			}
		}
		n, err := tx.PruneContents(t.Context())
		if n != 1 {
			t.Errorf("%d texts pruned, want 1", n)
		}
		return err
	})
}

func TestClaimOnceAmongMany(t *testing.T) {
	s, _ := queue(t, 1)
	const jobs = 200
	within(t, s, func(tx *store.Tx) error {
		for i := range jobs {
			if _, err := tx.Enqueue(t.Context(), newJob(pathOf(i), "a"), "text", false); err != nil {
				return err
			}
		}
		return nil
	})
	var mu sync.Mutex // guards seen
	seen := map[string]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			own, err := store.Open(t.Context(), s.Path(), store.Writing, store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			for {
				var got *job.Job
				err := own.Write(t.Context(), func(tx *store.Tx) (err error) {
					got, err = tx.Claim(t.Context(), "agent", "", newJob("x", "a").Nonce)
					return err
				})
				if err != nil || got == nil {
					if err != nil {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				seen[got.ID]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was claimed %d times", id, n)
		}
	}
	if len(seen) != jobs {
		t.Errorf("%d jobs were claimed, want %d", len(seen), jobs)
	}
}

func TestFindings(t *testing.T) {
	s, _ := queue(t, 2)
	node := pathOf(0)
	within(t, s, func(tx *store.Tx) error {
		for i, hash := range []string{file(0).BodyHash, strings.Repeat("f", 64)} {
			f := finding.Record{NodeID: node, ExtensionID: "core/x-analyzer", ExtensionVersion: "1", Origin: finding.Extension, Type: "x", Severity: skillmap.Warn,
				Message: "m", Confidence: 0.5, BodyHashAtGeneration: hash, GeneratedAt: tx.Now, JobID: ptr("d-1")}
			if err := tx.AddFinding(t.Context(), &f); err != nil || f.ID != int64(i+1) {
				t.Errorf("AddFinding gives %d, %v", f.ID, err)
			}
		}
		return tx.AddFinding(t.Context(), &finding.Record{NodeID: node, ExtensionID: "core/x-analyzer", Origin: finding.Kernel, Type: "content-suspicious", Severity: skillmap.Warn, Message: "k"})
	})
	within(t, s, func(tx *store.Tx) error {
		all, err := tx.Findings(t.Context(), "")
		if len(all) != 3 || all[0].Stale || !all[1].Stale || *all[0].JobID != "d-1" || all[0].Model != nil {
			t.Errorf("findings %+v", all)
		}
		f := all[0]
		f.Settle(finding.Fixed, finding.Human, "note", "", tx.Now)
		if err := tx.SaveResolution(t.Context(), &f); err != nil {
			return err
		}
		got, err2 := tx.Finding(t.Context(), 1)
		if got == nil || !got.Is(finding.Fixed) || *got.ResolutionNote != "note" {
			t.Errorf("settled: %+v", got)
		}
		if none, err := tx.Finding(t.Context(), 99); none != nil || err != nil {
			t.Errorf("an unknown finding: %v, %v", none, err)
		}
		return firstErr(err, err2)
	})
	within(t, s, func(tx *store.Tx) error {
		for _, step := range []struct {
			node         string
			stale, dry   bool
			want, remain int
		}{{"", true, true, 2, 3}, {pathOf(1), false, false, 0, 3}, {node, true, false, 2, 1}, {"", false, false, 1, 0}} {
			n, err := tx.DeleteFindings(t.Context(), step.node, step.stale, step.dry)
			left, err2 := tx.Findings(t.Context(), "")
			if n != step.want || len(left) != step.remain {
				t.Errorf("%+v deletes %d and leaves %d", step, n, len(left))
			}
			if err := firstErr(err, err2); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestSummariesAndHistory(t *testing.T) {
	s, now := queue(t, 1)
	node := pathOf(0)
	within(t, s, func(tx *store.Tx) error {
		for _, text := range []string{`{"a":1}`, `{"a":2}`} {
			if err := tx.PutSummary(t.Context(), job.Summary{NodeID: node, ActionID: "core/sum", ActionVersion: "1", Kind: "skill", BodyHashAtGeneration: file(0).BodyHash, GeneratedAt: tx.Now, Report: []byte(text)}); err != nil {
				return err
			}
		}
		list, err := tx.Summaries(t.Context(), node)
		if len(list) != 1 || list[0].Stale || string(list[0].Report) != `{"a":2}` {
			t.Errorf("summaries %+v", list)
		}
		return err
	})
	for i, status := range []job.Status{job.Completed, job.Failed} {
		*now = now.Add(time.Second)
		within(t, s, func(tx *store.Tx) error {
			e := &job.Execution{ExtensionID: "core/sum", ExtensionVersion: "1", NodeIDs: []string{node}, Status: status, StartedAt: tx.Now, FinishedAt: tx.Now + 1, TokensIn: ptr(int64(i)), Report: ptr("{}"), Model: ptr("m")}
			return tx.AddExecution(t.Context(), e)
		})
	}
	within(t, s, func(tx *store.Tx) error {
		all, err := tx.Executions(t.Context(), store.ExecutionFilter{Node: node, Extension: "sum"})
		if len(all) != 2 || all[0].Status != job.Failed || all[0].Kind != "action" || *all[0].TokensIn != 1 || all[0].NodeIDs[0] != node {
			t.Errorf("history %+v", all)
		}
		some, err2 := tx.Executions(t.Context(), store.ExecutionFilter{Statuses: []string{"completed"}, Since: 1, Until: tx.Now, Limit: 5})
		if len(some) != 1 {
			t.Errorf("filtered history %+v", some)
		}
		last, err3 := tx.LastJudged(t.Context(), node)
		if got := last["core/sum"]; got.At != now.UnixMilli()-1000+1 || *got.Model != "m" {
			t.Errorf("last judged %+v", last)
		}
		n, err4 := tx.DeleteSummaries(t.Context(), node, "sum")
		if n != 1 {
			t.Errorf("%d summaries deleted", n)
		}
		return firstErr(err, err2, err3, err4)
	})
}
