package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
	"skillforge/internal/sm/job"
)

type showing struct{ path string }

func showVerb() *verb {
	var o showing
	return &verb{
		name: "show", category: mapping, brief: "Show one node: its links, its issues, its metadata",
		args:     []arg{ofNode(one(&o.path, "PATH", "the node, as `sm list` shows it"))},
		examples: []example{{"sm show .claude/agents/reviewer.md", ""}, {"sm show mcp://github --json", "a virtual node"}},
		exits:    []exit{{5, "there is no such node, or no map yet"}},
		run:      o.run,
	}
}

func (o *showing) run(ctx context.Context, s *session) error {
	a, err := s.mapped()
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }() // a reader has nothing to lose
	bundle, err := a.Node(ctx, o.path, atlas.NodeOptions{})
	if fault.Of(err) == fault.NotFound {
		return noNode(ctx, a, o.path)
	}
	if err != nil {
		return err
	}
	findings, err := a.Findings(ctx, finding.Filter{Node: o.path}, finding.View{})
	if err != nil {
		return err
	}
	summaries, err := a.Summaries(ctx, o.path)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			Node      json.RawMessage   `json:"node"`
			LinksOut  []json.RawMessage `json:"linksOut"`
			LinksIn   []json.RawMessage `json:"linksIn"`
			Issues    []json.RawMessage `json:"issues"`
			Findings  []finding.Record  `json:"findings"`
			Summaries []job.Summary     `json:"summaries"`
			ElapsedMs int64             `json:"elapsedMs"`
		}{bundle.Item.JSON(), linksJSON(bundle.Outgoing), linksJSON(bundle.Incoming), issuesJSON(bundle.Issues),
			findings.Findings, summaries, s.elapsedMs()})
	}
	s.showNode(bundle)
	s.showJudged(findings.Findings, summaries)
	return nil
}

// showJudged shows what agents said of a node.
func (s *session) showJudged(findings []finding.Record, summaries []job.Summary) {
	if len(findings) > 0 {
		s.printf("\n%s\n", s.tty.out.bold("findings"))
	}
	for _, f := range findings {
		s.printf("  %s  %s  %s\n         %s\n", s.severity(f.Severity), draw.Line(f.Type), s.tty.out.dim(fmt.Sprintf("#%d %s", f.ID, draw.Line(f.ExtensionID))), draw.Line(f.Message))
	}
	if len(summaries) > 0 {
		s.printf("\n%s\n", s.tty.out.bold("summaries"))
	}
	for _, u := range summaries {
		mark := ""
		if u.Stale {
			mark = s.tty.out.yellow("  of an older text")
		}
		s.printf("  %s%s\n", draw.Line(u.ActionID), mark)
	}
}

// noNode says that a path is none, and which is near.
func noNode(ctx context.Context, a *atlas.Atlas, path string) error {
	paths, err := a.Paths(ctx)
	if err != nil {
		return err
	}
	f := fault.Coded(fault.NotFound, "node-not-found", "No node is called %s. `sm list` shows the nodes; `sm scan` looks again.", draw.Line(path))
	for _, p := range paths {
		if strings.HasSuffix(p, "/"+path) || strings.EqualFold(p, path) {
			f.Text = fmt.Sprintf("No node is called %s. Did you mean %s?", draw.Line(path), draw.Line(p))
			break
		}
	}
	return f
}

func (s *session) showNode(b *atlas.NodeBundle) {
	p := s.tty.out
	n := b.Item
	s.printf("%s\n", p.bold(draw.Line(n.Path)))
	row := func(name, value string) {
		if value != "" {
			s.printf("  %s  %s\n", p.dim(fmt.Sprintf("%-12s", name)), value)
		}
	}
	row("kind", draw.Line(n.Kind)+" ("+draw.Line(n.Provider)+")")
	row("name", draw.Line(n.Title()))
	row("description", draw.Line(n.Description()))
	if n.Tokens != nil {
		row("tokens", fmt.Sprintf("%d (%d of them frontmatter)", n.Tokens.Total, n.Tokens.Frontmatter))
	}
	if !n.Virtual {
		row("bytes", fmt.Sprint(n.Bytes.Total))
	}
	row("from", draw.Line(strings.Join(n.DerivedFrom, ", ")))
	if n.Sidecar.Present && n.Sidecar.Status != nil {
		row("sidecar", draw.Line(*n.Sidecar.Status))
	}
	s.showLinks("links out", b.Outgoing, func(l *atlas.Link) string { return l.End() })
	s.showLinks("links in", b.Incoming, func(l *atlas.Link) string { return l.Source })
	if len(b.Item.ExternalRefs) > 0 {
		s.printf("\n%s\n", p.bold("external"))
		for _, r := range b.Item.ExternalRefs {
			s.printf("  %s\n", draw.Line(r.URL))
		}
	}
	if len(b.Issues) > 0 {
		s.printf("\n%s\n", p.bold("issues"))
		for _, is := range b.Issues {
			s.printf("%s", s.issueText(is, false))
		}
	}
}

func (s *session) showLinks(title string, links []*atlas.Link, other func(*atlas.Link) string) {
	if len(links) == 0 {
		return
	}
	s.printf("\n%s\n", s.tty.out.bold(title))
	links = slices.Clone(links)
	slices.SortStableFunc(links, func(a, b *atlas.Link) int { return strings.Compare(other(a), other(b)) })
	for _, l := range links {
		line := "  " + s.tty.out.dim(fmt.Sprintf("%-10s", l.Kind)) + "  " + draw.Line(other(l))
		if l.ResolvedTarget == "" && l.Confidence < 1 {
			line += s.tty.out.red("  broken")
		}
		s.printf("%s\n", line)
	}
}
