package draw

import (
	"bytes"
	"fmt"
	"strings"

	"skillforge/internal/skillmap"
)

// Dot is a directed graph for Graphviz.
func Dot(g skillmap.Subgraph) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph \"skill-map\" {\n  // %s\n  rankdir=\"LR\";\n", counts(g))
	lines := edges(g.Links)
	names, node := boxes(g, lines)
	for _, name := range names {
		label := dotText(name)
		if n := node[name]; n != nil {
			label += `\n` + dotText(n.Kind)
		}
		fmt.Fprintf(&b, "  \"%s\" [label=\"%s\"];\n", dotText(name), label)
	}
	for _, e := range lines {
		fmt.Fprintf(&b, "  \"%s\" -> \"%s\" [label=\"%s\"];\n", dotText(e.from), dotText(e.to), dotText(e.kind))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func dotText(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Line(text), `\`, `\\`), `"`, `\"`)
}
