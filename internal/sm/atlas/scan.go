package atlas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/store"
)

// ScanOptions say how to scan. The zero value is `sm scan`.
type ScanOptions struct {
	Roots      []string // as given; the project itself when empty
	Channel    sm.Channel
	Full       bool // read every file again
	DryRun     bool // write nothing
	AllowEmpty bool // an emptied project may empty the map
	Strict     bool // faulty heads are errors
	NoTokens   bool
	NoBuiltIns bool // nothing takes part: an empty result, never kept
	NoPlugins  bool
	MaxScan    int // 0: as settled. A raised ceiling is remembered
	MaxNodes   int // 0: as settled
	// Off lists extensions that take no part besides those switched off by
	// settings: qualified ids, or "*/providers", "*/extractors", "*/analyzers".
	Off []string
	// NoWait makes a scan that finds another one running a Conflict fault
	// with the code "scan-busy"; otherwise it waits its turn.
	NoWait bool
	// Once says that no scan of this process follows, so that nothing need be
	// remembered for it.
	Once bool
	// Progress is told of each node, besides Events; it may be nil.
	Progress func(scan.Progress)
}

// Scanned is what a scan found.
type Scanned struct {
	Stats skillmap.Stats
	// Errors, Warns and Infos count the issues.
	Errors, Warns, Infos int
	Truncated            bool // the ceiling cut the walk
	Ceiling              int
	Lens                 config.Lens
	Settings             *config.Settings // that it was made with
	// Change against the map before; nil when that one was not in memory.
	Change    *sm.Change
	Unchanged bool   // nothing differs from the map before
	Kept      bool   // it is in the database now
	Rebuilt   bool   // the tables were of another version and were made anew
	Backup    string // where they lie as they were, when they held anything of the user's
	Renames   []survey.Rename
	Warnings  []scan.Warning

	atlas  *Atlas
	result *skillmap.ScanResult // nil until somebody asks, when nothing changed
}

// Result is the whole map. After a scan that found nothing changed it is read
// from the database now.
func (s *Scanned) Result(ctx context.Context) (*skillmap.ScanResult, error) {
	if s.result != nil {
		return s.result, nil
	}
	r, err := s.atlas.ScanResult(ctx)
	s.result = r
	return r, err
}

