package cli

import (
	"cmp"
	"context"
	"os"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
)

type checking struct {
	node      string
	analyzers []string
	noPlugins bool
	form      string
	severity  string
	baseline  string
	newOnly   bool
	base      string
}

func checkVerb() *verb {
	var o checking
	return &verb{
		name: "check", category: mapping, brief: "List the issues of the map",
		details: "Shows what the last scan found wrong: broken references, colliding names, faulty metadata. Exits 1 when one of them is an error, so that a build can stop on it.",
		flags: []flag{
			nodeFlag(&o.node, "node", "n", "Only issues that name this node."),
			commaList(&o.analyzers, "analyzers", "", "IDS", "Only issues of these rules, such as reference-broken,name-collision."),
			choice(&o.form, "format", "", "FORM", "How issues are written: "+strings.Join(formats, ", ")+". sarif, github and junit are for continuous integration.", formats...),
			choice(&o.severity, "severity", "", "LEVEL", "Only issues at least this severe; exit 1 when one is left.", "error", "warn", "info"),
			text(&o.baseline, "baseline", "", "FILE", "Leave out issues that stand in FILE, which `sm check --json` wrote."),
			toggle(&o.newOnly, "new-only", "", "Only issues that the commit to compare with does not have."),
			text(&o.base, "base", "", "REF", "The commit that --new-only compares with; HEAD when not given."),
			toggle(&o.noPlugins, "no-plugins", "", "Leave drop-in plugins out. They add no rules here."),
		},
		examples: []example{
			{"sm check", ""},
			{"sm check --format sarif --new-only --base origin/main", "what a pull request breaks"},
			{"sm check --analyzers reference-broken --json", "broken references for a script"},
		},
		exits: []exit{{1, "an issue is an error, or as severe as --severity says"}, {5, "there is no such node, baseline or commit, or no map yet"}},
		run:   o.run,
	}
}

func (o *checking) run(ctx context.Context, s *session) error {
	if err := knownAnalyzers(o.analyzers); err != nil {
		return err
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	filter := atlas.IssueFilter{Analyzers: o.analyzers}
	if o.node != "" {
		if _, err := a.Node(ctx, o.node, atlas.NodeOptions{}); fault.Of(err) == fault.NotFound {
			return noNode(ctx, a, o.node)
		} else if err != nil {
			return err
		}
		filter.Nodes = []string{o.node}
	}
	issues, err := a.Issues(ctx, filter)
	if err != nil {
		return err
	}
	left, err := o.leave(ctx, s, a, issues.Items)
	if err != nil {
		return err
	}
	if err := o.show(s, left); err != nil {
		return err
	}
	least := skillmap.Severity(cmp.Or(o.severity, string(skillmap.Error)))
	for _, is := range left {
		if is.Severity.Rank() >= least.Rank() {
			return errNotClean
		}
	}
	return nil
}

// leave takes out the issues that are too mild, or known from before.
func (o *checking) leave(ctx context.Context, s *session, a *atlas.Atlas, issues []*atlas.Issue) ([]*atlas.Issue, error) {
	known, err := o.known(ctx, s, a)
	if err != nil {
		return nil, err
	}
	var left []*atlas.Issue
	for _, is := range issues {
		if is.Severity.Rank() >= skillmap.Severity(o.severity).Rank() && !known[fingerprint(is.Issue)] {
			left = append(left, is)
		}
	}
	return left, nil
}

// known are the fingerprints of issues that are not news.
func (o *checking) known(ctx context.Context, s *session, a *atlas.Atlas) (map[string]bool, error) {
	var old []skillmap.Issue
	if o.baseline != "" {
		text, err := os.ReadFile(s.inDir(o.baseline))
		if err != nil {
			return nil, fault.New(fault.NotFound, "The baseline %s cannot be read. `sm check --json > %s` makes it.", o.baseline, o.baseline).Because(err)
		}
		if old, err = readBaseline(text); err != nil {
			return nil, fault.New(fault.Invalid, "%s holds no issues that `sm check --json` wrote.", o.baseline).Because(err)
		}
	}
	if o.base != "" && !o.newOnly {
		return nil, fault.New(fault.Invalid, "--base goes with --new-only.")
	}
	if o.newOnly {
		before, err := a.IssuesAt(ctx, cmp.Or(o.base, "HEAD"))
		if err != nil {
			return nil, err
		}
		old = append(old, before...)
	}
	known := make(map[string]bool, len(old))
	for i := range old {
		known[fingerprint(&old[i])] = true
	}
	return known, nil
}

func (o *checking) show(s *session, issues []*atlas.Issue) error {
	form := o.form
	if form == "" && s.json {
		form = "json"
	}
	switch form {
	case "json":
		return s.emit(issuesJSON(issues))
	case "", "text":
		s.showIssues(issues)
		return nil
	}
	plain := make([]*skillmap.Issue, len(issues))
	for i, is := range issues {
		plain[i] = is.Issue
	}
	return s.format(form, plain)
}

// knownAnalyzers refuses a rule that nobody has: a filter with a slip of the
// pen would call every map clean.
func knownAnalyzers(ids []string) error {
	var known []string
	for _, an := range check.Analyzers() {
		known = append(known, an.Short())
	}
	known = append(known, "frontmatter-parse-error", "frontmatter-malformed", "frontmatter-invalid", "frontmatter-key-unknown", "backtick-unbalanced",
		"invalid-sidecar", "file-unreadable", "invisible-character", "manifest-invalid", "auto-rename-medium", "auto-rename-ambiguous", "orphan")
	for _, id := range ids {
		if !skillmap.MatchAnalyzer(skillmap.ShortID(id), known...) {
			return fault.Coded(fault.Invalid, "unknown-analyzer", "No rule is called %q; they are %s.", id, strings.Join(known, ", "))
		}
	}
	return nil
}

func (s *session) showIssues(issues []*atlas.Issue) {
	if len(issues) == 0 {
		s.printf("%s\n", s.tty.out.green("No issues."))
		return
	}
	count := map[skillmap.Severity]int{}
	for _, is := range issues {
		s.printf("%s", s.issueText(is, true))
		count[is.Severity]++
	}
	s.printf("%s\n", issueCounts(count[skillmap.Error], count[skillmap.Warn], count[skillmap.Info]))
}

// issueCounts is "1 error, 2 warnings, 0 notes" without the zeros.
func issueCounts(errors, warns, infos int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{errors, "error"}, {warns, "warning"}, {infos, "note"}} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.word))
		}
	}
	if parts == nil {
		return "no issues"
	}
	return strings.Join(parts, ", ")
}

// issueText is one issue on a few lines: severity, where, rule; then what.
func (s *session) issueText(is *atlas.Issue, where bool) string {
	p := s.tty.out
	var b strings.Builder
	b.WriteString("  " + s.severity(is.Severity) + "  ")
	if where {
		b.WriteString(draw.Line(strings.Join(is.NodeIDs, ", ")) + "  ")
	}
	b.WriteString(p.dim(draw.Line(is.AnalyzerID)) + "\n")
	for line := range strings.SplitSeq(strings.TrimRight(draw.Clean(is.Message), "\r\n"), "\n") {
		b.WriteString("         " + strings.TrimRight(line, "\r") + "\n")
	}
	return b.String()
}

func (s *session) severity(sev skillmap.Severity) string {
	switch sev {
	case skillmap.Error:
		return s.tty.out.red("error")
	case skillmap.Warn:
		return s.tty.out.yellow("warn ")
	}
	return s.tty.out.cyan("info ")
}
