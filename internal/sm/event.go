package sm

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Event is the envelope of everything that listeners are told: WebSocket
// clients, MCP sessions, `sm watch`. All five keys are always there.
type Event struct {
	Type      string  `json:"type"`
	Timestamp int64   `json:"timestamp"` // unix milliseconds
	RunID     string  `json:"runId"`
	JobID     *string `json:"jobId"`
	Data      any     `json:"data"`

	// Change tells listeners in this process what a scan did to the map. Only
	// scan.completed has one; it is not sent to anybody.
	Change *Change `json:"-"`
}

// Change is what a scan did to the set of nodes. Nodes whose own links or
// issues moved count as changed too.
type Change struct {
	Added, Removed, Changed []string // paths, sorted
}

// NodeSet reports whether nodes came or went.
func (c *Change) NodeSet() bool { return c != nil && len(c.Added)+len(c.Removed) > 0 }

// IsEmpty reports whether the map is as it was.
func (c *Change) IsEmpty() bool { return c == nil || len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

// Types of events about scans. Those of jobs, runs and activity stand beside
// their own nouns.
const (
	ScanStarted    = "scan.started"
	ScanProgress   = "scan.progress"
	ExtractorDone  = "extractor.completed"
	AnalyzerDone   = "analyzer.completed"
	ScanCompleted  = "scan.completed"
	IssueAdded     = "issue.added"
	IssueResolved  = "issue.resolved"
	WatcherStarted = "watcher.started"
	WatcherError   = "watcher.error"
	ExtensionError = "extension.error"
)

// Mode is what kind of run an event belongs to; it stands in the run's id.
type Mode string

const (
	ScanRun     Mode = "scan"
	ExternalRun Mode = "ext"
	CheckRun    Mode = "check"
	QueueRun    Mode = "queue"
)

// NewRunID makes the id of a run that starts at t, such as
// "r-scan-20260102-030405-9f3c".
func NewRunID(mode Mode, t time.Time) string {
	return "r-" + string(mode) + "-" + Stamp(t)
}

// Stamp is the end that ids of runs, jobs and executions share: second in UTC
// and two random bytes.
func Stamp(t time.Time) string {
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails
	return t.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}
