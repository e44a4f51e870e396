package cli

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
)

// starterIgnore is what a fresh project's .skillmapignore says.
//
//go:embed starter.skillmapignore
var starterIgnore string

type initing struct {
	noScan, force, strict, dryRun bool
}

func initVerb() *verb {
	var o initing
	return &verb{
		name: "init", category: setup, brief: "Set this folder up and map it",
		details: "Makes .skill-map/ with its settings, a starter .skillmapignore, and the first map. Files that are there stay as they are, so it is safe to run again. What the first scan finds wrong is shown and is no failure: the folder is set up.",
		flags: []flag{
			toggle(&o.noScan, "no-scan", "", "Make the files only."),
			toggle(&o.force, "force", "", "Put the starter files in place of those that are there."),
			toggle(&o.strict, "strict", "", "Scan with faulty frontmatter as an error."),
			toggle(&o.dryRun, "dry-run", "n", "Say what would be made, make nothing."),
		},
		run: o.run,
	}
}

func (o *initing) run(ctx context.Context, s *session) error {
	p := s.project()
	if o.dryRun {
		return o.preview(s, p)
	}
	if o.force {
		if err := dropStarters(p); err != nil {
			return err
		}
	}
	made, err := p.SetUp(starterIgnore)
	if err != nil {
		return err
	}
	for _, name := range made {
		s.note("made %s", name)
	}
	if len(made) == 0 {
		s.note("Everything was set up already.")
	}
	if o.noScan {
		s.note("`sm scan` makes the map.")
		return o.answer(s, made, nil)
	}
	scanning := scanning{strict: o.strict}
	done, err := scanning.scan(ctx, s, sm.CLI)
	if err != nil {
		return err
	}
	if err := o.answer(s, made, done); err != nil {
		return err
	}
	if !s.json {
		s.scanSummary(done)
	}
	return nil
}

func (o *initing) answer(s *session, made []string, done *atlas.Scanned) error {
	if !s.json {
		return nil
	}
	if made == nil {
		made = []string{}
	}
	answer := struct {
		OK        bool     `json:"ok"`
		Kind      string   `json:"kind"`
		Files     []string `json:"files"`
		DryRun    bool     `json:"dryRun"`
		Scan      any      `json:"scan"`
		ElapsedMs int64    `json:"elapsedMs"`
	}{OK: true, Kind: "init", Files: made, DryRun: o.dryRun, ElapsedMs: s.elapsedMs()}
	if done != nil {
		answer.Scan = done.Stats
	}
	return s.emit(answer)
}

// starters are the files that init makes, relative to the project.
var starters = []string{config.Folder + "/" + config.SharedFile, config.Folder + "/" + config.LocalFile, config.IgnoreFile}

func (o *initing) preview(s *session, p config.Project) error {
	var would []string
	for _, name := range append(starters, config.Folder+"/.gitignore") {
		if _, err := os.Lstat(p.Path(name)); err != nil || o.force {
			would = append(would, name)
			s.note("would make %s", name)
		}
	}
	if !o.noScan {
		s.note("would scan")
	}
	return o.answer(s, would, nil)
}

// dropStarters makes room for fresh starter files. Grants are kept: they mean
// nothing without their values.
func dropStarters(p config.Project) error {
	for _, name := range starters {
		if err := os.Remove(p.Path(filepath.FromSlash(name))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
