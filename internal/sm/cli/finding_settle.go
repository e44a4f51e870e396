package cli

import (
	"context"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

func findingsResolveVerb() *verb {
	var in atlas.FindingChange
	return &verb{
		name: "findings resolve", category: queueing, brief: "Mark a finding as fixed",
		args:  []arg{findingArg(&in.ID)},
		flags: []flag{text(&in.Note, "note", "", "TEXT", "What was done.")},
		exits: []exit{{5, "there is no such finding, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			return s.settling(ctx, in.ID, "fixed", false, func(a *atlas.Atlas) (atlas.FindingOutcome, *finding.Record, error) {
				return a.ResolveFinding(ctx, sm.CLI, in)
			})
		},
	}
}

func findingsReopenVerb() *verb {
	var in atlas.FindingChange
	return &verb{
		name: "findings reopen", category: queueing, brief: "Make a settled finding open again",
		args:  []arg{findingArg(&in.ID)},
		exits: []exit{{5, "there is no such finding, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			return s.settling(ctx, in.ID, "open", true, func(a *atlas.Atlas) (atlas.FindingOutcome, *finding.Record, error) {
				return a.ReopenFinding(ctx, sm.CLI, in)
			})
		},
	}
}

type dismissing struct {
	in         atlas.FindingChange
	class, yes bool
}

func findingsDismissVerb() *verb {
	var o dismissing
	return &verb{
		name: "findings dismiss", category: queueing, brief: "Hide a finding",
		details: "With --class every finding of its finder and type about that file is hidden, now and later. That is written to the file's .sm file.",
		args:    []arg{findingArg(&o.in.ID)},
		flags: []flag{
			text(&o.in.Note, "note", "", "TEXT", "Why."),
			toggle(&o.class, "class", "", "Hide its whole class for this file."),
			toggle(&o.yes, "yes", "y", "Consent to the writing of .sm files, from now on."),
		},
		exits: []exit{{5, "there is no such finding, or no map yet"}},
		run:   o.run,
	}
}

func (o *dismissing) run(ctx context.Context, s *session) error {
	if !o.class {
		return s.settling(ctx, o.in.ID, "dismissed", true, func(a *atlas.Atlas) (atlas.FindingOutcome, *finding.Record, error) {
			return a.DismissFinding(ctx, sm.CLI, o.in)
		})
	}
	var f *finding.Record
	var class finding.Class
	err := s.curate(o.yes, func(a *atlas.Atlas, c atlas.Consent) (err error) {
		var outcome atlas.FindingOutcome
		if outcome, f, class, err = a.DismissClass(ctx, sm.CLI, o.in, c); err != nil {
			return err
		}
		return outcome.Refusal(o.in.ID)
	})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK          bool          `json:"ok"`
			Kind        string        `json:"kind"`
			Suppression finding.Class `json:"suppression"`
			Node        string        `json:"node"`
		}{true, "suppression", class, f.NodeID})
	}
	s.printf("%s hides what %s finds of the type %s.\n", draw.Line(f.NodeID), draw.Line(class.Extension), draw.Line(class.Type))
	return nil
}

type undismissing struct {
	in  atlas.ClassChange
	yes bool
}

func findingsUndismissVerb() *verb {
	var o undismissing
	return &verb{
		name: "findings undismiss", category: queueing, brief: "Show a hidden class of findings again",
		flags: []flag{
			nodeFlag(&o.in.Node, "node", "n", "The file that hides it."),
			text(&o.in.Extension, "extension", "", "ID", "The finder."),
			text(&o.in.Type, "type", "", "TYPE", "The type; without it the entry for all types is meant."),
			toggle(&o.yes, "yes", "y", "Consent to the writing of .sm files, from now on."),
		},
		exits: []exit{{5, "nothing like that is hidden, or no map yet"}},
		run:   o.run,
	}
}

func (o *undismissing) run(ctx context.Context, s *session) error {
	if o.in.Node == "" || o.in.Extension == "" {
		return usage("say which: --node and --extension")
	}
	var removed finding.Class
	err := s.curate(o.yes, func(a *atlas.Atlas, c atlas.Consent) (err error) {
		var outcome atlas.UndismissOutcome
		if outcome, removed, err = a.UndismissClass(ctx, sm.CLI, o.in, c); err != nil {
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
			Removed finding.Class `json:"removed"`
			Node    string        `json:"node"`
		}{true, "unsuppression", removed, o.in.Node})
	}
	s.printf("%s shows %s again.\n", draw.Line(o.in.Node), draw.Line(class(removed)))
	return nil
}

func findingsSuppressionsVerb() *verb {
	var node string
	return &verb{
		name: "findings suppressions", category: queueing, brief: "List hidden classes of findings",
		flags: []flag{nodeFlag(&node, "node", "n", "Only of this node.")},
		exits: []exit{{5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			list, err := a.Suppressions(ctx, node)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK           bool              `json:"ok"`
					Kind         string            `json:"kind"`
					Suppressions []atlas.NodeClass `json:"suppressions"`
				}{true, "suppressions", list})
			}
			if len(list) == 0 {
				s.note("Nothing is hidden.")
				return nil
			}
			t := table{head: []string{"NODE", "EXTENSION", "TYPE", "NOTE"}}
			for _, c := range list {
				t.rows = append(t.rows, []string{draw.Line(c.Node), draw.Line(c.Extension), draw.Line(c.Type), draw.Line(c.Note)})
			}
			s.printf("%s", t.text(s.tty.out, s.tty.wide))
			return nil
		},
	}
}
