package cli

import (
	"context"
	"os/exec"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/skillmap/sidecar"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

type bumping struct {
	path                        string
	pending, staged, force, yes bool
}

func bumpVerb() *verb {
	var o bumping
	return &verb{
		name: "bump", category: mapping, brief: "Raise the version in a file's .sm file",
		details: "The version rises by one and the state of the file is noted. A file that did not change since is left alone.",
		args:    []arg{ofNode(maybe(&o.path, "PATH", "the file, as `sm list` shows it"))},
		flags: []flag{
			toggle(&o.pending, "pending", "", "Every file that changed since its .sm file was written."),
			toggle(&o.staged, "staged", "", "With --pending: only files that are staged for the next commit; their .sm files are staged too."),
			toggle(&o.force, "force", "", "A file that did not change is no reason to refuse."),
			toggle(&o.yes, "yes", "y", "Consent to the writing of .sm files, from now on."),
		},
		exits: []exit{{1, "one of several could not be bumped"}, {5, "there is no such node, or no map yet"}},
		run:   o.run,
	}
}

func (o *bumping) run(ctx context.Context, s *session) error {
	if (o.path == "") == !o.pending || o.staged && !o.pending {
		return usage("say which file, or --pending")
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was written is committed
	if o.pending {
		return o.bumpPending(ctx, s, a)
	}
	report, err := o.bump(ctx, s, a, o.path)
	if err != nil {
		return err
	}
	if s.json {
		err = s.emit(struct {
			atlas.BumpReport
			ElapsedMs int64 `json:"elapsedMs"`
		}{report, s.elapsedMs()})
	}
	switch {
	case err != nil:
		return err
	case !report.OK:
		return fault.Coded(fault.Invalid, report.Reason, "%s did not change since its last bump. --force says that this is fine.", draw.Line(o.path))
	case !s.json && !report.Noop:
		s.printf("%s version %d\n", draw.Line(o.path), report.Version)
		s.commentsLost(report.CommentsDropped)
	}
	return nil
}

func (o *bumping) bump(ctx context.Context, s *session, a *atlas.Atlas, path string) (report atlas.BumpReport, err error) {
	err = s.withConsent(o.yes, func(c atlas.Consent) (err error) {
		report, err = a.Bump(ctx, sm.CLI, path, atlas.BumpOptions{Force: o.force, Consent: c, Author: s.author(ctx)})
		return err
	})
	return report, err
}

type bumpError struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (o *bumping) bumpPending(ctx context.Context, s *session, a *atlas.Atlas) error {
	pending, err := a.Pending(ctx)
	if err != nil {
		return err
	}
	skipped := 0
	if o.staged {
		staged, err := s.staged(ctx)
		if err != nil {
			return err
		}
		all := len(pending)
		pending = slices.DeleteFunc(pending, func(path string) bool { return !slices.Contains(staged, path) })
		skipped = all - len(pending)
	}
	bumped, refused, errs := 0, 0, []bumpError{}
	for _, path := range pending {
		report, err := o.bump(ctx, s, a, path)
		if code := fault.Code(err); code == "confirm-required" || code == "sidecar-writers-forbidden" || code == "action-disabled" {
			return err // the same for all of them
		}
		switch {
		case err != nil:
			errs = append(errs, bumpError{path, fault.Text(err)})
		case !report.OK:
			refused++
		default:
			bumped++
			s.note("%s version %d", draw.Line(path), report.Version)
			if o.staged {
				err = s.stage(ctx, sidecar.PathFor(path))
			}
			if err != nil {
				errs = append(errs, bumpError{path, err.Error()})
			}
		}
	}
	if s.json {
		err = s.emit(struct {
			Bumped    int         `json:"bumped"`
			Refused   int         `json:"refused"`
			Skipped   int         `json:"skipped"`
			Errors    []bumpError `json:"errors"`
			ElapsedMs int64       `json:"elapsedMs"`
		}{bumped, refused, skipped, errs, s.elapsedMs()})
	} else {
		s.printf("%s bumped\n", plural(bumped, "file"))
		for _, e := range errs {
			s.warn("%s: %s", e.Path, e.Message)
		}
	}
	if err == nil && len(errs) > 0 {
		return errNotClean
	}
	return err
}

// staged lists the files that the next commit changes, relative to the project.
func (s *session) staged(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "diff", "--cached", "--name-only", "--relative", "--diff-filter=ACMR", "-z")
	cmd.Dir = s.Dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fault.Coded(fault.NotFound, "no-git", "This is no folder of a git repository, so nothing is staged.").Because(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// stage adds a file to the next commit.
func (s *session) stage(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, "git", "add", "--", path)
	cmd.Dir = s.Dir
	return cmd.Run()
}
