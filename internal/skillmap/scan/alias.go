package scan

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/skillmap/provider"
)

// typed gives each file that the lens left alone the kind that the folders
// around it and the manifests make of it, and drops those that only have the
// name of a manifest.
func (s *scanner) typed(taken []claim) []claim {
	folders := map[string]bool{}
	for i := range taken {
		c := &taken[i]
		if c.provider.Base && c.read.Parser != provider.JSON {
			c.kind = s.graph.places.kindOf(c.path)
			if c.kind == plain && c.read.Parser == provider.YAML {
				c.guess = s.graph.places.guessOf(c.path)
			}
		}
		if _, ok := conventions[c.kind+"s"]; ok {
			for dir := path.Dir(c.path); dir != "." && !folders[dir]; dir = path.Dir(dir) {
				folders[dir] = true
			}
		}
	}
	return slices.DeleteFunc(taken, func(c claim) bool {
		if c.provider.Base && c.read.Parser == provider.TOML {
			return c.kind != "agent" && c.kind != "command"
		}
		if c.read.Parser != provider.JSON || s.isManifest(&c, folders) {
			return false
		}
		s.stop(s.trees[c.root], c.root, c.path, asFile) // that it is none was read in it
		return true
	})
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
