package job

import (
	"encoding/json"

	"skillforge/internal/skillmap"
)

// Execution is one run of an extension that came to an end: a line of the
// history. Its JSON is the contract's.
type Execution struct {
	ID               string   `json:"id"`
	Kind             string   `json:"kind"` // "action", for finders too
	ExtensionID      string   `json:"extensionId"`
	ExtensionVersion string   `json:"extensionVersion"`
	NodeIDs          []string `json:"nodeIds"`
	ContentHash      *string  `json:"contentHash"`
	Status           Status   `json:"status"` // completed, failed or cancelled
	FailureReason    *Reason  `json:"failureReason"`
	ExitCode         *int64   `json:"exitCode"`
	Runner           *string  `json:"runner"`
	StartedAt        int64    `json:"startedAt"`
	FinishedAt       int64    `json:"finishedAt"`
	DurationMs       *int64   `json:"durationMs"`
	TokensIn         *int64   `json:"tokensIn"`
	TokensOut        *int64   `json:"tokensOut"`
	Model            *string  `json:"model"`
	// Report is the report's JSON as text, or what a failed run said of
	// itself. The contract calls it a path for reasons of its history.
	Report *string `json:"reportPath"`
	JobID  *string `json:"jobId"`
}

// Summary is what a summarizer said of a file.
type Summary struct {
	NodeID               string          `json:"-"`
	ActionID             string          `json:"summarizerActionId"`
	ActionVersion        string          `json:"-"`
	Kind                 string          `json:"-"` // of the node
	BodyHashAtGeneration string          `json:"-"`
	GeneratedAt          int64           `json:"generatedAt"`
	Model                *string         `json:"-"`
	Stale                bool            `json:"stale"` // told at each read
	Report               json.RawMessage `json:"report"`
}

// Enrichment is what a source outside the project says of a file.
type Enrichment struct {
	NodeID, ProviderID string
	Data               json.RawMessage
	Verified           *bool
	FetchedAt          int64
	StaleAfter         *int64
}

// IssueEntry is an issue as a fixer's text lists it.
type IssueEntry struct {
	Target   *string           `json:"target"`
	Kind     *string           `json:"kind"`
	Severity skillmap.Severity `json:"severity"`
	Message  string            `json:"message"`
}

// FindingEntry is a finding as a fixer's text lists it.
type FindingEntry struct {
	ID         int64             `json:"id"`
	Type       string            `json:"type"`
	Severity   skillmap.Severity `json:"severity"`
	Message    string            `json:"message"`
	Detail     *string           `json:"detail"`
	Confidence float64           `json:"confidence"`
	Stale      bool              `json:"stale"`
}
