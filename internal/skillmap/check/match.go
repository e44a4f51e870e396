package check

import (
	"fmt"
	"regexp"
	"strings"

	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
)

// Match is one entry of a match list.
type Match struct {
	Type  string `json:"type"` // "literal", "regex" or "glob"
	Value string `json:"value"`
}

// matcher is a match list made ready.
type matcher struct {
	literals map[string]bool
	patterns []*regexp.Regexp
	globs    *ignore.Matcher // nil without globs
}

// compile makes a match list ready. An entry that does not compile is left
// out, with a warning; the others hold.
func compile(list []Match) (matcher, []scan.Warning) {
	m := matcher{literals: map[string]bool{}}
	var warnings []scan.Warning
	var globs []string
	for _, e := range list {
		switch e.Type {
		case "literal":
			m.literals[e.Value] = true
		case "glob":
			globs = append(globs, e.Value)
		case "regex":
			re, err := regexp.Compile(e.Value)
			if err != nil {
				warnings = append(warnings, scan.Warning{Code: "pattern-skipped",
					Text: fmt.Sprintf("The regular expression %q in ignored-references does not compile; the other entries hold.", e.Value)})
				continue
			}
			m.patterns = append(m.patterns, re)
		}
	}
	if len(globs) > 0 {
		m.globs, _ = ignore.New(ignore.Layer{Name: "ignored-references", Lines: globs})
	}
	return m, warnings
}

func (m *matcher) has(target string) bool {
	if m.literals[target] {
		return true
	}
	for _, re := range m.patterns {
		if re.MatchString(target) {
			return true
		}
	}
	return m.globs != nil && m.glob(target)
}

// glob matches a target that is a relative path; others are no paths that a
// glob could mean.
func (m *matcher) glob(target string) bool {
	target = strings.TrimPrefix(target, "./")
	if target == "" || target[0] == '/' || strings.HasPrefix(target, "../") || target == ".." {
		return false
	}
	return m.globs.Match(target)
}
