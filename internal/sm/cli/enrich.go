package cli

import (
	"context"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

func enrichVerb() *verb {
	var path string
	var stale, noPlugins bool
	return &verb{
		name: "enrich", category: mapping, brief: "Ask outside sources about files",
		details: "A file whose .sm file names a source on GitHub is compared with the one there. github/enrichment must be on (`sm plugins enable github/enrichment`) and the network be allowed (`sm config set allowNetworkActions true`).",
		args:    []arg{ofNode(maybe(&path, "PATH", "one file; all that name a source unless said"))},
		flags: []flag{
			toggle(&stale, "stale", "", "Only files that changed since they were compared."),
			toggle(&noPlugins, "no-plugins", "", "Leave drop-in plugins out. They ask nobody."),
		},
		exits: []exit{{5, "there is no such node, or no map yet"}},
		run: func(ctx context.Context, s *session) error {
			a, err := s.mapped()
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }() // what was learned is committed
			done, err := a.Enrich(ctx, sm.CLI, path, stale)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK        bool                 `json:"ok"`
					Kind      string               `json:"kind"`
					Refreshed int                  `json:"refreshed"`
					Nodes     []atlas.EnrichedNode `json:"nodes"`
					ElapsedMs int64                `json:"elapsedMs"`
				}{true, "enrich.report", done.Refreshed, done.Nodes, s.elapsedMs()})
			}
			for _, n := range done.Nodes {
				if n.Enrichments > 0 {
					s.printf("%s\n", draw.Line(n.Path))
				}
			}
			s.note("%s compared.", plural(done.Refreshed, "file"))
			return nil
		},
	}
}
