package cli

import (
	"context"
)

// bare is `sm` without a command: it serves a project that has a map, and says
// how to begin otherwise. Flags alone are those of `sm serve`.
func (s *session) bare(ctx context.Context, args []string) error {
	switch {
	case s.help:
		return s.showVerbs()
	case s.version:
		return s.showVersion()
	case len(args) > 0:
		return usage("say a command; `sm help` lists them")
	}
	a := s.open()
	exists := a.Exists()
	_ = a.Close() // nothing was read
	if exists {
		serve := find(s.all, "serve")
		s.verb = serve
		return serve.run(ctx, s)
	}
	if s.tty.asks {
		return s.begin(ctx)
	}
	return usage("there is no map here yet; `sm init` makes one, `sm help` lists the commands")
}

// begin offers to set the folder up and to serve it.
func (s *session) begin(ctx context.Context) error {
	if !s.confirm("There is no map of " + s.Dir + " yet. Make one and open it?") {
		return usage("nothing was done; `sm init` makes a map, `sm help` lists the commands")
	}
	for _, name := range []string{"init", "serve"} {
		s.verb = find(s.all, name)
		if err := s.verb.run(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
