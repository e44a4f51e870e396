package draw

import (
	"bytes"
	"fmt"

	"skillforge/internal/skillmap"
)

// ASCII lists nodes by kind, then links, then issues.
func ASCII(g skillmap.Subgraph) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", counts(g))
	kinds, of := byKind(g.Nodes)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "## %s (%d)\n", Line(kind), len(of[kind]))
		for _, n := range of[kind] {
			b.WriteString("- " + Line(n.Path))
			if title := Line(n.Title()); title != "" {
				fmt.Fprintf(&b, ": \"%s\"", title)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	if len(g.Links) > 0 {
		fmt.Fprintf(&b, "## links (%d)\n", len(g.Links))
		for _, l := range sortedLinks(g.Links) {
			fmt.Fprintf(&b, "- %s --%s--> %s  [%s]\n", Line(l.Source), Line(string(l.Kind)), Line(l.End()), number(l.Confidence))
		}
		b.WriteByte('\n')
	}
	if len(g.Issues) > 0 {
		fmt.Fprintf(&b, "## issues (%d)\n", len(g.Issues))
		for i := range g.Issues {
			is := &g.Issues[i]
			fmt.Fprintf(&b, "- [%s] %s: %s\n", Line(string(is.Severity)), Line(is.AnalyzerID), Clean(is.Message))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
