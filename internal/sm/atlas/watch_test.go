package atlas

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
)

// watched is a project that is being watched.
type watched struct {
	t      *testing.T
	dir    string
	a      *Atlas
	events <-chan sm.Event
	stop   func() error
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// follow watches a fresh project with one file and waits until it is mapped.
func follow(t *testing.T, prepare func(a *Atlas, opt *WatchOptions)) *watched {
	t.Helper()
	w := &watched{t: t, dir: t.TempDir()}
	put(t, w.dir, ".claude/agents/first.md", "---\nname: first\ndescription: One.\n---\ntext\n")
	w.a = Open(config.Project{Root: w.dir}, Options{Resident: true})
	brief := 20 * time.Millisecond
	opt := WatchOptions{Debounce: &brief, First: true}
	if prepare != nil {
		prepare(w.a, &opt)
	}
	var end func()
	w.events, end = w.a.Events.Listen(100000)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.a.Watch(ctx, opt) }()
	w.stop = func() error {
		cancel()
		err := <-done
		done <- err
		return err
	}
	t.Cleanup(func() {
		end()
		_ = w.stop()
		if err := w.a.Close(); err != nil {
			t.Error(err)
		}
	})
	w.until("the first map", func(r *skillmap.ScanResult) bool { return len(r.Nodes) > 0 })
	return w
}

