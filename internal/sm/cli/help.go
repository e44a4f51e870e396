package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
)

type helping struct {
	words  []string
	format string
}

func helpVerb() *verb {
	o := helping{format: "human"}
	return &verb{
		name: "help", category: learning, brief: "Say how sm, or one command, is used", untimed: true,
		args:  []arg{rest(&o.words, "COMMAND", "such as scan, or db reset")},
		flags: []flag{choice(&o.format, "format", "", "FORMAT", "How to say it (human).", "human", "md", "json")},
		exits: []exit{{5, "there is no such command"}},
		run:   o.run,
	}
}

func (o *helping) run(_ context.Context, s *session) error {
	if s.json {
		o.format = "json"
	}
	shown := s.all
	if name := strings.Join(o.words, " "); name != "" {
		v := find(s.all, name)
		if v == nil {
			names := make([]string, len(s.all))
			for i, v := range s.all {
				names[i] = v.name
			}
			f := fault.New(fault.NotFound, "No command is called %q. `sm help` lists them all.", name)
			if near := fault.Nearest(name, names); near != "" {
				f = fault.New(fault.NotFound, "No command is called %q. Did you mean `sm %s`?", name, near)
			}
			return f
		}
		if o.format == "human" {
			return s.showHelp(v)
		}
		shown = []*verb{v}
	}
	switch o.format {
	case "json":
		return s.emit(helpJSON(shown))
	case "md":
		return s.write(helpMarkdown(shown))
	}
	return s.showVerbs()
}

// showVerbs lists every command by category.
func (s *session) showVerbs() error {
	p := s.tty.out
	s.printf("%s maps the skills, agents, commands and documents of a project.\n\n%s\n", p.bold("sm"), p.dim("sm COMMAND [ARGUMENTS] [OPTIONS]"))
	for _, category := range categories {
		s.printf("\n%s\n", p.bold(category))
		for _, v := range s.all {
			if v.category == category && !v.group {
				s.entry(24, v.name, v.brief)
			}
		}
	}
	s.printf("\n`sm help COMMAND` says more. Start with `sm init`.\n")
	return nil
}

// showHelp is the help of one command.
func (s *session) showHelp(v *verb) error {
	if v == nil {
		return s.showVerbs()
	}
	p := s.tty.out
	s.printf("%s\n\n%s\n", p.bold(v.brief), p.dim(synopsis(v)))
	if v.details != "" {
		s.printf("\n%s\n", wrap(v.details, 78))
	}
	for _, c := range children(s.all, v.name) {
		s.entry(24, c.name, c.brief)
	}
	if len(v.args) > 0 {
		s.printf("\n%s\n", p.bold("Arguments"))
		for _, a := range v.args {
			s.entry(30, a.name, a.help)
		}
	}
	s.flagList("Options", v.flags)
	s.flagList("Options of every command", (&globals{}).flags())
	if len(v.examples) > 0 {
		s.printf("\n%s\n", p.bold("Examples"))
		for _, e := range v.examples {
			line := "  " + e.line
			if e.what != "" {
				line += "  " + p.dim("# "+e.what)
			}
			s.printf("%s\n", line)
		}
	}
	s.printf("\n%s\n", p.bold("Exit codes"))
	for _, e := range exits(v) {
		s.printf("  %d  %s\n", e.code, e.when)
	}
	return nil
}

func (s *session) flagList(title string, flags []flag) {
	if len(flags) == 0 {
		return
	}
	s.printf("\n%s\n", s.tty.out.bold(title))
	for _, f := range flags {
		if !f.hidden {
			s.entry(30, spelled(f), f.help+choicesOf(f))
		}
	}
}

// entry is a name with what it means, left letters in, which goes on below
// itself where the terminal is too narrow for it.
func (s *session) entry(left int, name, meaning string) {
	if s.tty.wide > left+30 {
		meaning = strings.ReplaceAll(wrap(meaning, s.tty.wide-left), "\n", "\n"+strings.Repeat(" ", left))
	}
	s.printf("  %-*s  %s\n", left-4, name, meaning)
}

func choicesOf(f flag) string {
	if f.choices == nil {
		return ""
	}
	return " One of " + strings.Join(f.choices, ", ") + "."
}

// spelled is a flag as it is written: "-n, --dry-run", "--limit N".
func spelled(f flag) string {
	name := "--" + f.name
	if f.short != "" {
		name = "-" + f.short + ", " + name
	}
	if f.value != "" {
		name += " " + f.value
	}
	return name
}

func synopsis(v *verb) string {
	line := "sm " + v.name
	if v.group {
		return line + " COMMAND"
	}
	for _, a := range v.args {
		name := a.name
		if a.many {
			name += "…"
		}
		if a.optional {
			name = "[" + name + "]"
		}
		line += " " + name
	}
	if len(v.flags) > 0 {
		line += " [OPTIONS]"
	}
	return line
}

