package scan

import (
	"io/fs"
	"maps"
	"os"
	"slices"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// declare adds the MCP servers that the project sets up for the lens. What a
// file speaks of already gains what the settings say of it.
func (s *scanner) declare() {
	if s.lens.Config == "" || !slices.Contains(s.parts, s.lens) {
		return
	}
	s.stop(s.project, projectRoot, s.lens.Config, asFile)
	for _, v := range provider.MCPServers(s.lens, s.projectFS()) {
		at, ok := s.virtual[v.Path]
		if !ok {
			s.virtual[v.Path] = len(s.graph.Nodes)
			s.pushVirtual(v)
			continue
		}
		overlay(&s.graph.Nodes[at], &v)
	}
}

func overlay(n, v *skillmap.Node) {
	head := maps.Clone(n.Frontmatter)
	maps.Copy(head, v.Frontmatter)
	n.Frontmatter = head
	from := slices.Clone(v.DerivedFrom)
	for _, d := range n.DerivedFrom {
		from = appendNew(from, d)
	}
	n.DerivedFrom = from
}

func (s *scanner) projectFS() fs.FS {
	if d, ok := s.project.(disk); ok {
		return os.DirFS(d.dir)
	}
	return s.opt.Project.FS
}
