package main

import (
	"fmt"
	"slices"
	"time"
)

// table prints rows as they are measured, so that a long run shows where it is.
type table struct {
	name  string
	begun time.Time
}

func newTable(name string) *table {
	fmt.Printf("\n%s\n%-62s %5s %10s %10s %10s %10s  %-22s %5s\n", name, "what", "n", "min", "median", "p95", "max", "", "load")
	return &table{name, time.Now()}
}

func (t *table) close() { fmt.Printf("(%s took %.0f s)\n", t.name, time.Since(t.begun).Seconds()) }

// times prints a row of durations, in milliseconds.
func (t *table) times(what string, list []time.Duration, note string, args ...any) {
	ms := make([]float64, len(list))
	for i, d := range list {
		ms[i] = float64(d.Microseconds()) / 1000
	}
	t.row(what, "ms", ms, note, args...)
}

// row prints the spread of measurements in some unit.
func (t *table) row(what, unit string, list []float64, note string, args ...any) {
	if len(list) == 0 {
		return
	}
	list = slices.Sorted(slices.Values(list))
	cell := func(q float64) string { return short(list[min(len(list)-1, int(q*float64(len(list))))]) }
	fmt.Printf("%-62s %5d %10s %10s %10s %10s  %-22s %5s\n", what+", "+unit, len(list), cell(0), cell(0.5), cell(0.95), cell(1), fmt.Sprintf(note, args...), load())
}

// say prints a row of words.
func (t *table) say(what, text string, args ...any) {
	fmt.Printf("%-62s %s\n", what, fmt.Sprintf(text, args...))
}

func short(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 1:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3f", x)
}

func median[T int | int64 | float64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}
