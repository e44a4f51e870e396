package activity

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Frame is one thing that listeners were told, after the time since its
// recording began.
type Frame struct {
	TMs  int64           `json:"tMs"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Recording is what was told of one session. Its JSON is the contract's.
type Recording struct {
	SchemaVersion int     `json:"schemaVersion"`
	SessionID     string  `json:"sessionId,omitempty"`
	RootOwner     string  `json:"rootOwner"`
	Provider      string  `json:"provider,omitempty"`
	CaptureLevel  string  `json:"captureLevel,omitempty"`
	StartedAt     int64   `json:"startedAt"`
	EndedAt       *int64  `json:"endedAt,omitempty"`
	Frames        []Frame `json:"frames"`

	file  string
	dirty bool
}

// Skipped is a file that is no recording.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Bounds of recordings.
const (
	framesMax    = 10_000
	recordingMax = 16 << 20 // bytes of a file that is read
	journalDelay = 2 * time.Second
)

// Journal keeps what is told, a file for each session, while somebody records.
// Files are written a moment after, so that a busy session is not written once
// a frame. It may be used from many goroutines.
type Journal struct {
	// Dir is where the files are; it is made when the first is written.
	Dir      string
	MaxFiles int
	MaxBytes int64
	// Written is told of each session that ended and was written; it may be
	// nil.
	Written func(file string, r *Recording)

	mu    sync.Mutex // guards all below
	on    bool
	level string
	open  map[string]*Recording // by session
	later *time.Timer
}

// Record starts recording at a level, or stops. What was recorded is whole on
// the disk when it returns.
func (j *Journal) Record(on bool, level string, now time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case on && !j.on:
		j.on, j.level = true, level
		return j.prune()
	case !on && j.on:
		j.on = false
		return j.finish(now)
	}
	return nil
}

// Recording reports whether it records, and at which level.
func (j *Journal) Recording() (level string, on bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.level, j.on
}

// Close ends every recording.
func (j *Journal) Close(now time.Time) error { return j.Record(false, "", now) }

// Keep notes what was told of one event.
func (j *Journal) Keep(r Reading, told Told, now time.Time) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.on || len(told.Activities)+len(told.Spawns) == 0 {
		return nil
	}
	rec := j.of(r, now)
	over := false
	for _, s := range told.Spawns {
		s.PairCount = 0
		rec.add(AgentSpawn, s, now)
	}
	for _, a := range told.Activities {
		a.Stats = nil
		rec.add(NodeActivity, a, now)
		over = over || a.SessionScope
	}
	if over {
		return j.end(r.Session, now)
	}
	if j.later == nil {
		j.later = time.AfterFunc(journalDelay, j.flush)
	}
	return nil
}

// of is the recording of a session: the open one, the one on the disk that
// goes on, or another.
func (j *Journal) of(r Reading, now time.Time) *Recording {
	if rec := j.open[r.Session]; rec != nil {
		return rec
	}
	if j.open == nil {
		j.open = map[string]*Recording{}
	}
	rec := j.reopen(r.Session)
	if rec == nil {
		rec = &Recording{SchemaVersion: 1, SessionID: r.Session, RootOwner: "main:" + r.Session, Provider: r.Provider, CaptureLevel: j.level, StartedAt: now.UnixMilli(), Frames: []Frame{}}
		rec.file = filepath.Join(j.Dir, now.UTC().Format("2006-01-02T15-04-05.000Z")+"-"+fileWord(r.Session)+".json")
	}
	j.open[r.Session] = rec
	return rec
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// fileWord is what the name of a file says of a session.
func fileWord(session string) string {
	w := strings.Trim(unfit.ReplaceAllString(session, "-"), "-")
	if w == "" {
		return "session"
	}
	return w[:min(len(w), 64)]
}

// reopen finds a session that ended before and goes on.
func (j *Journal) reopen(session string) *Recording {
	if session == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(globbed(j.Dir), "*-"+fileWord(session)+".json"))
	if err != nil {
		return nil
	}
	for _, name := range names {
		rec, why := load(name)
		if why == "" && rec.SessionID == session {
			rec.EndedAt = nil
			return rec
		}
	}
	return nil
}

// globbed is a folder's name as a pattern that means it.
func globbed(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func (r *Recording) add(kind string, data any, now time.Time) {
	if len(r.Frames) >= framesMax {
		return
	}
	text, err := json.Marshal(data)
	if err != nil {
		return
	}
	r.Frames = append(r.Frames, Frame{max(now.UnixMilli()-r.StartedAt, 0), kind, text})
	r.dirty = true
}

// flush writes what is not on the disk yet.
func (j *Journal) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.later = nil
	for _, rec := range j.open {
		_ = j.write(rec) // the next frame or the end writes it again
	}
}

func (j *Journal) write(rec *Recording) error {
	if !rec.dirty {
		return nil
	}
	if err := os.MkdirAll(j.Dir, 0o755); err != nil {
		return err
	}
	text, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	fresh := rec.file + ".tmp"
	if err := os.WriteFile(fresh, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(fresh, rec.file); err != nil {
		return err
	}
	rec.dirty = false
	return nil
}

// end ends one session.
func (j *Journal) end(session string, now time.Time) error {
	rec := j.open[session]
	delete(j.open, session)
	at := now.UnixMilli()
	rec.EndedAt, rec.dirty = &at, true
	if err := j.write(rec); err != nil {
		return err
	}
	if j.Written != nil {
		j.Written(filepath.Base(rec.file), rec)
	}
	return j.prune()
}

// finish ends them all.
func (j *Journal) finish(now time.Time) error {
	if j.later != nil {
		j.later.Stop()
		j.later = nil
	}
	var errs []error
	for session := range j.open {
		errs = append(errs, j.end(session, now))
	}
	return errors.Join(errs...)
}

// files are the names of the recordings, the oldest first.
func (j *Journal) files() ([]string, error) {
	entries, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries { // sorted, and names begin with the time
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") {
			names = append(names, filepath.Join(j.Dir, e.Name()))
		}
	}
	return names, err
}

// prune removes the oldest files beyond the bounds.
func (j *Journal) prune() error {
	names, err := j.files()
	if err != nil {
		return err
	}
	var room int64
	for i, name := range slices.Backward(names) {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		room += info.Size()
		if len(names)-i > j.MaxFiles || room > j.MaxBytes {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sessions reads what was recorded, the newest first, and what of it is no
// recording.
func (j *Journal) Sessions() ([]*Recording, []Skipped, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, rec := range j.open {
		if err := j.write(rec); err != nil {
			return nil, nil, err
		}
	}
	names, err := j.files()
	if err != nil {
		return nil, nil, err
	}
	list, skipped := []*Recording{}, []Skipped{}
	for _, name := range slices.Backward(names) {
		rec, why := load(name)
		if why != "" {
			skipped = append(skipped, Skipped{filepath.Base(name), why})
			continue
		}
		list = append(list, rec)
	}
	return list, skipped, nil
}

// load reads one file; why says what is wrong with it.
func load(name string) (rec *Recording, why string) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, "it cannot be read"
	}
	if info.Size() > recordingMax {
		return nil, "it is too large"
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, "it cannot be read"
	}
	rec = &Recording{file: name}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(rec); err != nil || rec.RootOwner == "" || rec.StartedAt < 0 {
		return nil, "it is no recording"
	}
	if rec.SchemaVersion != 1 {
		return nil, "it is of another version"
	}
	if rec.Frames == nil {
		rec.Frames = []Frame{}
	}
	return rec, ""
}

// Clear removes every recording and says how many. One that is under way goes
// on in a file of its own.
func (j *Journal) Clear() (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.open)
	names, err := j.files()
	if err != nil {
		return 0, err
	}
	for i, name := range names {
		if err := os.Remove(name); err != nil {
			return i, err
		}
	}
	return len(names), nil
}
