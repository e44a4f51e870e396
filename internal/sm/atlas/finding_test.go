package atlas_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/sidecar"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/finding"
)

func (q *queue) sidecarText(name string) string {
	q.t.Helper()
	text, err := os.ReadFile(filepath.Join(q.dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

// mirrored is what the map says of a node's sidecar.
func (q *queue) mirrored(path string) skillmap.Sidecar {
	q.t.Helper()
	b, err := q.Node(q.t.Context(), path, atlas.NodeOptions{})
	if err != nil {
		q.t.Fatal(err)
	}
	return b.Item.Sidecar
}

func (q *queue) forbid() {
	q.t.Helper()
	write(q.t, q.dir, ".skill-map/settings.json", `{"schemaVersion":1,"allowSidecarWriters":false}`)
}

func TestFindingStates(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
	one := atlas.FindingChange{ID: 1, Note: "n"}
	for _, step := range []struct {
		do   func() (atlas.FindingOutcome, *finding.Record, error)
		want atlas.FindingOutcome
		at   finding.Resolution
		log  string
	}{
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.ReopenFinding(t.Context(), sm.MCP, one)
		}, atlas.AlreadyOpen, "", ""},
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.ResolveFinding(t.Context(), sm.MCP, one)
		}, atlas.Resolved, finding.Fixed, "findings.resolve README.md  mcp ok id=1"},
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.ResolveFinding(t.Context(), sm.MCP, one)
		}, atlas.AlreadyFixed, finding.Fixed, ""},
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.DismissFinding(t.Context(), sm.MCP, one)
		}, atlas.Dismissed, finding.Dismissed, "findings.dismiss README.md  mcp ok id=1 row"},
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.DismissFinding(t.Context(), sm.MCP, one)
		}, atlas.AlreadyDismissed, finding.Dismissed, ""},
		{func() (atlas.FindingOutcome, *finding.Record, error) {
			return q.ReopenFinding(t.Context(), sm.MCP, one)
		}, atlas.Reopened, "", "findings.reopen README.md  mcp ok id=1"},
	} {
		before := len(q.operations())
		got, f, err := step.do()
		if err != nil || got != step.want || !f.Is(step.at) {
			t.Errorf("%s: got %s, %+v, %v", step.want, got, f, err)
		}
		if (got.Refusal(1) == nil) != (step.log != "") {
			t.Errorf("%s as a fault: %v", got, got.Refusal(1))
		}
		if step.log == "" && len(q.operations()) != before {
			t.Errorf("%s is logged", got)
		}
		if step.log != "" && q.lastOperation() != step.log {
			t.Errorf("logged %q, want %q", q.lastOperation(), step.log)
		}
	}
	for _, in := range []atlas.FindingChange{{ID: 99}, {ID: 1, Node: "docs/style.md"}} {
		if o, _, err := q.ResolveFinding(t.Context(), sm.MCP, in); err != nil || o != atlas.NoSuchFinding || fault.Of(o.Refusal(in.ID)) != fault.NotFound {
			t.Errorf("%+v: %s, %v", in, o, err)
		}
	}
	if q.sidecarText("README.sm") != "" {
		t.Error("a row's state is written to a sidecar")
	}
}

