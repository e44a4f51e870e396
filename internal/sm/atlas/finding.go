package atlas

import (
	"context"
	"fmt"
	"slices"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/store"
)

// FindingOutcome says what came of settling a finding.
type FindingOutcome string

const (
	Resolved         FindingOutcome = "resolved"
	AlreadyFixed     FindingOutcome = "already-fixed"
	Dismissed        FindingOutcome = "dismissed"
	AlreadyDismissed FindingOutcome = "already-dismissed"
	Suppressed       FindingOutcome = "suppressed" // the whole class, in the sidecar
	Reopened         FindingOutcome = "reopened"
	AlreadyOpen      FindingOutcome = "already-open"
	Deleted          FindingOutcome = "deleted"
	NoSuchFinding    FindingOutcome = "not-found"
)

// Refusal is the outcome as a fault, for doors that tell it as one; nil when
// something was done.
func (o FindingOutcome) Refusal(id int64) error {
	switch o {
	case AlreadyFixed:
		return fault.Coded(fault.Conflict, "finding-already-fixed", "Finding %d is fixed already.", id)
	case AlreadyDismissed:
		return fault.Coded(fault.Conflict, "finding-terminal", "Finding %d is dismissed already.", id)
	case AlreadyOpen:
		return fault.Coded(fault.Conflict, "finding-open", "Finding %d is open already.", id)
	case NoSuchFinding:
		return fault.Coded(fault.NotFound, "not-found", "There is no finding %d here.", id)
	}
	return nil
}

// Findings lists findings as a view shows them. It is empty where there is no
// database.
func (a *Atlas) Findings(ctx context.Context, f finding.Filter, v finding.View) (finding.Page, error) {
	var page finding.Page
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Findings(ctx, f.Node)
		if err != nil {
			return err
		}
		hidden, err := classes(ctx, tx, f.Node)
		if err != nil {
			return err
		}
		page = v.Show(slices.DeleteFunc(all, func(r finding.Record) bool { return !f.Admits(&r) }), hidden)
		return nil
	})
	if page.Findings == nil {
		page.Findings = []finding.Record{}
	}
	return page, ifMissing(err)
}

// AllFindings lists findings wherever they stand, suppressed ones too; stale
// ones only when asked for. It is empty where there is no database.
func (a *Atlas) AllFindings(ctx context.Context, f finding.Filter, stale bool) ([]finding.Record, error) {
	list := []finding.Record{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Findings(ctx, f.Node)
		for _, r := range all {
			if f.Admits(&r) && (stale || !r.Stale) {
				list = append(list, r)
			}
		}
		return err
	})
	return list, ifMissing(err)
}

// classes reads what each node suppresses, or only one node.
func classes(ctx context.Context, tx *store.Tx, node string) (map[string][]finding.Class, error) {
	nodes, err := tx.Annotated(ctx, node, finding.ClassKey)
	out := map[string][]finding.Class{}
	for _, n := range nodes {
		out[n.Path] = finding.Classes(n.Sidecar.Annotations)
	}
	return out, err
}

// FindingCounts counts, by node, the open findings that still hold and are not
// suppressed.
func (a *Atlas) FindingCounts(ctx context.Context) (counts map[string]finding.Counts, err error) {
	err = a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Findings(ctx, "")
		if err != nil || len(all) == 0 {
			return err
		}
		hidden, err := classes(ctx, tx, "")
		counts = finding.Count(all, hidden)
		return err
	})
	return counts, ifMissing(err)
}

// FindingChange names a finding that is to be settled. With Node, a finding of
// another node is none.
type FindingChange struct {
	ID   int64
	Node string
	Note string
}

// ResolveFinding marks a finding as fixed by a person.
func (a *Atlas) ResolveFinding(ctx context.Context, by sm.Channel, in FindingChange) (FindingOutcome, *finding.Record, error) {
	return a.settle(ctx, by, in, "findings.resolve", "", func(f *finding.Record, now int64) (FindingOutcome, error) {
		if f.Is(finding.Fixed) {
			return AlreadyFixed, nil
		}
		f.Settle(finding.Fixed, finding.Human, in.Note, "", now)
		return Resolved, nil
	})
}

