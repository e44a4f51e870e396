package cli

import (
	"context"
	"fmt"

	"skillforge/internal/sigit/forge"
)

type doctorCmd struct{}

func (c *doctorCmd) Run(ctx context.Context, w World, g *globals) error {
	return g.with(ctx, w, func(f *forge.Forge) error {
		clean := true
		for _, check := range f.Doctor(ctx) {
			mark := "ok      "
			if !check.OK {
				mark, clean = "PROBLEM ", false
			}
			fmt.Fprintln(w.Out, mark+scrub(check.Text))
		}
		if !clean {
			return errNotClean
		}
		return nil
	})
}
