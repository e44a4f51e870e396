package atlas

import (
	"context"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/store"
)

// OrphanKinds are the rules about files that went or moved, by the word that
// people use.
var OrphanKinds = map[string]string{"orphan": "orphan", "medium": "auto-rename-medium", "ambiguous": "auto-rename-ambiguous"}

// Orphans lists the issues about files that went or moved: all of them, or one
// kind. The fault is Invalid for an unknown kind.
func (a *Atlas) Orphans(ctx context.Context, kind string) ([]*Issue, error) {
	var rules []string
	for word, rule := range OrphanKinds {
		if kind == "" || kind == word || kind == rule {
			rules = append(rules, rule)
		}
	}
	if rules == nil {
		return nil, fault.New(fault.Invalid, "What is orphaned is of the kind orphan, medium or ambiguous; %q is none.", kind)
	}
	list, err := a.Issues(ctx, IssueFilter{Analyzers: rules})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Moved says what a move of state did, or would do.
type Moved struct {
	From       string `json:"from"`
	To         string `json:"to"`
	Collisions int    `json:"collisions"` // rows that gave way to rows of the target
	DryRun     bool   `json:"dryRun"`
}

// Reconcile makes what is kept about a file that is gone be kept about another
// one. The fault is NotFound when nothing is kept about the one, or the other
// is no node; Conflict when the one is a node itself.
func (a *Atlas) Reconcile(ctx context.Context, by sm.Channel, from, to string, dryRun bool) (Moved, error) {
	m := Moved{From: from, To: to, DryRun: dryRun}
	err := a.moveState(ctx, &m, func(tx *store.Tx) error {
		kept, err := tx.Kept(ctx, from)
		if err != nil {
			return err
		}
		there, err := tx.NodeOf(ctx, from)
		switch {
		case err != nil:
			return err
		case there != nil:
			return fault.Coded(fault.Invalid, "not-orphaned", "%s is a node of the map; nothing of it is orphaned.", from)
		case !kept:
			return fault.Coded(fault.NotFound, "not-found", "Nothing is kept about %s.", from)
		}
		there, err = tx.NodeOf(ctx, to)
		if err == nil && there == nil {
			return unknownNode(to)
		}
		return err
	})
	return a.movedState(by, "orphans.reconcile", m, err)
}

// UndoRename takes back what a scan took for a move of a file: what was kept
// about the old path is kept about it again. from names the old path where the
// scan saw several. The fault is NotFound for a path that no scan spoke of.
func (a *Atlas) UndoRename(ctx context.Context, by sm.Channel, to, from string, dryRun bool) (Moved, error) {
	m := Moved{From: to, DryRun: dryRun}
	err := a.moveState(ctx, &m, func(tx *store.Tx) error {
		issues, _, err := tx.Issues(ctx, store.IssueFilter{Nodes: []string{to}, Analyzers: []string{"auto-rename-medium", "auto-rename-ambiguous"}})
		if err != nil {
			return err
		}
		m.To, err = oldPath(issues, to, from)
		return err
	})
	return a.movedState(by, "orphans.undo-rename", m, err)
}

// oldPath is where a file was before, as the issues about it say.
func oldPath(issues []skillmap.Issue, to, from string) (string, error) {
	var candidates []string
	for _, is := range issues {
		if s, ok := is.Data["from"].(string); ok {
			candidates = append(candidates, s)
		}
		if list, ok := is.Data["candidates"].([]any); ok {
			for _, c := range list {
				if s, ok := c.(string); ok {
					candidates = append(candidates, s)
				}
			}
		}
	}
	switch {
	case len(candidates) == 0:
		return "", fault.Coded(fault.NotFound, "not-found", "No scan took %s for a file that moved.", to)
	case from != "" && !slices.Contains(candidates, from):
		return "", fault.Coded(fault.NotFound, "not-found", "No scan took %s for the file that was %s; it was one of %s.", to, from, strings.Join(candidates, ", "))
	case from != "":
		return from, nil
	case len(candidates) > 1:
		return "", fault.Coded(fault.Invalid, "ambiguous", "%s may have been one of %s; say which with --from.", to, strings.Join(candidates, ", "))
	}
	return candidates[0], nil
}

// moveState checks a move and makes it, unless it is only a dry run.
func (a *Atlas) moveState(ctx context.Context, m *Moved, check func(*store.Tx) error) error {
	return a.write(ctx, func(tx *store.Tx) (err error) {
		if err := check(tx); err != nil || m.DryRun {
			return err
		}
		if m.Collisions, err = tx.MoveState(ctx, m.From, m.To); err != nil {
			return err
		}
		for _, path := range []string{m.From, m.To} {
			if _, err := tx.DropIssues(ctx, path, "orphan", "auto-rename-medium", "auto-rename-ambiguous"); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *Atlas) movedState(by sm.Channel, op string, m Moved, err error) (Moved, error) {
	if err == nil && !m.DryRun {
		a.Log(sm.Operation{Op: op, Target: m.From, Channel: by, Outcome: "ok", Detail: "to=" + m.To})
	}
	return m, err
}
