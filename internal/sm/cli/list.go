package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
)

type listing struct {
	kinds, tag, sortBy string
	issues             bool
	limit              int
}

func listVerb() *verb {
	var o listing
	return &verb{
		name: "list", category: mapping, brief: "List what is on the map",
		details: "Shows agents, skills, commands, documents and the MCP servers they speak of, by path.",
		flags: []flag{
			text(&o.kinds, "kind", "", "KIND", "Only nodes of this kind, or of several: agent,skill."),
			toggle(&o.issues, "issue", "", "Only nodes that an issue names."),
			text(&o.tag, "tag", "", "TAG", "Only nodes whose sidecar carries this tag."),
			choice(&o.sortBy, "sort-by", "", "KEY", "Order: path and kind upwards, the numbers downwards.",
				"path", "kind", "tokens_total", "links_out_count", "links_in_count", "external_refs_count"),
			number(&o.limit, "limit", "", "N", 1, "Show at most N."),
		},
		examples: []example{
			{"sm list --kind skill", "the skills"},
			{"sm list --sort-by tokens_total --limit 10", "what costs most context"},
		},
		exits: []exit{{5, "there is no map yet"}},
		run:   o.run,
	}
}

func (o *listing) run(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	has := ""
	if o.issues {
		has = "issues"
	}
	query, err := skillmap.QueryOf(o.kinds, has, "")
	if err != nil {
		return err
	}
	nodes, err := a.Nodes(ctx, atlas.NodeFilter{Query: query, Tag: o.tag, SortBy: o.sortBy, Limit: o.limit})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(nodesJSON(nodes.Items))
	}
	if len(nodes.Items) == 0 {
		s.note("Nothing on the map matches.")
		return nil
	}
	t := table{head: []string{"PATH", "KIND", "IN", "OUT", "TOKENS", "NAME"}, right: map[int]bool{2: true, 3: true, 4: true}}
	for _, n := range nodes.Items {
		t.rows = append(t.rows, []string{draw.Line(n.Path), draw.Line(n.Kind), strconv.Itoa(n.LinksInCount), strconv.Itoa(n.LinksOutCount), tokensOf(n.Node), draw.Line(n.Title())})
	}
	s.printf("%s", t.text(s.tty.out, s.tty.wide))
	if nodes.Total > len(nodes.Items) {
		s.note("%d of %d; `--limit` shows more.", len(nodes.Items), nodes.Total)
	}
	return nil
}

func tokensOf(n *skillmap.Node) string {
	if n.Tokens == nil {
		return "-"
	}
	return strconv.Itoa(n.Tokens.Total)
}

// nodesJSON, linksJSON and issuesJSON use the JSON that the map holds ready.
func nodesJSON(nodes []*atlas.Node) []json.RawMessage {
	out := make([]json.RawMessage, len(nodes))
	for i, n := range nodes {
		out[i] = n.JSON()
	}
	return out
}

func linksJSON(links []*atlas.Link) []json.RawMessage {
	out := make([]json.RawMessage, len(links))
	for i, l := range links {
		out[i] = l.JSON()
	}
	return out
}

func issuesJSON(issues []*atlas.Issue) []json.RawMessage {
	out := make([]json.RawMessage, len(issues))
	for i, is := range issues {
		out[i] = is.JSON()
	}
	return out
}

// plural is "1 node", "2 nodes".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
