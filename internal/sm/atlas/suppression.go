package atlas

import (
	"context"
	"fmt"
	"slices"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/sm"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/store"
)

// IssueDismissal names the issues of one rule that flag one value in one node.
type IssueDismissal struct {
	Node, Analyzer, Value, Note string
}

func (in IssueDismissal) value() finding.Value {
	return finding.Value{Analyzer: in.Analyzer, Value: in.Value, Note: in.Note}
}

// IssueOutcome says what came of dismissing issues, or of taking it back.
type IssueOutcome string

const (
	IssueSuppressed        IssueOutcome = "suppressed"
	IssueAlreadySuppressed IssueOutcome = "already-suppressed"
	IssueUnsuppressed      IssueOutcome = "unsuppressed"
	NoSuppression          IssueOutcome = "not-found"
)

// DismissIssue hides the issues of a rule that flag a value in a node: the
// node's sidecar says so, the rule skips them from the next scan on, and those
// that stand are deleted now. An equal entry that is there already stays as it
// is.
//
// The fault is Invalid, before anything is written, for a rule that is none;
// NotFound for an unknown node; else that of consent.
func (a *Atlas) DismissIssue(ctx context.Context, by sm.Channel, in IssueDismissal, c Consent) (outcome IssueOutcome, deleted int, err error) {
	if check.ByID(in.Analyzer) == nil {
		return "", 0, fault.Coded(fault.Invalid, "bad-query", "No rule is called %q, so nothing was written: an entry for it would stay in the sidecar and never match.", in.Analyzer).With("analyzer", in.Analyzer)
	}
	if in.Value == "" {
		return "", 0, fault.Coded(fault.Invalid, "bad-query", "Say which value is to be dismissed: the target that the issue names.")
	}
	err = a.write(ctx, func(tx *store.Tx) error {
		n, err := a.note(ctx, tx, in.Node)
		if err != nil {
			return err
		}
		if n == nil {
			return fault.Coded(fault.NotFound, "not-found", "No node with path %q.", in.Node).With("path", in.Node)
		}
		if err := a.consent(c); err != nil {
			return err
		}
		outcome = IssueAlreadySuppressed
		_, err = n.annotate(finding.ValueKey, func(notes map[string]any) ([]any, bool) {
			list, added := finding.AddValue(notes, in.value())
			if added {
				outcome = IssueSuppressed
			}
			return list, added
		})
		if err != nil {
			return err
		}
		deleted, err = tx.DeleteIssues(ctx, in.Node, in.Analyzer, in.Value)
		return err
	})
	if err != nil {
		return "", 0, err
	}
	a.Log(sm.Operation{Op: "issues.dismiss", Target: in.Node, Channel: by, Outcome: "ok", Detail: fmt.Sprintf("analyzer=%s value=%s rows=%d", in.Analyzer, in.Value, deleted)})
	return outcome, deleted, nil
}

// UndismissIssue takes such an entry out of a node's sidecar; the issues come
// back with the next scan. Whether there is such a rule is not asked: entries
// of rules that are gone must be removable.
func (a *Atlas) UndismissIssue(ctx context.Context, by sm.Channel, in IssueDismissal, c Consent) (outcome IssueOutcome, removed finding.Value, err error) {
	err = a.write(ctx, func(tx *store.Tx) error {
		outcome = NoSuppression
		n, err := a.note(ctx, tx, in.Node)
		if err != nil || n == nil {
			return err
		}
		root, err := n.current()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(finding.Values(annotationsOf(root)), in.value().Equals) {
			return n.heal()
		}
		if err := a.consent(c); err != nil {
			return err
		}
		_, err = n.annotate(finding.ValueKey, func(notes map[string]any) (list []any, ok bool) {
			list, removed, ok = finding.RemoveValue(notes, in.value())
			return list, ok
		})
		outcome = IssueUnsuppressed
		return err
	})
	if err != nil {
		return "", removed, err
	}
	if outcome == IssueUnsuppressed {
		a.Log(sm.Operation{Op: "issues.undismiss", Target: in.Node, Channel: by, Outcome: "ok", Detail: fmt.Sprintf("analyzer=%s value=%s", removed.Analyzer, removed.Value)})
	}
	return outcome, removed, nil
}

// NodeValue is a dismissal with the node that has it.
type NodeValue struct {
	Node string `json:"node"`
	finding.Value
}

// IssueSuppressions lists the dismissals, whether their rules exist or not: of
// one node, or of all when it is empty. The fault is NotFound for a node that
// is none.
func (a *Atlas) IssueSuppressions(ctx context.Context, node string) ([]NodeValue, error) {
	list := []NodeValue{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		if node != "" {
			there, err := tx.NodeOf(ctx, node)
			if err != nil {
				return err
			}
			if there == nil {
				return unknownNode(node)
			}
		}
		nodes, err := tx.Annotated(ctx, node, finding.ValueKey)
		for _, n := range nodes {
			for _, v := range finding.Values(n.Sidecar.Annotations) {
				list = append(list, NodeValue{n.Path, v})
			}
		}
		return err
	})
	slices.SortStableFunc(list, func(x, y NodeValue) int {
		return compareTexts(x.Node, y.Node, x.Analyzer, y.Analyzer, x.Value.Value, y.Value.Value)
	})
	return list, ifMissing(err)
}

// Refusal is the outcome as a fault, for doors that tell it as one.
func (o IssueOutcome) Refusal(in IssueDismissal) error {
	if o != NoSuppression {
		return nil
	}
	return fault.Coded(fault.NotFound, "issue-suppression-not-found", "%s dismisses no %s of %s.", in.Node, in.Value, in.Analyzer)
}
