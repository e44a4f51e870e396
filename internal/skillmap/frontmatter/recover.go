package frontmatter

import "strings"

// Recover reads what can be read safely from a block that ParseYAML refuses:
// each top-level key by itself, when its value is a scalar or a list of
// scalars. A value that is no YAML is taken as its text, lines joined by a
// blank, so that a name and a description survive a missing pair of quotes.
// The first of two equal keys counts.
func Recover(raw string) map[string]any {
	found := map[string]any{}
	lines := strings.Split(strings.ReplaceAll(clean(raw), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); {
		key, _, ok := topKey(lines[i])
		end := i + 1
		for end < len(lines) && continues(lines[end]) {
			end++
		}
		if ok {
			if _, twice := found[key]; !twice && !unsafe(key) {
				if v, ok := recoverValue(key, lines[i:end]); ok {
					found[key] = v
				}
			}
		}
		i = end
	}
	return found
}

// Keys lists the simple top-level keys of a block as written, each once: what
// a map cannot tell of their order.
func Keys(raw string) []string {
	var keys []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(raw, "\n") {
		key, _, ok := topKey(strings.TrimSuffix(line, "\r"))
		if ok && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// topKey splits a line that begins with a simple key and a colon.
func topKey(line string) (key, value string, ok bool) {
	n := 0
	for n < len(line) && simpleKeyByte(line[n]) {
		n++
	}
	if n == 0 {
		return "", "", false
	}
	rest := strings.TrimLeft(line[n:], " \t")
	if !strings.HasPrefix(rest, ":") || len(rest) > 1 && class[rest[1]]&blank == 0 {
		return "", "", false
	}
	return line[:n], strings.TrimSpace(rest[1:]), true
}

func simpleKeyByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// continues reports whether a line belongs to the key above it: it is blank,
// indented or a list item.
func continues(line string) bool {
	return line == "" || class[line[0]]&blank != 0 || strings.HasPrefix(line, "- ") || line == "-"
}

func recoverValue(key string, lines []string) (any, bool) {
	if m, err := ParseYAML(strings.Join(lines, "\n")); err == nil {
		v, ok := m[key]
		return v, ok && flat(v)
	}
	_, first, _ := topKey(lines[0])
	words := []string{}
	for _, line := range append([]string{first}, lines[1:]...) {
		if line = strings.TrimSpace(line); line != "" {
			words = append(words, line)
		}
	}
	text := strings.Join(words, " ")
	return text, text != ""
}

// flat reports whether a value is a scalar or a list of scalars.
func flat(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		for _, item := range v {
			if _, list := item.([]any); list || !flat(item) {
				return false
			}
		}
	}
	return true
}