// DismissFinding marks a finding as one that nobody wants to see. The fault is
// Conflict with the code "finding-not-dismissible" for what the program itself
// noted of a file.
func (a *Atlas) DismissFinding(ctx context.Context, by sm.Channel, in FindingChange) (FindingOutcome, *finding.Record, error) {
	return a.settle(ctx, by, in, "findings.dismiss", " row", func(f *finding.Record, now int64) (FindingOutcome, error) {
		if err := dismissible(f); err != nil {
			return "", err
		}
		if f.Is(finding.Dismissed) {
			return AlreadyDismissed, nil
		}
		f.Settle(finding.Dismissed, finding.Human, in.Note, "", now)
		return Dismissed, nil
	})
}

func dismissible(f *finding.Record) error {
	if f.Origin == finding.Kernel {
		return fault.Coded(fault.Conflict, "finding-not-dismissible", "Finding %d says how an agent fared with the file; it goes when the file is judged again.", f.ID)
	}
	return nil
}

// ReopenFinding forgets how a finding was settled. A suppression of its class
// stays.
func (a *Atlas) ReopenFinding(ctx context.Context, by sm.Channel, in FindingChange) (FindingOutcome, *finding.Record, error) {
	return a.settle(ctx, by, in, "findings.reopen", "", func(f *finding.Record, _ int64) (FindingOutcome, error) {
		if f.Is("") {
			return AlreadyOpen, nil
		}
		f.Reopen()
		return Reopened, nil
	})
}

// settle changes where one finding stands, and says so in the log when it did.
func (a *Atlas) settle(ctx context.Context, by sm.Channel, in FindingChange, op, detail string, change func(*finding.Record, int64) (FindingOutcome, error)) (FindingOutcome, *finding.Record, error) {
	outcome := NoSuchFinding
	var f *finding.Record
	err := a.write(ctx, func(tx *store.Tx) (err error) {
		outcome = NoSuchFinding
		if f, err = findingOf(ctx, tx, in); err != nil || f == nil {
			return err
		}
		if outcome, err = change(f, tx.Now); err != nil {
			return err
		}
		if outcome.Refusal(in.ID) != nil {
			return nil
		}
		return tx.SaveResolution(ctx, f)
	})
	if err != nil {
		return "", nil, err
	}
	if outcome.Refusal(in.ID) == nil {
		a.Log(sm.Operation{Op: op, Target: f.NodeID, Channel: by, Outcome: "ok", Detail: fmt.Sprintf("id=%d%s", in.ID, detail)})
	}
	return outcome, f, nil
}

func findingOf(ctx context.Context, tx *store.Tx, in FindingChange) (*finding.Record, error) {
	f, err := tx.Finding(ctx, in.ID)
	if err != nil || f == nil || in.Node != "" && f.NodeID != in.Node {
		return nil, err
	}
	return f, nil
}

// DismissClass hides every finding of one finding's extension and type about
// its file, now and later, by an entry in the file's sidecar. One that stands
// there stays as it is.
//
// The fault is that of consent, and Conflict with the code
// "finding-not-dismissible" for what the program itself noted.
func (a *Atlas) DismissClass(ctx context.Context, by sm.Channel, in FindingChange, c Consent) (FindingOutcome, *finding.Record, finding.Class, error) {
	outcome := NoSuchFinding
	var f *finding.Record
	var class finding.Class
	err := a.write(ctx, func(tx *store.Tx) (err error) {
		outcome = NoSuchFinding
		if f, err = findingOf(ctx, tx, in); err != nil || f == nil {
			return err
		}
		if err := dismissible(f); err != nil {
			return err
		}
		n, err := a.note(ctx, tx, f.NodeID)
		if err != nil {
			return err
		}
		if n == nil {
			return fault.Coded(fault.NotFound, "not-found", "%s is not part of the map any more, so nothing can be written beside it.", f.NodeID)
		}
		if err := a.consent(c); err != nil {
			return err
		}
		class = finding.Class{Extension: f.ExtensionID, Type: f.Type, Note: in.Note}
		_, err = n.annotate(finding.ClassKey, func(notes map[string]any) ([]any, bool) { return finding.AddClass(notes, class) })
		outcome = Suppressed
		return err
	})
	if err != nil {
		return "", nil, class, err
	}
	if outcome == Suppressed {
		a.Log(sm.Operation{Op: "findings.dismiss", Target: f.NodeID, Channel: by, Outcome: "ok", Detail: fmt.Sprintf("id=%d class", in.ID)})
	}
	return outcome, f, class, nil
}

// ClassChange names a suppression that is to be lifted. Without a type only
// the entry for every type is meant.
type ClassChange struct {
	Node, Extension, Type string
}

// UndismissOutcome says what came of lifting a suppression.
type UndismissOutcome string

