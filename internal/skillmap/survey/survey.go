package survey

import (
	"context"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
)

// Input is everything a map depends on besides the files.
type Input struct {
	Roots []scan.Root // at least one
	Scan  scan.Options
	// Ignore are the layers of ignore rules in order, the bundled one
	// included, later ones outvoting earlier ones.
	Ignore []Layer
	// IgnoredReferences are link targets that nobody misses.
	IgnoredReferences []Match
	// Off lists analyzers that do not run, by qualified id such as
	// "core/name-collision", or "*/analyzers" for all.
	Off      []string
	MaxNodes int // of one drawing; skillmap.DefaultMaxNodes when 0
	Full     bool
	By       *skillmap.ScannedBy
	// Now gives the time; time.Now when nil.
	Now func() time.Time
	// On hears of progress, one call at a time; it may be nil.
	On func(Event)
}

// Layer is a named list of ignore rules.
type Layer struct {
	Name  string // as warnings name it, such as ".skillmapignore"
	Lines []string
}

// Match is one entry of a match list.
type Match struct {
	Type  string `json:"type"` // "literal", "regex" or "glob"
	Value string `json:"value"`
}

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
	// Cache is to be given to the next Run. Its MarshalBinary form may be
	// kept for as long as one likes; what does not fit is read again.
	Cache *Cache
	// Record is for Unchanged.
	Record  []byte
	Renames []Rename
	// Read lists the nodes whose files were read and found new or changed.
	Read     []string
	Warnings []scan.Warning
}

// Rename is a node that lives on under another path.
type Rename struct {
	From, To   string
	Confidence float64 // 0.9 by body, 0.6 by frontmatter
}

// Run makes the map of the roots. Given what was kept of the map before, it
// reads only files that changed; the map is the same as without.
//
// The fault is Invalid for a root that is absent or no folder, or a lens or
// tokenizer that nobody knows.
func Run(ctx context.Context, in Input, prior *Prior) (*Outcome, error) {
	return nil, fault.New(fault.Internal, "surveys are not built yet")
}

// RunChanged is Run for a watcher that knows which paths changed: root-relative
// paths of files or folders that were written, created or removed. Nothing
// else is looked at. Without a usable cache, and where symbolic links make a
// path reach further, it is Run.
func RunChanged(ctx context.Context, in Input, prior *Prior, changed []string) (*Outcome, error) {
	return nil, fault.New(fault.Internal, "surveys are not built yet")
}

// Unchanged reports whether Run would give the map again that the record was
// made with. It reads no file that it can tell by its times.
func Unchanged(ctx context.Context, in Input, record []byte) (bool, error) {
	return false, nil
}