// until waits until the map is as wanted, looking after each batch.
func (w *watched) until(what string, ok func(r *skillmap.ScanResult) bool) {
	w.t.Helper()
	late := time.After(30 * time.Second)
	for {
		r, err := w.a.ScanResult(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		if ok(r) {
			return
		}
		w.next(what, sm.ScanCompleted, late)
	}
}

// next waits for an event.
func (w *watched) next(what, kind string, late <-chan time.Time) sm.Event {
	w.t.Helper()
	for {
		select {
		case e, open := <-w.events:
			if !open {
				w.t.Fatal("the subscription was cut")
			}
			if e.Type == kind {
				return e
			}
		case <-late:
			w.t.Fatalf("waited too long for %s", what)
		}
	}
}

func has(paths ...string) func(*skillmap.ScanResult) bool {
	return func(r *skillmap.ScanResult) bool {
		var got []string
		for _, n := range r.Nodes {
			got = append(got, n.Path)
		}
		slices.Sort(got)
		slices.Sort(paths)
		return slices.Equal(got, paths)
	}
}

const first = ".claude/agents/first.md"

func TestWatchFollowsFiles(t *testing.T) {
	w := follow(t, nil)
	path := func(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }
	put(t, w.dir, "a.md", "a")
	w.until("a new file", has(first, "a.md"))
	put(t, w.dir, "a.md", "changed text")
	w.until("a changed file", func(r *skillmap.ScanResult) bool { return r.Nodes[len(r.Nodes)-1].Bytes.Body == 12 })
	put(t, w.dir, "deep/er/and/deeper/b.md", "b")
	w.until("a file in new folders", has(first, "a.md", "deep/er/and/deeper/b.md"))
	put(t, w.dir, "deep/er/and/deeper/c.md", "c")
	w.until("another one there", has(first, "a.md", "deep/er/and/deeper/b.md", "deep/er/and/deeper/c.md"))
	if err := os.Rename(path("deep/er"), path("deep/down")); err != nil {
		t.Fatal(err)
	}
	w.until("a renamed folder", has(first, "a.md", "deep/down/and/deeper/b.md", "deep/down/and/deeper/c.md"))
	put(t, w.dir, "deep/down/and/d.md", "d")
	w.until("a file in the renamed folder", has(first, "a.md", "deep/down/and/d.md", "deep/down/and/deeper/b.md", "deep/down/and/deeper/c.md"))
	if err := os.RemoveAll(path("deep")); err != nil {
		t.Fatal(err)
	}
	w.until("a removed folder", has(first, "a.md"))
	put(t, w.dir, "deep/again.md", "x")
	w.until("the folder anew", has(first, "a.md", "deep/again.md"))
	// An editor saves beside the file and renames over it.
	put(t, w.dir, "a.md.tmp", "saved by an editor")
	if err := os.Rename(path("a.md.tmp"), path("a.md")); err != nil {
		t.Fatal(err)
	}
	w.until("a file that was replaced", func(r *skillmap.ScanResult) bool {
		return slices.ContainsFunc(r.Nodes, func(n skillmap.Node) bool { return n.Path == "a.md" && n.Bytes.Body == 18 })
	})
	put(t, w.dir, "a.sm", "identity:\n  path: a.md\n  bodyHash: "+strings.Repeat("0", 64)+"\n  frontmatterHash: "+strings.Repeat("0", 64)+"\n")
	w.until("a sidecar", func(r *skillmap.ScanResult) bool {
		return slices.ContainsFunc(r.Nodes, func(n skillmap.Node) bool { return n.Path == "a.md" && n.Sidecar.Present })
	})
}

func TestWatchFollowsSettings(t *testing.T) {
	w := follow(t, nil)
	put(t, w.dir, "docs/a.md", "a")
	put(t, w.dir, "docs/b.md", "b")
	w.until("two files", has(first, "docs/a.md", "docs/b.md"))
	put(t, w.dir, ".skillmapignore", "docs/\n")
	w.until("an ignored folder", has(first))
	put(t, w.dir, "docs/c.md", "c")
	put(t, w.dir, "d.md", "d")
	w.until("a file beside it", has(first, "d.md"))
	if err := os.Remove(filepath.Join(w.dir, ".skillmapignore")); err != nil {
		t.Fatal(err)
	}
	w.until("the folder back", has(first, "d.md", "docs/a.md", "docs/b.md", "docs/c.md"))
	put(t, w.dir, "docs/e.md", "e")
	w.until("a file in it", has(first, "d.md", "docs/a.md", "docs/b.md", "docs/c.md", "docs/e.md"))
	put(t, w.dir, ".skill-map/settings.json", `{"schemaVersion": 1, "activeProvider": "claude", "ignore": ["*.md", "!d.md"]}`)
	w.until("an ignored kind of file", has("d.md"))
}

func TestWatchGathersABurst(t *testing.T) {
	batches := 0
	w := follow(t, func(_ *Atlas, opt *WatchOptions) {
		patient := 250 * time.Millisecond
		opt.Debounce = &patient
		opt.Batch = func(*Scanned, error) { batches++ } // from the watch's own goroutine
	})
	for i := range 1000 {
		put(t, w.dir, fmt.Sprintf("many/f%03d.md", i%200), fmt.Sprint(i))
	}
	put(t, w.dir, "last.md", "last")
	w.until("all of them", func(r *skillmap.ScanResult) bool { return len(r.Nodes) == 202 })
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if batches > 3 { // the first scan is one
		t.Errorf("%d batches, want one or two after the first", batches)
	}
}

func TestWatchIgnoresWhatTheProgramWrites(t *testing.T) {
	w := follow(t, nil)
	seen := 0
	put(t, w.dir, ".skill-map/notes.md", "x")
	put(t, w.dir, ".skill-map/backups/x.md", "x")
	put(t, w.dir, "node_modules/x/readme.md", "x")
	put(t, w.dir, "program.go", "x")
	w.a.Log(sm.Operation{Op: "x"})
	put(t, w.dir, "end.md", "x") // comes after all of them
	w.until("the end", has(first, "end.md"))
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case e := <-w.events:
			if e.Type == sm.ScanStarted {
				seen++
			}
			continue
		default:
		}
		break
	}
	if seen > 0 {
		t.Errorf("%d more scans", seen)
	}
}

func TestWatchWithoutDebounce(t *testing.T) {
	w := follow(t, func(_ *Atlas, opt *WatchOptions) {
		none := time.Duration(0)
		opt.Debounce = &none
	})
	put(t, w.dir, "a.md", "a")
	w.until("a new file", has(first, "a.md"))
}

func TestWatchTellsThatItBegan(t *testing.T) {
	ready := false
	w := follow(t, func(_ *Atlas, opt *WatchOptions) { opt.Ready = func() { ready = true } })
	if err := w.stop(); err != nil || !ready {
		t.Errorf("ready %v, %v", ready, err)
	}
}

