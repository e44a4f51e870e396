package config

import (
	"os"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/ignore"
)

// readLines reads a file of the root; one that cannot be read has no lines.
func (p Project) readLines(name string) []string {
	text, err := os.ReadFile(p.Path(name))
	if err != nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

// IgnorePatterns lists the patterns of .skillmapignore without comments and
// blank lines.
func (p Project) IgnorePatterns() []string {
	patterns := []string{}
	for _, line := range p.readLines(IgnoreFile) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	return patterns
}

// SetIgnorePatterns makes .skillmapignore hold these patterns. Comments and
// the order of patterns that stay are kept. The fault is Invalid for a pattern
// that is empty, given twice or not one line.
func (p Project) SetIgnorePatterns(patterns []string) error {
	want := make([]string, 0, len(patterns))
	for _, pattern := range patterns {
		pattern = strings.TrimSpace(pattern)
		if pattern == "" || strings.ContainsFunc(pattern, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fault.New(fault.Invalid, "An ignore pattern is one line of text; %q is not.", pattern)
		}
		if slices.Contains(want, pattern) {
			return fault.New(fault.Invalid, "The ignore pattern %q is there twice.", pattern)
		}
		want = append(want, pattern)
	}
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := replace(p.Path(IgnoreFile), []byte(p.rewriteIgnore(want)), 0o644); err != nil {
		return cannotWrite(err)
	}
	return nil
}

// rewriteIgnore keeps the lines that stay and appends those that are new.
func (p Project) rewriteIgnore(want []string) string {
	var out []string
	have := map[string]bool{}
	for _, line := range p.readLines(IgnoreFile) {
		pattern := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		comment := pattern == "" || strings.HasPrefix(pattern, "#")
		if comment || slices.Contains(want, pattern) && !have[pattern] {
			out = append(out, line)
			have[pattern] = true
		}
	}
	for len(out) > 0 && strings.TrimSpace(out[len(out)-1]) == "" {
		out = out[:len(out)-1]
	}
	for _, pattern := range want {
		if !have[pattern] {
			out = append(out, pattern)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// IgnoreLayers lists the ignore rules of the project in order, a later line
// outvoting an earlier one: the built-in ones, the root .gitignore where the
// settings say so, the setting "ignore" and .skillmapignore.
func (p Project) IgnoreLayers(s *Settings) []ignore.Layer {
	layers := []ignore.Layer{{Name: "built-in", Lines: ignore.Defaults}}
	if s.Scan.RespectGitignore {
		layers = append(layers, ignore.Layer{Name: ".gitignore", Lines: p.readLines(".gitignore")})
	}
	return append(layers,
		ignore.Layer{Name: "the setting ignore", Lines: s.Ignore},
		ignore.Layer{Name: IgnoreFile, Lines: p.readLines(IgnoreFile)})
}
