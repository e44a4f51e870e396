package scan

import (
	"strings"

	"skillforge/internal/skillmap/frontmatter"
)

// keysOf reads from the text of a valid sidecar in what order its keys stand.
func keysOf(text string) SidecarKeys {
	return SidecarKeys{Root: frontmatter.Keys(text), Annotations: frontmatter.Keys(blockOf(text, "annotations"))}
}

// blockOf is the indented text below a key of the first level, without its
// indentation.
func blockOf(text, key string) string {
	_, rest, ok := strings.Cut("\n"+text, "\n"+key+":")
	if !ok {
		return ""
	}
	_, rest, _ = strings.Cut(rest, "\n")
	var b strings.Builder
	indent := ""
	for line := range strings.SplitSeq(rest, "\n") {
		body := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case len(body) == len(line):
			return b.String()
		case indent == "":
			indent = line[:len(line)-len(body)]
		}
		b.WriteString(strings.TrimPrefix(line, indent) + "\n")
	}
	return b.String()
}