// FirstErrors are the first of the errors, at most so many. Where nothing
// changed only they are read.
func (s *Scanned) FirstErrors(ctx context.Context, most int) ([]*Issue, error) {
	if s.result == nil {
		list, err := s.atlas.Issues(ctx, IssueFilter{Severities: []string{string(skillmap.Error)}, Limit: most})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
	var list []*Issue
	for i := range s.result.Issues {
		if is := &s.result.Issues[i]; is.Severity == skillmap.Error && len(list) < most {
			list = append(list, &Issue{Issue: is})
		}
	}
	return list, nil
}

// Scan makes the map of the project, keeps it, and tells Events.
//
// One scan runs at a time in a process. The fault is Conflict with the code
// "scan-emptied" when nothing is found where the map has nodes (say AllowEmpty
// to mean it), Invalid for a root or lens that is none ("ambiguous-provider"
// with its candidates), Internal "db-newer" or "db-foreign" for a database that
// this program must not touch.
func (a *Atlas) Scan(ctx context.Context, opt ScanOptions) (*Scanned, error) {
	release, err := a.turn(ctx, opt.NoWait)
	if err != nil {
		return nil, err
	}
	defer release()
	return a.scan(ctx, opt, nil)
}

// turn waits until nobody scans.
func (a *Atlas) turn(ctx context.Context, now bool) (release func(), err error) {
	select {
	case <-a.scanning:
		return func() { a.scanning <- struct{}{} }, nil
	default:
	}
	if now {
		return nil, fault.Coded(fault.Conflict, "scan-busy", "A scan of this project is running. Try again when it is done.")
	}
	select {
	case <-a.scanning:
		return func() { a.scanning <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// scan makes one map. A watcher says what changed; otherwise changed is nil
// and everything is looked at. The caller holds the turn.
func (a *Atlas) scan(ctx context.Context, opt ScanOptions, changed []string) (*Scanned, error) {
	start := a.now()
	settings := a.Settings()
	lens, err := a.project.Lens(settings, opt.Roots...)
	if err != nil {
		return nil, err
	}
	s, err := a.open(ctx, store.Scanning)
	if err != nil {
		return nil, err
	}
	job := &scanJob{a: a, opt: opt, store: s, changed: changed, start: start, run: sm.NewRunID(sm.ScanRun, start)}
	job.in = a.input(opt, settings, lens)
	job.done = &Scanned{Lens: lens, Settings: settings, Ceiling: job.in.Scan.MaxScan, atlas: a}
	err = job.do(ctx)
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return job.done, nil
}

// scanJob is one scan under way.
type scanJob struct {
	a       *Atlas
	opt     ScanOptions
	store   *store.Store
	in      survey.Input
	changed []string
	start   time.Time
	run     string
	done    *Scanned
}

func (j *scanJob) do(ctx context.Context) error {
	same, err := j.same(ctx)
	if err != nil || same {
		return err
	}
	prior, err := j.prior(ctx)
	if err != nil {
		return err
	}
	undo := j.makeRoom()
	out, err := j.survey(ctx, prior)
	if err != nil {
		undo()
		return err
	}
	if err := j.guard(ctx, out); err != nil {
		return err
	}
	j.note(out)
	if j.keeps() {
		if err := j.keep(ctx, out); err != nil {
			return err
		}
	}
	j.finish(j.done.result)
	return nil
}

// makeRoom makes the folder of the database before the first survey: made
// after it, it would be a change of the project that the next scan finds.
func (j *scanJob) makeRoom() (undo func()) {
	dir := filepath.Dir(j.a.database)
	if !j.keeps() || os.Mkdir(dir, 0o755) != nil {
		return func() {}
	}
	return func() { _ = os.Remove(dir) } // unless something is in it by now
}

// keeps reports whether the map is to be kept.
func (j *scanJob) keeps() bool { return !j.opt.DryRun && !j.opt.NoBuiltIns }

// same asks whether everything is as the last scan left it, which is far
// cheaper than a scan. Then only the time of the map is new.
func (j *scanJob) same(ctx context.Context) (bool, error) {
	if j.opt.Full || !j.keeps() || j.changed != nil {
		return false, nil
	}
	record, err := j.store.Record(ctx)
	if err != nil {
		return false, err
	}
	same, err := survey.Unchanged(ctx, j.in, record)
	if err != nil || !same {
		return false, err
	}
	now := j.a.now()
	r, sum, ok, err := j.store.Touch(ctx, j.start.UnixMilli(), now.Sub(j.start).Milliseconds())
	if err != nil || !ok {
		return false, err
	}
	d := j.done
	d.Stats, d.Truncated, d.Ceiling = r.Stats, r.ScanTruncated, r.ScanCeiling
	d.Errors, d.Warns, d.Infos = sum.Errors, sum.Warns, sum.Infos
	d.Unchanged, d.Kept, d.Change = true, true, &sm.Change{}
	j.settle()
	j.tell(sm.ScanStarted, map[string]any{"roots": r.Roots, "mode": "full"})
	j.finish(r)
	return true, nil
}

// prior is what is known of the map before: what this process remembers when
// nobody else kept one since, else what the database does.
func (j *scanJob) prior(ctx context.Context) (*survey.Prior, error) {
	if m := &j.a.memory; m.cache != nil {
		g, err := j.generation(ctx)
		if err != nil {
			return nil, err
		}
		if g == m.at {
			return &survey.Prior{Cache: m.cache}, nil
		}
		*m = memory{}
	}
	return j.store.Prior(ctx)
}

func (j *scanJob) generation(ctx context.Context) (store.Generation, error) {
	if j.store.Drift() != store.Ours {
		return store.Generation{}, nil
	}
	return j.store.Generation(ctx)
}

func (j *scanJob) survey(ctx context.Context, prior *survey.Prior) (*survey.Outcome, error) {
	j.in.On = j.hear()
	if j.changed != nil {
		return survey.RunChanged(ctx, j.in, prior, j.changed)
	}
	return survey.Run(ctx, j.in, prior)
}

// progressEvery spaces the events about single nodes: a map of thousands would
// otherwise push everything else out of the listeners' queues.
const progressEvery = 50 * time.Millisecond

// hear turns what a survey tells into events.
func (j *scanJob) hear() func(survey.Event) {
	var last time.Time
	return func(e survey.Event) {
		switch e.Type {
		case sm.ScanStarted:
			j.tell(e.Type, map[string]any{"roots": j.rootNames(), "mode": e.Mode})
		case sm.ScanProgress:
			if j.opt.Progress != nil {
				j.opt.Progress(e.Progress)
			}
			if now := j.a.now(); e.Progress.Index <= 32 || now.Sub(last) >= progressEvery {
				last = now
				p := e.Progress
				j.tell(e.Type, map[string]any{"index": p.Index, "path": p.Path, "kind": p.Kind, "cached": p.Cached})
			}
		case sm.AnalyzerDone:
			j.tell(e.Type, map[string]any{"analyzerId": e.Analyzer})
		}
	}
}

func (j *scanJob) rootNames() []string {
	var names []string
	for _, r := range j.in.Roots {
		names = append(names, r.Name)
	}
	return names
}

func (j *scanJob) tell(kind string, data any) { j.a.tell(j.run, kind, data) }

// guard refuses to replace a map by nothing unless that is meant.
func (j *scanJob) guard(ctx context.Context, out *survey.Outcome) error {
	if len(out.Result.Nodes) > 0 || j.opt.AllowEmpty || !j.keeps() {
		return nil
	}
	had, err := j.store.Nodes(ctx)
	if err != nil || had == 0 {
		return err
	}
	return fault.Coded(fault.Conflict, "scan-emptied", "The scan found nothing, and the map has %d nodes. It stays as it is; `sm scan --allow-empty` empties it.", had).With("nodes", had)
}

// note takes over what a survey found.
func (j *scanJob) note(out *survey.Outcome) {
	d := j.done
	d.result, d.Renames, d.Warnings = out.Result, out.Renames, out.Warnings
	d.Truncated, d.Ceiling = out.Result.ScanTruncated, out.Result.ScanCeiling
	j.count()
}

func (j *scanJob) count() {
	d := j.done
	d.Stats = d.result.Stats
	d.Errors, d.Warns, d.Infos = 0, 0, 0
	for i := range d.result.Issues {
		switch d.result.Issues[i].Severity {
		case skillmap.Error:
			d.Errors++
		case skillmap.Warn:
			d.Warns++
		default:
			d.Infos++
		}
	}
}

// keep puts the map into the database and remembers it.
func (j *scanJob) keep(ctx context.Context, out *survey.Outcome) error {
	var cache []store.Piece
	for _, p := range out.Cache.Parts() {
		cache = append(cache, store.Piece{Sum: p.Sum, Text: p.Text})
	}
	if j.opt.Once {
		out.Cache = nil // it is a third of what is held
	}
	saved, err := j.store.Save(ctx, &store.Map{
		Result: out.Result, Renames: out.Renames, Scores: out.Scores, Cache: cache, Record: out.Record, Anew: j.opt.Full,
		Before: j.a.memory.digests,
	})
	if err != nil {
		return err
	}
	if saved.Stranded > 0 {
		j.count()
	}
	d := j.done
	d.Kept, d.Unchanged, d.Rebuilt, d.Backup = true, saved.Unchanged, saved.Rebuilt, saved.Backup
	if saved.Collisions > 0 {
		d.Warnings = append(d.Warnings, scan.Warning{Code: "rename-collision",
			Text: fmt.Sprintf("What was kept about renamed files gave way in %d places to what is kept about their new paths.", saved.Collisions)})
	}
	g, err := j.store.Generation(ctx)
	if err != nil {
		return err
	}
	if !j.opt.Once {
		j.remember(out, g, saved.Digests)
	}
	j.settle()
	return nil
}

// remember keeps the map for the next scan and for the reads of this process,
// and finds out what changed.
func (j *scanJob) remember(out *survey.Outcome, g store.Generation, digests *store.Digests) {
	m := &j.a.memory
	before := m.result
	if before == nil {
		before = j.a.follower.known()
	}
	var changed map[string]bool
	if before != nil {
		j.done.Change = compare(before, out.Result)
		j.tellIssues(before, out.Result)
		changed = make(map[string]bool, len(j.done.Change.Changed))
		for _, path := range j.done.Change.Changed {
			changed[path] = true
		}
	}
	*m = memory{cache: out.Cache, at: g, result: out.Result, digests: digests}
	if j.a.resident {
		j.a.follower.adopt(out.Result, g, changed)
	}
}

// tellIssues tells which issues came and went, unless they are too many to
// follow one by one.
func (j *scanJob) tellIssues(before, after *skillmap.ScanResult) {
	added, resolved := issueDelta(before.Issues, after.Issues)
	if len(added)+len(resolved) > issueEvents {
		return
	}
	for _, i := range added {
		j.tell(sm.IssueAdded, map[string]any{"analyzerId": i.AnalyzerID, "severity": i.Severity, "nodeIds": i.NodeIDs, "message": i.Message})
	}
	for _, i := range resolved {
		j.tell(sm.IssueResolved, map[string]any{"analyzerId": i.AnalyzerID, "nodeIds": i.NodeIDs})
	}
}

// settle keeps what a scan settles besides the map. None of it is worth
// failing for.
func (j *scanJob) settle() {
	p := j.a.project
	if j.opt.MaxScan > 0 {
		j.warn("remember the ceiling", p.RememberCeiling(j.opt.MaxScan))
	}
	j.warn("save the lens", p.SaveLens(j.done.Settings, j.done.Lens))
	if p.Exists() {
		_, err := p.TopUpGitignore()
		j.warn("top up .skill-map/.gitignore", err)
	}
}

func (j *scanJob) warn(what string, err error) {
	if err != nil {
		j.a.log.Warn(what, "error", err)
	}
}

// issueEvents is how many single issues are told of at most; after more, a
// listener does better to read the map.
const issueEvents = 100

// finish tells that the scan is done. r need not have its lists.
func (j *scanJob) finish(r *skillmap.ScanResult) {
	if j.changed == nil && !j.done.Unchanged {
		for _, id := range extract.IDs() {
			if !slices.Contains(j.in.Off, id) {
				j.tell(sm.ExtractorDone, map[string]any{"extractorId": id})
			}
		}
	}
	st := j.done.Stats
	j.a.Events.Publish(sm.Event{
		Type: sm.ScanCompleted, Timestamp: j.a.now().UnixMilli(), RunID: j.run, Change: j.done.Change,
		Data: map[string]any{"nodes": st.NodesCount, "links": st.LinksCount, "issues": st.IssuesCount, "durationMs": st.DurationMs, "stats": st},
	})
	if j.keeps() {
		j.a.Log(sm.Operation{
			Op: "scan", Target: "*", Channel: j.channel(), Outcome: "ok",
			Detail: fmt.Sprintf("nodes=%d issues=%d", st.NodesCount, st.IssuesCount),
		})
	}
}

func (j *scanJob) channel() sm.Channel {
	if j.opt.Channel == "" {
		return sm.CLI
	}
	return j.opt.Channel
}

// Compare scans without keeping anything and tells what changed since the
// given map.
func (a *Atlas) Compare(ctx context.Context, before *skillmap.ScanResult, opt ScanOptions) (skillmap.Delta, error) {
	opt.DryRun = true
	done, err := a.Scan(ctx, opt)
	if err != nil {
		return skillmap.Delta{}, err
	}
	now, err := done.Result(ctx)
	if err != nil {
		return skillmap.Delta{}, err
	}
	return skillmap.Compare(before, now), nil
}
