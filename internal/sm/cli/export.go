package cli

import (
	"context"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
)

type exporting struct {
	query  []string
	format string
}

// exports are the formats that are no JSON.
var exports = map[string]func(skillmap.Query, skillmap.Subgraph) []byte{
	"md":      draw.Markdown,
	"mermaid": func(_ skillmap.Query, g skillmap.Subgraph) []byte { return draw.Mermaid(g) },
	"dot":     func(_ skillmap.Query, g skillmap.Subgraph) []byte { return draw.Dot(g) },
	"ascii":   func(_ skillmap.Query, g skillmap.Subgraph) []byte { return draw.ASCII(g) },
	"svg":     func(_ skillmap.Query, g skillmap.Subgraph) []byte { return draw.SVG(g) },
}

func exportVerb() *verb {
	o := exporting{format: "json"}
	return &verb{
		name: "export", category: mapping, brief: "Write a part of the map",
		details: "The query is terms that must all hold: `kind=skill,agent`, `has=issues`, `path=docs/**`. Values separated by commas are alternatives; `*` stays within a folder, `**` does not. No query is the whole map. Links are kept when both of their ends are.",
		args:    []arg{rest(&o.query, "QUERY", "which nodes: kind=, has=issues, path=")},
		flags:   []flag{choice(&o.format, "format", "", "FORMAT", "How to write it (json).", "json", "md", "mermaid", "dot", "ascii", "svg")},
		examples: []example{
			{"sm export kind=skill has=issues --format md", ""},
			{"sm export 'path=.claude/**' --format mermaid", ""},
			{"sm export 'path=docs/**' --format svg > docs.svg", "a picture that opens in any browser"},
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.run,
	}
}

func (o *exporting) run(ctx context.Context, s *session) error {
	query, err := skillmap.ParseQuery(strings.Join(o.query, " "))
	if err != nil {
		return err
	}
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	whole, err := a.ScanResult(ctx)
	if err != nil {
		return err
	}
	part := query.Apply(whole)
	if write := exports[o.format]; write != nil && !s.json {
		return s.write(write(query, part))
	}
	type counts struct {
		Nodes  int `json:"nodes"`
		Links  int `json:"links"`
		Issues int `json:"issues"`
	}
	return s.emit(struct {
		Query   string           `json:"query"`
		Filters skillmap.Filters `json:"filters"`
		Counts  counts           `json:"counts"`
		skillmap.Subgraph
		ElapsedMs int64 `json:"elapsedMs"`
	}{query.Raw, query.Filters(), counts{len(part.Nodes), len(part.Links), len(part.Issues)}, part, s.elapsedMs()})
}