// consents is the ladder: each step on a project of its own.
func TestConsent(t *testing.T) {
	writes := map[string]func(*queue, atlas.Consent) error{
		"dismiss class": func(q *queue, c atlas.Consent) error {
			_, _, _, err := q.DismissClass(t.Context(), sm.MCP, atlas.FindingChange{ID: 1}, c)
			return err
		},
		"undismiss class": func(q *queue, c atlas.Consent) error {
			_, _, err := q.UndismissClass(t.Context(), sm.MCP, atlas.ClassChange{Node: "docs/style.md", Extension: "core/x", Type: "t"}, c)
			return err
		},
		"delete the last of a class": func(q *queue, c atlas.Consent) error {
			_, err := q.DeleteFinding(t.Context(), sm.MCP, atlas.FindingChange{ID: 2}, c)
			return err
		},
		"dismiss issue": func(q *queue, c atlas.Consent) error {
			_, _, err := q.DismissIssue(t.Context(), sm.MCP, atlas.IssueDismissal{Node: "README.md", Analyzer: "reference-broken", Value: "x"}, c)
			return err
		},
		"undismiss issue": func(q *queue, c atlas.Consent) error {
			_, _, err := q.UndismissIssue(t.Context(), sm.MCP, atlas.IssueDismissal{Node: "docs/style.md", Analyzer: "a", Value: "v"}, c)
			return err
		},
		"set tags": func(q *queue, c atlas.Consent) error {
			_, err := q.SetTags(t.Context(), sm.UI, "README.md", []string{"a"}, c)
			return err
		},
		"annotate": func(q *queue, c atlas.Consent) error {
			_, err := q.Annotate(t.Context(), sm.CLI, "README.md", false, "", c)
			return err
		},
		"refresh": func(q *queue, c atlas.Consent) error {
			_, err := q.Refresh(t.Context(), sm.CLI, "docs/style.md", c)
			return err
		},
	}
	const stale = "identity:\n  path: docs/style.md\n  bodyHash: " + skillmap.ZeroHash + "\n  frontmatterHash: " + skillmap.ZeroHash + "\nannotations:\n  suppressions:\n    - {extension: core/x, type: t}\n    - {extension: core/ai-scope-analyzer, type: scope}\n  issueSuppressions:\n    - {analyzer: a, value: v}\n"
	setUp := func(t *testing.T) *queue {
		dir := project(t)
		write(t, dir, "docs/style.sm", strings.ReplaceAll(stale, skillmap.ZeroHash, `"`+skillmap.ZeroHash+`"`))
		q := queueIn(t, dir)
		q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
		q.do("ai-scope-analyzer", "docs/style.md", found("scope", 1))
		return q
	}
	for name, do := range writes {
		t.Run(name, func(t *testing.T) {
			q := setUp(t)
			before := q.sidecarText("docs/style.sm")
			untouched := func(when string) {
				t.Helper()
				if q.sidecarText("README.sm") != "" || q.sidecarText("docs/style.sm") != before {
					t.Errorf("%s a sidecar was written", when)
				}
				if all, _ := q.AllFindings(t.Context(), finding.Filter{}, true); len(all) != 2 {
					t.Errorf("%s a finding was deleted", when)
				}
			}
			logged := len(q.operations())
			err := do(q, atlas.Consent{})
			if fault.Code(err) != "confirm-required" || fault.Details(err)["key"] != "allowEditSmFiles" {
				t.Fatalf("without consent: %v", err)
			}
			untouched("without consent")
			if len(q.operations()) != logged {
				t.Error("a refusal is logged")
			}
			q.forbid()
			for _, c := range []atlas.Consent{{}, {Once: true}, {Always: true}} {
				err := do(q, c)
				if fault.Code(err) != "sidecar-writers-forbidden" || fault.Of(err) != fault.Denied || fault.Details(err)["key"] != "allowSidecarWriters" {
					t.Fatalf("against the policy with %+v: %v", c, err)
				}
			}
			untouched("against the policy")
			write(t, q.dir, ".skill-map/settings.json", `{"schemaVersion":1}`)
			if err := do(q, atlas.Consent{Once: true}); err != nil {
				t.Fatalf("with consent for once: %v", err)
			}
			if q.Settings().AllowEditSmFiles {
				t.Error("consent for once is kept")
			}
			if q.sidecarText("README.sm") == "" && q.sidecarText("docs/style.sm") == before {
				t.Error("no sidecar was written")
			}

			q = setUp(t)
			if err := do(q, atlas.Consent{Always: true}); err != nil {
				t.Fatalf("with consent for ever: %v", err)
			}
			if !q.Settings().AllowEditSmFiles {
				t.Error("consent for ever is not kept")
			}

			q = setUp(t)
			if _, err := q.Project().Set("allowEditSmFiles", true, config.SetOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := do(q, atlas.Consent{}); err != nil {
				t.Errorf("with the grant: %v", err)
			}
		})
	}
}

func TestACommittedGrantIsNone(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, ".skill-map/settings.json", `{"schemaVersion":1,"allowEditSmFiles":true}`)
	write(t, q.dir, ".skill-map/settings.local.json", `{"allowEditSmFiles":true}`)
	if _, err := q.SetTags(t.Context(), sm.UI, "README.md", []string{"a"}, atlas.Consent{}); fault.Code(err) != "confirm-required" {
		t.Errorf("a grant from elsewhere counts: %v", err)
	}
}

