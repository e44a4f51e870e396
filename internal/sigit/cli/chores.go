package cli

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/web"
)

// choresEvery is how often what has ended is forgotten.
const choresEvery = time.Hour

// chores keeps house in the background: what has ended is forgotten,
// repositories are tidied after pushes, one at a time.
type chores struct {
	forge *forge.Forge
	log   *slog.Logger

	mu     sync.Mutex // guards what follows, which administrators are told
	swept  outcome
	tidied outcome
	looked int // repositories looked at after pushes
}

// outcome is how a piece of work went the last time.
type outcome struct {
	at  time.Time
	err error
}

// start begins the work. The function it returns ends it and waits for it.
func (c *chores) start(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func (c *chores) run(ctx context.Context) {
	tick := time.NewTicker(choresEvery)
	defer tick.Stop()
	events, stop := c.forge.Listen(256)
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := c.forge.Chores(ctx)
			if err != nil && ctx.Err() == nil {
				c.log.WarnContext(ctx, "chores are not done", "err", err)
			}
			c.note(&c.swept, err, 0)
		case e, open := <-events:
			if !open { // more happened than was kept; listen anew
				events, stop = c.forge.Listen(256)
				continue
			}
			if e.Kind != sigit.Pushed {
				continue
			}
			err := c.forge.Tidy(ctx, e.RepoID)
			if err != nil && ctx.Err() == nil {
				c.log.WarnContext(ctx, "a repository is not tidied", "repo", e.Repo.String(), "err", err)
			}
			c.note(&c.tidied, err, 1)
		}
	}
}

func (c *chores) note(what *outcome, err error, looked int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*what = outcome{time.Now(), err}
	c.looked += looked
}

// tell says how the work stands.
func (c *chores) tell() []web.Chore {
	c.mu.Lock()
	defer c.mu.Unlock()
	return []web.Chore{
		{Name: "Forget ended tokens and old counts", Every: "every hour", State: c.swept.words(), Bad: c.swept.err != nil},
		{Name: "Tidy repositories", Every: "after each push", State: fmt.Sprintf("%d looked at, %s", c.looked, c.tidied.words()), Bad: c.tidied.err != nil},
	}
}

func (o outcome) words() string {
	switch {
	case o.at.IsZero():
		return "not yet"
	case o.err != nil:
		return "failed at " + o.at.UTC().Format("15:04 UTC") + "; the log says why"
	}
	return "last at " + o.at.UTC().Format("15:04 UTC")
}
