package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"skillforge/internal/sm/atlas"
)

func dbVerb() *verb {
	return &verb{
		name: "db", category: upkeep, brief: "Look after the database", group: true,
		details: "Everything sm knows of a project stands in .skill-map/map.db. What scans made can be made again; jobs, findings and favourites cannot.",
	}
}

// databasing is what the verbs of the database share.
type databasing struct {
	dryRun, yes, status, noBackup, state, hard bool
	to                                         int
	path                                       string
	tables                                     []string
}

func dbMigrateVerb() *verb {
	var o databasing
	return &verb{
		name: "db migrate", category: upkeep, brief: "Bring the database to this version's schema",
		details: "Every command that writes does it by itself; this does it on its own, or says what is missing.",
		flags: []flag{
			toggle(&o.status, "status", "", "Only say which steps are done and which are missing."),
			toggle(&o.dryRun, "dry-run", "n", "Say what would be done, do nothing."),
			number(&o.to, "to", "", "N", 1, "Stop at step N."),
			toggle(&o.noBackup, "no-backup", "", "Do not copy the database first."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.migrate,
	}
}

func (o *databasing) migrate(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was migrated is committed
	applied, pending, err := a.Migrations(ctx)
	if err != nil {
		return err
	}
	mode, backup := "apply", ""
	switch {
	case o.status:
		mode = "status"
	case !o.dryRun && len(pending) > 0:
		applied, backup, err = a.Migrate(ctx, o.to, o.noBackup)
		if err != nil {
			return err
		}
		_, pending, err = a.Migrations(ctx)
		if err != nil {
			return err
		}
	case mode == "apply":
		applied = nil
	}
	if s.json {
		return s.emit(struct {
			OK         bool              `json:"ok"`
			Kind       string            `json:"kind"`
			Mode       string            `json:"mode"`
			Applied    []atlas.Migration `json:"applied"`
			Pending    []atlas.Migration `json:"pending"`
			DryRun     bool              `json:"dryRun"`
			BackupPath *string           `json:"backupPath"`
			ElapsedMs  int64             `json:"elapsedMs"`
		}{true, "db-migrate", mode, notNil(applied), notNil(pending), o.dryRun, orNull(backup), s.elapsedMs()})
	}
	for _, m := range applied {
		s.printf("done     %3d  %s\n", m.Version, m.Description)
	}
	for _, m := range pending {
		s.printf("missing  %3d  %s\n", m.Version, m.Description)
	}
	if len(applied)+len(pending) == 0 {
		s.printf("The schema is up to date.\n")
	}
	if backup != "" {
		s.note("The database before lies at %s.", s.relative(backup))
	}
	return nil
}

// notNil shows an empty list as [].
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// orNull shows an empty string as null.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func dbResetVerb() *verb {
	var o databasing
	return &verb{
		name: "db reset", category: upkeep, brief: "Empty the database",
		details: "Without a flag only what a scan makes again is dropped.",
		flags: []flag{
			toggle(&o.state, "state", "", "Jobs, findings, summaries and favourites too."),
			toggle(&o.hard, "hard", "", "Delete the file."),
			toggle(&o.dryRun, "dry-run", "n", "Say what would be dropped, drop nothing."),
			toggle(&o.yes, "yes", "y", "Do not ask."),
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.reset,
	}
}

func (o *databasing) reset(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // what was dropped is committed
	scope := atlas.ResetScan
	question := ""
	if o.state {
		scope, question = atlas.ResetState, "Drop jobs, findings, summaries and favourites of this project?"
	}
	if o.hard {
		scope, question = atlas.ResetHard, "Delete "+s.relative(a.Database())+"?"
	}
	if question != "" && !o.dryRun && !o.yes && !s.confirm(question) {
		s.note("Nothing was dropped. `--yes` drops without asking.")
		return nil
	}
	tables, err := a.Reset(ctx, scope, o.dryRun)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK        bool              `json:"ok"`
			Kind      string            `json:"kind"`
			Scope     atlas.ResetScope  `json:"scope"`
			DryRun    bool              `json:"dryRun"`
			Tables    []atlas.TableRows `json:"tables"`
			ElapsedMs int64             `json:"elapsedMs"`
		}{true, "db-reset", scope, o.dryRun, notNil(tables), s.elapsedMs()})
	}
	s.showRows(tables)
	if o.dryRun {
		s.note("Nothing was dropped: --dry-run.")
	} else {
		s.note("`sm scan` makes the map again.")
	}
	return nil
}

