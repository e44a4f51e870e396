package check

import (
	"regexp"
	"strings"

	"skillforge/internal/skillmap"
)

// loss is how much a link loses that leads to nothing.
const loss = -0.75

// referenceBroken reports links that lead to nothing, and trusts them less.
// Targets that the settings ignore or the node dismisses are left alone.
func referenceBroken(r *run) {
	for _, i := range r.g.Broken {
		l := &r.g.Links[i]
		if r.ignored.has(l.Target) || r.isDismissed([]string{l.Source}, l.Target) {
			continue
		}
		r.adjust(i, "delta", loss)
		is := brokenLink(l)
		if s := r.suggest(l); s != "" {
			is.Fix = fix("%s", s)
		}
		r.raise(is)
	}
}

func brokenLink(l *skillmap.Link) skillmap.Issue {
	severity := skillmap.Error
	diagnosis := "the " + noun(l.Kind) + " leads to nothing; no node has this name"
	if l.Kind == skillmap.References || l.Kind == skillmap.Points {
		diagnosis = "the " + noun(l.Kind) + " leads to nothing; no such file is in the project"
	}
	if codeShaped(l) {
		severity = skillmap.Warn
		diagnosis = "the mention leads to nothing; it looks like code rather than the name of an agent"
	}
	var trigger any
	if l.Trigger != nil {
		trigger = l.Trigger.NormalizedTrigger
	}
	return skillmap.Issue{
		Severity: severity, NodeIDs: []string{l.Source},
		Message: message(l.Target, linesOf(l), "%s", diagnosis),
		Fix:     fix("Correct `%s`, create what it names, or remove it.", l.Target),
		Data:    map[string]any{"target": l.Target, "kind": string(l.Kind), "trigger": trigger},
	}
}

var (
	packageName = regexp.MustCompile(`^@[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*$`)
	tail        = regexp.MustCompile(`\.[A-Za-z0-9]+$`)
)

// codeShaped reports whether an @ token looks like an annotation or a package
// of a program rather than the name of an agent.
func codeShaped(l *skillmap.Link) bool {
	if !strings.HasPrefix(l.Normalized(), "@") {
		return false
	}
	token := l.Trigger.OriginalTrigger
	if !strings.Contains(token, "/") {
		return strings.ContainsAny(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	return !tail.MatchString(token) && packageName.MatchString(token)
}
