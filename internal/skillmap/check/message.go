package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
)

// message writes a text as readers of issues expect it: the subject on a line
// of its own, the lines it stands on, then one sentence.
func message(subject string, lines []int, format string, args ...any) string {
	var b strings.Builder
	if subject != "" {
		b.WriteString("`" + strings.Join(strings.Fields(subject), " ") + "`:\n")
	}
	if len(lines) > 0 {
		b.WriteString("L" + numbers(lines) + ": ")
	}
	fmt.Fprintf(&b, format, args...)
	return b.String()
}

func numbers(lines []int) string {
	words := make([]string, len(lines))
	for i, n := range lines {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// linesOf are the lines on which a link stands, ascending.
func linesOf(links ...*skillmap.Link) []int {
	var lines []int
	for _, l := range links {
		if len(l.Occurrences) == 0 && l.Location != nil {
			lines = append(lines, l.Location.Line)
		}
		for i := range l.Occurrences {
			if at := l.Occurrences[i].Location; at != nil {
				lines = append(lines, at.Line)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func fix(format string, args ...any) *skillmap.Fix {
	return &skillmap.Fix{Summary: fmt.Sprintf(format, args...)}
}

// noun is what people call a link of a kind.
func noun(k skillmap.LinkKind) string {
	switch k {
	case skillmap.Invokes:
		return "invocation"
	case skillmap.Mentions:
		return "mention"
	case skillmap.Points:
		return "pointer"
	}
	return "reference"
}

// thing is what people call a node of a kind.
func thing(kind string) string {
	if kind == "markdown" {
		return "document"
	}
	return kind
}

// host is what people call a provider.
func host(id string) string {
	if p := provider.ByID(id); p != nil {
		return p.Label
	}
	return id
}

// quoted lists things in backticks.
func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "`" + s + "`"
	}
	return strings.Join(out, ", ")
}
