package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// debounce is what edits are measured beyond.
const debounce = 20 * time.Millisecond

// maps measures sm: starting, scanning, serving.
func (b *bench) maps(t *table) error {
	for _, args := range [][]string{{"version"}, {"help"}} {
		list, err := b.measure(4*b.runs, b.dir, 0, nil, b.sm, args...)
		if err != nil {
			return err
		}
		t.times("sm "+args[0], list.walls(), "%s", list.note())
	}
	for _, n := range b.sizes {
		if b.late() {
			t.say(fmt.Sprintf("%d nodes", n), "left out: the budget is spent")
			continue
		}
		if err := b.oneMap(t, n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) largeMap(t *table) error { return b.oneMap(t, b.large) }

func (b *bench) oneMap(t *table, n int) error {
	h := harness{n}
	dir := filepath.Join(b.dir, fmt.Sprint("tree-", n))
	defer os.RemoveAll(dir)
	bytes, err := h.plant(dir)
	if err != nil {
		return err
	}
	t.say(fmt.Sprintf("%d nodes", n), "%.1f MB of Markdown", float64(bytes)/1e6)
	if err := b.scans(t, h, dir); err != nil {
		return err
	}
	if err := b.split(t, n, dir); err != nil {
		return err
	}
	return b.served(t, h, dir)
}

func (b *bench) scans(t *table, h harness, dir string) error {
	n := h.n
	ceiling := fmt.Sprint(n + 1000)
	row := func(what string, before func(i int) error) error {
		list, err := b.measure(b.runs, dir, 1, before, b.sm, "scan", "--quiet", "--max-scan", ceiling)
		t.times(fmt.Sprintf("%s, %d", what, n), list.walls(), "%s", list.note())
		return err
	}
	if err := row("cold scan, tokens counted", func(int) error { return os.RemoveAll(filepath.Join(dir, ".skill-map")) }); err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Join(dir, ".skill-map", "map.db")); err == nil {
		t.say(fmt.Sprintf("database, %d", n), "%.1f MB", float64(info.Size())/1e6)
	}
	if err := row("warm scan, nothing changed", nil); err != nil {
		return err
	}
	return row("warm scan, one file changed", func(i int) error { return appendLine(filepath.Join(dir, filepath.FromSlash(h.path(0))), i) })
}

func appendLine(path string, i int) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "\nAdded as number %d.\n", i); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// split says where the time of a cold scan goes.
func (b *bench) split(t *table, n int, dir string) error {
	if b.late() {
		return nil
	}
	parts, err := b.child("split", dir, fmt.Sprint(n+1000))
	for _, p := range parts {
		t.times(fmt.Sprintf("  of it, alone: %s, %d", p.Name, n), p.Took, "%s", p.Note)
	}
	return err
}

// served measures a running server on the tree.
func (b *bench) served(t *table, h harness, dir string) error {
	args := []string{"serve", "--mcp", "--no-open", "--no-ui", "--port", "0", "--max-scan", fmt.Sprint(h.n + 1000), "--watcher-debounce-ms", fmt.Sprint(debounce.Milliseconds())}
	var ready []time.Duration
	var s *server
	err := b.repeat(3, func(int) (err error) {
		if s != nil {
			s.stop()
		}
		begun := time.Now()
		if s, err = b.start(dir, nil, b.sm, args...); err != nil {
			return err
		}
		err = b.up(s.url + "/api/health")
		ready = append(ready, time.Since(begun))
		return err
	})
	if s != nil {
		defer s.stop()
	}
	if err != nil {
		return err
	}
	t.times(fmt.Sprintf("sm serve to first answer, %d", h.n), ready, "")
	url := s.url + "/mcp"
	edits, err := b.edits(h, dir, url)
	t.times(fmt.Sprintf("edit to notification beyond %d ms, %d", debounce.Milliseconds(), h.n), edits, "")
	if err != nil {
		return err
	}
	calls := 60 * b.runs
	for _, row := range []struct {
		tool      string
		arguments func(i int) any
	}{
		{"query_graph", func(int) any { return map[string]any{} }},
		{"get_node", func(i int) any { return map[string]any{"path": h.path(i * 7919 % h.n)} }},
		{"list_issues", func(int) any { return map[string]any{} }},
	} {
		if b.late() {
			t.say(row.tool, "left out: the budget is spent")
			continue
		}
		if err := b.rows(t, url, "", fmt.Sprintf("%s, %d", row.tool, h.n), row.tool, calls, row.arguments); err != nil {
			return err
		}
	}
	t.say(fmt.Sprintf("memory of sm serve, %d", h.n), "%d MiB now, %d MiB at its peak", s.memory("VmRSS"), s.memory("VmHWM"))
	return nil
}

