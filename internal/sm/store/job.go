package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/job"
)

const jobColumns = `id, extension_id, extension_version, extension_kind, auto_fix, finding_ids_json, node_id, content_hash, nonce, priority,
	status, failure_reason, runner, ttl_seconds, created_at, claimed_at, finished_at, expires_at, submitted_by`

func scanJob(r rower, j *job.Job) error {
	var ids *string
	err := r.Scan(&j.ID, &j.ExtensionID, &j.ExtensionVersion, &j.ExtensionKind, &j.AutoFix, &ids, &j.NodeID, &j.ContentHash, &j.Seal, &j.Priority,
		&j.Status, &j.FailureReason, &j.Runner, &j.TTLSeconds, &j.CreatedAt, &j.ClaimedAt, &j.FinishedAt, &j.ExpiresAt, &j.SubmittedBy)
	if err != nil {
		return err
	}
	if ids == nil {
		return nil
	}
	return json.Unmarshal([]byte(*ids), &j.FindingIDs)
}

// first is the only row of a list, nil when it is empty.
func first[T any](list []T, err error) (*T, error) {
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Job reads one job, nil when there is none of that id.
func (tx *Tx) Job(ctx context.Context, id string) (*job.Job, error) {
	return first(query(ctx, tx, 1, scanJob, `SELECT `+jobColumns+` FROM state_jobs WHERE id = $1`, id))
}

// JobFilter selects jobs; an empty field admits everything. An extension is
// qualified or bare.
type JobFilter struct {
	Status, Extension, Node string
	Statuses                []job.Status
	Limit                   int // 0: all
}

// meant says that a column names the extension in either spelling. Wild cards
// would not do: "_" may stand in an id.
func (w *where) meant(column, extension string) {
	name := w.arg(extension)
	w.add("(%s = %s OR substr(%[1]s, instr(%[1]s, '/') + 1) = %[2]s)", column, name)
}

// Jobs reads jobs, the newest first.
func (tx *Tx) Jobs(ctx context.Context, f JobFilter) ([]job.Job, error) {
	var w where
	if f.Status != "" {
		w.add("status = %s", w.arg(f.Status))
	}
	if len(f.Statuses) > 0 {
		names := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			names[i] = string(s)
		}
		w.in("status", names)
	}
	if f.Extension != "" {
		w.meant("extension_id", f.Extension)
	}
	if f.Node != "" {
		w.add("node_id = %s", w.arg(f.Node))
	}
	return query(ctx, tx, 0, scanJob, `SELECT `+jobColumns+` FROM state_jobs`+w.String()+` ORDER BY created_at DESC, rowid DESC`+w.page(0, f.Limit), w.args...)
}

