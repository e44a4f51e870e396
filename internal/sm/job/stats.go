package job

import (
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
)

// Stats is what the history adds up to. Its JSON is the contract's.
type Stats struct {
	SchemaVersion       int               `json:"schemaVersion"`
	Range               Range             `json:"range"`
	Totals              Totals            `json:"totals"`
	TokensPerExtension  []ExtensionTotals `json:"tokensPerExtension"` // most tokens first
	ExecutionsPerPeriod []PeriodTotals    `json:"executionsPerPeriod"`
	TopNodes            []NodeTotals      `json:"topNodes"`
	ErrorRates          ErrorRates        `json:"errorRates"`
	ElapsedMs           int64             `json:"elapsedMs"`
}

// Range is the time that was looked at; Since is null for all of it.
type Range struct {
	Since *string `json:"since"`
	Until string  `json:"until"`
}

// Totals adds up everything.
type Totals struct {
	Executions int   `json:"executionsCount"`
	Completed  int   `json:"completedCount"`
	Failed     int   `json:"failedCount"`
	TokensIn   int64 `json:"tokensIn"`
	TokensOut  int64 `json:"tokensOut"`
	DurationMs int64 `json:"durationMsTotal"`
}

// ExtensionTotals adds up one version of one extension. The times are null
// when no run said how long it took.
type ExtensionTotals struct {
	ID         string `json:"extensionId"`
	Version    string `json:"extensionVersion"`
	Executions int    `json:"executionsCount"`
	TokensIn   int64  `json:"tokensIn"`
	TokensOut  int64  `json:"tokensOut"`
	MeanMs     *int64 `json:"durationMsMean"`
	MedianMs   *int64 `json:"durationMsMedian"`

	durations []int64
}

// PeriodTotals adds up one day, week or month.
type PeriodTotals struct {
	Start      string `json:"periodStart"`
	Unit       string `json:"periodUnit"`
	Executions int    `json:"executionsCount"`
	TokensIn   int64  `json:"tokensIn"`
	TokensOut  int64  `json:"tokensOut"`
}

// NodeTotals counts the runs on one node.
type NodeTotals struct {
	Path       string `json:"nodePath"`
	Executions int    `json:"executionsCount"`
	LastAt     int64  `json:"lastExecutedAt"`
}

// ErrorRates says how many runs failed, of all and by extension.
type ErrorRates struct {
	Global       float64         `json:"global"`
	PerExtension []ExtensionRate `json:"perExtension"`
	PerReason    map[Reason]int  `json:"perFailureReason"` // all reasons, those that never came too
}

// ExtensionRate says how many runs of an extension failed.
type ExtensionRate struct {
	ID         string  `json:"extensionId"`
	Rate       float64 `json:"rate"`
	Executions int     `json:"executionsCount"`
	Failed     int     `json:"failedCount"`
}

// StatsOptions say what to add up.
type StatsOptions struct {
	Since, Until time.Time // Since zero: from the beginning
	Period       string    // day, week or month; month when empty
	Top          int       // nodes listed; 10 when 0
}

// Periods are the units of StatsOptions.Period.
var Periods = []string{"day", "week", "month"}

// Add adds executions up, in any order. The fault is Invalid for an unknown
// period.
func Add(all []Execution, opt StatsOptions) (*Stats, error) {
	if opt.Period == "" {
		opt.Period = "month"
	}
	if !slices.Contains(Periods, opt.Period) {
		return nil, fault.New(fault.Invalid, "A period is day, week or month; %q is none.", opt.Period)
	}
	if opt.Top <= 0 {
		opt.Top = 10
	}
	s := &Stats{SchemaVersion: 1, Range: Range{Until: iso(opt.Until)}, ErrorRates: ErrorRates{PerReason: map[Reason]int{}}}
	if !opt.Since.IsZero() {
		since := iso(opt.Since)
		s.Range.Since = &since
	}
	for _, r := range Reasons {
		s.ErrorRates.PerReason[r] = 0
	}
	for i := range all {
		s.total(&all[i])
	}
	s.byExtension(all)
	s.byPeriod(all, opt.Period)
	s.byNode(all, opt.Top)
	return s, nil
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *Stats) total(e *Execution) {
	t := &s.Totals
	t.Executions++
	t.TokensIn += value(e.TokensIn)
	t.TokensOut += value(e.TokensOut)
	t.DurationMs += value(e.DurationMs)
	switch e.Status {
	case Completed:
		t.Completed++
	case Failed:
		t.Failed++
		if e.FailureReason != nil {
			s.ErrorRates.PerReason[*e.FailureReason]++
		}
	}
	s.ErrorRates.Global = float64(t.Failed) / float64(t.Executions)
}

