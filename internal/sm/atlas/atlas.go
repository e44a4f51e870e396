package atlas

import (
	"log/slog"
	"time"

	"skillforge/internal/feed"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
)

// Atlas is the map of one project. It may be used from many goroutines.
type Atlas struct {
	// Events tells listeners what happens: scans, and whatever the other
	// verbs publish.
	Events feed.Feed[sm.Event]

	project  config.Project
	database string
	resident bool
	log      *slog.Logger
	now      func() time.Time
}

// Options say how to open a project. The zero value is right for a command.
type Options struct {
	// Database is the path of the database; .skill-map/map.db when empty.
	Database string
	// Resident keeps the map in memory between reads, as a server does. A
	// command that asks once leaves it off.
	Resident bool
	// Overrides are dotted settings of the running command; they outrank the
	// files each time settings are read.
	Overrides map[string]any
	Log       *slog.Logger     // discards when nil
	Now       func() time.Time // time.Now when nil
}

// Open names a project. Nothing is read or written before the first verb, and
// no file has to exist. Close when done.
func Open(project config.Project, opt Options) *Atlas { return &Atlas{} }

// Close ends what Open and the reads hold. Watches must have ended before.
func (a *Atlas) Close() error { return nil }

// Project is the project that was opened.
func (a *Atlas) Project() config.Project { return a.project }

// Database is the path of the database, whether it exists or not.
func (a *Atlas) Database() string { return a.database }

// Exists reports whether the database is there. Reads without it answer with
// empty shapes; writes are a NotFound fault with the code "db-missing".
func (a *Atlas) Exists() bool { return false }

// Settings are those in force now; they are read anew each time.
func (a *Atlas) Settings() *config.Settings { return nil }

// Log appends one line to the operations log of the project.
func (a *Atlas) Log(op sm.Operation) {}