func TestClassSuppression(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 2))
	yes := atlas.Consent{Once: true}
	o, f, class, err := q.DismissClass(t.Context(), sm.MCP, atlas.FindingChange{ID: 1, Note: "known"}, yes)
	if err != nil || o != atlas.Suppressed || f.NodeID != "README.md" || class != (finding.Class{Extension: "core/ai-redundancy-analyzer", Type: "redundancy", Note: "known"}) {
		t.Fatalf("DismissClass: %s, %+v, %v", o, class, err)
	}
	if got := q.lastOperation(); got != "findings.dismiss README.md  mcp ok id=1 class" {
		t.Errorf("logged: %s", got)
	}
	page, _ := q.Findings(t.Context(), finding.Filter{}, finding.View{})
	if len(page.Findings) != 0 || page.DismissedExcluded != 2 {
		t.Errorf("the view: %+v", page)
	}
	if all, _ := q.AllFindings(t.Context(), finding.Filter{}, false); len(all) != 2 || !all[0].Is("") {
		t.Errorf("the rows: %+v", all)
	}
	if counts, _ := q.FindingCounts(t.Context()); len(counts) != 0 {
		t.Errorf("a suppressed class counts: %v", counts)
	}
	text := q.sidecarText("README.sm")
	if o, _, _, err := q.DismissClass(t.Context(), sm.MCP, atlas.FindingChange{ID: 2, Note: "other"}, yes); err != nil || o != atlas.Suppressed || q.sidecarText("README.sm") != text {
		t.Errorf("again: %s, %v, %s", o, err, q.sidecarText("README.sm"))
	}
	list, err := q.Suppressions(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].Node != "README.md" || list[0].Note != "known" {
		t.Errorf("Suppressions: %+v, %v", list, err)
	}
	// The finder judges anew: rows come and go, the suppression stays.
	scan(t, q.Atlas, atlas.ScanOptions{})
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
	if page, _ := q.Findings(t.Context(), finding.Filter{}, finding.View{}); page.DismissedExcluded != 1 {
		t.Errorf("after another judgement: %+v", page)
	}
	for _, row := range []struct {
		in   atlas.ClassChange
		want atlas.UndismissOutcome
	}{
		{atlas.ClassChange{Node: "nope.md", Extension: "x"}, atlas.NoNode},
		{atlas.ClassChange{Node: "README.md", Extension: "core/ai-scope-analyzer", Type: "redundancy"}, atlas.NoMatch},
		{atlas.ClassChange{Node: "README.md", Extension: "core/ai-redundancy-analyzer"}, atlas.NoMatch},
		{atlas.ClassChange{Node: "README.md", Extension: "ai-redundancy-analyzer", Type: "redundancy"}, atlas.Unsuppressed},
		{atlas.ClassChange{Node: "README.md", Extension: "ai-redundancy-analyzer", Type: "redundancy"}, atlas.NoMatch},
	} {
		if got, _, err := q.UndismissClass(t.Context(), sm.MCP, row.in, yes); err != nil || got != row.want || (got.Refusal(row.in) == nil) != (got == atlas.Unsuppressed) {
			t.Errorf("UndismissClass(%+v) = %s, %v, want %s", row.in, got, err, row.want)
		}
	}
	if page, _ := q.Findings(t.Context(), finding.Filter{}, finding.View{}); len(page.Findings) != 1 {
		t.Errorf("lifted: %+v", page)
	}
	if q.mirrored("README.md").Annotations != nil {
		t.Errorf("the mirror: %+v", q.mirrored("README.md"))
	}
}

