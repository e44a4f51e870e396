package check

import (
	"slices"
	"testing"
)

func TestReaders(t *testing.T) {
	want := []string{
		"", "_x", "-x", ".claude/a.md", "@deploy", "/deploy", "1", "2", "a", "A", "a.md", "a/b", "ab", "café", "cafés", "cafz",
		"close-stair", "CLOSE-STAIR", "é", "early", "f", "日",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, readers)
	if !slices.Equal(got, want) {
		t.Errorf("in order:\n%q, want\n%q", got, want)
	}
}
