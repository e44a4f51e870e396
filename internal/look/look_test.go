package look

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

var pair = regexp.MustCompile(`(?m)^\s*--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)

// TestContrast holds the inks to 4.5:1 on every ground text stands on.
func TestContrast(t *testing.T) {
	colours := map[string][2]string{}
	for _, m := range pair.FindAllStringSubmatch(string(Tokens), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	grounds := []string{"canvas", "ground", "surface", "raised", "sunken"}
	check := func(ink, ground string) {
		t.Helper()
		for theme, name := range []string{"light", "dark"} {
			a, b := colours[ink][theme], colours[ground][theme]
			if a == "" || b == "" {
				t.Fatalf("--%s or --%s is no pair of colours", ink, ground)
			}
			if got := contrast(a, b); got < 4.5 {
				t.Errorf("--%s on --%s, %s: %.2f to 1, want 4.5", ink, ground, name, got)
			}
		}
	}
	for _, ground := range grounds {
		for _, ink := range []string{"ink", "ink-2", "ink-3", "accent", "ember", "error", "warn", "info", "ok"} {
			check(ink, ground)
		}
	}
	for _, state := range []string{"error", "warn", "info", "ok", "accent"} {
		check(state, state+"-soft")
		check("ink", state+"-soft")
		check("ink-2", state+"-soft")
	}
	for _, ground := range []string{"added", "removed", "hover"} {
		check("ink", ground)
		check("ink-2", ground)
	}
	check("ink-on-accent", "accent")
	check("ink-on-accent", "accent-hover")
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// luminance is the relative luminance of WCAG 2.
func luminance(hex string) float64 {
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		panic(fmt.Sprintf("%s is no colour", hex))
	}
	at := func(shift uint) float64 {
		c := float64(n>>shift&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*at(16) + 0.7152*at(8) + 0.0722*at(0)
}
