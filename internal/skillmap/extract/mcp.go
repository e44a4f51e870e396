package extract

import (
	"strconv"
	"strings"

	"skillforge/internal/skillmap"
)

// findMCPTools reads mcp__server__tool in the "tools" of the frontmatter, a
// list or one string, and makes a virtual node of each server.
func findMCPTools(p *page) {
	switch tools := p.in.Frontmatter["tools"].(type) {
	case []any:
		for i, tool := range tools {
			if name, ok := tool.(string); ok {
				p.mcpTool(name, "tools", strconv.Itoa(i))
			}
		}
	case string:
		for name := range splitTools(tools) {
			p.mcpTool(name, "tools")
		}
	}
}

func (p *page) mcpTool(tool string, fields ...string) {
	server := mcpServer(tool)
	if server == "" || !p.seen.add(server) {
		return
	}
	path := "mcp://" + server
	every := "mcp__" + server + "__*"
	p.signals = append(p.signals, Signal{
		Extractor: p.extractor, Kind: skillmap.References, Target: path, Confidence: 0.85,
		Original: every, Normalized: path, Raw: every, FieldPath: fields,
	})
	p.virtual = append(p.virtual, skillmap.Node{
		Path: path, Kind: "mcp", Provider: p.in.Provider, Virtual: true,
		BodyHash: skillmap.ZeroHash, FrontmatterHash: skillmap.ZeroHash,
		DerivedFrom: []string{p.in.Path}, Frontmatter: map[string]any{"name": server},
	})
}

// mcpServer is the server of a tool name, lower-cased, empty when the name is
// not of the form mcp__server__tool. The last "__" with something after it
// ends the server.
func mcpServer(tool string) string {
	const prefix = "mcp__"
	if len(tool) < len(prefix) || lower(tool[:len(prefix)]) != prefix {
		return ""
	}
	rest := tool[len(prefix):]
	if rest == "" || handleRest.skip(rest, 0) < len(rest) {
		return ""
	}
	end := strings.LastIndex(rest[:len(rest)-1], "__")
	if end < 1 || !isAlnum(rest[0]) {
		return ""
	}
	return lower(rest[:end])
}

// splitTools yields the names of a list written as one string: commas and
// white space part them, but not inside parentheses.
func splitTools(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i, r := range list {
			switch {
			case r == '(':
				depth++
			case r == ')':
				depth = max(0, depth-1)
			case depth == 0 && (r == ',' || isSpace(r)):
				if i > from && !yield(list[from:i]) {
					return
				}
				from = i + len(string(r))
			}
		}
		if from < len(list) {
			yield(list[from:])
		}
	}
}
