package store

import (
	"context"
	"encoding/json"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm/job"
)

const executionColumns = `id, kind, extension_id, extension_version, node_ids_json, content_hash, status, failure_reason, exit_code, runner,
	started_at, finished_at, duration_ms, tokens_in, tokens_out, model, report_json, job_id`

func scanExecution(r rower, e *job.Execution) error {
	var nodes string
	err := r.Scan(&e.ID, &e.Kind, &e.ExtensionID, &e.ExtensionVersion, &nodes, &e.ContentHash, &e.Status, &e.FailureReason, &e.ExitCode, &e.Runner,
		&e.StartedAt, &e.FinishedAt, &e.DurationMs, &e.TokensIn, &e.TokensOut, &e.Model, &e.Report, &e.JobID)
	if err != nil {
		return err
	}
	e.NodeIDs = []string{}
	return json.Unmarshal([]byte(nodes), &e.NodeIDs)
}

// AddExecution writes a line of the history and gives it an id.
func (tx *Tx) AddExecution(ctx context.Context, e *job.Execution) (err error) {
	if e.ID, err = tx.freeID(ctx, "e", "state_executions"); err != nil {
		return err
	}
	e.Kind = "action"
	_, err = tx.ExecContext(ctx, `INSERT INTO state_executions (`+executionColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
		e.ID, e.Kind, e.ExtensionID, e.ExtensionVersion, string(skillmap.AppendStrings(nil, e.NodeIDs)), orNil(e.ContentHash), string(e.Status),
		orNil(e.FailureReason), orNil(e.ExitCode), orNil(e.Runner), e.StartedAt, e.FinishedAt, orNil(e.DurationMs),
		orNil(e.TokensIn), orNil(e.TokensOut), orNil(e.Model), orNil(e.Report), orNil(e.JobID))
	return err
}

// ExecutionFilter selects lines of the history; an empty field admits
// everything.
type ExecutionFilter struct {
	Node      string
	Extension string // qualified or bare
	Statuses  []string
	Since     int64 // started at or after
	Until     int64 // started before; 0: any
	Limit     int   // 0: all
}

// Executions reads the history, newest first.
func (tx *Tx) Executions(ctx context.Context, f ExecutionFilter) ([]job.Execution, error) {
	var w where
	if f.Node != "" {
		w.add("EXISTS (SELECT 1 FROM json_each(node_ids_json) WHERE value = %s)", w.arg(f.Node))
	}
	if f.Extension != "" {
		w.meant("extension_id", f.Extension)
	}
	w.in("status", f.Statuses)
	if f.Since > 0 {
		w.add("started_at >= %s", w.arg(f.Since))
	}
	if f.Until > 0 {
		w.add("started_at < %s", w.arg(f.Until))
	}
	return query(ctx, tx, 0, scanExecution, `SELECT `+executionColumns+` FROM state_executions`+w.String()+
		` ORDER BY started_at DESC, rowid DESC`+w.page(0, f.Limit), w.args...)
}

// Judgement is when an extension last came to an end on a node, and with
// which model.
type Judgement struct {
	At    int64   `json:"at"`
	Model *string `json:"model"`
}

// LastJudged reads, by extension, the last completed run on a node.
func (tx *Tx) LastJudged(ctx context.Context, node string) (map[string]Judgement, error) {
	type row struct {
		extension string
		Judgement
	}
	rows, err := query(ctx, tx, 0, func(r rower, v *row) error { return r.Scan(&v.extension, &v.At, &v.Model) },
		`SELECT extension_id, finished_at, model FROM state_executions
		WHERE status = 'completed' AND EXISTS (SELECT 1 FROM json_each(node_ids_json) WHERE value = $1) ORDER BY finished_at, rowid`, node)
	if err != nil {
		return nil, err
	}
	out := map[string]Judgement{}
	for _, r := range rows {
		out[r.extension] = r.Judgement
	}
	return out, nil
}

// RunNodes lists the nodes that something ran on.
func (tx *Tx) RunNodes(ctx context.Context) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT CAST(value AS TEXT) FROM state_executions, json_each(node_ids_json) ORDER BY 1`)
	return collect[string](rows, err)
}

// ForgetExecutions removes what ran on a node from the history.
func (tx *Tx) ForgetExecutions(ctx context.Context, node string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM state_executions WHERE EXISTS (SELECT 1 FROM json_each(node_ids_json) WHERE value = ?)`, node)
	return err
}
