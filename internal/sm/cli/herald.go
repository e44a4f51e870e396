package cli

import (
	"context"
	"strings"

	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
)

// herald gathers what a verb does to the queue. Call tell when it is done: the
// server of the project, if there is one, then hears of it.
func (s *session) herald(a *atlas.Atlas) (tell func(context.Context)) {
	events, stop := a.Events.Listen(1 << 14)
	return func(ctx context.Context) {
		stop()
		var done []sm.Event
		for e := range events {
			if strings.HasPrefix(e.Type, "job.") {
				done = append(done, e)
			}
		}
		api.Push(context.WithoutCancel(ctx), s.project(), done)
	}
}

// relay tells the server of the project what this process does to the queue as
// it happens, until ctx ends; what is left is told then.
func (s *session) relay(ctx context.Context, a *atlas.Atlas) {
	events, stop := a.Events.Listen(1 << 14)
	defer context.AfterFunc(ctx, stop)()
	for e := range events {
		if strings.HasPrefix(e.Type, "job.") {
			api.Push(context.WithoutCancel(ctx), s.project(), []sm.Event{e})
		}
	}
}