func TestBareIdsThatSeveralHave(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, "README.sm", "identity:\n  path: README.md\n  bodyHash: \""+skillmap.ZeroHash+"\"\n  frontmatterHash: \""+skillmap.ZeroHash+"\"\nannotations:\n  suppressions:\n    - {extension: core/x}\n    - {extension: mine/x}\n")
	_, _, err := q.UndismissClass(t.Context(), sm.CLI, atlas.ClassChange{Node: "README.md", Extension: "x"}, atlas.Consent{Once: true})
	if fault.Code(err) != "ambiguous" {
		t.Errorf("an ambiguous id: %v", err)
	}
	if o, removed, err := q.UndismissClass(t.Context(), sm.CLI, atlas.ClassChange{Node: "README.md", Extension: "mine/x"}, atlas.Consent{Once: true}); err != nil || o != atlas.Unsuppressed || removed.Extension != "mine/x" {
		t.Errorf("the exact one: %s, %+v, %v", o, removed, err)
	}
}

// A sidecar that somebody edits between scans: the map follows when it is met.
func TestMirrorHeals(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
	if _, _, _, err := q.DismissClass(t.Context(), sm.MCP, atlas.FindingChange{ID: 1}, atlas.Consent{Once: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(q.dir, "README.sm")); err != nil {
		t.Fatal(err)
	}
	o, _, err := q.UndismissClass(t.Context(), sm.MCP, atlas.ClassChange{Node: "README.md", Extension: "core/ai-redundancy-analyzer", Type: "redundancy"}, atlas.Consent{Once: true})
	if err != nil || o != atlas.NoMatch {
		t.Errorf("UndismissClass: %s, %v", o, err)
	}
	if s := q.mirrored("README.md"); s.Present {
		t.Errorf("the mirror: %+v", s)
	}
	if page, _ := q.Findings(t.Context(), finding.Filter{}, finding.View{}); len(page.Findings) != 1 {
		t.Errorf("the view: %+v", page)
	}
}

func TestLiftFor(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 1))
	if _, _, _, err := q.DismissClass(t.Context(), sm.CLI, atlas.FindingChange{ID: 1}, atlas.Consent{Once: true}); err != nil {
		t.Fatal(err)
	}
	done, err := q.LiftFor(t.Context(), "README.md", "core/ai-redundancy-analyzer")
	if err != nil || len(done.Kept) != 1 || len(done.Lifted) != 0 {
		t.Errorf("without a grant: %+v, %v", done, err)
	}
	if _, err := q.Project().Set("allowEditSmFiles", true, config.SetOptions{}); err != nil {
		t.Fatal(err)
	}
	done, err = q.LiftFor(t.Context(), "README.md", "core/ai-redundancy-analyzer")
	if err != nil || len(done.Lifted) != 1 || len(done.Kept) != 0 || strings.Contains(q.sidecarText("README.sm"), "suppressions") {
		t.Errorf("with it: %+v, %v", done, err)
	}
}

func TestDeletePruneClear(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 2))
	yes := atlas.Consent{Once: true}
	if _, _, _, err := q.DismissClass(t.Context(), sm.MCP, atlas.FindingChange{ID: 1}, yes); err != nil {
		t.Fatal(err)
	}
	if o, err := q.DeleteFinding(t.Context(), sm.MCP, atlas.FindingChange{ID: 1}, atlas.Consent{}); err != nil || o != atlas.Deleted {
		t.Errorf("one of two: %s, %v", o, err)
	}
	if !strings.Contains(q.sidecarText("README.sm"), "suppressions") {
		t.Error("the suppression went with the first")
	}
	if o, err := q.DeleteFinding(t.Context(), sm.MCP, atlas.FindingChange{ID: 2}, yes); err != nil || o != atlas.Deleted {
		t.Errorf("the last: %s, %v", o, err)
	}
	if strings.Contains(q.sidecarText("README.sm"), "suppressions") {
		t.Error("the suppression outlives its class")
	}
	if o, _ := q.DeleteFinding(t.Context(), sm.MCP, atlas.FindingChange{ID: 2}, yes); o != atlas.NoSuchFinding {
		t.Errorf("deleted twice: %s", o)
	}
	q.do("ai-redundancy-analyzer", "README.md", found("redundancy", 2))
	q.do("ai-redundancy-analyzer", "docs/style.md", found("redundancy", 3))
	write(t, q.dir, "README.md", "Other.\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	for _, dry := range []bool{true, false} {
		if n, err := q.PruneFindings(t.Context(), sm.CLI, dry); n != 2 || err != nil {
			t.Errorf("prune (dry %v): %d, %v", dry, n, err)
		}
	}
	if _, err := q.ClearFindings(t.Context(), sm.CLI, "nope.md", false); fault.Of(err) != fault.NotFound {
		t.Errorf("clear an unknown node: %v", err)
	}
	if n, err := q.ClearFindings(t.Context(), sm.CLI, "", false); n != 3 || err != nil {
		t.Errorf("clear: %d, %v", n, err)
	}
}

