package cli

import (
	"context"
	"sync"

	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/tools"
)

type piping struct {
	scanning
	noWatcher bool
}

func mcpVerb() *verb {
	var o piping
	return &verb{
		name: "mcp", category: service, brief: "Serve MCP over standard input and output", untimed: true,
		details: "For hosts that start their servers themselves. It offers what `sm serve --mcp` offers at /mcp, and follows the files unless a server of the project does. Ends when the host closes the input.",
		flags: []flag{
			toggle(&o.noWatcher, "no-watcher", "", "Do not follow the files."),
			number(&o.maxScan, "max-scan", "", "N", 1, "Take in at most N nodes. A ceiling above the one in force is remembered."),
		},
		examples: []example{{"claude mcp add skill-map -- sm mcp", "register it with Claude Code"}},
		run:      o.run,
	}
}

func (o *piping) run(ctx context.Context, s *session) error {
	a := atlas.Open(s.project(), atlas.Options{Database: s.database(), Resident: true, Log: s.log, Now: s.Now})
	defer func() { _ = a.Close() }() // everything written is committed
	door, err := tools.New(a, tools.Options{Log: s.log})
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end()
	beside.Go(door.Follow(ctx))
	beside.Go(func() { s.relay(ctx, a) })
	if _, served := api.Serving(ctx, s.project()); !served && !o.noWatcher {
		beside.Go(func() {
			err := a.Watch(ctx, atlas.WatchOptions{Scan: o.options(s, sm.Watcher), First: true})
			if err != nil && ctx.Err() == nil {
				s.log.Warn("files are not followed", "err", err)
			}
		})
	}
	if s.tty.asks {
		s.note("This speaks JSON-RPC with the program that started it; `claude mcp add skill-map -- sm mcp` lets Claude Code start it. Ctrl+C ends it.")
	}
	return door.ServeStdio(ctx, s.In, s.Out)
}
