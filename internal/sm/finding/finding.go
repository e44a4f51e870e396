package finding

import (
	"slices"

	"skillforge/internal/skillmap"
)

// Origin says whether an extension reported a finding or the program drew it
// from what a report says of its own safety.
type Origin string

const (
	Extension Origin = "extension"
	Kernel    Origin = "kernel"
)

// Resolution is where a finding stands, empty (null) while it is open.
type Resolution string

const (
	Fixed         Resolution = "fixed"
	HumanDecision Resolution = "human-decision" // a fixer proposes, the author must choose
	Dismissed     Resolution = "dismissed"
)

// Actor is who settled a finding.
type Actor string

const (
	Human Actor = "human"
	Fixer Actor = "fixer"
)

// Record is one finding. Its JSON is the contract's.
type Record struct {
	ID                   int64             `json:"id"`
	NodeID               string            `json:"nodeId"`
	ExtensionID          string            `json:"extensionId"`
	ExtensionVersion     string            `json:"extensionVersion"`
	Origin               Origin            `json:"origin"`
	Type                 string            `json:"type"`
	Severity             skillmap.Severity `json:"severity"`
	Message              string            `json:"message"`
	Detail               *string           `json:"detail"`
	Confidence           float64           `json:"confidence"`
	Model                *string           `json:"model"`
	Resolution           *Resolution       `json:"resolution"`
	ResolutionActor      *Actor            `json:"resolutionActor"`
	ResolutionNote       *string           `json:"resolutionNote"`
	ResolutionBy         *string           `json:"resolutionBy"` // the fixer's extension id
	ResolutionAt         *int64            `json:"resolutionAt"` // unix milliseconds, as all times here
	BodyHashAtGeneration string            `json:"bodyHashAtGeneration"`
	GeneratedAt          int64             `json:"generatedAt"`
	JobID                *string           `json:"jobId"`
	// Stale says that the file is another than the one judged, or gone. It is
	// told at each read and stored nowhere.
	Stale bool `json:"stale"`
}

// Is reports whether the finding stands at r; the empty one is open.
func (r *Record) Is(at Resolution) bool {
	if r.Resolution == nil {
		return at == ""
	}
	return *r.Resolution == at
}

// Settle puts the finding where a person or a fixer says. An empty note is
// none. by is the fixer's id, empty for a person.
func (r *Record) Settle(to Resolution, actor Actor, note, by string, now int64) {
	r.Resolution, r.ResolutionAt = &to, &now
	r.ResolutionActor, r.ResolutionNote, r.ResolutionBy = nil, nil, nil
	if to != HumanDecision { // nobody has decided yet
		r.ResolutionActor = &actor
	}
	if note != "" {
		r.ResolutionNote = &note
	}
	if by != "" {
		r.ResolutionBy = &by
	}
}

// Reopen forgets how the finding was settled.
func (r *Record) Reopen() {
	r.Resolution, r.ResolutionActor, r.ResolutionNote, r.ResolutionBy, r.ResolutionAt = nil, nil, nil, nil, nil
}

// Bucket is where a list shows a finding.
type Bucket string

const (
	InOpen      Bucket = "open"
	InFixed     Bucket = "fixed"
	InDismissed Bucket = "dismissed"
)

// Bucket of the finding, given what its node suppresses. A suppression
// outweighs everything else.
func (r *Record) Bucket(hidden []Class) Bucket {
	switch {
	case Hides(hidden, r), r.Is(Dismissed):
		return InDismissed
	case r.Is(Fixed):
		return InFixed
	}
	return InOpen
}

// View says which buckets to show: those named, or the open one when none is.
type View struct {
	Dismissed, Fixed bool
	Stale            bool // open ones about a file that changed since
}

// Page is a list as View shows it, with how many of it hides.
type Page struct {
	Findings          []Record
	DismissedExcluded int
	FixedExcluded     int
}

// Show picks from all records those that the view asks for. hidden are the
// suppressions by node.
func (v View) Show(all []Record, hidden map[string][]Class) Page {
	page := Page{Findings: []Record{}}
	for _, r := range all {
		in := r.Bucket(hidden[r.NodeID])
		if v.admits(&r, in) {
			page.Findings = append(page.Findings, r)
			continue
		}
		if v.names() {
			continue
		}
		if in == InDismissed {
			page.DismissedExcluded++
		} else {
			page.FixedExcluded++
		}
	}
	return page
}

// names reports whether a bucket is named.
func (v View) names() bool { return v.Dismissed || v.Fixed || v.Stale }

func (v View) admits(r *Record, in Bucket) bool {
	switch in {
	case InDismissed:
		return v.Dismissed
	case InFixed:
		return v.Fixed
	}
	return v.Stale && r.Stale || !v.names()
}

// Filter selects records; an empty field admits everything.
type Filter struct {
	Node       string
	Extensions []string // qualified or bare
	Type       string
	// Severity is the least that is shown.
	Severity skillmap.Severity
	Since    int64 // generated at or after
	// Threshold is the least confidence that is shown.
	Threshold float64
}

// Admits reports whether the filter selects the record.
func (f Filter) Admits(r *Record) bool {
	switch {
	case f.Node != "" && r.NodeID != f.Node,
		len(f.Extensions) > 0 && !skillmap.MatchExtension(r.ExtensionID, f.Extensions...),
		f.Type != "" && r.Type != f.Type,
		r.Severity.Rank() < f.Severity.Rank(),
		r.GeneratedAt < f.Since,
		r.Confidence < f.Threshold:
		return false
	}
	return true
}

// Counts is how many findings a card shows, by severity.
type Counts struct{ Errors, Warns int }

// Count folds what is open, still true of the file and not suppressed, by node.
func Count(all []Record, hidden map[string][]Class) map[string]Counts {
	out := map[string]Counts{}
	for i := range all {
		r := &all[i]
		if r.Stale || r.Bucket(hidden[r.NodeID]) != InOpen {
			continue
		}
		c := out[r.NodeID]
		switch r.Severity {
		case skillmap.Error:
			c.Errors++
		case skillmap.Warn:
			c.Warns++
		}
		out[r.NodeID] = c
	}
	return out
}

// Worst is the highest severity among records, empty when there is none.
func Worst(all []Record) skillmap.Severity {
	if len(all) == 0 {
		return ""
	}
	worst := slices.MaxFunc(all, func(a, b Record) int { return a.Severity.Rank() - b.Severity.Rank() })
	return worst.Severity
}