const (
	Unsuppressed UndismissOutcome = "unsuppressed"
	NoMatch      UndismissOutcome = "no-match"  // the node suppresses no such thing
	NoNode       UndismissOutcome = "not-found" // there is no such node
)

// UndismissClass takes a suppression out of a node's sidecar; what it hid
// shows again at once. The fault is that of consent, and Invalid for a bare id
// that several entries have.
func (a *Atlas) UndismissClass(ctx context.Context, by sm.Channel, in ClassChange, c Consent) (UndismissOutcome, finding.Class, error) {
	outcome := NoNode
	var removed finding.Class
	err := a.write(ctx, func(tx *store.Tx) error {
		outcome = NoNode
		n, err := a.note(ctx, tx, in.Node)
		if err != nil || n == nil {
			return err
		}
		outcome = NoMatch
		root, err := n.current()
		if err != nil {
			return err
		}
		id, err := meantClass(finding.Classes(annotationsOf(root)), in)
		if err != nil {
			return err
		}
		if id == "" {
			return n.heal()
		}
		if err := a.consent(c); err != nil {
			return err
		}
		_, err = n.annotate(finding.ClassKey, func(notes map[string]any) (list []any, ok bool) {
			list, removed, ok = finding.RemoveClass(notes, func(c finding.Class) bool { return c.Extension == id && c.Type == in.Type })
			return list, ok
		})
		outcome = Unsuppressed
		return err
	})
	if err != nil {
		return "", removed, err
	}
	if outcome == Unsuppressed {
		a.Log(sm.Operation{Op: "findings.undismiss", Target: in.Node, Extension: removed.Extension, Channel: by, Outcome: "ok"})
	}
	return outcome, removed, nil
}

// meantClass is the extension, as stored, of the entry that is meant: the one
// of exactly that id, else the one that a bare id or its qualified form names.
// It is empty when there is none.
func meantClass(entries []finding.Class, in ClassChange) (string, error) {
	var near []string
	for _, e := range entries {
		switch {
		case e.Type != in.Type:
		case e.Extension == in.Extension:
			return e.Extension, nil
		case skillmap.MatchExtension(e.Extension, in.Extension) || skillmap.MatchExtension(in.Extension, e.Extension):
			near = append(near, e.Extension)
		}
	}
	if len(near) > 1 {
		return "", fault.Coded(fault.Invalid, "ambiguous", "%s suppresses several extensions called %s; say which: %v.", in.Node, in.Extension, near)
	}
	return slices.Concat(near, []string{""})[0], nil
}

// Refusal is the outcome as a fault, for doors that tell it as one.
func (o UndismissOutcome) Refusal(in ClassChange) error {
	switch o {
	case NoNode:
		return unknownNode(in.Node)
	case NoMatch:
		return fault.Coded(fault.NotFound, "not-found", "%s suppresses nothing of %s like that.", in.Node, in.Extension)
	}
	return nil
}

// NodeClass is a suppression with the node that has it.
type NodeClass struct {
	Node string `json:"node"`
	finding.Class
}

// Suppressions lists the classes that are suppressed, by node; of one node, or
// of all when it is empty.
func (a *Atlas) Suppressions(ctx context.Context, node string) ([]NodeClass, error) {
	list := []NodeClass{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		nodes, err := tx.Annotated(ctx, node, finding.ClassKey)
		for _, n := range nodes {
			for _, c := range finding.Classes(n.Sidecar.Annotations) {
				list = append(list, NodeClass{n.Path, c})
			}
		}
		return err
	})
	slices.SortStableFunc(list, func(x, y NodeClass) int {
		return compareTexts(x.Node, y.Node, x.Extension, y.Extension, x.Type, y.Type)
	})
	return list, ifMissing(err)
}

// LiftedFor says what LiftFor did.
type LiftedFor struct {
	Lifted []finding.Class // taken out of the sidecar
	Kept   []finding.Class // there is no standing grant to take them out
}

