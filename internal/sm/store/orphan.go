package store

import (
	"context"

	"skillforge/internal/skillmap/survey"
)

// MoveState makes everything that is kept about one path be kept about
// another. Where something is kept about that one already it wins; collisions
// counts what gave way.
func (tx *Tx) MoveState(ctx context.Context, from, to string) (collisions int, err error) {
	return moveState(ctx, tx.Tx, []survey.Rename{{From: from, To: to}})
}

// DropIssues removes the issues of a rule about a node, whatever they flag, as
// when what they ask was answered.
func (tx *Tx) DropIssues(ctx context.Context, node string, analyzers ...string) (dropped int, err error) {
	for _, analyzer := range analyzers {
		issues, _, err := tx.Issues(ctx, IssueFilter{Nodes: []string{node}, Analyzers: []string{analyzer}})
		if err != nil {
			return dropped, err
		}
		for _, is := range issues {
			n, err := tx.DeleteIssues(ctx, node, analyzer, is.Target())
			if err != nil {
				return dropped, err
			}
			dropped += n
		}
	}
	return dropped, nil
}

// Kept reports whether something of the user's is kept about a path.
func (tx *Tx) Kept(ctx context.Context, path string) (yes bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM (`+stateIDs+`) WHERE node_id = $1)`, path).Scan(&yes)
	return yes, err
}
