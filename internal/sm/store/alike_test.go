package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"skillforge/internal/skillmap"
)

// With the digests of the map before, those of a map are as without.
func TestDigestsBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for round := range 200 {
		m := &skillmap.ScanResult{}
		for i := range 3 + r.IntN(30) {
			m.Nodes = append(m.Nodes, skillmap.Node{Path: fmt.Sprint(i), Tokens: &skillmap.Parts{Body: i}, ExternalRefs: make([]skillmap.ExternalRef, i%3), Virtual: i%7 == 6})
			m.Links = append(m.Links, skillmap.Link{Source: fmt.Sprint(i), Confidence: 1, Sources: []string{"x"}, Location: &skillmap.Location{Line: i}})
		}
		first := &saver{m: &Map{Result: m}}
		first.digest()
		next := edit(r, m)
		v := &saver{m: &Map{Result: next, Before: &Digests{m, first.digests}}}
		v.digest()
		for which := range lists {
			if want := v.digestFrom(which, 0); !slices.Equal(v.digests[which], want) {
				t.Fatalf("round %d: digests of list %d are %x, want %x", round, which, v.digests[which], want)
			}
		}
	}
}

// edit changes some things of a map as a scan would: what changed is new, the
// rest is shared.
func edit(r *rand.Rand, m *skillmap.ScanResult) *skillmap.ScanResult {
	c := &skillmap.ScanResult{Nodes: slices.Clone(m.Nodes), Links: slices.Clone(m.Links)}
	for range r.IntN(5) {
		n, l := &c.Nodes[r.IntN(len(c.Nodes))], &c.Links[r.IntN(len(c.Links))]
		switch r.IntN(9) {
		case 0:
			n.BodyHash += "x"
		case 1:
			n.Tokens = &skillmap.Parts{Body: 100}
		case 2:
			n.ExternalRefs = []skillmap.ExternalRef{{URL: "u"}}
		case 3:
			n.Frontmatter = map[string]any{"a": r.Float64()}
		case 4:
			n.Sidecar.Present = true
		case 5:
			l.Confidence /= 2
		case 6:
			l.Location = &skillmap.Location{Line: 1000}
		case 7:
			c.Links = slices.Delete(c.Links, 1, 2)
		case 8:
			c.Nodes = slices.Insert(c.Nodes, r.IntN(len(c.Nodes)), skillmap.Node{Path: "new"})
		}
	}
	return c
}
