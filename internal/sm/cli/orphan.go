package cli

import (
	"context"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

func orphansVerb() *verb {
	var kind string
	return &verb{
		name: "orphans", category: upkeep, brief: "List files that went or moved",
		details: "What was kept about them (jobs, findings, marks) waits: `sm orphans reconcile` gives it to another file, `sm orphans undo-rename` takes back what a scan took for a move.",
		flags:   []flag{choice(&kind, "kind", "", "KIND", "Only of this kind.", "orphan", "medium", "ambiguous")},
		exits:   []exit{{5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			list, err := a.Orphans(ctx, kind)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(issuesJSON(list))
			}
			if len(list) == 0 {
				s.printf("%s\n", s.tty.out.green("Nothing is orphaned."))
			}
			for _, is := range list {
				s.printf("%s", s.issueText(is, true))
			}
			return nil
		},
	}
}

// moving is what reconcile and undo-rename share.
type moving struct {
	path, to, from     string
	dryRun, yes, force bool
}

func orphansReconcileVerb() *verb {
	var o moving
	return &verb{
		name: "orphans reconcile", category: upkeep, brief: "Give what was kept about a file that is gone to another",
		args: []arg{ofNode(one(&o.path, "PATH", "the file that is gone"))},
		flags: []flag{
			nodeFlag(&o.to, "to", "", "The file that it is now."),
			toggle(&o.dryRun, "dry-run", "n", "Say what would be done, do nothing."),
		},
		exits: []exit{{5, "there is no such file, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			if o.to == "" {
				return usage("say which file it is now: --to")
			}
			return s.move(ctx, func(a *atlas.Atlas) (atlas.Moved, error) { return a.Reconcile(ctx, sm.CLI, o.path, o.to, o.dryRun) })
		},
	}
}

func orphansUndoRenameVerb() *verb {
	var o moving
	return &verb{
		name: "orphans undo-rename", category: upkeep, brief: "Take back what a scan took for a move",
		args: []arg{ofNode(one(&o.path, "PATH", "the file as it is called now"))},
		flags: []flag{
			nodeFlag(&o.from, "from", "", "What it was called, where the scan saw several."),
			toggle(&o.dryRun, "dry-run", "n", "Say what would be done, do nothing."),
			hidden(toggle(&o.force, "force", "", "Do not ask. Nothing is asked.")),
		},
		exits: []exit{{5, "no scan took it for a move, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			return s.move(ctx, func(a *atlas.Atlas) (atlas.Moved, error) {
				return a.UndoRename(ctx, sm.CLI, o.path, o.from, o.dryRun)
			})
		},
	}
}

func (s *session) move(ctx context.Context, do func(*atlas.Atlas) (atlas.Moved, error)) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was moved is committed
	m, err := do(a)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK   bool   `json:"ok"`
			Kind string `json:"kind"`
			atlas.Moved
			ElapsedMs int64 `json:"elapsedMs"`
		}{true, "orphans-move", m, s.elapsedMs()})
	}
	word := "What was kept about %s is kept about %s.\n"
	if m.DryRun {
		word = "What is kept about %s would be kept about %s.\n"
	}
	s.printf(word, draw.Line(m.From), draw.Line(m.To))
	if m.Collisions > 0 {
		s.note("%s of %s were there already and stay.", plural(m.Collisions, "thing"), draw.Line(m.To))
	}
	return nil
}
