package fault_test

import (
	"testing"

	"skillforge/internal/fault"
)

func TestNearest(t *testing.T) {
	known := []string{"scan", "show", "serve", "scan compare-with"}
	for written, want := range map[string]string{"sacn": "scan", "scna": "scan", "srve": "serve", "shwo": "show", "export": "", "": "", "x": "", "scan compare-wiht": "scan compare-with"} {
		if got := fault.Nearest(written, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", written, got, want)
		}
	}
}
