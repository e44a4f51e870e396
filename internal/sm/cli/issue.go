package cli

import (
	"context"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

func issuesVerb() *verb {
	return &verb{
		name: "issues", category: mapping, brief: "Dismiss issues that are none to you", group: true,
		details: "`sm check` lists the issues of the map. One that flags a value, such as a reference that is broken on purpose, can be dismissed for a file; that is written to the file's .sm file and shared with everybody who has it.",
	}
}

// dismissal are the arguments that name issues.
type dismissal struct {
	in  atlas.IssueDismissal
	yes bool
}

func (o *dismissal) args() []arg {
	return []arg{one(&o.in.Analyzer, "ANALYZER", "the rule, such as reference-broken"), one(&o.in.Value, "VALUE", "what it flags, letter by letter")}
}

func (o *dismissal) flags(more ...flag) []flag {
	return append([]flag{
		nodeFlag(&o.in.Node, "node", "n", "The file."),
		toggle(&o.yes, "yes", "y", "Consent to the writing of .sm files, from now on."),
	}, more...)
}

func (o *dismissal) check() error {
	if o.in.Node == "" {
		return usage("say which file: --node")
	}
	return nil
}

func issuesDismissVerb() *verb {
	var o dismissal
	return &verb{
		name: "issues dismiss", category: mapping, brief: "Hide the issues of a rule that flag a value in a file",
		args: o.args(), flags: o.flags(text(&o.in.Note, "note", "", "TEXT", "Why.")),
		examples: []example{{"sm issues dismiss reference-broken docs/later.md -n README.md", "a reference that is broken on purpose"}},
		exits:    []exit{{5, "there is no such node, or no map yet"}},
		run:      o.dismiss,
	}
}

func (o *dismissal) dismiss(ctx context.Context, s *session) error {
	if err := o.check(); err != nil {
		return err
	}
	deleted := 0
	outcome := atlas.IssueSuppressed
	err := s.curate(o.yes, func(a *atlas.Atlas, c atlas.Consent) (err error) {
		outcome, deleted, err = a.DismissIssue(ctx, sm.CLI, o.in, c)
		return err
	})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK            bool          `json:"ok"`
			Kind          string        `json:"kind"`
			Suppression   finding.Value `json:"suppression"`
			Node          string        `json:"node"`
			DeletedIssues int           `json:"deletedIssues"`
		}{true, "issue-suppression", finding.Value{Analyzer: o.in.Analyzer, Value: o.in.Value, Note: o.in.Note}, o.in.Node, deleted})
	}
	if outcome == atlas.IssueAlreadySuppressed {
		s.note("It was dismissed already.")
	}
	s.printf("%s dismissed\n", plural(deleted, "issue"))
	return nil
}

func issuesUndismissVerb() *verb {
	var o dismissal
	return &verb{
		name: "issues undismiss", category: mapping, brief: "Take a dismissal back",
		details: "The issues come back with the next scan.",
		args:    o.args(), flags: o.flags(),
		exits: []exit{{5, "nothing like that is dismissed, or no map yet"}},
		run:   o.undismiss,
	}
}

func (o *dismissal) undismiss(ctx context.Context, s *session) error {
	if err := o.check(); err != nil {
		return err
	}
	var removed finding.Value
	err := s.curate(o.yes, func(a *atlas.Atlas, c atlas.Consent) (err error) {
		var outcome atlas.IssueOutcome
		if outcome, removed, err = a.UndismissIssue(ctx, sm.CLI, o.in, c); err != nil {
			return err
		}
		return outcome.Refusal(o.in)
	})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK      bool          `json:"ok"`
			Kind    string        `json:"kind"`
			Removed finding.Value `json:"removed"`
			Node    string        `json:"node"`
		}{true, "issue-unsuppression", removed, o.in.Node})
	}
	s.printf("%s shows %s of %s again, from the next scan on.\n", draw.Line(o.in.Node), draw.Line(removed.Value), draw.Line(removed.Analyzer))
	return nil
}

func issuesSuppressionsVerb() *verb {
	var node string
	return &verb{
		name: "issues suppressions", category: mapping, brief: "List dismissed issues",
		flags: []flag{nodeFlag(&node, "node", "n", "Only of this node.")},
		exits: []exit{{5, "there is no such node, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			list, err := a.IssueSuppressions(ctx, node)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK           bool              `json:"ok"`
					Kind         string            `json:"kind"`
					Suppressions []atlas.NodeValue `json:"suppressions"`
				}{true, "issue-suppressions", list})
			}
			if len(list) == 0 {
				s.note("Nothing is dismissed.")
				return nil
			}
			t := table{head: []string{"NODE", "ANALYZER", "VALUE", "NOTE"}}
			for _, v := range list {
				t.rows = append(t.rows, []string{draw.Line(v.Node), draw.Line(v.Analyzer), draw.Line(v.Value.Value), draw.Line(v.Note)})
			}
			s.printf("%s", t.text(s.tty.out, s.tty.wide))
			return nil
		},
	}
}
