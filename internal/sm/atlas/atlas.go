package atlas

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"skillforge/internal/feed"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/store"
)

// Atlas is the map of one project. It may be used from many goroutines.
type Atlas struct {
	// Events tells listeners what happens: scans, and whatever the other
	// verbs publish.
	Events feed.Feed[sm.Event]

	project   config.Project
	database  string
	resident  bool
	overrides map[string]any
	log       *slog.Logger
	now       func() time.Time

	scanning chan struct{} // holds one token while nobody scans
	memory   memory        // of the last scan; whoever holds the token may use it
	follower follower
	reader   handle
	writer   handle
	witness  *witness
	breath   breath

	advised sync.Once // the operator knows of a database of another version

	notify func() (*notices, error) // tells of changed files; a test has its own
	poll   time.Duration            // between looks where nothing tells
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
func Open(project config.Project, opt Options) *Atlas {
	a := &Atlas{
		project: project, database: opt.Database, resident: opt.Resident, overrides: opt.Overrides, log: opt.Log, now: opt.Now,
		scanning: make(chan struct{}, 1), writer: handle{posture: store.Writing},
		notify: newNotices, poll: pollEvery,
	}
	a.scanning <- struct{}{}
	if a.database == "" {
		a.database = project.Inside(config.DatabaseFile)
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.now == nil {
		a.now = time.Now
	}
	a.witness = newWitness(a)
	return a
}

// Close ends what Open and the reads hold. Watches must have ended before.
func (a *Atlas) Close() error {
	return errors.Join(a.witness.close(a.now()), a.letGo())
}

func (a *Atlas) letGo() error {
	return errors.Join(a.follower.close(), a.reader.close(), a.writer.close())
}

// release lets go of the file of the database, which is about to be another.
func (a *Atlas) release() error {
	a.memory = memory{}
	return a.letGo()
}

// Project is the project that was opened.
func (a *Atlas) Project() config.Project { return a.project }

// Database is the path of the database, whether it exists or not.
func (a *Atlas) Database() string { return a.database }

// Exists reports whether the database is there. Reads without it answer with
// empty shapes; writes are a NotFound fault with the code "db-missing".
func (a *Atlas) Exists() bool { return store.Exists(a.database) }

// Settings are those in force now; they are read anew each time.
func (a *Atlas) Settings() *config.Settings { return a.project.Load(a.overrides) }

// Log appends one line to the operations log of the project.
func (a *Atlas) Log(op sm.Operation) {
	if op.At.IsZero() {
		op.At = a.now()
	}
	sm.LogOperation(a.project.Inside(""), op)
}

// tell publishes an event of a run.
func (a *Atlas) tell(run, kind string, data any) {
	a.Events.Publish(sm.Event{Type: kind, Timestamp: a.now().UnixMilli(), RunID: run, Data: data})
}

// open opens the database for one purpose.
func (a *Atlas) open(ctx context.Context, p store.Posture) (*store.Store, error) {
	s, err := store.Open(ctx, a.database, p, store.Options{Now: a.now})
	if err == nil && p == store.Reading && s.Advice() != "" {
		a.advised.Do(func() { a.log.Warn(s.Advice()) })
	}
	return s, err
}

// Read runs fn on the database as it is at one moment. The fault is NotFound
// with the code "db-missing" where there is none.
func (a *Atlas) Read(ctx context.Context, fn func(*store.Tx) error) error {
	return a.reader.use(ctx, a, func(s *store.Store) error { return s.Read(ctx, fn) })
}

// Write runs fn in a transaction on the database. The fault has the code
// "db-missing" where there is none, "db-drift" for one of another version.
func (a *Atlas) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return a.writer.use(ctx, a, func(s *store.Store) error { return s.Write(ctx, fn) })
}

// memory is what a scan leaves for the next one in this process.
type memory struct {
	cache   *surveyCache
	at      store.Generation // of the database when it was kept
	result  *skillmap.ScanResult
	digests *store.Digests // of the rows of result; may be nil
}