// JobCounts counts the jobs in each status, those with none too.
func (tx *Tx) JobCounts(ctx context.Context) (map[job.Status]int, error) {
	out := map[job.Status]int{}
	for _, s := range job.Statuses {
		out[s] = 0
	}
	rows, err := tx.QueryContext(ctx, `SELECT status, count(*) FROM state_jobs GROUP BY status`)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var s job.Status
		var n int
		if err := rows.Scan(&s, &n); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out[s] = n
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

// Enqueued says what came of a job that was to be queued.
type Enqueued struct {
	// Live is the job that stands in the way: the same work, or with fixers
	// one at work on the same findings. Nil when the job was queued.
	Live *job.Job
	// Superseded are the queued jobs that were cancelled in its favour.
	Superseded []string
}

// Enqueue queues a job with its text and gives it an id. A live job that is
// the same work stands in the way. With overlaps, so does a running one that
// shares a finding, and a queued one that does gives way.
func (tx *Tx) Enqueue(ctx context.Context, j *job.Job, content string, overlaps bool) (Enqueued, error) {
	live, err := query(ctx, tx, 0, scanJob, `SELECT `+jobColumns+` FROM state_jobs
		WHERE extension_id = $1 AND node_id = $2 AND status IN ('queued', 'running') ORDER BY created_at, rowid`, j.ExtensionID, j.NodeID)
	if err != nil {
		return Enqueued{}, err
	}
	var give []string
	for i, other := range live {
		shares := overlaps && job.Overlap(j.FindingIDs, other.FindingIDs)
		if other.ContentHash == j.ContentHash || shares && other.Status == job.Running {
			return Enqueued{Live: &live[i]}, nil
		}
		if shares {
			give = append(give, other.ID)
		}
	}
	for _, id := range give {
		if _, err := tx.MoveJob(ctx, id, job.Cancel, nil); err != nil {
			return Enqueued{}, err
		}
	}
	return Enqueued{Superseded: give}, tx.addJob(ctx, j, content)
}

// Twin reads the live job that is the same work, nil when there is none.
func (tx *Tx) Twin(ctx context.Context, extension, node, contentHash string) (*job.Job, error) {
	return first(query(ctx, tx, 1, scanJob, `SELECT `+jobColumns+` FROM state_jobs
		WHERE extension_id = $1 AND node_id = $2 AND content_hash = $3 AND status IN ('queued', 'running')`, extension, node, contentHash))
}

func (tx *Tx) addJob(ctx context.Context, j *job.Job, content string) (err error) {
	if j.ID, err = tx.freeID(ctx, "d", "state_jobs"); err != nil {
		return err
	}
	j.Status, j.CreatedAt = job.Queued, tx.Now
	if _, err := tx.ExecContext(ctx, `INSERT INTO state_job_contents (content_hash, content, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		j.ContentHash, content, tx.Now); err != nil {
		return err
	}
	var ids any
	if j.FindingIDs != nil {
		text, err := json.Marshal(j.FindingIDs)
		if err != nil {
			return err
		}
		ids = string(text)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO state_jobs (id, extension_id, extension_version, extension_kind, auto_fix, finding_ids_json, node_id,
		content_hash, nonce, priority, status, ttl_seconds, created_at, submitted_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued', $11, $12, $13)`,
		j.ID, j.ExtensionID, j.ExtensionVersion, string(j.ExtensionKind), j.AutoFix, ids, j.NodeID,
		j.ContentHash, string(j.Nonce.Seal()), j.Priority, orNil(j.TTLSeconds), tx.Now, orNil(j.SubmittedBy))
	return err
}

// freeID makes an id that no row of the table has. It holds the second and
// two random bytes, too little for a burst of jobs: after some tries the next
// seconds lend theirs.
func (tx *Tx) freeID(ctx context.Context, prefix, table string) (string, error) {
	for try := range int64(4096) {
		id := prefix + "-" + sm.Stamp(time.UnixMilli(tx.Now+try/16*1000))
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+` WHERE id = $1)`, id).Scan(&taken); err != nil {
			return "", err
		}
		if !taken {
			return id, nil
		}
	}
	return "", errors.New("no id is free")
}

