package scan

import (
	"strings"
	"testing"

	"skillforge/internal/skillmap/provider"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 70)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"deploy", "deploy", 0}, {"deploy", "deplo", 1}, {"deploy", "deplyo", 2}, {"deploy", "employ", 2}, {"ab", "abcde", 3},
		{long, long, 0}, {long, long + "ab", 2}, {long + "a", "a" + long, 2}, {"", "ab", 2},
	} {
		if got := distance(c.a, c.b, 2); min(got, 3) != c.want {
			t.Errorf("from %q to %q are %d letters, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSpacesOfNames(t *testing.T) {
	x := nameIndex{at: map[string]int32{}}
	for i, name := range []string{"deploy", "team:deploy", "team:test", "a:b:c", ":odd"} {
		x.add(name, i, provider.Name)
	}
	g := &Graph{names: x}
	for space, want := range map[string]bool{"team": true, "a": true, "a:b": false, "deploy": false, "": false, "b": false} {
		if got := g.HasSpace(space); got != want {
			t.Errorf("HasSpace(%q) = %v, want %v", space, got, want)
		}
	}
}
