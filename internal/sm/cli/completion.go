package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

type completing struct{ shell string }

func completionVerb() *verb {
	var o completing
	return &verb{
		name: "completion", category: learning, brief: "Write a script that completes commands in a shell", untimed: true,
		args:     []arg{{name: "SHELL", help: "bash, zsh or fish", set: choice(&o.shell, "", "", "", "", "bash", "zsh", "fish").set}},
		examples: []example{{"source <(sm completion bash)", "for this shell"}, {"sm completion fish > ~/.config/fish/completions/sm.fish", ""}},
		run: func(_ context.Context, s *session) error {
			switch o.shell {
			case "fish":
				return s.write([]byte(fishCompletion(s.all)))
			case "zsh":
				return s.write([]byte("autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(s.all)))
			}
			return s.write([]byte(bashCompletion(s.all)))
		},
	}
}

// bashCompletion completes verbs, sub-verbs and options; file names else.
func bashCompletion(all []*verb) string {
	var b strings.Builder
	b.WriteString("_sm() {\n  local cur=${COMP_WORDS[COMP_CWORD]} verb=\"\" w words\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    [[ $w == -* ]] && continue\n    case \"$verb $w\" in\n")
	var names []string
	for _, v := range all {
		names = append(names, "\" "+v.name+"\"")
		if parent, child, nested := strings.Cut(v.name, " "); nested {
			names = append(names, fmt.Sprintf("%q", parent+" "+child))
		}
	}
	fmt.Fprintf(&b, "      %s) verb=\"${verb:+$verb }$w\" ;;\n      *) break ;;\n    esac\n  done\n  case \"$verb\" in\n", strings.Join(names, "|"))
	for _, v := range all {
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", v.name, strings.Join(completions(all, v), " "))
	}
	fmt.Fprintf(&b, "    *) words=%q ;;\n  esac\n", strings.Join(completions(all, nil), " "))
	b.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _sm sm\n")
	return b.String()
}

// completions are the words that may follow a verb, or the verbs themselves.
func completions(all []*verb, v *verb) []string {
	var words []string
	var flags []flag
	if v == nil {
		for _, top := range all {
			if !strings.Contains(top.name, " ") {
				words = append(words, top.name)
			}
		}
	} else {
		for _, c := range children(all, v.name) {
			words = append(words, strings.TrimPrefix(c.name, v.name+" "))
		}
		flags = v.flags
	}
	for _, f := range slices.Concat(flags, (&globals{}).flags()) {
		if !f.hidden {
			words = append(words, "--"+f.name)
		}
	}
	return words
}

func fishCompletion(all []*verb) string {
	var b strings.Builder
	quote := func(text string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'" }
	for _, v := range all {
		parent, child, nested := strings.Cut(v.name, " ")
		if nested {
			fmt.Fprintf(&b, "complete -c sm -n '__fish_seen_subcommand_from %s' -a %s -d %s\n", parent, child, quote(v.brief))
		} else {
			fmt.Fprintf(&b, "complete -c sm -n __fish_use_subcommand -a %s -d %s\n", v.name, quote(v.brief))
		}
		for _, f := range v.flags {
			fishFlag(&b, "-n '__fish_seen_subcommand_from "+parent+"'", f, quote)
		}
	}
	for _, f := range (&globals{}).flags() {
		fishFlag(&b, "", f, quote)
	}
	return b.String()
}

func fishFlag(b *strings.Builder, when string, f flag, quote func(string) string) {
	if f.hidden {
		return
	}
	line := strings.TrimSpace("complete -c sm "+when) + " -l " + f.name
	if f.short != "" {
		line += " -s " + f.short
	}
	if f.value != "" {
		line += " -r"
	}
	if f.choices != nil {
		line += " -a " + quote(strings.Join(f.choices, " "))
	}
	fmt.Fprintf(b, "%s -d %s\n", line, quote(f.help))
}
