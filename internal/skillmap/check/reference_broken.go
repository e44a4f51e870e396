package check

import (
	"regexp"
	"strings"

	"skillforge/internal/skillmap"
)

// loss is how much a link loses that leads to nothing.
const loss = -0.75

// referenceBroken reports links that lead to nothing, and trusts them less.
// Targets that the settings ignore or the node dismisses are left alone. How
// severe an issue is follows from what the link most likely means: see Verdict.
func referenceBroken(r *run) {
	for _, i := range r.g.Broken {
		l := &r.g.Links[i]
		if r.ignored.has(l.Target) || r.isDismissed([]string{l.Source}, l.Target) {
			continue
		}
		r.adjust(i, "delta", loss)
		r.raise(r.brokenLink(l, r.judge(i)))
	}
}

func (r *run) brokenLink(l *skillmap.Link, v Verdict) skillmap.Issue {
	diagnosis := "the " + noun(l.Kind) + " leads to nothing; " + v.Why
	var trigger any
	if l.Trigger != nil {
		trigger = l.Trigger.NormalizedTrigger
	}
	evidence := map[string]any{"class": string(v.Class), "marks": anys(v.Marks)}
	if v.Near != "" {
		evidence["near"] = v.Near
	}
	is := skillmap.Issue{
		Severity: v.Severity, NodeIDs: []string{l.Source},
		Message: message(l.Target, linesOf(l), "%s", diagnosis),
		Fix:     fix("Correct `%s`, create what it names, or remove it.", l.Target),
		Data:    map[string]any{"target": l.Target, "kind": string(l.Kind), "trigger": trigger, "evidence": evidence},
	}
	if s := r.suggest(l, v); s != "" {
		is.Fix = fix("%s", s)
	}
	return is
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
