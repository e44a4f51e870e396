package store

import (
	"context"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
)

const findingColumns = `id, node_id, extension_id, extension_version, origin, type, severity, message, detail, confidence, model,
	resolution, resolution_actor, resolution_note, resolution_by, resolution_at, body_hash_at_generation, generated_at, job_id`

// stale is true of a finding whose file is another now, or gone.
const stale = `NOT EXISTS (SELECT 1 FROM scan_nodes WHERE path = node_id AND body_hash = body_hash_at_generation)`

func scanFinding(r rower, f *finding.Record) error {
	return r.Scan(&f.ID, &f.NodeID, &f.ExtensionID, &f.ExtensionVersion, &f.Origin, &f.Type, &f.Severity, &f.Message, &f.Detail, &f.Confidence, &f.Model,
		&f.Resolution, &f.ResolutionActor, &f.ResolutionNote, &f.ResolutionBy, &f.ResolutionAt, &f.BodyHashAtGeneration, &f.GeneratedAt, &f.JobID, &f.Stale)
}

// Findings reads the findings of one node, or of all when node is empty, by
// node, extension and id.
func (tx *Tx) Findings(ctx context.Context, node string) ([]finding.Record, error) {
	var w where
	if node != "" {
		w.add("node_id = %s", w.arg(node))
	}
	return query(ctx, tx, 0, scanFinding, `SELECT `+findingColumns+`, `+stale+` FROM state_findings`+w.String()+` ORDER BY node_id, extension_id, id`, w.args...)
}

// Finding reads one finding, nil when there is none of that id.
func (tx *Tx) Finding(ctx context.Context, id int64) (*finding.Record, error) {
	return first(query(ctx, tx, 1, scanFinding, `SELECT `+findingColumns+`, `+stale+` FROM state_findings WHERE id = $1`, id))
}

// AddFinding writes a finding and gives it an id.
func (tx *Tx) AddFinding(ctx context.Context, f *finding.Record) error {
	return tx.QueryRowContext(ctx, `INSERT INTO state_findings (node_id, extension_id, extension_version, origin, type, severity, message, detail,
		confidence, model, body_hash_at_generation, generated_at, job_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
		f.NodeID, f.ExtensionID, f.ExtensionVersion, string(f.Origin), f.Type, string(f.Severity), f.Message, orNil(f.Detail),
		f.Confidence, orNil(f.Model), f.BodyHashAtGeneration, f.GeneratedAt, orNil(f.JobID)).Scan(&f.ID)
}

// SaveResolution writes where a finding stands now.
func (tx *Tx) SaveResolution(ctx context.Context, f *finding.Record) error {
	_, err := tx.ExecContext(ctx, `UPDATE state_findings SET resolution = $1, resolution_actor = $2, resolution_note = $3, resolution_by = $4,
		resolution_at = $5 WHERE id = $6`,
		orNil(f.Resolution), orNil(f.ResolutionActor), orNil(f.ResolutionNote), orNil(f.ResolutionBy), orNil(f.ResolutionAt), f.ID)
	return err
}

// DeleteFinding deletes one finding and reports whether it was there.
func (tx *Tx) DeleteFinding(ctx context.Context, id int64) (bool, error) {
	n, err := tx.affected(ctx, `DELETE FROM state_findings WHERE id = $1`, id)
	return n == 1, err
}

// ClearReported deletes what an extension reported of a node.
func (tx *Tx) ClearReported(ctx context.Context, node, extension string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM state_findings WHERE node_id = $1 AND extension_id = $2 AND origin = 'extension'`, node, extension)
	return err
}

