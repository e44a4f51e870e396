package cli

import (
	"bytes"
	"context"

	"skillforge/internal/skillmap/draw"
)

type graphing struct {
	format    string
	noPlugins bool
}

func graphVerb() *verb {
	o := graphing{format: draw.Formats[0]}
	return &verb{
		name: "graph", category: mapping, brief: "Draw the whole map",
		details: "ascii and md are lists; mermaid and dot are for renderers; svg is a picture that opens in any browser.",
		flags: []flag{
			choice(&o.format, "format", "", "FORMAT", "How to draw it (ascii).", draw.Formats...),
			toggle(&o.noPlugins, "no-plugins", "", "Leave drop-in plugins out. They add no formats here."),
		},
		examples: []example{{"sm graph --format svg > map.svg", ""}, {"sm graph --format dot | dot -Tpng > map.png", "with Graphviz"}},
		exits:    []exit{{5, "there is no map yet"}},
		run:      o.run,
	}
}

func (o *graphing) run(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	whole, err := a.ScanResult(ctx)
	if err != nil {
		return err
	}
	picture, err := draw.Render(o.format, whole)
	if err != nil {
		return err
	}
	if !bytes.HasSuffix(picture, []byte("\n")) {
		picture = append(picture, '\n')
	}
	return s.write(picture)
}
