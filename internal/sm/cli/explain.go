package cli

import (
	"context"
	"strconv"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
)

type explaining struct{ place string }

func explainVerb() *verb {
	var o explaining
	return &verb{
		name: "explain", category: mapping, brief: "Tell how a line of a file is read",
		details: "Says of each link on the line which grammar saw it, how it stands in the text, which paths were tried, where it leads, and how it is judged when it leads to nothing. Without a line it explains the whole file. The files are read anew and nothing is kept.",
		args:    []arg{ofNode(one(&o.place, "FILE:LINE", "a file of the map, with or without a line"))},
		examples: []example{
			{"sm explain docs/guide.md:12", ""},
			{"sm explain .claude/agents/reviewer.md --json", "all links of a file for a script"},
		},
		exits: []exit{{5, "there is no such node"}},
		run:   o.run,
	}
}

// explained is one link as a script reads it.
type explained struct {
	Source   string       `json:"source"`
	Line     int          `json:"line,omitempty"`
	Kind     string       `json:"kind"`
	Token    string       `json:"token"`
	Target   string       `json:"target"`
	Grammars []string     `json:"grammars"`
	Marks    []string     `json:"marks"`
	Base     string       `json:"base,omitempty"`
	Tried    []explainTry `json:"tried"`
	Resolved string       `json:"resolvedTarget,omitempty"`
	Class    string       `json:"class,omitempty"`
	Severity string       `json:"severity,omitempty"`
	Why      string       `json:"why,omitempty"`
	Near     string       `json:"near,omitempty"`
}

type explainTry struct {
	From string `json:"from"`
	Path string `json:"path"`
}

func (o *explaining) run(ctx context.Context, s *session) error {
	file, line := splitPlace(o.place)
	a := s.open()
	defer func() { _ = a.Close() }() // nothing is kept
	links, lost, err := a.Explain(ctx, file, line)
	if fault.Of(err) == fault.NotFound && a.Exists() {
		return noNode(ctx, a, file)
	}
	if err != nil {
		return err
	}
	out := make([]explained, len(links))
	for i := range links {
		out[i] = explainedOf(&links[i])
	}
	if s.json {
		return s.emit(out)
	}
	s.showExplained(out, lost)
	return nil
}

// splitPlace cuts "file:12" into file and line, 0 for none.
func splitPlace(place string) (file string, line int) {
	if i := strings.LastIndexByte(place, ':'); i > 0 {
		if n, err := strconv.Atoi(place[i+1:]); err == nil && n > 0 {
			return strings.TrimPrefix(place[:i], "./"), n
		}
	}
	return strings.TrimPrefix(place, "./"), 0
}

func explainedOf(e *survey.Explained) explained {
	l := &e.Link
	out := explained{
		Source: l.Source, Kind: string(l.Kind), Token: l.Target, Target: l.Target, Grammars: l.Sources,
		Marks: append([]string{}, e.Marks...), Base: e.Base, Tried: []explainTry{}, Resolved: l.ResolvedTarget,
	}
	if l.Trigger != nil {
		out.Token = l.Trigger.OriginalTrigger
	}
	if l.Location != nil {
		out.Line = l.Location.Line
	}
	for _, t := range e.Tried {
		out.Tried = append(out.Tried, explainTry{t.From, t.Path})
	}
	if v := e.Verdict; v != nil {
		out.Class, out.Severity, out.Why, out.Near = string(v.Class), string(v.Severity), v.Why, v.Near
	}
	return out
}

func (s *session) showExplained(links []explained, lost []scan.Lost) {
	if len(links) == 0 && len(lost) == 0 {
		s.printf("No link stands here. Names in code that no node has are taken as mere text.\n")
		return
	}
	p := s.tty.out
	for _, l := range links {
		s.printf("%s  %s\n", p.bold(draw.Line(l.Token)), p.dim(draw.Line(l.Source)+":"+strconv.Itoa(l.Line)))
		s.printf("    seen by    %s, as one that %s\n", strings.Join(l.Grammars, ", "), l.Kind)
		if len(l.Marks) > 0 {
			s.printf("    stands     %s\n", strings.Join(l.Marks, ", "))
		}
		for _, t := range l.Tried {
			s.printf("    tried      %s %s\n", draw.Line(t.Path), p.dim("from the "+t.From))
		}
		switch {
		case l.Resolved != "":
			s.printf("    leads to   %s\n", draw.Line(l.Resolved))
		case l.Class == "":
			s.printf("    leads to   something that is no node\n")
		default:
			s.printf("    leads to   nothing: %s, class %s; %s\n", l.Severity, l.Class, draw.Line(l.Why))
		}
		if l.Near != "" {
			s.printf("    nearest    %s\n", draw.Line(l.Near))
		}
	}
	for _, l := range lost {
		s.printf("%s  %s\n    lost to    %s (%s)\n", p.bold(draw.Line(l.Signal.Raw)), p.dim(draw.Line(l.Source)+":"+strconv.Itoa(l.Signal.Range.Line)), draw.Line(l.By.Raw), l.Reason)
	}
}