// ClearKernel deletes what the program itself noted of a node.
func (tx *Tx) ClearKernel(ctx context.Context, node string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM state_findings WHERE node_id = $1 AND origin = 'kernel'`, node)
	return err
}

// DeleteFindings deletes the findings of a node, or all when node is empty;
// with onlyStale only those that no longer hold. With dryRun it only counts.
func (tx *Tx) DeleteFindings(ctx context.Context, node string, onlyStale, dryRun bool) (n int, err error) {
	var w where
	if node != "" {
		w.add("node_id = %s", w.arg(node))
	}
	if onlyStale {
		w.add("%s", stale)
	}
	if dryRun {
		err = tx.QueryRowContext(ctx, `SELECT count(*) FROM state_findings`+w.String(), w.args...).Scan(&n)
		return n, err
	}
	return tx.affected(ctx, `DELETE FROM state_findings`+w.String(), w.args...)
}

// Annotated reads the annotations of each node that has some under one of the
// keys, or only of one node.
func (tx *Tx) Annotated(ctx context.Context, node string, keys ...string) ([]skillmap.Node, error) {
	var w where
	w.add("annotations_json IS NOT NULL")
	if node != "" {
		w.add("path = %s", w.arg(node))
	}
	var any where
	any.args = w.args
	any.in("key", keys)
	w.args = any.args
	w.add("EXISTS (SELECT 1 FROM json_each(annotations_json)%s)", any.String())
	return query(ctx, tx, 0, scanNode, `SELECT `+nodeColumns+` FROM scan_nodes`+w.String()+` ORDER BY path`, w.args...)
}

// PutSummary writes what a summarizer says of a node, in the place of what it
// said before.
func (tx *Tx) PutSummary(ctx context.Context, s job.Summary) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO state_summaries (node_id, summarizer_action_id, kind, summarizer_version, body_hash_at_generation,
		generated_at, model, summary_json) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (node_id, summarizer_action_id) DO UPDATE SET kind = excluded.kind, summarizer_version = excluded.summarizer_version,
		body_hash_at_generation = excluded.body_hash_at_generation, generated_at = excluded.generated_at, model = excluded.model,
		summary_json = excluded.summary_json`,
		s.NodeID, s.ActionID, s.Kind, s.ActionVersion, s.BodyHashAtGeneration, s.GeneratedAt, orNil(s.Model), string(s.Report))
	return err
}

// Summaries reads what summarizers said of a node, the newest first.
func (tx *Tx) Summaries(ctx context.Context, node string) ([]job.Summary, error) {
	return query(ctx, tx, 0, func(r rower, s *job.Summary) error {
		var report string
		err := r.Scan(&s.NodeID, &s.ActionID, &s.Kind, &s.ActionVersion, &s.BodyHashAtGeneration, &s.GeneratedAt, &s.Model, &report, &s.Stale)
		s.Report = []byte(report)
		return err
	}, `SELECT node_id, summarizer_action_id, kind, summarizer_version, body_hash_at_generation, generated_at, model, summary_json, `+stale+`
		FROM state_summaries WHERE node_id = $1 ORDER BY generated_at DESC, summarizer_action_id`, node)
}

// DeleteSummaries deletes what one summarizer said of a node, or all of them
// when it is empty, and counts.
func (tx *Tx) DeleteSummaries(ctx context.Context, node, summarizer string) (int, error) {
	var w where
	w.add("node_id = %s", w.arg(node))
	if summarizer != "" {
		w.meant("summarizer_action_id", summarizer)
	}
	return tx.affected(ctx, `DELETE FROM state_summaries`+w.String(), w.args...)
}

// PutEnrichment writes what a source says of a node, in the place of what it
// said before.
func (tx *Tx) PutEnrichment(ctx context.Context, e job.Enrichment) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO state_enrichments (node_id, provider_id, data_json, verified, fetched_at, stale_after)
		VALUES ($1, $2, $3, $4, $5, $6)`, e.NodeID, e.ProviderID, string(e.Data), orNil(e.Verified), e.FetchedAt, orNil(e.StaleAfter))
	return err
}

// Enrichments reads what sources say of nodes: of one node, or of all when it
// is empty.
func (tx *Tx) Enrichments(ctx context.Context, node string) ([]job.Enrichment, error) {
	var w where
	if node != "" {
		w.add("node_id = %s", w.arg(node))
	}
	return query(ctx, tx, 0, func(r rower, e *job.Enrichment) error {
		var data string
		err := r.Scan(&e.NodeID, &e.ProviderID, &data, &e.Verified, &e.FetchedAt, &e.StaleAfter)
		e.Data = []byte(data)
		return err
	}, `SELECT node_id, provider_id, data_json, verified, fetched_at, stale_after FROM state_enrichments`+w.String()+` ORDER BY node_id, provider_id`, w.args...)
}
