package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sqldb"
)

// kept lists where something is kept about a node, by the column that names
// it. Where a node has one row only, or one for each of something, two nodes
// that become one collide.
var kept = []struct {
	table, column string
	collides      bool
}{
	{"state_jobs", "node_id", false},
	{"state_findings", "node_id", false},
	{"state_summaries", "node_id", true},
	{"state_enrichments", "node_id", true},
	{"state_plugin_kvs", "node_id", true},
	{"state_node_favorites", "node_path", true},
	{"node_enrichments", "node_path", true},
}

// moveState makes what is kept about renamed files follow them. Where
// something is kept about the new path already it wins, and collisions counts
// what gave way.
func moveState(ctx context.Context, tx *sqldb.Tx, renames []survey.Rename) (collisions int, err error) {
	if len(renames) == 0 {
		return 0, nil
	}
	for _, k := range kept {
		n, err := move(ctx, tx, k.table, k.column, renames)
		if err != nil {
			return 0, err
		}
		collisions += n
	}
	return collisions, moveExecutions(ctx, tx, renames)
}

// limbo marks rows on their way: no path begins with it. All of them leave
// before the first arrives, because one file may have taken the place of
// another that moved too.
const limbo = "\x00moved:"

func move(ctx context.Context, tx *sqldb.Tx, table, column string, renames []survey.Rename) (lost int, err error) {
	var any bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&any); err != nil || !any {
		return 0, err
	}
	leave := fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %[2]s = $2`, table, column)
	arrive := fmt.Sprintf(`UPDATE OR IGNORE %s SET %s = $1 WHERE %[2]s = $2`, table, column)
	for _, r := range renames {
		if _, err := tx.ExecContext(ctx, leave, limbo+r.To, r.From); err != nil {
			return 0, err
		}
	}
	for _, r := range renames {
		if _, err := tx.ExecContext(ctx, arrive, r.To, limbo+r.To); err != nil {
			return 0, err
		}
		gone, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM %s WHERE %s = $1`, table, column), limbo+r.To)
		if err != nil {
			return 0, err
		}
		n, err := gone.RowsAffected()
		if err != nil {
			return 0, err
		}
		lost += int(n)
	}
	return lost, nil
}

// moveExecutions follows renames inside the lists of nodes that runs name.
func moveExecutions(ctx context.Context, tx *sqldb.Tx, renames []survey.Rename) error {
	to := make(map[string]string, len(renames))
	for _, r := range renames {
		to[r.From] = r.To
	}
	rows, err := tx.QueryContext(ctx, `SELECT id || char(0) || node_ids_json FROM state_executions`)
	all, err := collect[string](rows, err)
	if err != nil {
		return err
	}
	for _, e := range all {
		id, text, _ := strings.Cut(e, "\x00")
		var ids []string
		if json.Unmarshal([]byte(text), &ids) != nil {
			continue // not ours to mend
		}
		moved := false
		for i, node := range ids {
			if now, ok := to[node]; ok {
				ids[i], moved = now, true
			}
		}
		if !moved {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE state_executions SET node_ids_json = $1 WHERE id = $2`, string(skillmap.AppendStrings(nil, ids)), id); err != nil {
			return err
		}
	}
	return nil
}

// stateIDs are the paths that something of the user's is kept about. Ids of
// things that are no file, such as "sm://ping", are not among them.
const stateIDs = `SELECT node_id FROM (
	SELECT node_id FROM state_jobs UNION SELECT node_id FROM state_findings UNION SELECT node_id FROM state_summaries
	UNION SELECT node_id FROM state_enrichments UNION SELECT node_id FROM state_plugin_kvs UNION SELECT node_path FROM state_node_favorites
	UNION SELECT CAST(value AS TEXT) FROM state_executions, json_each(node_ids_json))
	WHERE node_id <> '' AND substr(node_id, 1, 5) <> 'sm://'`

// strand adds an issue for each path that something is kept about and that no
// node has, unless one says so already, and returns those paths.
func (v *saver) strand(ctx context.Context) ([]string, error) {
	rows, err := v.tx.QueryContext(ctx, stateIDs+` ORDER BY node_id`)
	ids, err := collect[string](rows, err)
	if err != nil || len(ids) == 0 {
		return []string{}, err
	}
	r := v.m.Result
	alive := make(map[string]bool, len(r.Nodes))
	for i := range r.Nodes {
		alive[r.Nodes[i].Path] = true
	}
	for i := range r.Issues {
		if r.Issues[i].AnalyzerID == "orphan" {
			alive[r.Issues[i].NodeIDs[0]] = true // said already
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return alive[id] })
	before := len(r.Issues)
	for _, id := range ids {
		r.Issues = append(r.Issues, stranded(id))
	}
	r.Stats.IssuesCount = len(r.Issues)
	v.done.Stranded = len(ids)
	if v.digests[issues] != nil || before == 0 {
		v.digests[issues] = append(v.digests[issues], v.digestFrom(issues, before)...)
	}
	return ids, nil
}

func stranded(path string) skillmap.Issue {
	return skillmap.Issue{
		AnalyzerID: "orphan", Severity: skillmap.Info, NodeIDs: []string{path},
		Message: fmt.Sprintf("`%s`:\njobs, findings or marks are kept about this file; it is not part of the map", path),
		Data:    map[string]any{"path": path},
	}
}
