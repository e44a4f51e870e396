package ignore

import "strings"

// rule is one line, ready to be asked. Its texts are folded.
type rule struct {
	negated bool // takes back what an earlier rule ignores
	dirOnly bool
	// byName: the pattern is asked about the last segment of a path, wherever
	// that is. Otherwise it is anchored at the root and asked about the whole.
	byName bool
	prefix string // what the text starts with, literally
	glob   glob   // what follows; nil when prefix is all
	must   string // a literal part of glob, to say no soon
}

type kind int

const (
	isNothing kind = iota // blank or a comment
	isRule
	isBroken
)

const special = `*?[\`

// parse reads one line.
//
// The order of the steps is git's, and so are their consequences: a slash
// counts where it stands, even inside a bracket, and one at the end is taken
// off before an escape is looked at.
func parse(line string) (rule, kind) {
	line, _, _ = strings.Cut(line, "\x00")
	line = trimBlanks(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return rule{}, isNothing
	}
	var r rule
	pattern, negated := strings.CutPrefix(line, "!")
	r.negated = negated
	pattern, r.dirOnly = strings.CutSuffix(pattern, "/")
	r.byName = strings.IndexByte(pattern, '/') < 0
	if !r.byName {
		pattern = strings.TrimPrefix(pattern, "/")
		pattern, r.byName = bareName(pattern)
	}
	if pattern == "" {
		return rule{}, isNothing
	}
	literal := strings.IndexAny(pattern, special)
	if literal < 0 {
		r.prefix = fold(pattern)
		return r, isRule
	}
	steps, ok := compile(pattern[literal:])
	if !ok {
		return rule{}, isBroken
	}
	r.prefix = fold(pattern[:literal])
	r.glob, r.must = steps, steps.literal()
	if len(steps) == 1 && steps[0].kind == literally { // escapes alone
		r.prefix, r.glob = r.prefix+steps[0].text, nil
	}
	return r, isRule
}

// bareName turns "**/name" into the rule that "name" is.
func bareName(pattern string) (name string, ok bool) {
	name = pattern
	for strings.HasPrefix(name, "**") {
		rest := strings.TrimLeft(name, "*")
		if !strings.HasPrefix(rest, "/") {
			break
		}
		name = rest[1:]
	}
	if name == pattern || name == "" || strings.IndexByte(name, '/') >= 0 {
		return pattern, false
	}
	return name, true
}

// trimBlanks takes off the blanks at the end of a line, except one that a
// backslash keeps.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = i + 1
	}
	return line[:min(end, len(line))]
}

// match reports whether the rule's pattern is the whole of text, which is a
// folded name or path.
func (r *rule) match(text string) bool {
	rest, ok := strings.CutPrefix(text, r.prefix)
	if !ok {
		return false
	}
	if r.glob == nil {
		return rest == ""
	}
	return strings.Contains(rest, r.must) && r.glob.match(rest)
}
