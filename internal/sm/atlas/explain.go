package atlas

import (
	"context"
	"errors"
	"path/filepath"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
)

// Explain reads the project as a scan does, keeps nothing, and tells how the
// tokens of a file are read; those of one line when line is not 0.
func (a *Atlas) Explain(ctx context.Context, file string, line int) ([]survey.Explained, []scan.Lost, error) {
	settings := a.Settings()
	lens, err := a.project.Lens(settings)
	if err != nil {
		return nil, nil, err
	}
	return survey.Explain(ctx, a.input(ScanOptions{NoTokens: true}, settings, lens), file, line)
}

// IssuesAt lists the issues that the project has in a commit of its own
// repository, by the settings and ignore rules of now.
//
// The fault is NotFound for a folder that is no repository and for a name that
// is no commit.
func (a *Atlas) IssuesAt(ctx context.Context, ref string) ([]skillmap.Issue, error) {
	settings := a.Settings()
	lens, err := a.project.Lens(settings)
	if err != nil {
		return nil, err
	}
	g, err := git.New(git.Options{})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	repo := g.Open(a.project.Path(".git"))
	commit, err := repo.Resolve(ctx, ref)
	if err != nil && ctx.Err() == nil {
		if remote, wrong := repo.Resolve(ctx, "refs/remotes/"+ref); wrong == nil {
			commit, err = remote, nil
		}
	}
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return nil, err
		}
		return nil, fault.New(fault.NotFound, "There is no commit %q in the repository of %s.", ref, filepath.Base(a.project.Root)).Because(err)
	}
	in := a.input(ScanOptions{NoTokens: true, Full: true}, settings, lens)
	files, err := repo.FS(ctx, commit.OID, max(in.Scan.MaxFileBytes, skillmap.DefaultMaxFile)+1)
	if err != nil {
		return nil, err
	}
	in.Roots = []scan.Root{{Name: ".", FS: files}}
	in.Scan.Project = in.Roots[0]
	out, err := survey.Run(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	return out.Result.Issues, nil
}
