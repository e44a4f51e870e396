package conformance

import (
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"skillforge/internal/fault"
)

// Options say what to run.
type Options struct {
	Suite   fs.FS  // BuiltIn when nil
	Program string // path of the sm to test
	Scope   string // "spec", "provider:ID" or "all"; all when empty
	Case    string // one case by its id; every case when empty
	Jobs    int    // cases at once; 1 when 0
	// Each hears of every case as it ends, one at a time; it may be nil.
	Each func(scope string, r CaseResult)
}

// Report is the answer of a run, in the contract's shape.
type Report struct {
	OK        bool          `json:"ok"` // the run came to its end; true whatever failed
	Kind      string        `json:"kind"`
	Totals    Totals        `json:"totals"`
	Scopes    []ScopeResult `json:"scopes"`
	ElapsedMs int64         `json:"elapsedMs"`
}

// Totals counts a run.
type Totals struct {
	Scopes    int `json:"scopes"`
	Cases     int `json:"cases"`
	PassCount int `json:"passCount"`
	FailCount int `json:"failCount"`
}

// ScopeResult is one group of cases.
type ScopeResult struct {
	Label     string       `json:"label"`
	PassCount int          `json:"passCount"`
	CaseCount int          `json:"caseCount"`
	Cases     []CaseResult `json:"cases"`
}

// CaseResult is one case.
type CaseResult struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"` // "pass" or "fail"
	Failures []Failure `json:"failures"`
	// Took is how long the case ran. The contract's shape has no room for it.
	Took time.Duration `json:"-"`
}

// Failure is one thing that did not hold: an assertion by its type, or "case",
// "setup", "invoke" when it did not come so far.
type Failure struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Run runs the cases and reports. The fault is Invalid for an unknown scope
// and NotFound for an unknown case.
func Run(ctx context.Context, opt Options) (*Report, error) {
	began := time.Now()
	if opt.Suite == nil {
		opt.Suite = BuiltIn()
	}
	groups, err := groupsOf(opt.Suite, opt.Scope)
	if err != nil {
		return nil, err
	}
	known, err := loadSchemas(opt.Suite)
	if err != nil {
		return nil, err
	}
	cases, err := load(opt.Suite, groups, opt.Case, known)
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fault.New(fault.NotFound, "No conformance case is called %q.", opt.Case)
	}
	results := runAll(ctx, opt, known, cases)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	report := gather(cases, results)
	report.ElapsedMs = time.Since(began).Milliseconds()
	return report, nil
}

// runAll plays every case, so many at once.
func runAll(ctx context.Context, opt Options, known *schemas, cases []*testCase) []CaseResult {
	results := make([]CaseResult, len(cases))
	next := make(chan int)
	var workers sync.WaitGroup
	var telling sync.Mutex // Each hears one at a time
	for range max(1, opt.Jobs) {
		workers.Go(func() {
			for i := range next {
				results[i] = runOne(ctx, opt, known, cases[i])
				if opt.Each != nil {
					telling.Lock()
					opt.Each(label(cases[i].group), results[i])
					telling.Unlock()
				}
			}
		})
	}
	for i := range cases {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

func runOne(ctx context.Context, opt Options, known *schemas, c *testCase) CaseResult {
	began := time.Now()
	failures := play(ctx, opt.Suite, known, opt.Program, c)
	r := CaseResult{ID: c.ID, Status: "pass", Failures: failures, Took: time.Since(began)}
	if len(failures) > 0 {
		r.Status = "fail"
	} else {
		r.Failures = []Failure{}
	}
	return r
}

// gather sorts the results into their scopes, which keep the order of cases.
func gather(cases []*testCase, results []CaseResult) *Report {
	report := &Report{OK: true, Kind: "conformance.result", Scopes: []ScopeResult{}}
	for i, c := range cases {
		at := slices.IndexFunc(report.Scopes, func(s ScopeResult) bool { return s.Label == label(c.group) })
		if at < 0 {
			at = len(report.Scopes)
			report.Scopes = append(report.Scopes, ScopeResult{Label: label(c.group)})
		}
		s := &report.Scopes[at]
		s.Cases = append(s.Cases, results[i])
		s.CaseCount++
		report.Totals.Cases++
		if results[i].Status == "pass" {
			s.PassCount++
			report.Totals.PassCount++
		} else {
			report.Totals.FailCount++
		}
	}
	report.Totals.Scopes = len(report.Scopes)
	return report
}
