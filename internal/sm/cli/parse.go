package cli

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
)

// globals are the flags that every verb takes, at any position.
type globals struct {
	json, quiet, noColor, help, version bool
	db, logLevel                        string
	dir                                 string // of the project
}

// nodePath is the path of a node as the map has it: a person or a shell may
// write ./a.md, or where the file lies on this machine.
func (g *globals) nodePath(written string) string {
	if filepath.IsAbs(written) && g.dir != "" {
		real, _ := filepath.EvalSymlinks(g.dir) // empty where it cannot be told
		for _, dir := range []string{g.dir, real} {
			if inside, err := filepath.Rel(dir, written); err == nil && filepath.IsLocal(inside) {
				return filepath.ToSlash(inside)
			}
		}
	}
	if rest, ok := strings.CutPrefix(written, "./"); ok && rest != "" {
		return path.Clean(rest)
	}
	return written
}

func (g *globals) flags() []flag {
	return []flag{
		toggle(&g.json, "json", "", "Write one JSON document to standard output, nothing else."),
		toggle(&g.quiet, "quiet", "q", "Say only what was asked for, and errors."),
		toggle(&g.noColor, "no-color", "", "Write without colour. NO_COLOR does the same."),
		text(&g.db, "db", "", "PATH", "Use this database instead of .skill-map/map.db. Also SKILL_MAP_DB."),
		text(&g.logLevel, "log", "", "LEVEL", "Log to standard error: trace, debug, info, warn, error or silent. Also SKILL_MAP_LOG_LEVEL."),
		hidden(text(&g.logLevel, "log-level", "", "LEVEL", "The same as --log.")),
		toggle(&g.help, "help", "h", "Say how the command is used."),
		hidden(toggle(&g.version, "version", "v", "Say which version this is.")),
	}
}

// usage is a fault about how a command was called.
func usage(format string, args ...any) *fault.Fault {
	return fault.Coded(fault.Invalid, "usage", format, args...)
}

// parse finds the verb that args name and fills its flags and arguments. The
// verb is nil when args name none; it is returned beside a fault about its own
// arguments, so that the message can name it.
func parse(all []*verb, g *globals, args []string) (*verb, error) {
	v, rest, err := findVerb(all, g, args)
	if err != nil || v == nil {
		return v, err
	}
	return v, fill(v, all, g, rest)
}

// findVerb takes the leading words of args that name a verb, and the global
// flags among them. What is left is the verb's.
func findVerb(all []*verb, g *globals, args []string) (*verb, []string, error) {
	var v *verb
	var rest []string
	for i := 0; i < len(args); i++ {
		word := args[i]
		if isFlag(word) {
			f, value, joined := lookUp(g.flags(), word)
			if f == nil {
				if v == nil {
					return nil, nil, usage("unknown option '%s'", optionName(word))
				}
				return v, append(rest, args[i:]...), nil
			}
			if err := g.give(f, value, joined, args, &i); err != nil {
				return v, nil, err
			}
			continue
		}
		name := word
		if v != nil {
			name = v.name + " " + word
		}
		next := find(all, name)
		if next == nil {
			if v == nil {
				return nil, nil, unknownVerb(all, word)
			}
			return v, append(rest, args[i:]...), nil
		}
		v = next
	}
	return v, rest, nil
}

// give sets the flag at args[*i]; a value that is not joined to it is the next
// argument, which *i then stands on.
func (g *globals) give(f *flag, value string, joined bool, args []string, i *int) error {
	switch {
	case f.value == "" && joined:
		return usage("option '--%s' takes no value", f.name)
	case f.value != "" && !joined:
		*i++
		if *i == len(args) || strings.HasPrefix(args[*i], "--") {
			return usage("option '--%s' needs a value: %s", f.name, f.value)
		}
		value = args[*i]
	}
	if f.node {
		value = g.nodePath(value)
	}
	if err := f.set(value); err != nil {
		return usage("option '--%s' %v", f.name, err)
	}
	return nil
}

func unknownVerb(all []*verb, word string) error {
	var names []string
	for _, v := range all {
		names = append(names, v.name)
	}
	if near := fault.Nearest(word, names); near != "" {
		return usage("unknown command '%s'. Did you mean `sm %s`?", word, near)
	}
	return usage("unknown command '%s'. `sm help` lists them all.", word)
}

// fill gives a verb its flags and arguments.
func fill(v *verb, all []*verb, g *globals, args []string) error {
	known := append(slices.Clone(v.flags), g.flags()...)
	var words []string
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			words = append(words, args[i+1:]...)
			break
		}
		if !isFlag(word) {
			words = append(words, word)
			continue
		}
		f, value, joined := lookUp(known, word)
		if f == nil {
			return unknownOption(v, known, word)
		}
		if err := g.give(f, value, joined, args, &i); err != nil {
			return err
		}
	}
	if g.help && (!v.group || len(words) == 0) {
		return nil
	}
	return g.place(v, all, words)
}

// place gives the positional words to the verb's arguments.
func (g *globals) place(v *verb, all []*verb, words []string) error {
	if v.group {
		var names []string
		for _, c := range children(all, v.name) {
			names = append(names, strings.TrimPrefix(c.name, v.name+" "))
		}
		if len(words) > 0 {
			return usage("unknown command '%s'; it is one of %s", words[0], strings.Join(names, ", "))
		}
		return usage("say which: %s", strings.Join(names, ", "))
	}
	for _, a := range v.args {
		if len(words) == 0 {
			if a.optional {
				break
			}
			return usage("%s is missing: %s", a.name, a.help)
		}
		for len(words) > 0 {
			word := words[0]
			if a.node {
				word = g.nodePath(word)
			}
			if err := a.set(word); err != nil {
				return err
			}
			words = words[1:]
			if !a.many {
				break
			}
		}
	}
	if len(words) > 0 {
		return usage("unexpected argument '%s'", words[0])
	}
	return nil
}

// isFlag tells an option from an argument. A negative number is an argument.
func isFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9')
}

// lookUp finds the flag that a word such as "--limit=5" or "-n" names, and the
// value joined to it.
func lookUp(flags []flag, word string) (f *flag, value string, joined bool) {
	name := strings.TrimPrefix(word, "-")
	long := strings.HasPrefix(name, "-")
	name = strings.TrimPrefix(name, "-")
	name, value, joined = strings.Cut(name, "=")
	for i := range flags {
		if long && flags[i].name == name || !long && flags[i].short == name && name != "" {
			return &flags[i], value, joined
		}
	}
	return nil, "", false
}

// optionName is a flag as written, without its value.
func optionName(word string) string {
	name, _, _ := strings.Cut(word, "=")
	return name
}

// unknownOption keeps its opening words: scripts look for them.
func unknownOption(v *verb, known []flag, word string) error {
	name := optionName(word)
	var names []string
	for _, f := range known {
		if !f.hidden {
			names = append(names, f.name)
		}
	}
	hint := fmt.Sprintf("`sm help %s` lists its options.", v.name)
	if near := fault.Nearest(strings.TrimLeft(name, "-"), names); near != "" {
		hint = fmt.Sprintf("Did you mean --%s? %s", near, hint)
	}
	return fault.Coded(fault.Invalid, "unknown-option", "unknown option '%s'\n%s", name, hint)
}
