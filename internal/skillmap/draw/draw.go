// Package draw turns a map into text that people and programs read: a plain
// list (ascii), Markdown, Mermaid, Graphviz (dot), a picture (svg), JSON.
//
// Every format is a pure function of the map, so the same map gives the same
// bytes. An edge is drawn to where its link leads; a link that leads nowhere
// keeps its token as a box of its own. Whatever comes from files is escaped
// for its format and stripped of control characters (Clean), except in JSON.
package draw

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
)

// Formats lists what Render knows, the default first.
var Formats = []string{"ascii", "md", "mermaid", "dot", "svg", "json"}

// Render draws the whole map. The fault is Invalid for an unknown format.
func Render(format string, r *skillmap.ScanResult) ([]byte, error) {
	whole := skillmap.Subgraph{Nodes: r.Nodes, Links: r.Links, Issues: r.Issues}
	switch format {
	case "ascii":
		return ASCII(whole), nil
	case "md":
		return Markdown(skillmap.Query{}, whole), nil
	case "mermaid":
		return Mermaid(whole), nil
	case "dot":
		return Dot(whole), nil
	case "svg":
		return SVG(whole), nil
	case "json":
		return JSON(r)
	}
	return nil, fault.New(fault.Invalid, "No format is called %q; they are %s.", format, strings.Join(Formats, ", "))
}

// MediaType is the content type of a format.
func MediaType(format string) string {
	switch format {
	case "json":
		return "application/json"
	case "md":
		return "text/markdown; charset=utf-8"
	case "svg":
		return "image/svg+xml"
	}
	return "text/plain; charset=utf-8"
}

// JSON is v on one line, without a final newline.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// knownKinds come first wherever nodes are grouped.
var knownKinds = []string{"agent", "command", "skill", "markdown"}

// byKind groups nodes: known kinds first, then the others by name; inside a
// group by path.
func byKind(nodes []skillmap.Node) (kinds []string, of map[string][]*skillmap.Node) {
	of = map[string][]*skillmap.Node{}
	for i := range nodes {
		n := &nodes[i]
		of[n.Kind] = append(of[n.Kind], n)
	}
	for kind, group := range of {
		kinds = append(kinds, kind)
		slices.SortStableFunc(group, func(a, b *skillmap.Node) int { return strings.Compare(a.Path, b.Path) })
	}
	sort.Slice(kinds, func(a, b int) bool {
		x, y := rank(kinds[a]), rank(kinds[b])
		if x != y {
			return x < y
		}
		return kinds[a] < kinds[b]
	})
	return kinds, of
}

func rank(kind string) int {
	if i := slices.Index(knownKinds, kind); i >= 0 {
		return i
	}
	return len(knownKinds)
}

// sortedLinks orders links by source, kind and end.
func sortedLinks(links []skillmap.Link) []*skillmap.Link {
	out := make([]*skillmap.Link, len(links))
	for i := range links {
		out[i] = &links[i]
	}
	slices.SortStableFunc(out, func(a, b *skillmap.Link) int {
		return compareEdge(edge{a.Source, string(a.Kind), a.End()}, edge{b.Source, string(b.Kind), b.End()})
	})
	return out
}

// edge is a line of a picture: links that differ only in their wording are one.
type edge struct{ from, kind, to string }

func compareEdge(a, b edge) int {
	if c := strings.Compare(a.from, b.from); c != 0 {
		return c
	}
	if c := strings.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	return strings.Compare(a.to, b.to)
}

// edges are the distinct edges, sorted.
func edges(links []skillmap.Link) []edge {
	out := make([]edge, 0, len(links))
	for _, l := range sortedLinks(links) {
		e := edge{l.Source, string(l.Kind), l.End()}
		if len(out) == 0 || out[len(out)-1] != e {
			out = append(out, e)
		}
	}
	return out
}

// boxes are the names of everything a picture shows, nodes and loose ends,
// sorted, and the node behind each name that has one.
func boxes(g skillmap.Subgraph, lines []edge) (names []string, node map[string]*skillmap.Node) {
	node = make(map[string]*skillmap.Node, len(g.Nodes))
	seen := make(map[string]bool, len(g.Nodes))
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i := range g.Nodes {
		node[g.Nodes[i].Path] = &g.Nodes[i]
		add(g.Nodes[i].Path)
	}
	for _, e := range lines {
		add(e.from)
		add(e.to)
	}
	slices.Sort(names)
	return names, node
}

// number is a float as JSON writes it: 1, 0.25, 0.09999999999999998.
func number(f float64) string {
	text, err := json.Marshal(f)
	if err != nil { // NaN and infinities, which no confidence is
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return string(text)
}

func counts(g skillmap.Subgraph) string {
	return "skill-map graph: " + strconv.Itoa(len(g.Nodes)) + " nodes, " + strconv.Itoa(len(g.Links)) + " links, " + strconv.Itoa(len(g.Issues)) + " issues"
}
