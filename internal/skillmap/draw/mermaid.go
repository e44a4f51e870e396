package draw

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// styles are the box colours of a Mermaid chart, dealt to kinds in turn.
var styles = []string{
	"fill:#e3f2fd,stroke:#1565c0,color:#0d47a1",
	"fill:#ede7f6,stroke:#5e35b1,color:#311b92",
	"fill:#e8f5e9,stroke:#2e7d32,color:#1b5e20",
	"fill:#fff3e0,stroke:#ef6c00,color:#e65100",
	"fill:#fce4ec,stroke:#ad1457,color:#880e4f",
	"fill:#e0f7fa,stroke:#00838f,color:#006064",
}

// Mermaid is a flowchart with a box for each node and loose end.
func Mermaid(g skillmap.Subgraph) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "flowchart LR\n%%%% %s\n", counts(g))
	lines := edges(g.Links)
	names, node := boxes(g, lines)
	if len(names) == 0 {
		b.WriteString("%% nothing to draw\n")
	}
	id := make(map[string]int, len(names))
	for i, name := range names {
		id[name] = i
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, mermaidText(name))
	}
	for _, e := range lines {
		fmt.Fprintf(&b, "  n%d -->|\"%s\"| n%d\n", id[e.from], mermaidText(e.kind), id[e.to])
	}
	class := mermaidClasses(&b, g.Nodes)
	for i, name := range names {
		if n := node[name]; n != nil {
			fmt.Fprintf(&b, "  class n%d %s;\n", i, class[n.Kind])
		}
	}
	return b.Bytes()
}

// mermaidClasses writes one class for each kind and returns their names.
func mermaidClasses(b *bytes.Buffer, nodes []skillmap.Node) map[string]string {
	var kinds []string
	for i := range nodes {
		kinds = append(kinds, nodes[i].Kind)
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	class, taken := map[string]string{}, map[string]bool{}
	for i, kind := range kinds {
		name := "kind_" + strings.Map(wordOnly, kind)
		for n, base := 2, name; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		taken[name] = true
		class[kind] = name
		fmt.Fprintf(b, "  classDef %s %s;\n", name, styles[i%len(styles)])
	}
	return class
}

func wordOnly(r rune) rune {
	if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// mermaidText escapes a label: entity codes, since a chart knows no backslash.
func mermaidText(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(Line(text), "#", "#35;"), `"`, "#quot;")
}