// MoveJob lets an event happen to a job. It reports whether the job was in a
// status that allows it.
func (tx *Tx) MoveJob(ctx context.Context, id string, e job.Event, reason *job.Reason) (bool, error) {
	to, from := leads(e)
	done, err := tx.ExecContext(ctx, `UPDATE state_jobs SET status = $1, failure_reason = $2, finished_at = $3 WHERE id = $4 AND status IN (`+from+`)`,
		string(to), orNil(reason), tx.Now, id)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

// MoveJobs lets an event happen to every job that allows it, or only to those
// that are queued and ask for one of the extensions, and returns them.
func (tx *Tx) MoveJobs(ctx context.Context, e job.Event, reason *job.Reason, queuedOf []string) ([]job.Job, error) {
	to, from := leads(e)
	var w where
	set := fmt.Sprintf(`UPDATE state_jobs SET status = %s, failure_reason = %s, finished_at = %s`, w.arg(string(to)), w.arg(orNil(reason)), w.arg(tx.Now))
	if queuedOf == nil {
		w.add("status IN (%s)", from)
	} else {
		w.add("status = 'queued'")
		w.in("extension_id", queuedOf)
	}
	return query(ctx, tx, 0, scanJob, set+w.String()+` RETURNING `+jobColumns, w.args...)
}

// leads is where an event leads, and the statuses it may leave as a list for
// SQL. Every event of this program leads to one status only.
func leads(e job.Event) (to job.Status, from string) {
	var names []string
	for _, s := range job.From(e) {
		to, _ = s.Next(e)
		names = append(names, "'"+string(s)+"'")
	}
	return to, strings.Join(names, ", ")
}

// Reap gives up the running jobs whose deadline is past, and returns them.
func (tx *Tx) Reap(ctx context.Context) ([]job.Job, error) {
	return query(ctx, tx, 0, scanJob, `UPDATE state_jobs SET status = 'failed', failure_reason = 'abandoned', finished_at = $1
		WHERE status = 'running' AND expires_at IS NOT NULL AND expires_at < $1 RETURNING `+jobColumns, tx.Now)
}

// Claimable reports whether a claim would find something to do: a queued job,
// or an overdue one to give up. It only reads.
func (tx *Tx) Claimable(ctx context.Context, extension string) (yes bool, err error) {
	var w where
	w.add("status = 'queued'")
	if extension != "" {
		w.meant("extension_id", extension)
	}
	queued := `EXISTS (SELECT 1 FROM state_jobs` + w.String() + `)`
	overdue := `EXISTS (SELECT 1 FROM state_jobs WHERE status = 'running' AND expires_at < ` + w.arg(tx.Now) + `)`
	err = tx.QueryRowContext(ctx, `SELECT `+queued+` OR `+overdue, w.args...).Scan(&yes)
	return yes, err
}

// Claim gives the next queued job to a runner: the highest priority, then the
// oldest. It is nil when none is queued. It is one statement, so of two
// claimers one gets the job, in whatever processes they are. The nonce is the
// runner's from then on; the one of the submission closes the job no more.
func (tx *Tx) Claim(ctx context.Context, runner, extension string, nonce job.Nonce) (*job.Job, error) {
	var w where
	now, by, seal := w.arg(tx.Now), w.arg(runner), w.arg(string(nonce.Seal()))
	w.add("status = 'queued'")
	if extension != "" {
		w.meant("extension_id", extension)
	}
	j, err := first(query(ctx, tx, 1, scanJob, `UPDATE state_jobs SET status = 'running', claimed_at = `+now+`, runner = `+by+`, nonce = `+seal+`,
		expires_at = CASE WHEN ttl_seconds IS NULL THEN NULL ELSE `+now+` + ttl_seconds * 1000 END
		WHERE id = (SELECT id FROM state_jobs`+w.String()+` ORDER BY priority DESC, created_at, rowid LIMIT 1) AND status = 'queued'
		RETURNING `+jobColumns, w.args...))
	if j != nil {
		j.Nonce = nonce
	}
	return j, err
}

// Content reads the text of a job, false when it is gone.
func (tx *Tx) Content(ctx context.Context, contentHash string) (string, bool, error) {
	rows, err := tx.QueryContext(ctx, `SELECT content FROM state_job_contents WHERE content_hash = $1`, contentHash)
	texts, err := collect[string](rows, err)
	if err != nil || len(texts) == 0 {
		return "", false, err
	}
	return texts[0], true, nil
}

// PruneJobs deletes the jobs of a terminal status that finished before a
// moment, and returns how many. With dryRun it only counts.
func (tx *Tx) PruneJobs(ctx context.Context, status job.Status, before int64, dryRun bool) (n int, err error) {
	const which = ` FROM state_jobs WHERE status = $1 AND finished_at < $2`
	if dryRun {
		err = tx.QueryRowContext(ctx, `SELECT count(*)`+which, string(status), before).Scan(&n)
		return n, err
	}
	return tx.affected(ctx, `DELETE`+which, string(status), before)
}

// PruneContents deletes the texts that no job has any more, and returns how
// many.
func (tx *Tx) PruneContents(ctx context.Context) (int, error) {
	return tx.affected(ctx, `DELETE FROM state_job_contents WHERE content_hash NOT IN (SELECT content_hash FROM state_jobs)`)
}

// affected runs a statement and counts the rows that it touched.
func (tx *Tx) affected(ctx context.Context, text string, args ...any) (int, error) {
	done, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// NodeOf reads one node without what touches it, nil when no node has the path.
func (tx *Tx) NodeOf(ctx context.Context, path string) (*skillmap.Node, error) {
	return first(query(ctx, tx, 1, scanNode, `SELECT `+nodeColumns+` FROM scan_nodes WHERE path = $1`, path))
}

// orNil is what a pointer points to, nil for none.
func orNil[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}