// exits are all exit codes of a command.
func exits(v *verb) []exit {
	all := []exit{{0, "done"}}
	for _, e := range v.exits {
		if e.code == 1 {
			all = append(all, e)
		}
	}
	all = append(all, exit{2, "it could not be done"})
	for _, e := range v.exits {
		if e.code != 1 {
			all = append(all, e)
		}
	}
	return all
}

// wrap breaks text into lines of at most width letters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		if column > 0 && column+1+len(word) > width {
			b.WriteByte('\n')
			column = 0
		} else if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

type (
	helpText struct {
		CLIVersion  string         `json:"cliVersion"`
		SpecVersion string         `json:"specVersion"`
		GlobalFlags []helpFlag     `json:"globalFlags"`
		Verbs       []helpVerbText `json:"verbs"`
	}
	helpVerbText struct {
		Name        string        `json:"name"`
		Category    string        `json:"category"`
		Description string        `json:"description"`
		Details     string        `json:"details"`
		Positionals []helpArg     `json:"positionals"`
		Examples    []helpExample `json:"examples"`
		Flags       []helpFlag    `json:"flags"`
		ExitCodes   []helpExit    `json:"exitCodes"`
	}
	helpArg struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
		Repeated    bool   `json:"repeated"`
	}
	helpExample struct {
		Command     string `json:"command"`
		Description string `json:"description"`
	}
	helpFlag struct {
		Name        string   `json:"name"`
		Short       string   `json:"short,omitempty"`
		Value       string   `json:"value,omitempty"`
		Choices     []string `json:"choices,omitempty"`
		Description string   `json:"description"`
	}
	helpExit struct {
		Code int    `json:"code"`
		When string `json:"when"`
	}
)

// helpJSON is the table of verbs for programs. Groups are no commands.
func helpJSON(all []*verb) helpText {
	text := helpText{CLIVersion: sm.Version, SpecVersion: sm.SpecVersion, GlobalFlags: helpFlags((&globals{}).flags()), Verbs: []helpVerbText{}}
	for _, v := range all {
		if v.group {
			continue
		}
		h := helpVerbText{Name: v.name, Category: v.category, Description: v.brief, Details: v.details,
			Positionals: []helpArg{}, Examples: []helpExample{}, Flags: helpFlags(v.flags), ExitCodes: []helpExit{}}
		for _, a := range v.args {
			h.Positionals = append(h.Positionals, helpArg{a.name, a.help, !a.optional, a.many})
		}
		for _, e := range v.examples {
			h.Examples = append(h.Examples, helpExample{e.line, e.what})
		}
		for _, e := range exits(v) {
			h.ExitCodes = append(h.ExitCodes, helpExit{e.code, e.when})
		}
		text.Verbs = append(text.Verbs, h)
	}
	return text
}

func helpFlags(flags []flag) []helpFlag {
	out := []helpFlag{}
	for _, f := range flags {
		if !f.hidden {
			out = append(out, helpFlag{f.name, f.short, f.value, f.choices, f.help})
		}
	}
	return out
}

// helpMarkdown is docs/cli.md.
func helpMarkdown(all []*verb) []byte {
	var b bytes.Buffer
	b.WriteString("# sm\n\nMade from the program by `make docs`; `sm help COMMAND` shows the same.\n\n")
	b.WriteString("Exit codes: 0 done, 1 looked and it is not clean, 2 it could not be done, 3 it is there already, 4 wrong nonce, 5 not found or no map yet.\n\n")
	b.WriteString("Every command takes:\n\n")
	markdownFlags(&b, (&globals{}).flags())
	for _, category := range categories {
		first := true
		for _, v := range all {
			if v.category != category {
				continue
			}
			if first {
				fmt.Fprintf(&b, "## %s\n\n", category)
				first = false
			}
			markdownVerb(&b, v)
		}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func markdownVerb(b *bytes.Buffer, v *verb) {
	fmt.Fprintf(b, "### sm %s\n\n", v.name)
	fmt.Fprintf(b, "`%s`\n\n%s\n\n", synopsis(v), strings.TrimSpace(v.brief+". "+v.details))
	if v.group {
		return
	}
	for _, a := range v.args {
		fmt.Fprintf(b, "* `%s`: %s\n", a.name, a.help)
	}
	markdownFlags(b, v.flags)
	if len(v.examples) > 0 {
		b.WriteString("```\n")
		for _, e := range v.examples {
			b.WriteString(e.line)
			if e.what != "" {
				b.WriteString("    # " + e.what)
			}
			b.WriteByte('\n')
		}
		b.WriteString("```\n\n")
	}
	var codes []string
	for _, e := range exits(v) {
		codes = append(codes, fmt.Sprintf("%d %s", e.code, e.when))
	}
	fmt.Fprintf(b, "Exits: %s.\n\n", strings.Join(codes, "; "))
}

func markdownFlags(b *bytes.Buffer, flags []flag) {
	for _, f := range flags {
		if !f.hidden {
			fmt.Fprintf(b, "* `%s`: %s\n", spelled(f), f.help+choicesOf(f))
		}
	}
	b.WriteByte('\n')
}
