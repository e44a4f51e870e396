package draw

import (
	"bytes"
	"fmt"
	"strings"

	"skillforge/internal/skillmap"
)

// Markdown lists the part of a map that a query selects: nodes by kind with
// how many issues name each, links, issues.
func Markdown(q skillmap.Query, g skillmap.Subgraph) []byte {
	var b bytes.Buffer
	b.WriteString("# skill-map export\n\n")
	if q.Raw == "" {
		b.WriteString("Query: (empty, all nodes)\n")
	} else {
		fmt.Fprintf(&b, "Query: %s\n", code(q.Raw))
	}
	fmt.Fprintf(&b, "Counts: %d nodes, %d links, %d issues.\n\n", len(g.Nodes), len(g.Links), len(g.Issues))
	named := issuesOf(g.Issues)
	kinds, of := byKind(g.Nodes)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "## %s (%d)\n\n", Line(kind), len(of[kind]))
		for _, n := range of[kind] {
			b.WriteString("- " + code(n.Path))
			if title := Line(n.Title()); title != "" {
				fmt.Fprintf(&b, ": \"%s\"", prose(title))
			}
			switch c := named[n.Path]; c {
			case 0:
			case 1:
				b.WriteString(" (1 issue)")
			default:
				fmt.Fprintf(&b, " (%d issues)", c)
			}
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	if len(g.Links) > 0 {
		fmt.Fprintf(&b, "## links (%d)\n\n", len(g.Links))
		for _, l := range sortedLinks(g.Links) {
			fmt.Fprintf(&b, "- %s --%s--> %s _[%s]_\n", code(l.Source), Line(string(l.Kind)), code(l.End()), number(l.Confidence))
		}
		b.WriteByte('\n')
	}
	if len(g.Issues) > 0 {
		fmt.Fprintf(&b, "## issues (%d)\n\n", len(g.Issues))
		for i := range g.Issues {
			is := &g.Issues[i]
			fmt.Fprintf(&b, "- **[%s]** %s: %s\n", Line(string(is.Severity)), code(is.AnalyzerID), Line(is.Message))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// issuesOf counts the issues that name each node.
func issuesOf(issues []skillmap.Issue) map[string]int {
	of := map[string]int{}
	for i := range issues {
		for _, id := range issues[i].NodeIDs {
			of[id]++
		}
	}
	return of
}

// code is text as a code span, whatever backticks it holds.
func code(text string) string {
	text = Line(text)
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if longest == 0 {
		return "`" + text + "`"
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + text + " " + fence
}

// prose escapes what Markdown would take for markup inside a line.
var prose = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`).Replace