func TestDismissIssue(t *testing.T) {
	q := newQueue(t)
	const node = ".claude/commands/publish.md"
	in := atlas.IssueDismissal{Node: node, Analyzer: "core/reference-broken", Value: ".claude/commands/gone.md", Note: "later"}
	issues := func() int {
		t.Helper()
		l, err := q.Issues(t.Context(), atlas.IssueFilter{Nodes: []string{node}, Analyzers: []string{"reference-broken"}})
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	confidence := func() float64 {
		t.Helper()
		l, err := q.Links(t.Context(), atlas.LinkFilter{From: node})
		if err != nil || len(l) == 0 {
			t.Fatal(err, l)
		}
		return l[0].Confidence
	}
	if issues() != 1 {
		t.Fatalf("%d issues before", issues())
	}
	before := confidence()
	yes := atlas.Consent{Once: true}
	logged := len(q.operations())
	for _, bad := range []atlas.IssueDismissal{{Node: node, Analyzer: "nope", Value: "x"}, {Node: node, Analyzer: "mine/reference-broken", Value: "x"}, {Node: node, Analyzer: "reference-broken"}} {
		if _, _, err := q.DismissIssue(t.Context(), sm.MCP, bad, atlas.Consent{Always: true}); fault.Of(err) != fault.Invalid {
			t.Errorf("DismissIssue(%+v): %v", bad, err)
		}
	}
	if _, _, err := q.DismissIssue(t.Context(), sm.MCP, atlas.IssueDismissal{Node: "nope.md", Analyzer: "reference-broken", Value: "x"}, yes); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown node: %v", err)
	}
	if q.sidecarText(".claude/commands/publish.sm") != "" || len(q.operations()) != logged || q.Settings().AllowEditSmFiles || issues() != 1 {
		t.Error("a refusal has effects")
	}
	o, n, err := q.DismissIssue(t.Context(), sm.MCP, in, yes)
	if err != nil || o != atlas.IssueSuppressed || n != 1 || issues() != 0 {
		t.Errorf("DismissIssue: %s, %d, %v", o, n, err)
	}
	if got := q.lastOperation(); got != "issues.dismiss "+node+"  mcp ok analyzer=core/reference-broken value=.claude/commands/gone.md rows=1" {
		t.Errorf("logged: %s", got)
	}
	again := in
	again.Analyzer, again.Note = "reference-broken", "other"
	if o, n, err := q.DismissIssue(t.Context(), sm.MCP, again, yes); err != nil || o != atlas.IssueAlreadySuppressed || n != 0 {
		t.Errorf("in the other spelling: %s, %d, %v", o, n, err)
	}
	list, err := q.IssueSuppressions(t.Context(), node)
	if err != nil || len(list) != 1 || list[0].Value != (finding.Value{Analyzer: "core/reference-broken", Value: in.Value, Note: "later"}) {
		t.Errorf("IssueSuppressions: %+v, %v", list, err)
	}
	if _, err := q.IssueSuppressions(t.Context(), "nope.md"); fault.Of(err) != fault.NotFound {
		t.Errorf("of an unknown node: %v", err)
	}
	scan(t, q.Atlas, atlas.ScanOptions{})
	if issues() != 0 || confidence() <= before {
		t.Errorf("after a scan: %d issues, confidence %v, before %v", issues(), confidence(), before)
	}
	o, removed, err := q.UndismissIssue(t.Context(), sm.MCP, again, yes)
	if err != nil || o != atlas.IssueUnsuppressed || removed.Note != "later" || issues() != 0 {
		t.Errorf("UndismissIssue: %s, %+v, %v", o, removed, err)
	}
	for _, in := range []atlas.IssueDismissal{again, {Node: "nope.md", Analyzer: "gone/plugin", Value: "x"}} {
		if o, _, err := q.UndismissIssue(t.Context(), sm.MCP, in, atlas.Consent{}); err != nil || o != atlas.NoSuppression {
			t.Errorf("UndismissIssue(%+v): %s, %v", in, o, err)
		}
	}
	scan(t, q.Atlas, atlas.ScanOptions{})
	if issues() != 1 {
		t.Errorf("%d issues after it was taken back", issues())
	}
}