// edits measures how long after a write a subscribed client hears of it,
// beyond the debounce.
func (b *bench) edits(h harness, dir, url string) (list []time.Duration, err error) {
	a, err := newAgent(b, url, "")
	if err != nil {
		return nil, err
	}
	defer a.close(b)
	heard, err := a.listen(b, "notifications/resources/updated")
	if err != nil {
		return nil, err
	}
	if _, err := a.post(b, "resources/subscribe", map[string]any{"uri": "skillmap://graph"}); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, filepath.FromSlash(h.path(h.n/2)))
	// The first says that the watcher is up, and is not counted.
	err = b.repeat(1+4*b.runs, func(i int) error {
		begun := time.Now()
		if err := appendLine(path, i); err != nil {
			return err
		}
		select {
		case at := <-heard:
			if i > 0 {
				list = append(list, at.Sub(begun)-debounce)
			}
			return b.settle(heard)
		case <-time.After(time.Minute):
			if i == 0 {
				return fmt.Errorf("an edit of %s is not told", path)
			}
			return fmt.Errorf("edit %d of %s is not told", i, path)
		case <-b.Done():
			return b.Err()
		}
	})
	return list, err
}

// settle waits until nothing more is told of the edit before.
func (b *bench) settle(heard <-chan time.Time) error {
	for {
		select {
		case <-heard:
		case <-time.After(3 * debounce):
			return b.Err()
		}
	}
}

// report is what an agent records for a summary.
const report = `{"confidence":0.8,"safety":{"injectionDetected":false,"contentQuality":"clean"},"whatItCovers":"A page."}`

// queue measures the queue over MCP: one agent that submits, claims and
// records, and then eight.
func (b *bench) queue(t *table) error {
	h := harness{2000}
	dir := filepath.Join(b.dir, "queue")
	defer os.RemoveAll(dir)
	if _, err := h.plant(dir); err != nil {
		return err
	}
	for _, args := range [][]string{{"scan", "--quiet"}, {"agent", "install"}} {
		if _, _, err := b.command(dir, 1, b.sm, args...); err != nil {
			return err
		}
	}
	s, err := b.start(dir, nil, b.sm, "serve", "--mcp", "--no-open", "--no-ui", "--no-watcher", "--port", "0")
	if err != nil {
		return err
	}
	defer s.stop()
	from := 0
	for _, clients := range []int{1, 8} {
		if err := b.round(t, s.url+"/mcp", h, clients, &from); err != nil {
			return err
		}
	}
	t.say("memory of sm serve", "%d MiB at its peak", s.memory("VmHWM"))
	return nil
}

// round takes jobs through the queue, each step by itself.
func (b *bench) round(t *table, url string, h harness, clients int, from *int) error {
	agents, err := b.agents(clients, url, "")
	if err != nil {
		return err
	}
	defer func() {
		for _, a := range agents {
			a.close(b)
		}
	}()
	n := 60 * b.runs
	first := *from
	*from += n
	submitted, err := b.drive(agents, n, "submit_job", func(i int) any {
		return map[string]any{"node": h.path(first + i), "extension": "ai-summarizer-action"}
	})
	if err != nil {
		return err
	}
	t.times(fmt.Sprintf("submit_job, %d at once", clients), submitted.took, "%.0f/s", submitted.rate())
	claims := make(chan claim, n)
	claimed, err := b.each(agents, len(submitted.took), func(a *agent, _ int) error {
		if err := a.call(b, "claim_job", map[string]any{}); err != nil {
			return err
		}
		var c claim
		if err := a.text(&c); err != nil {
			return err
		}
		if c.ID == "" {
			return fmt.Errorf("claim_job gives nothing: %.300s", a.body.Bytes())
		}
		claims <- c
		return nil
	})
	if err != nil {
		return err
	}
	t.times(fmt.Sprintf("claim_job, %d at once", clients), claimed.took, "%.0f/s", claimed.rate())
	recorded, err := b.each(agents, len(claimed.took), func(a *agent, _ int) error {
		c := <-claims
		return a.call(b, "record_job", map[string]any{"id": c.ID, "nonce": c.Nonce, "status": "completed", "report": report})
	})
	if err != nil {
		return err
	}
	t.times(fmt.Sprintf("record_job, %d at once", clients), recorded.took, "%.0f/s", recorded.rate())
	t.say(fmt.Sprintf("submit, claim and record, %d at once", clients), "%.0f jobs/s", float64(len(recorded.took))/(submitted.wall+claimed.wall+recorded.wall).Seconds())
	return nil
}

// claim is what a worker keeps of a claimed job.
type claim struct{ ID, Nonce string }
