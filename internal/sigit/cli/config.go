package cli

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

type configCmd struct{}

// Run shows every setting of serve. Secrets are only said to be set.
func (c *configCmd) Run(w World, model *kong.Application) error {
	t := tabwriter.NewWriter(w.Out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "VARIABLE\tFLAG\tVALUE\tABOUT")
	for _, f := range settings(model) {
		fmt.Fprintf(t, "%s\t--%s\t%s\t%s\n", strings.Join(f.Envs, " or "), f.Name, effective(f), f.Help)
	}
	return t.Flush()
}

// effective is the value of a setting as the environment has it.
func effective(f *kong.Flag) string {
	value := f.Default
	for _, name := range f.Envs {
		if v, ok := os.LookupEnv(name); ok {
			value = v
			break
		}
	}
	switch {
	case value == "":
		return "(none)"
	case secretFlag(f) && strings.Contains(value, "://"):
		return hidePassword(value)
	case secretFlag(f):
		return "(set)"
	}
	return value
}

type versionCmd struct{}

func (c *versionCmd) Run(w World) error {
	fmt.Fprintln(w.Out, "sigit "+w.Version)
	return nil
}
