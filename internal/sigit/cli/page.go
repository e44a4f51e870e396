package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// page is docs/sigit.md: every command with its flags, and every setting.
func page(model *kong.Application) []byte {
	var b bytes.Buffer
	b.WriteString("# Commands and settings of sigit\n\nMade from the program by `make docs`. Who can run `sigit` on the data folder is the operator and may do everything.\n\n")
	b.WriteString("Exit codes: 0 done; 1 looked, and it is not clean (`doctor`); 2 it could not be done; 3 a conflict with what is there; 5 not found.\n\n## Commands\n\n")
	for _, leaf := range model.Leaves(true) {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n", strings.TrimSpace("sigit "+usage(leaf)), leaf.Help)
		if leaf.Name == "serve" {
			b.WriteString("Its flags are the settings below.\n\n")
			continue
		}
		if len(leaf.Flags) == 0 {
			continue
		}
		b.WriteString("| flag | |\n|---|---|\n")
		for _, f := range leaf.Flags {
			fmt.Fprintf(&b, "| `%s` | %s |\n", flagName(f), cell(f.Help))
		}
		b.WriteString("\n")
	}
	b.WriteString("## Settings\n\nA flag, or a variable of the environment; the flag wins. `--data`, `--database` and the two for the log are of every command, the others of `serve`.\n\n")
	b.WriteString("| variable | flag | default | |\n|---|---|---|---|\n")
	for _, f := range settings(model) {
		value := ""
		if f.Default != "" {
			value = "`" + f.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", strings.Join(f.Envs, "`, `"), flagName(f), value, cell(f.Help))
	}
	return b.Bytes()
}

// settings are the flags that have a variable: those of every command and of serve.
func settings(model *kong.Application) []*kong.Flag {
	flags := append([]*kong.Flag{}, model.Flags...)
	for _, n := range model.Children {
		if n.Name == "serve" {
			flags = append(flags, n.Flags...)
		}
	}
	var list []*kong.Flag
	for _, f := range flags {
		if len(f.Envs) > 0 {
			list = append(list, f)
		}
	}
	return list
}

func usage(n *kong.Node) string {
	words := []string{strings.TrimPrefix(n.FullPath(), "sigit ")}
	for _, p := range n.Positional {
		name := strings.ToUpper(p.Name)
		if !p.Required {
			name = "[" + name + "]"
		}
		words = append(words, name)
	}
	return strings.Join(words, " ")
}

func flagName(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if f.IsBool() {
		return name
	}
	if f.PlaceHolder != "" {
		return name + " " + f.PlaceHolder
	}
	return name + " " + strings.ToUpper(f.Name[strings.LastIndexByte(f.Name, '-')+1:])
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
