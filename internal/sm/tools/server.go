package tools

import (
	"context"
	"log/slog"
	"slices"

	"skillforge/internal/mcp"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// Door is the map of one project as MCP clients see it.
type Door struct {
	*mcp.Server
	atlas *atlas.Atlas
	log   *slog.Logger
	paths []string // of the nodes that clients were last told of; Follow's own
}

// Options say how the door is opened.
type Options struct {
	Log    *slog.Logger
	Limits mcp.Limits // the zero value is right outside tests
}

// New opens the door to a project. Clients hear of changes while Follow runs.
func New(a *atlas.Atlas, opt Options) (*Door, error) {
	d := &Door{atlas: a, log: opt.Log}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	var err error
	d.Server, err = mcp.New(mcp.Options{
		Info:      mcp.Info{Name: sm.Name, Version: sm.Version},
		Tools:     d.tools(),
		Resources: d.resources(), Templates: d.templates(),
		Log: d.log, Limits: opt.Limits,
	})
	return d, err
}

// tools is everything that can be called, in the order of the contract.
func (d *Door) tools() []mcp.Tool {
	return slices.Concat(d.mapTools(), d.jobTools(), d.findingTools(), d.suppressionTools())
}

// followed is how many events may wait for the clients.
const followed = 4096

// Follow listens from now on; what it returns tells clients what changes until
// ctx ends.
func (d *Door) Follow(ctx context.Context) (tell func()) {
	events, stop := d.atlas.Events.Listen(followed)
	d.paths = d.known(ctx)
	return func() {
		for d.hand(ctx, events) {
			stop()
			// Events were missed, so everything may have changed.
			d.log.Warn("events were lost: a burst outran the MCP server")
			events, stop = d.atlas.Events.Listen(followed)
			d.Updated(graphURI)
			d.Updated(issuesURI)
			d.ResourcesChanged()
			d.paths = d.known(ctx)
		}
		stop()
	}
}

// hand passes events on until ctx ends; true says that some were lost.
func (d *Door) hand(ctx context.Context, events <-chan sm.Event) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case e, ok := <-events:
			if !ok {
				return true
			}
			d.tell(ctx, e)
		}
	}
}

// tell translates one event.
func (d *Door) tell(ctx context.Context, e sm.Event) {
	switch e.Type {
	case sm.ScanCompleted:
		d.scanned(ctx, e)
	case "node.activity", "agent.spawn":
		d.Updated(activityURI)
	}
}

// scanned tells of a new map: the two lists always, the nodes that changed,
// and the set of documents only when nodes came or went.
func (d *Door) scanned(ctx context.Context, e sm.Event) {
	d.Updated(graphURI)
	d.Updated(issuesURI)
	if e.Change != nil {
		for _, paths := range [][]string{e.Change.Added, e.Change.Removed, e.Change.Changed} {
			for _, path := range paths {
				d.Updated(nodePrefix + path)
			}
		}
	}
	if d.moved(ctx) {
		d.ResourcesChanged()
	}
}

// moved reports whether the set of nodes differs from what clients were last
// told, and remembers the new one. It compares the map itself, not the event:
// a scan by another process moves the map too.
func (d *Door) moved(ctx context.Context) bool {
	now := d.known(ctx)
	if slices.Equal(now, d.paths) {
		return false
	}
	d.paths = now
	return true
}

func (d *Door) known(ctx context.Context) []string {
	paths, err := d.atlas.Paths(ctx)
	if err != nil {
		d.log.Warn("the paths of the map cannot be read", "err", err)
	}
	return paths
}
