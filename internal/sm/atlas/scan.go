package atlas

import (
	"context"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
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
	// Off lists what does not take part beside what the settings switch off:
	// qualified ids, or "*/providers", "*/extractors", "*/analyzers".
	Off      []string
	MaxScan  int // 0: as settled. A raised ceiling is remembered
	MaxNodes int // 0: as settled
	// NoWait makes a scan that finds another one running a Conflict fault
	// with the code "scan-busy"; otherwise it waits its turn.
	NoWait bool
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
	Change               *sm.Change       // against the map before
	Unchanged            bool             // nothing differs from the map before
	Kept                 bool             // it is in the database now
	Rebuilt              bool             // the cache was of another version and made anew
	Renames              []survey.Rename
	Warnings             []scan.Warning
}

// Result is the whole map. After a scan that found nothing changed it is read
// from the database now.
func (s *Scanned) Result(ctx context.Context) (*skillmap.ScanResult, error) { return nil, nil }

// Scan makes the map of the project, keeps it, and tells Events.
//
// One scan runs at a time in a process. The fault is Conflict with the code
// "scan-emptied" when nothing is found where the map has nodes (say AllowEmpty
// to mean it), Invalid for a root or lens that is none ("ambiguous-provider"
// with its candidates), Conflict "db-newer" or "db-foreign" for a database that
// this program must not touch.
func (a *Atlas) Scan(ctx context.Context, opt ScanOptions) (*Scanned, error) { return nil, nil }

// Compare scans without keeping anything and tells what changed since the
// given map.
func (a *Atlas) Compare(ctx context.Context, before *skillmap.ScanResult, opt ScanOptions) (skillmap.Delta, error) {
	return skillmap.Delta{}, nil
}
