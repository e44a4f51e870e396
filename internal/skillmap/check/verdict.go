package check

import (
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/scan"
)

// Class says what a link that leads to nothing most likely is.
type Class string

// Classes. Only a File is a dead end for whoever follows it.
const (
	File        Class = "file"        // it is meant as a file or a name of this project, and that is not there
	Site        Class = "site"        // a route of a web site
	Placeholder Class = "placeholder" // something is to be put in its place
	Example     Class = "example"     // it shows what one could write
	Output      Class = "output"      // it is written by who follows the text, or was there once
	Concept     Class = "concept"     // it names a kind of file, not one of them
	Foreign     Class = "foreign"     // it is of another project
	Home        Class = "home"        // it is outside any project
	Tag         Class = "tag"         // it is no reference at all
)

// Verdict is the judgement of one link that leads to nothing.
type Verdict struct {
	Class    Class
	Severity skillmap.Severity
	Why      string // one clause
	Marks    []string
	// Near is the path of the file that the link most likely means, empty
	// when none is near.
	Near string
}

func note(c Class, why string) Verdict { return Verdict{Class: c, Severity: skillmap.Info, Why: why} }

func dead(why string) Verdict { return Verdict{Class: File, Severity: skillmap.Error, Why: why} }

// by is a verdict with the path that is near.
func (v Verdict) by(near string) Verdict {
	v.Near = near
	return v
}

// asWarning is a dead end that has a way round.
func (v Verdict) asWarning(why string) Verdict {
	v.Severity, v.Why = skillmap.Warn, why
	return v
}

// judge says what a broken link is. An error is only what a reader or an agent
// runs into: a link of Markdown with nothing at its end, or a path whose
// folder is there and whose file is not.
func (r *run) judge(i int) Verdict {
	l := &r.g.Links[i]
	var a extract.Around
	if i < len(r.g.Settings) {
		a = r.g.Settings[i].Around
	}
	var v Verdict
	switch {
	case l.Kind == skillmap.Invokes:
		v = r.judgeInvocation(l, a)
	case l.Kind == skillmap.Mentions:
		v = r.judgeMention(l, a)
	case isFrom(l, "markdown-link") && l.Kind == skillmap.References:
		v = r.judgeMarkdownLink(i, a)
	case isFrom(l, "manifest"):
		v = r.judgeListed(l)
	default:
		v = r.judgePath(i, a)
	}
	v.Marks = a.Names()
	return v
}

// isFrom reports whether an extractor saw a link first.
func isFrom(l *skillmap.Link, extractor string) bool {
	return len(l.Sources) > 0 && l.Sources[0] == extractor
}

// Explain says how a link that leads to nothing is judged.
func Explain(g *scan.Graph, opt Options, link int) Verdict {
	r := &run{g: g, opt: opt}
	return r.judge(link)
}