// LiftFor makes room for a finder that somebody asks for again: what the
// node's sidecar suppresses of it is taken out, where writing sidecars is
// granted.
func (a *Atlas) LiftFor(ctx context.Context, node, extension string) (done LiftedFor, err error) {
	s := a.Settings()
	may := s.AllowSidecarWriters && s.AllowEditSmFiles
	err = a.write(ctx, func(tx *store.Tx) error {
		done = LiftedFor{}
		n, err := a.note(ctx, tx, node)
		if err != nil || n == nil {
			return err
		}
		root, err := n.current()
		if err != nil {
			return err
		}
		var those []finding.Class
		for _, c := range finding.Classes(annotationsOf(root)) {
			if skillmap.MatchExtension(extension, c.Extension) {
				those = append(those, c)
			}
		}
		if len(those) == 0 || !may {
			done.Kept = those
			return n.heal()
		}
		_, err = n.annotate(finding.ClassKey, func(notes map[string]any) (list []any, changed bool) {
			for {
				rest, c, ok := finding.RemoveClass(notes, func(c finding.Class) bool { return skillmap.MatchExtension(extension, c.Extension) })
				if !ok {
					return rest, len(done.Lifted) > 0
				}
				done.Lifted = append(done.Lifted, c)
				notes = map[string]any{finding.ClassKey: rest}
			}
		})
		return err
	})
	return done, err
}

// DeleteFinding deletes a finding. The last one of a suppressed class takes
// the suppression along, for nobody could see it any more: that writes the
// sidecar and needs consent, and without it nothing is deleted.
func (a *Atlas) DeleteFinding(ctx context.Context, by sm.Channel, in FindingChange, c Consent) (FindingOutcome, error) {
	outcome := NoSuchFinding
	var f *finding.Record
	err := a.write(ctx, func(tx *store.Tx) (err error) {
		outcome = NoSuchFinding
		if f, err = findingOf(ctx, tx, in); err != nil || f == nil {
			return err
		}
		if err := a.liftOrphan(ctx, tx, f, c); err != nil {
			return err
		}
		_, err = tx.DeleteFinding(ctx, in.ID)
		outcome = Deleted
		return err
	})
	if err != nil {
		return "", err
	}
	if outcome == Deleted {
		a.Log(sm.Operation{Op: "findings.delete", Target: f.NodeID, Extension: f.ExtensionID, Channel: by, Outcome: "ok", Detail: fmt.Sprintf("id=%d", in.ID)})
	}
	return outcome, nil
}

// liftOrphan takes out the suppression of exactly this finding's class when no
// other finding of the class is left.
func (a *Atlas) liftOrphan(ctx context.Context, tx *store.Tx, f *finding.Record, c Consent) error {
	all, err := tx.Findings(ctx, f.NodeID)
	if err != nil || slices.ContainsFunc(all, func(o finding.Record) bool {
		return o.ID != f.ID && o.ExtensionID == f.ExtensionID && o.Type == f.Type
	}) {
		return err
	}
	n, err := a.note(ctx, tx, f.NodeID)
	if err != nil || n == nil {
		return err
	}
	is := func(c finding.Class) bool { return c.Extension == f.ExtensionID && c.Type == f.Type }
	root, err := n.current()
	if err != nil || !slices.ContainsFunc(finding.Classes(annotationsOf(root)), is) {
		return err
	}
	if err := a.consent(c); err != nil {
		return err
	}
	_, err = n.annotate(finding.ClassKey, func(notes map[string]any) (list []any, ok bool) {
		list, _, ok = finding.RemoveClass(notes, is)
		return list, ok
	})
	return err
}

// PruneFindings deletes the findings that are stale, or with dryRun counts
// them.
func (a *Atlas) PruneFindings(ctx context.Context, by sm.Channel, dryRun bool) (int, error) {
	return a.deleteFindings(ctx, by, "findings.prune", "", true, dryRun)
}

// ClearFindings deletes every finding of a node, or of the project when it is
// empty. The fault is NotFound for a node that has none and is none.
func (a *Atlas) ClearFindings(ctx context.Context, by sm.Channel, node string, dryRun bool) (int, error) {
	return a.deleteFindings(ctx, by, "findings.clear", node, false, dryRun)
}

func (a *Atlas) deleteFindings(ctx context.Context, by sm.Channel, op, node string, stale, dryRun bool) (n int, err error) {
	err = a.write(ctx, func(tx *store.Tx) error {
		if n, err = tx.DeleteFindings(ctx, node, stale, dryRun); err != nil || n > 0 || node == "" {
			return err
		}
		there, err := tx.NodeOf(ctx, node)
		if err == nil && there == nil {
			return unknownNode(node)
		}
		return err
	})
	if err == nil && n > 0 && !dryRun {
		target := node
		if target == "" {
			target = "*"
		}
		a.Log(sm.Operation{Op: op, Target: target, Channel: by, Outcome: "ok", Detail: "deleted=" + itoa(n)})
	}
	return n, err
}
