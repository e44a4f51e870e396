package survey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/tokens"
)

// Input is everything a map depends on besides the files.
type Input struct {
	Roots []scan.Root // at least one
	// Scan says how to read. Its Ignore, Inputs, Off, Now and Progress are
	// filled from the fields below.
	Scan scan.Options
	// Ignore are the layers of ignore rules in order, the bundled one
	// included, later ones outvoting earlier ones.
	Ignore []Layer
	// IgnoredReferences are link targets that nobody misses.
	IgnoredReferences []Match
	// Off lists extractors, providers and analyzers that do not take part, by
	// qualified id such as "core/name-collision", or all of a kind with
	// "*/extractors", "*/providers", "*/analyzers".
	Off      []string
	Plugins  []string // ids that may head a part of a sidecar
	MaxNodes int      // of one drawing; skillmap.DefaultMaxNodes when 0
	Full     bool     // read every file again
	By       *skillmap.ScannedBy
	// Now gives the time; time.Now when nil.
	Now func() time.Time
	// On hears of progress, one call at a time; it may be nil.
	On func(Event)
}

// Layer is a named list of ignore rules.
type Layer = ignore.Layer

// Match is one entry of a match list.
type Match = check.Match

// Cache is what a survey learned of each file. It is safe to use from many
// goroutines and never changes. Its binary form may be kept for as long as one
// likes: what does not fit any more is read again.
type Cache = scan.Cache

// ReadCache makes a cache of the texts of its parts, given with their sums.
func ReadCache(sums []string, texts [][]byte) (*Cache, error) { return scan.ReadParts(sums, texts) }

// CutRecord cuts a record into pieces that one behind the other are the record:
// a file that changes changes one of them.
func CutRecord(record []byte) [][]byte { return scan.CutRecord(record) }

// Event tells how far a survey is.
type Event struct {
	// Type is "scan.started", "scan.progress", "analyzer.completed" or
	// "scan.completed".
	Type     string
	Mode     string         // of scan.started: "full" or "changed"
	Progress scan.Progress  // of scan.progress
	Analyzer string         // of analyzer.completed: its qualified id
	Stats    skillmap.Stats // of scan.completed
}

// Prior is what the caller kept of the map before. Both halves may be absent.
type Prior struct {
	// Cache spares reading files that did not change. A cache made under
	// other options is used as far as it holds.
	Cache *Cache
	// Known are the nodes of the map before, for renames and orphans; those
	// of Cache when nil.
	Known []Known
}

// Known is a node of the map before.
type Known struct {
	Path, BodyHash, FrontmatterHash string
	Virtual                         bool
}

// Outcome is a new map.
type Outcome struct {
	Result *skillmap.ScanResult
	// Cache is to be given to the next Run.
	Cache *Cache
	// Record is for Unchanged. It is nil when the next Run gives another
	// result even if no file changes, as after a rename.
	Record  []byte
	Renames []Rename
	// Read lists the nodes whose files were read and found new or changed.
	Read []string
	// Scores tell how the confidence of links came about.
	Scores   []check.Adjustment
	Warnings []scan.Warning
}

// Run makes the map of the roots. Given what was kept of the map before, it
// reads only files that changed; the map is the same as without.
//
// The fault is Invalid for a root that is absent or no folder, and for a lens
// or tokenizer that nobody knows.
func Run(ctx context.Context, in Input, prior *Prior) (*Outcome, error) {
	s := begin(in, "full")
	g, cache, err := scan.Run(ctx, in.Roots, s.opt, s.cacheOf(prior))
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, g, cache, prior)
}

// RunChanged is Run for a watcher that knows which paths changed: root-relative
// paths of files or folders that were written, created or removed, sidecars
// included. Little else is looked at. Without a cache made in this process
// under the same input, and where symbolic links make a path reach further, it
// is Run.
func RunChanged(ctx context.Context, in Input, prior *Prior, changed []string) (*Outcome, error) {
	s := begin(in, "changed")
	g, cache, err := scan.RunChanged(ctx, in.Roots, s.opt, s.cacheOf(prior), changed)
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, g, cache, prior)
}

// Unchanged reports whether Run would give the map again that the record was
// made with. A file is read only when its times cannot tell.
func Unchanged(ctx context.Context, in Input, record []byte) (bool, error) {
	if len(record) == 0 {
		return false, nil
	}
	in.On = nil
	s := begin(in, "")
	return scan.Unchanged(ctx, in.Roots, s.opt, record)
}

// survey is one under way.
type survey struct {
	in       Input
	opt      scan.Options
	rules    *ignore.Matcher
	warnings []scan.Warning
	now      func() time.Time
	start    time.Time
}

