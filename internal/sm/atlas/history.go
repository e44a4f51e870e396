package atlas

import (
	"context"
	"slices"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/sm"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// HistoryFilter selects lines of the history; an empty field admits
// everything.
type HistoryFilter struct {
	Node, Extension string
	Statuses        []string // completed, failed, cancelled
	Since, Until    time.Time
	Limit           int
}

// History lists what ran, the newest first. The fault is Invalid for a word
// that is no status.
func (a *Atlas) History(ctx context.Context, f HistoryFilter) ([]job.Execution, error) {
	for _, s := range f.Statuses {
		if !slices.Contains([]string{"completed", "failed", "cancelled"}, s) {
			return nil, fault.New(fault.Invalid, "What ran is completed, failed or cancelled; %q is none.", s)
		}
	}
	list := []job.Execution{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Executions(ctx, store.ExecutionFilter{
			Node: f.Node, Extension: f.Extension, Statuses: f.Statuses, Since: millis(f.Since), Until: millis(f.Until), Limit: f.Limit,
		})
		list = append(list, all...)
		return err
	})
	return list, err
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Stats adds the history up. Until is now when it is zero.
func (a *Atlas) Stats(ctx context.Context, opt job.StatsOptions) (*job.Stats, error) {
	if opt.Until.IsZero() {
		opt.Until = a.now()
	}
	all, err := a.History(ctx, HistoryFilter{Since: opt.Since, Until: opt.Until.Add(time.Millisecond)})
	if err != nil {
		return nil, err
	}
	return job.Add(all, opt)
}

// Summaries lists what summarizers said of a node, the newest first. The fault
// is NotFound for a node that is none.
func (a *Atlas) Summaries(ctx context.Context, node string) ([]job.Summary, error) {
	list := []job.Summary{}
	there := false
	err := a.Read(ctx, func(tx *store.Tx) error {
		n, err := tx.NodeOf(ctx, node)
		if err != nil || n == nil {
			return err
		}
		there = true
		all, err := tx.Summaries(ctx, node)
		list = append(list, all...)
		return err
	})
	if err := ifMissing(err); err != nil {
		return nil, err
	}
	if !there {
		return nil, unknownNode(node)
	}
	return list, nil
}

// DeleteSummary deletes what one summarizer said of a node, or all of them
// when it is empty. The fault is NotFound when there is nothing.
func (a *Atlas) DeleteSummary(ctx context.Context, by sm.Channel, node, summarizer string) error {
	n := 0
	err := a.write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.DeleteSummaries(ctx, node, summarizer)
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.Coded(fault.NotFound, "not-found", "Nothing is summarized of %s.", node)
	}
	a.Log(sm.Operation{Op: "summaries.delete", Target: node, Extension: summarizer, Channel: by, Outcome: "ok"})
	return nil
}

// SetFavorite marks a node as a favourite, or takes the mark away. The fault
// is NotFound for a node that is to be marked and is none.
func (a *Atlas) SetFavorite(ctx context.Context, node string, on bool) error {
	return a.write(ctx, func(tx *store.Tx) error {
		if on {
			n, err := tx.NodeOf(ctx, node)
			if err != nil {
				return err
			}
			if n == nil {
				return unknownNode(node)
			}
		}
		return tx.SetFavorite(ctx, node, on)
	})
}

// Favorites lists the nodes that are marked, and since when.
func (a *Atlas) Favorites(ctx context.Context) (marked map[string]int64, err error) {
	err = a.Read(ctx, func(tx *store.Tx) (err error) {
		marked, err = tx.Favorites(ctx)
		return err
	})
	return marked, ifMissing(err)
}