func TestUndismissOfARuleThatIsGone(t *testing.T) {
	q := newQueue(t)
	write(t, q.dir, "README.sm", "identity:\n  path: README.md\n  bodyHash: \""+skillmap.ZeroHash+"\"\n  frontmatterHash: \""+skillmap.ZeroHash+"\"\nannotations:\n  issueSuppressions:\n    - {analyzer: gone/rule, value: x}\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	if list, err := q.IssueSuppressions(t.Context(), ""); err != nil || len(list) != 1 {
		t.Errorf("listed: %v, %v", list, err)
	}
	if o, _, err := q.UndismissIssue(t.Context(), sm.MCP, atlas.IssueDismissal{Node: "README.md", Analyzer: "gone/rule", Value: "x"}, atlas.Consent{Once: true}); err != nil || o != atlas.IssueUnsuppressed {
		t.Errorf("taken out: %s, %v", o, err)
	}
}

func TestBump(t *testing.T) {
	q := newQueue(t)
	yes := atlas.Consent{Once: true}
	bump := func(force bool) atlas.BumpReport {
		t.Helper()
		r, err := q.Bump(t.Context(), sm.CLI, "README.md", atlas.BumpOptions{Force: force, Consent: yes, Author: "Ann"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if _, err := q.Bump(t.Context(), sm.CLI, "README.md", atlas.BumpOptions{Consent: yes}); fault.Code(err) != "action-disabled" {
		t.Errorf("while it is off: %v", err)
	}
	if _, err := q.SetExtensions(t.Context(), sm.CLI, []string{atlas.BumpAction}, true); err != nil {
		t.Fatal(err)
	}
	if r := bump(false); r != (atlas.BumpReport{OK: true, Version: 1, CreatedSidecar: true}) {
		t.Errorf("the first: %+v", r)
	}
	root, err := sidecar.Read([]byte(q.sidecarText("README.sm")))
	if audit, _ := root["audit"].(map[string]any); err != nil || audit["createdBy"] != "Ann" || audit["lastBumpedBy"] != "Ann" || audit["createdAt"] != "2026-01-01T00:00:00.000Z" {
		t.Errorf("the sidecar: %v, %v", root, err)
	}
	if r := bump(false); r != (atlas.BumpReport{Reason: "fresh"}) {
		t.Errorf("unchanged: %+v", r)
	}
	if r := bump(true); r != (atlas.BumpReport{OK: true, Noop: true}) {
		t.Errorf("unchanged, forced: %+v", r)
	}
	// The file changes, and no scan has seen it yet.
	write(t, q.dir, "README.md", "Other.\n")
	if r := bump(false); r != (atlas.BumpReport{OK: true, Version: 2}) {
		t.Errorf("changed: %+v", r)
	}
	scan(t, q.Atlas, atlas.ScanOptions{})
	if s := q.mirrored("README.md"); *s.Status != skillmap.Fresh {
		t.Errorf("after a scan: %s", *s.Status)
	}
	write(t, q.dir, "README.md", "Another.\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	if pending, err := q.Pending(t.Context()); err != nil || len(pending) != 1 || pending[0] != "README.md" {
		t.Errorf("pending: %v, %v", pending, err)
	}
	if _, err := q.Bump(t.Context(), sm.CLI, "nope.md", atlas.BumpOptions{Consent: yes}); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown node: %v", err)
	}
}

func TestAnnotateAndRefresh(t *testing.T) {
	q := newQueue(t)
	yes := atlas.Consent{Once: true}
	s, err := q.Annotate(t.Context(), sm.CLI, "README.md", false, "", yes)
	if err != nil || !s.Created || s.SidecarPath != "README.sm" || *q.mirrored("README.md").Status != skillmap.Fresh {
		t.Errorf("Annotate: %+v, %v", s, err)
	}
	if _, err := q.Annotate(t.Context(), sm.CLI, "README.md", false, "", yes); fault.Code(err) != "exists" {
		t.Errorf("over one: %v", err)
	}
	write(t, q.dir, "README.sm", "no: sidecar: at all")
	if _, err := q.Annotate(t.Context(), sm.CLI, "README.md", true, "", yes); err != nil {
		t.Errorf("by force: %v", err)
	}
	if s, err := q.Refresh(t.Context(), sm.CLI, "README.md", atlas.Consent{}); err != nil || s.Status != "fresh" {
		t.Errorf("refresh a fresh one: %+v, %v", s, err)
	}
	write(t, q.dir, "README.md", "Other.\n")
	if s, err := q.Refresh(t.Context(), sm.CLI, "README.md", yes); err != nil || s.Status != "refreshed" {
		t.Errorf("refresh: %+v, %v", s, err)
	}
	if _, err := q.Refresh(t.Context(), sm.CLI, "docs/style.md", yes); fault.Of(err) != fault.NotFound {
		t.Errorf("refresh none: %v", err)
	}
	write(t, q.dir, "docs/gone.sm", q.sidecarText("README.sm"))
	scan(t, q.Atlas, atlas.ScanOptions{})
	for _, dry := range []bool{true, false} {
		list, err := q.PruneSidecars(t.Context(), dry)
		if err != nil || len(list) != 1 || list[0].SidecarPath != "docs/gone.sm" || list[0].Deleted == dry {
			t.Errorf("prune (dry %v): %+v, %v", dry, list, err)
		}
	}
	if list, err := q.PruneSidecars(t.Context(), false); err != nil || len(list) != 0 {
		t.Errorf("prune again: %+v, %v", list, err)
	}
}

func TestRunAction(t *testing.T) {
	q := newQueue(t)
	yes := atlas.Consent{Once: true}
	r, err := q.RunAction(t.Context(), sm.UI, "core/node-set-tags", "README.md", atlas.ActionInput{Tags: []string{"a"}}, yes)
	if err != nil || !r.OK || q.types() != "action.applied" {
		t.Errorf("tags: %+v, %v", r, err)
	}
	if r, err := q.RunAction(t.Context(), sm.UI, "core/node-set-tags", "README.md", atlas.ActionInput{Tags: []string{"a"}}, yes); err != nil || !r.Noop || q.types() != "" {
		t.Errorf("the same tags: %+v, %v", r, err)
	}
	if _, err := q.SetExtensions(t.Context(), sm.UI, []string{"node-set-stability"}, true); err != nil {
		t.Fatal(err)
	}
	if r, err := q.RunAction(t.Context(), sm.UI, "core/node-set-stability", "README.md", atlas.ActionInput{Stability: "old"}, yes); err != nil || r.OK || r.Reason != "invalid" {
		t.Errorf("a word that is none: %+v, %v", r, err)
	}
	if r, err := q.RunAction(t.Context(), sm.UI, "core/node-set-stability", "README.md", atlas.ActionInput{Stability: "deprecated"}, yes); err != nil || !r.OK {
		t.Errorf("stability: %+v, %v", r, err)
	}
	if _, err := q.RunAction(t.Context(), sm.UI, "core/ai-tagger-action", "README.md", atlas.ActionInput{}, yes); fault.Of(err) != fault.NotFound {
		t.Errorf("an agent's action: %v", err)
	}
	if list := q.Actions(false); len(list) < 20 {
		t.Errorf("%d actions", len(list))
	}
}

func TestEnrich(t *testing.T) {
	remote := "# Style\n"
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_, _ = w.Write([]byte(remote))
	}))
	defer server.Close()
	dir := project(t)
	write(t, dir, "docs/style.sm", "identity:\n  path: docs/style.md\n  bodyHash: \""+skillmap.ZeroHash+"\"\n  frontmatterHash: \""+skillmap.ZeroHash+"\"\nannotations:\n  source: https://github.com/o/r/blob/8c5f01d5a2e4b3c6d7e8f9a0b1c2d3e4f5a6b7c8/docs/style.md\n")
	q := queueIn(t, dir)
	enrich := func(path string, stale bool) (atlas.Enriched, error) {
		return q.Enrich(t.Context(), sm.CLI, path, stale)
	}
	if done, err := enrich("docs/style.md", false); err != nil || done.Refreshed != 0 || len(done.Nodes) != 1 || asked != 0 {
		t.Errorf("while it is off: %+v, %v", done, err)
	}
	if _, err := q.SetExtensions(t.Context(), sm.CLI, []string{"github/enrichment"}, true); err != nil {
		t.Fatal(err)
	}
	if _, err := enrich("", false); fault.Code(err) != "network-not-allowed" || asked != 0 {
		t.Errorf("without the network: %v", err)
	}
	for key, v := range map[string]any{"allowNetworkActions": true, "plugins.github.extensions.enrichment.settings.apiBaseUrl": server.URL, "plugins.github.extensions.enrichment.settings.rawBaseUrl": server.URL} {
		if _, err := q.Project().Set(key, v, config.SetOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := enrich("", true); err != nil || done.Refreshed != 1 || done.Nodes[0] != (atlas.EnrichedNode{Path: "docs/style.md", Enrichments: 1}) {
		t.Errorf("asked: %+v, %v", done, err)
	}
	if done, err := enrich("", true); err != nil || done.Refreshed != 0 {
		t.Errorf("what is known: %+v, %v", done, err)
	}
	remote = "# Other\n"
	if _, err := enrich("docs/style.md", false); err != nil {
		t.Fatal(err)
	}
	h, err := q.History(t.Context(), atlas.HistoryFilter{Extension: "github/enrichment"})
	if err != nil || len(h) != 2 || !strings.Contains(*h[0].Report+*h[1].Report, `"verified":true`) || !strings.Contains(*h[0].Report+*h[1].Report, `"verified":false`) || *h[0].Runner != "in-process" {
		t.Errorf("history: %+v, %v", h, err)
	}
	if _, err := enrich("nope.md", false); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown node: %v", err)
	}
}

