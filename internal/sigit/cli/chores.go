package cli

import (
	"context"
	"log/slog"
	"time"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// choresEvery is how often what has ended is forgotten.
const choresEvery = time.Hour

// startChores keeps house in the background: what has ended is forgotten,
// repositories are tidied after pushes, one at a time. The function it returns
// ends that and waits for it.
func startChores(ctx context.Context, f *forge.Forge, log *slog.Logger) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(choresEvery)
		defer tick.Stop()
		events, stop := f.Listen(256)
		defer func() { stop() }()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := f.Chores(ctx); err != nil && ctx.Err() == nil {
					log.WarnContext(ctx, "chores are not done", "err", err)
				}
			case e, open := <-events:
				if !open { // more happened than was kept; listen anew
					events, stop = f.Listen(256)
					continue
				}
				if e.Kind != sigit.Pushed {
					continue
				}
				if err := f.Tidy(ctx, e.RepoID); err != nil && ctx.Err() == nil {
					log.WarnContext(ctx, "a repository is not tidied", "repo", e.Repo.String(), "err", err)
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