func begin(in Input, mode string) *survey {
	s := &survey{in: in, opt: in.Scan, now: in.Now}
	if s.now == nil {
		s.now = time.Now
	}
	s.start = s.now()
	s.readRules()
	s.opt.Ignore = s.rules
	s.opt.Off = append(slices.Clone(in.Scan.Off), in.Off...)
	s.opt.Inputs = s.inputs()
	s.opt.Now = s.start
	if in.By != nil {
		s.opt.Build = in.By.Version
	}
	if in.On != nil {
		s.opt.Progress = func(p scan.Progress) { in.On(Event{Type: "scan.progress", Progress: p}) }
	}
	s.tell(Event{Type: "scan.started", Mode: mode})
	return s
}

func (s *survey) tell(e Event) {
	if s.in.On != nil {
		s.in.On(e)
	}
}

func (s *survey) readRules() {
	rules, dropped := ignore.New(s.in.Ignore...)
	s.rules = rules
	for _, d := range dropped {
		s.warnings = append(s.warnings, scan.Warning{Code: "ignore-line-skipped", Path: d.Layer,
			Text: fmt.Sprintf("Line %d of the ignore rules in %s is no pattern and is skipped: %q.", d.Line, d.Layer, d.Text)})
	}
}

// inputs is a digest of what the options of the scan do not say.
func (s *survey) inputs() string {
	text, err := json.Marshal([]any{s.in.Ignore, s.in.IgnoredReferences, s.in.Off, s.in.Plugins, s.in.MaxNodes, s.in.By})
	if err != nil {
		panic(err) // strings and numbers only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (s *survey) cacheOf(prior *Prior) *Cache {
	if prior == nil || s.in.Full {
		return nil
	}
	return prior.Cache
}

// finish judges the graph, compares it with the map before and puts the
// result together.
func (s *survey) finish(ctx context.Context, g *scan.Graph, cache *Cache, prior *Prior) (*Outcome, error) {
	var record []byte
	var wait sync.WaitGroup
	wait.Go(func() { record = cache.Record() })
	judged, err := check.Run(ctx, g, check.Options{
		IgnoredReferences: s.in.IgnoredReferences, Off: s.opt.Off, Plugins: s.in.Plugins,
		Done: func(id string) { s.tell(Event{Type: "analyzer.completed", Analyzer: id}) },
	})
	moved := compare(prior, g, s.rules)
	wait.Wait()
	if err != nil {
		return nil, err
	}
	out := &Outcome{Cache: cache, Read: g.Read, Scores: judged.Scores}
	out.Renames = moved.renames
	out.Warnings = slices.Concat(s.warnings, g.Warnings, judged.Warnings)
	out.Result = s.result(g, append(judged.Issues, moved.issues...))
	if len(moved.issues) == 0 {
		out.Record = record
	}
	s.tell(Event{Type: "scan.completed", Stats: out.Result.Stats})
	return out, nil
}

func (s *survey) result(g *scan.Graph, issues []skillmap.Issue) *skillmap.ScanResult {
	r := skillmap.Empty(s.start.UnixMilli())
	r.Roots = nil
	for _, root := range s.in.Roots {
		r.Roots = append(r.Roots, root.Name)
	}
	r.Providers = s.providers()
	r.ScannedBy = s.in.By
	r.Tokenizer = s.opt.Tokenizer
	if r.Tokenizer == "" {
		r.Tokenizer = string(tokens.Encodings[0])
	}
	r.ActiveProvider = g.Lens.ID
	if s.opt.MaxScan > 0 {
		r.ScanCeiling = s.opt.MaxScan
	}
	if s.in.MaxNodes > 0 {
		r.MaxRenderNodes = s.in.MaxNodes
	}
	r.ScanTruncated = g.Truncated
	r.OversizedFiles = append(r.OversizedFiles, g.Oversized...)
	r.Nodes, r.Links, r.Issues = list(g.Nodes), list(g.Links), list(issues)
	r.Stats = skillmap.Stats{
		FilesWalked: g.FilesWalked, FilesOversized: len(g.Oversized),
		NodesCount: len(r.Nodes), LinksCount: len(r.Links), IssuesCount: len(r.Issues),
		DurationMs: s.now().Sub(s.start).Milliseconds(),
	}
	return r
}

// providers are the ids of those that may take part.
func (s *survey) providers() []string {
	out := []string{}
	for _, id := range provider.IDs() {
		if !slices.ContainsFunc(s.opt.Off, func(off string) bool {
			return off == "*/providers" || strings.Contains(off, "/") && skillmap.ShortID(off) == id
		}) {
			out = append(out, id)
		}
	}
	return out
}

// list is l, never nil.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
