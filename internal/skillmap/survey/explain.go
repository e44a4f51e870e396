package survey

import (
	"context"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/scan"
)

// Explained tells how one token of a file is read, and what came of it.
type Explained struct {
	Link skillmap.Link
	// Marks and Base say how the token stands in the text.
	Marks []string
	Base  string
	// Tried are the ways in which a link that speaks of a file was read, the
	// one that led somewhere last.
	Tried []scan.Reading
	// Verdict judges a link that leads to nothing; nil for every other.
	Verdict *check.Verdict
}

// Explain maps the roots and explains the links of one file, or those on one
// line of it when line is not 0. What other tokens were lost to an overlap is
// told as well.
//
// The fault is NotFound for a file that is not on the map, and those of Run.
func Explain(ctx context.Context, in Input, file string, line int) ([]Explained, []scan.Lost, error) {
	s := begin(in, "full")
	s.opt.Tokenize, s.opt.Progress = false, nil
	g, _, err := scan.Run(ctx, in.Roots, s.opt, nil)
	if err != nil {
		return nil, nil, err
	}
	if name, ok := g.Aliases[file]; ok {
		file = name
	}
	if g.Index(file) < 0 {
		return nil, nil, fault.New(fault.NotFound, "No node is called %s.", file)
	}
	broken := map[int]bool{}
	for _, i := range g.Broken {
		broken[i] = true
	}
	var out []Explained
	for i := range g.Links {
		l := &g.Links[i]
		if l.Source != file || !stands(l, line) {
			continue
		}
		e := Explained{Link: *l, Marks: g.Settings[i].Around.Names(), Base: g.Settings[i].Base, Tried: tried(g, i)}
		if broken[i] {
			v := check.Explain(g, check.Options{IgnoredReferences: in.IgnoredReferences}, i)
			e.Verdict = &v
		}
		out = append(out, e)
	}
	var lost []scan.Lost
	for _, l := range g.Lost {
		if l.Source == file && (line == 0 || l.Signal.Range.Line == line) {
			lost = append(lost, l)
		}
	}
	return out, lost, nil
}

// stands reports whether a link is seen on a line, any for 0.
func stands(l *skillmap.Link, line int) bool {
	if line == 0 || l.Location != nil && l.Location.Line == line {
		return true
	}
	for _, o := range l.Occurrences {
		if o.Location != nil && o.Location.Line == line {
			return true
		}
	}
	return false
}

// tried are the readings of a link up to the one that led to its node.
func tried(g *scan.Graph, i int) []scan.Reading {
	all := g.Readings(i)
	if near, ok := g.Near[i]; ok && near.From != "" {
		for n, r := range all {
			if r.Path == near.Path {
				return all[:n+1]
			}
		}
		return append(all, near)
	}
	for n, r := range all {
		if g.Leads[i] >= 0 && r.Path == g.Nodes[g.Leads[i]].Path {
			return all[:n+1]
		}
	}
	return all
}
