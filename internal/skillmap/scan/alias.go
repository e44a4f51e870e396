package scan

import (
	"path/filepath"
	"slices"
	"strings"
)

// typed gives each Markdown file that the lens left alone the kind that the
// folders around it make of it.
func (s *scanner) typed(taken []claim) {
	for i := range taken {
		if c := &taken[i]; c.provider.Base {
			c.kind = s.graph.places.kindOf(c.path)
		}
	}
}

// oneNodeEach leaves one claim of each file on disk, and notes the other paths
// that symbolic links give it. The path by which a host loads the file counts
// before the one where it stands, and that before all others.
func (s *scanner) oneNodeEach(taken []claim) []claim {
	if !slices.ContainsFunc(taken, func(c claim) bool { return c.real != "" }) {
		return taken
	}
	best := map[string]int{}
	for i := range taken {
		real := s.realOf(&taken[i])
		if at, seen := best[real]; !seen || before(&taken[i], &taken[at]) {
			best[real] = i
		}
	}
	s.graph.Aliases, s.graph.reals = map[string]string{}, map[string]string{}
	var out []claim
	for i := range taken {
		c := &taken[i]
		if at := best[s.realOf(c)]; at != i {
			s.graph.Aliases[c.path] = taken[at].path
			if c.real == "" {
				s.graph.reals[taken[at].path] = c.path
			}
			continue
		}
		out = append(out, *c)
	}
	return out
}

// before reports whether a is the better path of two to the same file.
func before(a, b *claim) bool { return rankOf(a) < rankOf(b) }

func rankOf(c *claim) int {
	switch {
	case !c.provider.Base:
		return 0
	case c.real == "":
		return 1
	case c.kind != plain:
		return 2
	}
	return 3
}

// realOf is where the file of a claim stands on disk.
func (s *scanner) realOf(c *claim) string {
	if c.real != "" {
		return c.real
	}
	d, ok := s.trees[c.root].(disk)
	if !ok {
		return c.path
	}
	return filepath.Join(s.realRoot(d), filepath.FromSlash(c.path))
}

func (s *scanner) realRoot(d disk) string {
	if real, ok := s.reals[d.dir]; ok {
		return real
	}
	real, err := d.real(".")
	if err != nil {
		real = d.dir
	}
	if s.reals == nil {
		s.reals = map[string]string{}
	}
	s.reals[d.dir] = strings.TrimSuffix(real, string(filepath.Separator))
	return s.reals[d.dir]
}