func TestReconcile(t *testing.T) {
	q := newQueue(t)
	q.do("ai-redundancy-analyzer", "docs/style.md", found("redundancy", 1))
	if err := os.Rename(filepath.Join(q.dir, "docs/style.md"), filepath.Join(q.dir, "docs/look.md")); err != nil {
		t.Fatal(err)
	}
	write(t, q.dir, "docs/look.md", "# Something else\n")
	scan(t, q.Atlas, atlas.ScanOptions{})
	orphans, err := q.Orphans(t.Context(), "orphan")
	if err != nil || len(orphans) != 1 || orphans[0].NodeIDs[0] != "docs/style.md" {
		t.Fatalf("orphans: %v, %v", orphans, err)
	}
	for _, bad := range [][2]string{{"docs/style.md", "nope.md"}, {"never.md", "docs/look.md"}} {
		if _, err := q.Reconcile(t.Context(), sm.CLI, bad[0], bad[1], false); fault.Of(err) != fault.NotFound {
			t.Errorf("Reconcile%v: %v", bad, err)
		}
	}
	if _, err := q.Reconcile(t.Context(), sm.CLI, "README.md", "docs/look.md", false); fault.Of(err) != fault.Invalid {
		t.Errorf("what is no orphan: %v", err)
	}
	if m, err := q.Reconcile(t.Context(), sm.CLI, "docs/style.md", "docs/look.md", false); err != nil || m.Collisions != 0 {
		t.Errorf("Reconcile: %+v, %v", m, err)
	}
	if all, _ := q.AllFindings(t.Context(), finding.Filter{Node: "docs/look.md"}, true); len(all) != 1 {
		t.Errorf("findings of the new path: %v", all)
	}
	if left, _ := q.Orphans(t.Context(), ""); len(left) != 0 {
		t.Errorf("orphans left: %v", left)
	}
}