func (s *session) showRows(tables []atlas.TableRows) {
	t := table{head: []string{"TABLE", "ROWS"}, right: map[int]bool{1: true}}
	for _, r := range tables {
		t.rows = append(t.rows, []string{r.Name, fmt.Sprint(r.Rows)})
	}
	s.printf("%s", t.text(s.tty.out, 0))
}

func dbBackupVerb() *verb {
	var o databasing
	return &verb{
		name: "db backup", category: upkeep, brief: "Copy the database",
		flags: []flag{text(&o.path, "out", "", "PATH", "Where to; .skill-map/backups/ and the time when left out.")},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.backup,
	}
}

func (o *databasing) backup(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // the copy is complete
	path, err := a.Backup(ctx, s.inDir(o.path))
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK        bool   `json:"ok"`
			Kind      string `json:"kind"`
			Path      string `json:"path"`
			ElapsedMs int64  `json:"elapsedMs"`
		}{true, "db-backup", path, s.elapsedMs()})
	}
	s.printf("%s\n", s.relative(path))
	return nil
}

// inDir is a path as the caller meant it: relative to where the command runs.
func (s *session) inDir(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Dir, path)
}

func dbRestoreVerb() *verb {
	var o databasing
	return &verb{
		name: "db restore", category: upkeep, brief: "Put a copy in the database's place",
		details: "What stands there now is copied to .skill-map/backups/ first.",
		args:    []arg{one(&o.path, "FILE", "the copy")},
		flags: []flag{
			toggle(&o.dryRun, "dry-run", "n", "Check the copy, change nothing."),
			toggle(&o.yes, "yes", "y", "Do not ask."),
		},
		exits: []exit{{5, "there is no such file"}},
		run:   o.restore,
	}
}

func (o *databasing) restore(ctx context.Context, s *session) error {
	a := s.open()
	defer func() { _ = a.Close() }() // the copy is in place
	if _, err := a.Restore(ctx, s.inDir(o.path), true); err != nil {
		return err
	}
	if a.Exists() && !o.dryRun && !o.yes && !s.confirm("Replace "+s.relative(a.Database())+"?") {
		s.note("Nothing was restored. `--yes` restores without asking.")
		return nil
	}
	saved, err := a.Restore(ctx, s.inDir(o.path), o.dryRun)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			OK         bool    `json:"ok"`
			Kind       string  `json:"kind"`
			Path       string  `json:"path"`
			DryRun     bool    `json:"dryRun"`
			BackupPath *string `json:"backupPath"`
			ElapsedMs  int64   `json:"elapsedMs"`
		}{true, "db-restore", a.Database(), o.dryRun, orNull(saved), s.elapsedMs()})
	}
	if saved != "" {
		s.note("The database before lies at %s.", s.relative(saved))
	}
	if o.dryRun {
		s.note("%s can be restored.", o.path)
	} else {
		s.note("Restored.")
	}
	return nil
}

func dbDumpVerb() *verb {
	var o databasing
	return &verb{
		name: "db dump", category: upkeep, brief: "Write the database as SQL",
		flags: []flag{commaList(&o.tables, "tables", "", "NAMES", "Only these tables, such as scan_nodes,scan_links.")},
		exits: []exit{{5, "there is no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // a reader has nothing to lose
			return a.Dump(ctx, s.Out, o.tables)
		},
	}
}