func TestWatchFallsBackToLooking(t *testing.T) {
	for name, make := range map[string]func() (*notices, error){
		"no instance": func() (*notices, error) { return nil, syscall.EMFILE },
		"no room for a folder": func() (*notices, error) {
			n, err := newNotices()
			if err == nil {
				n.add = func(dir string) error { return &os.PathError{Op: "watch", Path: dir, Err: syscall.ENOSPC} }
			}
			return n, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := follow(t, func(a *Atlas, opt *WatchOptions) {
				a.notify = make
				a.poll = 10 * time.Millisecond
			})
			put(t, w.dir, "a.md", "a")
			w.until("a new file", has(first, "a.md"))
			if err := w.stop(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestWatchAfterALimitIsReachedOnTheWay(t *testing.T) {
	w := follow(t, func(a *Atlas, opt *WatchOptions) {
		a.poll = 10 * time.Millisecond
		a.notify = func() (*notices, error) {
			n, err := newNotices()
			if err != nil {
				return nil, err
			}
			add := n.add
			n.add = func(dir string) error {
				if filepath.Base(dir) == "full" {
					return syscall.ENOSPC
				}
				return add(dir)
			}
			return n, nil
		}
	})
	put(t, w.dir, "full/a.md", "a")
	e := w.next("the warning", sm.WatcherError, time.After(30*time.Second))
	if text := fmt.Sprint(e.Data); !strings.Contains(text, "limit") {
		t.Errorf("the warning says %s", text)
	}
	w.until("the file all the same", has(first, "full/a.md"))
	put(t, w.dir, "full/b.md", "b")
	w.until("another one", has(first, "full/a.md", "full/b.md"))
}

func TestWatchLooksAtEverythingAfterAnOverflow(t *testing.T) {
	events, errs := make(chan fsnotify.Event), make(chan error)
	w := follow(t, func(a *Atlas, _ *WatchOptions) {
		a.notify = func() (*notices, error) { // tells of nothing by itself
			quiet := func(string) error { return nil }
			return &notices{events: events, errors: errs, add: quiet, remove: quiet, close: func() error { return nil }}, nil
		}
	})
	put(t, w.dir, "a.md", "a")
	errs <- fsnotify.ErrEventOverflow
	w.until("a file nobody told of", has(first, "a.md"))
}

func TestWatchEndsWithTheRunningBatch(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	finished := false
	w := &watched{t: t, dir: t.TempDir()}
	put(t, w.dir, "a.md", "a")
	w.a = Open(config.Project{Root: w.dir}, Options{Resident: true})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	var opt WatchOptions
	opt.First = true
	opt.Scan.Progress = func(scan.Progress) { close(inside); <-release }
	opt.Batch = func(*Scanned, error) { finished = true }
	go func() { done <- w.a.Watch(ctx, opt) }()
	<-inside
	cancel()
	close(release)
	if err := <-done; err != nil || !finished || !w.a.Exists() {
		t.Errorf("ended with %v, batch finished %v, map kept %v", err, finished, w.a.Exists())
	}
	if err := w.a.Close(); err != nil {
		t.Error(err)
	}
}

func TestWatchGivesUp(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.md", "a")
	a := Open(config.Project{Root: dir}, Options{Resident: true})
	defer func() { _ = a.Close() }()
	put(t, dir, ".skill-map/settings.json", `{"activeProvider": "nobody"}`)
	none := time.Duration(0)
	failures := 0
	err := a.Watch(t.Context(), WatchOptions{First: true, Debounce: &none, MaxFailures: 3, Batch: func(_ *Scanned, err error) {
		failures++
		put(t, dir, "a.md", fmt.Sprint(failures)) // brings the next one
	}})
	if err == nil || failures != 3 {
		t.Errorf("got %v after %d failures, want an error after 3", err, failures)
	}
}

func TestWatchOfNoFolder(t *testing.T) {
	a := Open(config.Project{Root: t.TempDir()}, Options{})
	err := a.Watch(t.Context(), WatchOptions{Scan: ScanOptions{Roots: []string{"none"}}, First: true, MaxFailures: 1})
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWatchLooksOutsideWhereLinksLead(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, "far.md", "far")
	w := follow(t, func(a *Atlas, _ *WatchOptions) {
		a.poll = 10 * time.Millisecond
		_, err := a.Project().Set("scan.followExternalSymlinks", true, config.SetOptions{Yes: true})
		if fault.Code(err) == "no-anchor" {
			t.Skip("grants cannot be bound to a folder here")
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, a.Project().Path("link")); err != nil {
			t.Fatal(err)
		}
	})
	w.until("the linked folder", has(first, "link/far.md"))
	put(t, outside, "near.md", "near")
	w.until("a file in it", has(first, "link/far.md", "link/near.md"))
}
