package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
)

type comparing struct {
	scanning
	dump string
}

func compareVerb() *verb {
	var o comparing
	return &verb{
		name: "scan compare-with", category: mapping, brief: "Tell what changed since a dump of `sm scan --json`",
		args: []arg{one(&o.dump, "DUMP", "a file that `sm scan --json` wrote, - for standard input"), rest(&o.roots, "FOLDER", "what to map; the project itself when none is named")},
		flags: []flag{
			toggle(&o.noTokens, "no-tokens", "", "Do not count tokens."),
			toggle(&o.strict, "strict", "", "Faulty frontmatter is an error."),
			toggle(&o.noPlugins, "no-plugins", "", "Leave drop-in plugins out."),
		},
		examples: []example{{"sm scan --json > before.json; …; sm scan compare-with before.json", ""}},
		exits:    []exit{{1, "something changed"}, {5, "there is no such file"}},
		run:      o.run,
	}
}

func (o *comparing) run(ctx context.Context, s *session) error {
	before, err := o.read(s)
	if err != nil {
		return err
	}
	a := s.open()
	defer func() { _ = a.Close() }() // nothing is kept
	delta, err := a.Compare(ctx, before, o.options(s, sm.CLI))
	if err != nil {
		return err
	}
	if s.json {
		err = s.emit(struct {
			skillmap.Delta
			ElapsedMs int64 `json:"elapsedMs"`
		}{delta, s.elapsedMs()})
	} else {
		s.showDelta(&delta)
	}
	if err != nil {
		return err
	}
	if !delta.IsEmpty() {
		return errNotClean
	}
	return nil
}

func (o *comparing) read(s *session) (*skillmap.ScanResult, error) {
	var text []byte
	var err error
	if o.dump == "-" {
		text, err = io.ReadAll(s.input())
	} else {
		path := o.dump
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		text, err = os.ReadFile(path)
	}
	if os.IsNotExist(err) {
		return nil, fault.New(fault.NotFound, "There is no file %s. `sm scan --json > %s` makes one.", draw.Line(o.dump), draw.Line(o.dump))
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s cannot be read: %v.", draw.Line(o.dump), err)
	}
	var before skillmap.ScanResult
	if err := json.Unmarshal(text, &before); err != nil || before.SchemaVersion != 1 {
		return nil, fault.New(fault.Invalid, "%s is no dump of `sm scan --json`.", draw.Line(o.dump)).Because(err)
	}
	return &before, nil
}

func (s *session) showDelta(d *skillmap.Delta) {
	if d.IsEmpty() {
		s.printf("%s\n", s.tty.out.green("Nothing changed."))
		return
	}
	p := s.tty.out
	plus, minus := p.green("+"), p.red("-")
	for _, n := range d.Nodes.Added {
		s.printf("%s node   %s\n", plus, draw.Line(n.Path))
	}
	for _, n := range d.Nodes.Removed {
		s.printf("%s node   %s\n", minus, draw.Line(n.Path))
	}
	for _, c := range d.Nodes.Changed {
		s.printf("%s node   %s (%s)\n", p.yellow("~"), draw.Line(c.After.Path), c.Reason)
	}
	link := func(mark string, l *skillmap.Link) {
		s.printf("%s link   %s --%s--> %s\n", mark, draw.Line(l.Source), draw.Line(string(l.Kind)), draw.Line(l.Target))
	}
	for i := range d.Links.Added {
		link(plus, &d.Links.Added[i])
	}
	for i := range d.Links.Removed {
		link(minus, &d.Links.Removed[i])
	}
	issue := func(mark string, is *skillmap.Issue) {
		s.printf("%s issue  [%s] %s: %s\n", mark, is.Severity, draw.Line(is.AnalyzerID), draw.Line(is.Message))
	}
	for i := range d.Issues.Added {
		issue(plus, &d.Issues.Added[i])
	}
	for i := range d.Issues.Removed {
		issue(minus, &d.Issues.Removed[i])
	}
}
