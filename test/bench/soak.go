package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// soak runs each program for its share of the time under a mix of everything.
func (b *bench) soak(only string, d time.Duration) error {
	parts := map[string]func(*table, time.Duration) error{"sm": b.soakMap, "sigit": b.soakForge}
	var names []string
	for name := range strings.SplitSeq(only, ",") {
		if parts[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("nothing to soak in %q; there are sm and sigit", only)
	}
	for _, name := range names {
		t := &table{name, time.Now()}
		fmt.Printf("\n%s, %v\n", name, d/time.Duration(len(names)))
		err := parts[name](t, d/time.Duration(len(names)))
		t.close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// workers repeat their work until the time is over or one of them fails.
type workers struct {
	b    *bench
	end  time.Time
	wait sync.WaitGroup
	done atomic.Int64

	mu    sync.Mutex // guards fault
	fault error
}

func (w *workers) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault != nil || time.Now().After(w.end) || w.b.Err() != nil
}

func (w *workers) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil && w.b.Err() == nil {
		w.fault = err
	}
}

// start repeats a piece of work; seed makes its dice its own.
func (w *workers) start(name string, seed uint64, once func(dice *rand.Rand, i int) error) {
	w.wait.Go(func() {
		dice := rand.New(rand.NewPCG(3, seed))
		for i := 0; !w.over(); i++ {
			if err := once(dice, i); err != nil {
				w.fail(fmt.Errorf("%s, round %d: %w", name, i, err))
				return
			}
			w.done.Add(1)
		}
	})
}

// watch prints what the server holds ten times and judges it: after a third
// of the time, memory and open files must not grow any more.
func (w *workers) watch(s *server, t *table) error {
	var memory, files []int
	step := time.Until(w.end) / 10
	for i := 0; !w.over(); i++ {
		select {
		case <-time.After(step):
		case <-w.b.Done():
		}
		memory, files = append(memory, s.memory("VmRSS")), append(files, s.files())
		t.say(fmt.Sprintf("part %d", i+1), "%d MiB, %d files, %d rounds, load %s", memory[i], files[i], w.done.Load(), load())
	}
	w.wait.Wait()
	if w.fault != nil || w.b.Err() != nil || len(memory) < 9 {
		return errors.Join(w.fault, w.b.Err())
	}
	if before, after := median(memory[3:6]), median(memory[len(memory)-3:]); after > before*3/2+32 {
		return fmt.Errorf("memory grows from %d to %d MiB", before, after)
	}
	if before, after := median(files[3:6]), median(files[len(files)-3:]); after > before+30 {
		return fmt.Errorf("open files grow from %d to %d", before, after)
	}
	return nil
}

// soakMap edits a project while agents come, read and go, some without a
// word.
func (b *bench) soakMap(t *table, d time.Duration) error {
	h := harness{2000}
	dir := filepath.Join(b.dir, "project")
	if _, err := h.plant(dir); err != nil {
		return err
	}
	s, err := b.start(dir, nil, b.sm, "serve", "--mcp", "--no-open", "--port", "0", "--watcher-debounce-ms", "20")
	if err != nil {
		return err
	}
	defer s.stop()
	if err := b.up(s.url + "/api/health"); err != nil {
		return err
	}
	w := &workers{b: b, end: time.Now().Add(d)}
	w.start("editor", 1, func(dice *rand.Rand, i int) error {
		time.Sleep(20 * time.Millisecond) // a fast editor, not a broken one
		return h.disturb(dir, dice, i)
	})
	for k := range 3 {
		w.start("agent", uint64(10+k), func(dice *rand.Rand, _ int) error { return b.visit(h, s.url+"/mcp", dice) })
	}
	if err := w.watch(s, t); err != nil {
		return err
	}
	return b.sameAsFresh(t, s, dir)
}

// visit is a short session.
func (b *bench) visit(h harness, url string, dice *rand.Rand) error {
	a, err := newAgent(b, url, "")
	if err != nil {
		return err
	}
	if _, err := a.post(b, "resources/subscribe", map[string]any{"uri": "skillmap://graph"}); err != nil {
		return err
	}
	for range 20 {
		switch dice.IntN(3) {
		case 0:
			err = a.call(b, "query_graph", map[string]any{"query": "kind=skill"})
		case 1:
			err = a.call(b, "list_issues", map[string]any{})
		default:
			err = a.call(b, "get_branch", map[string]any{"path": []string{fmt.Sprintf("docs/part-%03d", dice.IntN(100))}})
		}
		if err != nil {
			return err
		}
	}
	if dice.IntN(4) > 0 {
		a.close(b)
	}
	a.client.CloseIdleConnections()
	return nil
}

// disturb does what people and agents do to files.
func (h harness) disturb(dir string, dice *rand.Rand, i int) error {
	n := dice.IntN(h.n)
	path := filepath.Join(dir, filepath.FromSlash(h.path(n)))
	switch dice.IntN(6) {
	case 0:
		return ignoreMissing(os.Remove(path))
	case 1:
		to := filepath.Join(dir, "docs", fmt.Sprintf("moved-%d.md", dice.IntN(50)))
		return ignoreMissing(os.Rename(path, to))
	case 2:
		other := harness{h.n + 1}
		return ignoreMissing(os.WriteFile(path, []byte(other.text(dice.IntN(h.n))), 0o644))
	case 3:
		return ignoreMissing(appendLine(path, i))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(h.text(n)), 0o644)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// parts of a map that do not depend on when and where it was made.
type mapParts struct{ Nodes, Links, Issues json.RawMessage }

// sameAsFresh compares the map that lived through it all with one for which
// every file is read again, once the watcher has come to rest.
func (b *bench) sameAsFresh(t *table, s *server, dir string) error {
	_, text, err := b.command(dir, 1, b.sm, "scan", "--json", "--full", "--dry-run")
	if err != nil {
		return err
	}
	var want mapParts
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		return err
	}
	var got mapParts
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && b.Err() == nil; time.Sleep(200 * time.Millisecond) {
		if got, err = fetchMap(s.url); err != nil {
			return err
		}
		if bytes.Equal(got.Nodes, want.Nodes) && bytes.Equal(got.Links, want.Links) && bytes.Equal(got.Issues, want.Issues) {
			t.say("the map at the end", "is that of a fresh scan")
			return nil
		}
	}
	return fmt.Errorf("the map at the end is not that of a fresh scan: %s", firstDifference(got, want))
}

func fetchMap(url string) (m mapParts, err error) {
	answer, err := http.Get(url + "/api/scan")
	if err != nil {
		return m, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

func firstDifference(got, want mapParts) string {
	for _, p := range []struct {
		name      string
		got, want []byte
	}{{"nodes", got.Nodes, want.Nodes}, {"links", got.Links, want.Links}, {"issues", got.Issues, want.Issues}} {
		for i := range min(len(p.got), len(p.want)) {
			if p.got[i] != p.want[i] {
				from := max(0, i-200)
				return fmt.Sprintf("%s: got …%.400s, want …%.400s", p.name, p.got[from:], p.want[from:])
			}
		}
		if len(p.got) != len(p.want) {
			return fmt.Sprintf("%s: %d bytes, want %d", p.name, len(p.got), len(p.want))
		}
	}
	return "nothing"
}

// soakForge pushes, clones, reads and writes at once.
func (b *bench) soakForge(t *table, d time.Duration) error {
	h := history{2}
	seed := filepath.Join(b.dir, "seed.git")
	if err := b.plantHistory(h, seed); err != nil {
		return err
	}
	f, err := b.settleTown(filepath.Join(b.dir, "data"))
	if err != nil {
		return err
	}
	if _, _, err := b.command(b.dir, 0, b.sigit, "--data", f.data, "repo", "add", "alice/code", "--import", seed); err != nil {
		return err
	}
	if err := f.open(b); err != nil {
		return err
	}
	defer f.stop()
	w := &workers{b: b, end: time.Now().Add(d)}
	var opened atomic.Int64
	for k := range 2 {
		w.start("pusher", uint64(k), func(_ *rand.Rand, i int) error { return b.pushAndDrop(f, k, i) })
	}
	w.start("cloner", 5, func(_ *rand.Rand, i int) error {
		to := filepath.Join(b.dir, "clone")
		_, _, err := b.command(b.dir, 0, "git", "clone", "-q", f.git("code"), to)
		return errors.Join(err, os.RemoveAll(to))
	})
	for k := range 3 {
		a, err := newAgent(b, f.mcp(), f.token)
		if err != nil {
			return err
		}
		w.start("agent", uint64(10+k), func(dice *rand.Rand, _ int) error { return b.work(a, h, dice, &opened) })
	}
	if err := w.watch(f.server, t); err != nil {
		return err
	}
	return b.soundForge(t, f, int(opened.Load()))
}

// pushAndDrop makes a commit on a branch of its own, and deletes the branch.
func (b *bench) pushAndDrop(f *town, worker, i int) error {
	work := filepath.Join(b.dir, fmt.Sprint("work-", worker))
	if i == 0 {
		if _, _, err := b.command(b.dir, 0, "git", "clone", "-q", f.git("code"), work); err != nil {
			return err
		}
	}
	branch := fmt.Sprintf("w%d/%d", worker, i%7)
	if err := os.WriteFile(filepath.Join(work, fmt.Sprintf("note-%d.md", worker)), []byte(fmt.Sprintln("round", i)), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "."}, {"commit", "-q", "-m", fmt.Sprint("round ", i)}, {"push", "-q", "-f", "origin", "HEAD:refs/heads/" + branch}} {
		if _, _, err := b.command(work, 0, "git", args...); err != nil {
			return err
		}
	}
	if i%3 == 2 {
		_, _, err := b.command(work, 0, "git", "push", "-q", "origin", ":"+branch)
		return err
	}
	return nil
}

// work is one call of an agent.
func (b *bench) work(a *agent, h history, dice *rand.Rand, opened *atomic.Int64) error {
	repo := "alice/code"
	switch dice.IntN(5) {
	case 0:
		if err := a.call(b, "create_issue", map[string]any{"repo": repo, "title": fmt.Sprint("Found at ", dice.IntN(1000)), "body": "It does not."}); err != nil {
			return err
		}
		opened.Add(1)
		return nil
	case 1:
		return a.call(b, "list_issues", map[string]any{"repo": repo})
	case 2:
		return a.call(b, "search_code", map[string]any{"repo": repo, "query": "return", "limit": 5})
	}
	return a.call(b, "get_file_contents", map[string]any{"repo": repo, "path": h.file(dice.IntN(h.files()))})
}

// soundForge looks at what is left: whole repositories, and every issue.
func (b *bench) soundForge(t *table, f *town, opened int) error {
	dirs, err := filepath.Glob(filepath.Join(f.data, "repositories", "*.git"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if _, _, err := b.command(b.dir, 0, "git", "--git-dir="+dir, "fsck", "--strict", "--no-dangling"); err != nil {
			return err
		}
	}
	a, err := newAgent(b, f.mcp(), f.token)
	if err != nil {
		return err
	}
	if opened > 0 {
		if err := a.call(b, "get_issue", map[string]any{"repo": "alice/code", "number": opened}); err != nil {
			return fmt.Errorf("issue %d of %d: %w", opened, opened, err)
		}
	}
	t.say("at the end", "%d repositories are whole, %d issues are there", len(dirs), opened)
	return nil
}
