package cli

import (
	"context"
	"strconv"
	"strings"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/job"
)

func actionsVerb() *verb {
	return &verb{name: "actions", category: queueing, brief: "See what can be done with files", group: true}
}

func actionsListVerb() *verb {
	var all bool
	return &verb{
		name: "actions list", category: queueing, brief: "List what can be done with files",
		details: "What works through an agent (probabilistic) is asked for with `sm jobs submit`; the rest has a verb of its own, such as `sm bump`.",
		flags:   []flag{toggle(&all, "all", "", "What is switched off too.")},
		run: func(_ context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // nothing was written
			list := a.Actions(all)
			if s.json {
				return s.emit(list)
			}
			t := table{head: []string{"ID", "ROLE", "WHAT IT DOES"}}
			for _, act := range list {
				role := string(act.Role)
				if role == "" {
					role = act.Mode
				}
				if !act.Enabled {
					role += " (off)"
				}
				t.rows = append(t.rows, []string{draw.Line(act.QualifiedID), role, draw.Line(act.Description)})
			}
			s.printf("%s", t.text(s.tty.out, s.tty.wide))
			return nil
		},
	}
}

func actionsShowVerb() *verb {
	var id string
	return &verb{
		name: "actions show", category: queueing, brief: "Show one of them",
		args:  []arg{one(&id, "ID", "qualified or bare")},
		exits: []exit{{5, "there is none of that name"}},
		run: func(_ context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // nothing was written
			act, err := a.Action(id)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					atlas.ActionInfo
					ReportSchemaRef   *string `json:"reportSchemaRef"`
					HasPromptTemplate bool    `json:"hasPromptTemplate"`
				}{act, orNull(job.SchemaID(act.ReportSchema)), act.Prompt != ""})
			}
			s.showAction(act)
			return nil
		},
	}
}

func (s *session) showAction(act atlas.ActionInfo) {
	p := s.tty.out
	s.printf("%s\n%s\n", p.bold(draw.Line(act.QualifiedID)), draw.Line(act.Description))
	row := func(name, value string) {
		if value != "" {
			s.printf("  %s  %s\n", p.dim(pad(name, 9)), value)
		}
	}
	row("works", act.Mode)
	row("role", string(act.Role))
	row("from", act.Source)
	if !act.Enabled {
		row("switched", "off")
	}
	if act.ExpectedSeconds > 0 {
		row("takes", "about "+strconv.Itoa(act.ExpectedSeconds)+" seconds")
	}
	if pre := act.Precondition; pre != nil {
		row("mends", draw.Line(strings.Join(pre.AnalyzerIDs, ", ")))
		row("kinds", draw.Line(strings.Join(pre.Kinds, ", ")))
		row("hosts", draw.Line(strings.Join(pre.Providers, ", ")))
		row("lacking", draw.Line(strings.Join(pre.FrontmatterMissing, " or ")))
	}
}

// pad fills a word up with blanks.
func pad(word string, width int) string {
	return word + strings.Repeat(" ", max(0, width-len(word)))
}
