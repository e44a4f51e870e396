package cli

import (
	"context"
	"os/exec"
	"strings"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

func sidecarsVerb() *verb {
	return &verb{
		name: "sidecars", category: mapping, brief: "Look after .sm files", group: true,
		details: "A .sm file stands beside a file of the map and holds what people say about it: version, tags, what is dismissed. It is YAML and meant to be committed.",
	}
}

// author is the name that git knows the user by, empty when it knows none.
func (s *session) author(ctx context.Context) atlas.Author {
	cmd := exec.CommandContext(ctx, "git", "config", "user.name")
	cmd.Dir = s.Dir
	name, err := cmd.Output()
	if err != nil {
		return ""
	}
	return atlas.Author(strings.TrimSpace(draw.Line(string(name))))
}

func sidecarsAnnotateVerb() *verb {
	var path string
	var force, yes bool
	return &verb{
		name: "sidecars annotate", category: mapping, brief: "Make a .sm file for a file",
		args: []arg{ofNode(one(&path, "PATH", "the file, as `sm list` shows it"))},
		flags: []flag{
			toggle(&force, "force", "", "Throw away one that is there."),
			toggle(&yes, "yes", "y", "Consent to the writing of .sm files, from now on."),
		},
		exits: []exit{{5, "there is no such node, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			return s.sidecar(ctx, yes, func(a *atlas.Atlas, c atlas.Consent) (atlas.SidecarState, error) {
				return a.Annotate(ctx, sm.CLI, path, force, s.author(ctx), c)
			})
		},
	}
}

func sidecarsRefreshVerb() *verb {
	var path string
	var yes bool
	return &verb{
		name: "sidecars refresh", category: mapping, brief: "Note in a .sm file the state of its file",
		details: "The version stays. `sm bump` raises it as well.",
		args:    []arg{ofNode(one(&path, "PATH", "the file, as `sm list` shows it"))},
		flags:   []flag{toggle(&yes, "yes", "y", "Consent to the writing of .sm files, from now on.")},
		exits:   []exit{{5, "there is no such node or sidecar, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			return s.sidecar(ctx, yes, func(a *atlas.Atlas, c atlas.Consent) (atlas.SidecarState, error) {
				return a.Refresh(ctx, sm.CLI, path, c)
			})
		},
	}
}

// sidecar runs a verb that writes one sidecar, and shows what became of it.
func (s *session) sidecar(ctx context.Context, yes bool, do func(*atlas.Atlas, atlas.Consent) (atlas.SidecarState, error)) error {
	var state atlas.SidecarState
	err := s.curate(yes, func(a *atlas.Atlas, c atlas.Consent) (err error) {
		state, err = do(a, c)
		return err
	})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(state)
	}
	word := state.Status
	if state.Created {
		word = "created"
	}
	s.printf("%s %s\n", draw.Line(state.SidecarPath), word)
	s.commentsLost(state.CommentsDropped)
	return nil
}

func sidecarsPruneVerb() *verb {
	var dryRun, yes bool
	return &verb{
		name: "sidecars prune", category: mapping, brief: "Delete .sm files whose file is gone",
		flags: []flag{
			toggle(&dryRun, "dry-run", "n", "Say what would be done, do nothing."),
			toggle(&yes, "yes", "y", "Do not ask."),
		},
		exits: []exit{{1, "one could not be deleted"}, {5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // files were deleted, or not
			return s.pruneSidecars(ctx, a, dryRun, yes)
		},
	}
}

func (s *session) pruneSidecars(ctx context.Context, a *atlas.Atlas, dryRun, yes bool) error {
	list, err := a.PruneSidecars(ctx, true)
	if err != nil {
		return err
	}
	would := len(list)
	if !s.json {
		for _, o := range list {
			s.printf("%s  (of %s)\n", draw.Line(o.SidecarPath), draw.Line(o.ExpectedMd))
		}
	}
	if would > 0 && !dryRun && s.sure(yes, "Delete them?") {
		if list, err = a.PruneSidecars(ctx, false); err != nil {
			return err
		}
	}
	deleted, failed := 0, 0
	for _, o := range list {
		if o.Deleted {
			deleted++
		}
		if o.Error != "" {
			failed++
		}
	}
	if s.json {
		err = s.emit(struct {
			Deleted     int                   `json:"deleted"`
			WouldDelete int                   `json:"wouldDelete"`
			Errors      int                   `json:"errors"`
			Items       []atlas.OrphanSidecar `json:"items"`
			ElapsedMs   int64                 `json:"elapsedMs"`
		}{deleted, would, failed, list, s.elapsedMs()})
	} else {
		s.printf("%s deleted\n", plural(deleted, "sidecar"))
	}
	if err == nil && failed > 0 {
		return errNotClean
	}
	return err
}
