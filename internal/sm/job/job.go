package job

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"skillforge/internal/fault"
)

// Status is where a job stands. Queued and Running are live; the others are
// terminal and never left.
type Status string

const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Statuses in the order they are shown.
var Statuses = []Status{Queued, Running, Completed, Failed, Cancelled}

// Live reports whether the job can still move.
func (s Status) Live() bool { return s == Queued || s == Running }

// Reason says why a job failed.
type Reason string

const (
	RunnerError    Reason = "runner-error"     // the agent said so
	ReportInvalid  Reason = "report-invalid"   // its report broke the contract
	Timeout        Reason = "timeout"          // the agent's own time ran out
	Abandoned      Reason = "abandoned"        // not heard of again before its deadline
	JobFileMissing Reason = "job-file-missing" // the text to hand over is gone
	UserFailed     Reason = "user-failed"      // a person said so
)

// Reasons are all of them, in the contract's order.
var Reasons = []Reason{RunnerError, ReportInvalid, Timeout, Abandoned, JobFileMissing, UserFailed}

// CheckReason refuses a word that is no reason.
func CheckReason(s string) (Reason, error) {
	if slices.Contains(Reasons, Reason(s)) {
		return Reason(s), nil
	}
	words := make([]string, len(Reasons))
	for i, r := range Reasons {
		words[i] = string(r)
	}
	return "", fault.New(fault.Invalid, "%q is no reason for a failure; it is one of %s.", s, strings.Join(words, ", "))
}

// Event is what can happen to a job.
type Event string

const (
	Claim  Event = "claim"  // an agent takes it
	Finish Event = "finish" // a valid report came
	Break  Event = "break"  // a report of failure, an invalid report, missing text
	Reap   Event = "reap"   // its deadline passed
	Cancel Event = "cancel" // a person called it off
	Fail   Event = "fail"   // a person gave it up
)

// moves is the whole state machine: every pair that is not here is refused.
var moves = map[Status]map[Event]Status{
	Queued:  {Claim: Running, Cancel: Cancelled, Fail: Failed},
	Running: {Finish: Completed, Break: Failed, Reap: Failed, Cancel: Cancelled, Fail: Failed},
}

// Next is the status after an event, false when the event is not allowed.
func (s Status) Next(e Event) (Status, bool) {
	to, ok := moves[s][e]
	return to, ok
}

// From lists the statuses that an event may leave, in the order of Statuses.
func From(e Event) []Status {
	var from []Status
	for _, s := range Statuses {
		if _, ok := s.Next(e); ok {
			from = append(from, s)
		}
	}
	return from
}

// Kind of an extension, frozen into each of its jobs.
type Kind string

const (
	Action   Kind = "action"
	Analyzer Kind = "analyzer"
)

// Job is one piece of work for the user's own agent.
type Job struct {
	ID               string  `json:"id"`
	ExtensionID      string  `json:"extensionId"`
	ExtensionVersion string  `json:"extensionVersion"`
	ExtensionKind    Kind    `json:"extensionKind"`
	NodeID           string  `json:"nodeId"`
	ContentHash      string  `json:"contentHash"`
	Priority         int     `json:"priority"`
	AutoFix          bool    `json:"autoFix"`
	FindingIDs       []int64 `json:"findingIds"` // null: every one
	Status           Status  `json:"status"`
	FailureReason    *Reason `json:"failureReason"`
	Runner           *string `json:"runner"`     // agent or in-process
	TTLSeconds       *int64  `json:"ttlSeconds"` // null: no deadline
	CreatedAt        int64   `json:"createdAt"`  // unix milliseconds, as all times here
	ClaimedAt        *int64  `json:"claimedAt"`
	FinishedAt       *int64  `json:"finishedAt"`
	ExpiresAt        *int64  `json:"expiresAt"`
	SubmittedBy      *string `json:"submittedBy"`

	// Nonce is the sole credential for closing the job; only who draws it
	// has it. It is not part of the public shape; see Credentialed.
	Nonce Nonce `json:"-"`
	// Seal is what is kept of the nonce: enough to know it again.
	Seal Seal `json:"-"`
}

// Credentialed is a job with its nonce, for the two answers that hand it out.
type Credentialed struct {
	Job
	Nonce string `json:"nonce"`
}

// WithNonce reveals the credential.
func (j Job) WithNonce() Credentialed { return Credentialed{Job: j, Nonce: j.Nonce.Reveal()} }

// Nonce is 16 random bytes in hexadecimal. It prints as stars, so that it
// stays out of logs.
type Nonce struct{ text string }

// NewNonce draws a nonce.
func NewNonce(random io.Reader) (Nonce, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return Nonce{}, fmt.Errorf("draw a nonce: %w", err)
	}
	return Nonce{hex.EncodeToString(b[:])}, nil
}

// Seal is what may be kept of it.
func (n Nonce) Seal() Seal { return sealOf(n.text) }

// Seal is the SHA-256 of a nonce in hexadecimal. Nobody gets the nonce from
// it, so a copy of the database closes no jobs.
type Seal string

func sealOf(nonce string) Seal {
	sum := sha256.Sum256([]byte(nonce))
	return Seal(hex.EncodeToString(sum[:]))
}

// Opens reports, in constant time, whether what was given is the nonce.
func (s Seal) Opens(given string) bool {
	return given != "" && subtle.ConstantTimeCompare([]byte(s), []byte(sealOf(given))) == 1
}

// Reveal is the text itself.
func (n Nonce) Reveal() string { return n.text }

func (Nonce) String() string   { return "***" }
func (Nonce) GoString() string { return "***" }

// Overlap reports whether two targets of a fixer share a finding. Nil means
// every finding.
func Overlap(a, b []int64) bool {
	if a == nil || b == nil {
		return true
	}
	return slices.ContainsFunc(a, func(id int64) bool { return slices.Contains(b, id) })
}
