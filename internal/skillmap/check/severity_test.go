package check

import (
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/skillmap/scan"
)

func TestSeverityOfClaims(t *testing.T) {
	said := func(kind, text string) scan.Claim {
		return scan.Claim{Kind: kind, Text: text, Source: provider.Name}
	}
	placed := func(kind string) scan.Claim { return scan.Claim{Kind: kind, Source: provider.Dirname} }
	for _, c := range []struct {
		name   string
		claims []scan.Claim
		want   skillmap.Severity
	}{
		{"declared twice", []scan.Claim{said("skill", "tidy"), said("skill", "Tidy")}, skillmap.Error},
		{"declared by a skill and a command", []scan.Claim{said("skill", "tidy"), said("command", "tidy")}, skillmap.Error},
		{"declared in two spellings", []scan.Claim{said("agent", "tidy up"), said("agent", "tidy-up")}, skillmap.Warn},
		{"declared and placed", []scan.Claim{said("skill", "tidy"), placed("command")}, skillmap.Warn},
		{"an agent and a command", []scan.Claim{said("agent", "tidy"), placed("command")}, skillmap.Info},
		{"an agent and a skill, both declared", []scan.Claim{said("agent", "tidy"), said("skill", "tidy")}, skillmap.Info},
		{"an agent between two commands", []scan.Claim{placed("command"), said("agent", "tidy"), placed("command")}, skillmap.Warn},
	} {
		if got := severityOf(c.claims); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