func value(p *int64) int64 {
	if p == nil {
		return 0
	}
	return *p
}

func (s *Stats) byExtension(all []Execution) {
	totals := map[[2]string]*ExtensionTotals{}
	rates := map[string]*ExtensionRate{}
	for i := range all {
		e := &all[i]
		t := entry(totals, [2]string{e.ExtensionID, e.ExtensionVersion})
		t.ID, t.Version = e.ExtensionID, e.ExtensionVersion
		t.Executions++
		t.TokensIn += value(e.TokensIn)
		t.TokensOut += value(e.TokensOut)
		if e.DurationMs != nil {
			t.durations = append(t.durations, *e.DurationMs)
		}
		r := entry(rates, e.ExtensionID)
		r.ID = e.ExtensionID
		r.Executions++
		if e.Status == Failed {
			r.Failed++
		}
	}
	s.TokensPerExtension = sorted(totals, func(a, b ExtensionTotals) int {
		if d := (b.TokensIn + b.TokensOut) - (a.TokensIn + a.TokensOut); d != 0 {
			return sign(d)
		}
		return strings.Compare(a.ID+"\x00"+a.Version, b.ID+"\x00"+b.Version)
	})
	for i := range s.TokensPerExtension {
		s.TokensPerExtension[i].settle()
	}
	s.ErrorRates.PerExtension = sorted(rates, func(a, b ExtensionRate) int { return strings.Compare(a.ID, b.ID) })
	for i := range s.ErrorRates.PerExtension {
		r := &s.ErrorRates.PerExtension[i]
		r.Rate = float64(r.Failed) / float64(r.Executions)
	}
}

// settle works out mean and median.
func (t *ExtensionTotals) settle() {
	n := int64(len(t.durations))
	if n == 0 {
		return
	}
	slices.Sort(t.durations)
	var sum int64
	for _, d := range t.durations {
		sum += d
	}
	mean, median := (sum+n/2)/n, t.durations[n/2]
	if n%2 == 0 {
		median = (t.durations[n/2-1] + t.durations[n/2] + 1) / 2
	}
	t.MeanMs, t.MedianMs = &mean, &median
}

func (s *Stats) byPeriod(all []Execution, unit string) {
	periods := map[string]*PeriodTotals{}
	for i := range all {
		e := &all[i]
		start := iso(periodStart(time.UnixMilli(e.StartedAt).UTC(), unit))
		p := entry(periods, start)
		p.Start, p.Unit = start, unit
		p.Executions++
		p.TokensIn += value(e.TokensIn)
		p.TokensOut += value(e.TokensOut)
	}
	s.ExecutionsPerPeriod = sorted(periods, func(a, b PeriodTotals) int { return strings.Compare(a.Start, b.Start) })
}

// periodStart is when the day, week (from Monday) or month of t began.
func periodStart(t time.Time, unit string) time.Time {
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	switch unit {
	case "week":
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case "month":
		return day.AddDate(0, 0, 1-day.Day())
	}
	return day
}

func (s *Stats) byNode(all []Execution, top int) {
	nodes := map[string]*NodeTotals{}
	for i := range all {
		for _, path := range all[i].NodeIDs {
			n := entry(nodes, path)
			n.Path = path
			n.Executions++
			n.LastAt = max(n.LastAt, all[i].StartedAt)
		}
	}
	s.TopNodes = sorted(nodes, func(a, b NodeTotals) int {
		switch {
		case a.Executions != b.Executions:
			return b.Executions - a.Executions
		case a.LastAt != b.LastAt:
			return sign(b.LastAt - a.LastAt)
		}
		return strings.Compare(a.Path, b.Path)
	})
	s.TopNodes = s.TopNodes[:min(top, len(s.TopNodes))]
}

func sign(d int64) int {
	switch {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

// entry is the value of a key, made when it is new.
func entry[K comparable, V any](m map[K]*V, key K) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}

// sorted lists the values of m, never nil.
func sorted[K comparable, V any](m map[K]*V, order func(a, b V) int) []V {
	out := make([]V, 0, len(m))
	for _, v := range m {
		out = append(out, *v)
	}
	slices.SortFunc(out, order)
	return out
}
