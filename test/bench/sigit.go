package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// town is a forge at work.
type town struct {
	*server
	data, token string
	asked       atomic.Uint64 // searches, so that none repeats another
}

func (t *town) mcp() string { return t.url + "/api/v1/mcp" }

// git is the address of a repository, with alice's token.
func (t *town) git(repo string) string {
	return "http://alice:" + t.token + "@" + strings.TrimPrefix(t.url, "http://") + "/alice/" + repo + ".git"
}

// settle makes a data folder with alice in it; run serves it.
func (b *bench) settleTown(dir string) (*town, error) {
	t := &town{data: dir}
	if _, _, err := b.command(b.dir, 0, b.sigit, "--data", dir, "user", "add", "alice", "--email", "alice@example.org"); err != nil {
		return nil, err
	}
	_, token, err := b.command(b.dir, 0, b.sigit, "--data", dir, "token", "add", "alice", "--label", "bench", "--scope", "repo,issue,user")
	t.token = strings.TrimSpace(token)
	return t, err
}

func (t *town) open(b *bench) (err error) {
	t.server, err = b.start(b.dir, nil, b.sigit, "serve", "--addr", "127.0.0.1:0", "--data", t.data, "--log-level", "error")
	return err
}

// forge measures sigit.
func (b *bench) forge(t *table) error {
	list, err := b.measure(4*b.runs, b.dir, 0, nil, b.sigit, "version")
	if err == nil {
		t.times("sigit version", list.walls(), "%s", list.note())
	}
	for _, mb := range b.repos {
		if b.late() {
			t.say(fmt.Sprintf("%d MB", mb), "left out: the budget is spent")
			continue
		}
		if err := b.oneRepository(t, history{mb}); err != nil {
			return err
		}
	}
	if b.late() {
		t.say("lists", "left out: the budget is spent")
		return nil
	}
	return b.tracker(t)
}

func (b *bench) oneRepository(t *table, h history) error {
	dir := filepath.Join(b.dir, fmt.Sprint("repo-", h.mb))
	defer os.RemoveAll(dir)
	seed := filepath.Join(dir, "seed.git")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := b.plantHistory(h, seed); err != nil {
		return err
	}
	f, err := b.settleTown(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	if _, _, err := b.command(b.dir, 0, b.sigit, "--data", f.data, "repo", "add", "alice/code", "--import", seed); err != nil {
		return err
	}
	if err := os.RemoveAll(seed); err != nil {
		return err
	}
	bare := filepath.Join(f.data, "repositories", "1.git")
	t.say(fmt.Sprintf("%d MB", h.mb), "%d files at the head, %.0f MB of packs", h.files(), float64(sizeOf(bare))/1e6)
	if err := f.open(b); err != nil {
		return err
	}
	defer f.stop()
	if err := b.reads(t, f, h); err != nil {
		return err
	}
	t.say(fmt.Sprintf("memory of sigit serve, %d MB", h.mb), "%d MiB at its peak", f.memory("VmHWM"))
	return b.transfers(t, f, h, bare)
}

func sizeOf(dir string) (total int64) {
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// reads measures the tools that read code.
func (b *bench) reads(t *table, f *town, h history) error {
	calls := 60 * b.runs
	for _, row := range []struct {
		label, tool string
		n           int
		arguments   func(i int) any
	}{
		{"get_file_contents", "get_file_contents", calls, func(i int) any { return map[string]any{"repo": "alice/code", "path": h.file(i * 7919 % h.files())} }},
		{"search_code, many hits", "search_code", 4 * b.runs, func(int) any { return map[string]any{"repo": "alice/code", "query": f.anew("!= nil { return")} }},
		{"search_code, one hit", "search_code", 4 * b.runs, func(int) any { return map[string]any{"repo": "alice/code", "query": f.anew(needle)} }},
		{"search_code, none", "search_code", 4 * b.runs, func(int) any { return map[string]any{"repo": "alice/code", "query": f.anew("no such text")} }},
		{"search_code, asked again", "search_code", 4 * b.runs, func(int) any { return map[string]any{"repo": "alice/code", "query": "no such text"} }},
	} {
		if b.late() {
			t.say(row.label, "left out: the budget is spent")
			continue
		}
		if err := b.rows(t, f.mcp(), f.token, fmt.Sprintf("%s, %d MB", row.label, h.mb), row.tool, row.n, row.arguments); err != nil {
			return err
		}
	}
	return nil
}

// anew is the text with other letters large at each call, so that the same is
// found and the forge does not remember the question.
func (t *town) anew(text string) string {
	n := t.asked.Add(1)
	letters := []byte(text)
	for i, c := range letters {
		if c < 'a' || c > 'z' {
			continue
		}
		if n&1 == 1 {
			letters[i] -= 'a' - 'A'
		}
		n >>= 1
	}
	return string(letters)
}

// tracker measures lists of a repository with many issues.
func (b *bench) tracker(t *table) error {
	dir := filepath.Join(b.dir, "tracker")
	defer os.RemoveAll(dir)
	f, err := b.settleTown(dir)
	if err != nil {
		return err
	}
	if _, _, err := b.command(b.dir, 0, b.sigit, "--data", dir, "repo", "add", "alice/large"); err != nil {
		return err
	}
	begun := time.Now()
	if _, err := b.child("fill", filepath.Join(dir, "sigit.db"), "alice", "large", fmt.Sprint(b.issues)); err != nil {
		return err
	}
	t.say("tracker", "%d issues and %d pull requests, filled in %.1f s", b.issues, (b.issues+9)/10, time.Since(begun).Seconds())
	if err := f.open(b); err != nil {
		return err
	}
	defer f.stop()
	calls := 60 * b.runs
	for _, row := range []struct {
		label, tool string
		arguments   map[string]any
	}{
		{"list_issues, open", "list_issues", map[string]any{"repo": "alice/large"}},
		{"list_issues, all", "list_issues", map[string]any{"repo": "alice/large", "state": "all"}},
		{"list_issues, rare words", "list_issues", map[string]any{"repo": "alice/large", "state": "all", "query": "Report 777 of"}},
		{"list_issues, words of all", "list_issues", map[string]any{"repo": "alice/large", "state": "all", "query": "report"}},
		{"list_pull_requests", "list_pull_requests", map[string]any{"repo": "alice/large"}},
		{"get_issue", "get_issue", map[string]any{"repo": "alice/large", "number": b.issues / 2 * 11 / 10}},
	} {
		if b.late() {
			t.say(row.label, "left out: the budget is spent")
			continue
		}
		if err := b.rows(t, f.mcp(), f.token, row.label, row.tool, calls, func(int) any { return row.arguments }); err != nil {
			return err
		}
	}
	t.say("memory of sigit serve", "%d MiB at its peak", f.memory("VmHWM"))
	return nil
}

// transfers measures clone and push beside git's own http-backend on the same
// files, by turns, so that both see the same machine.
func (b *bench) transfers(t *table, f *town, h history, bare string) error {
	plain, err := b.backend(filepath.Dir(bare))
	if err != nil {
		t.say("clone and push", "left out: %v", err)
		return nil
	}
	defer plain.Close()
	sides := []struct{ name, clone string }{{"sigit", f.git("code")}, {"http-backend", "http://" + plain.Addr + "/" + filepath.Base(bare)}}
	took := map[string][]time.Duration{}
	size := float64(sizeOf(bare)) / 1e6
	err = b.repeat(b.runs, func(i int) error {
		for k := range sides {
			side := sides[(k+i)%len(sides)]
			to := filepath.Join(b.dir, "clone.git")
			c, _, err := b.command(b.dir, 0, "git", "clone", "-q", "--bare", side.clone, to)
			if err != nil {
				return err
			}
			took[side.name] = append(took[side.name], c.wall)
			if err := os.RemoveAll(to); err != nil {
				return err
			}
		}
		return nil
	})
	for _, side := range sides {
		list := took[side.name]
		t.times(fmt.Sprintf("clone, %d MB, %s", h.mb, side.name), list, "%.0f MB/s", size/median(list).Seconds())
	}
	if err != nil {
		return err
	}
	return b.pushes(t, f, h, bare, plain.Addr)
}

// oneBody makes git send a pack with its length before it: CGI, and with it
// git's http-backend behind Go's server, takes no other.
const oneBody = "http.postBuffer=1g"

// pushes sends one pack of new objects to both, each time to a new branch of
// an empty repository.
func (b *bench) pushes(t *table, f *town, h history, bare, plain string) error {
	took, small := map[string][]time.Duration{}, map[string][]time.Duration{}
	work := filepath.Join(b.dir, "work.git")
	defer os.RemoveAll(work)
	if _, _, err := b.command(b.dir, 0, "git", "clone", "-q", "--bare", bare, work); err != nil {
		return err
	}
	root := filepath.Dir(bare)
	err := b.repeat(b.runs, func(i int) error {
		empty := fmt.Sprintf("bench-%d.git", i)
		if _, _, err := b.command(root, 0, "git", "init", "-q", "--bare", "--initial-branch=main", empty); err != nil {
			return err
		}
		defer os.RemoveAll(filepath.Join(root, empty))
		if _, _, err := b.command(root, 0, "git", "--git-dir="+empty, "config", "http.receivepack", "true"); err != nil {
			return err
		}
		if _, _, err := b.command(b.dir, 0, b.sigit, "--data", f.data, "repo", "add", fmt.Sprintf("alice/new-%d", i)); err != nil {
			return err
		}
		for _, side := range []struct{ name, url string }{{"sigit", f.git(fmt.Sprint("new-", i))}, {"http-backend", "http://" + plain + "/" + empty}} {
			c, _, err := b.command(work, 0, "git", "-c", oneBody, "push", "-q", side.url, "main")
			if err != nil {
				return err
			}
			took[side.name] = append(took[side.name], c.wall)
			if c, _, err = b.command(work, 0, "git", "-c", oneBody, "push", "-q", side.url, "main:again"); err != nil {
				return err
			}
			small[side.name] = append(small[side.name], c.wall)
		}
		return nil
	})
	size := float64(sizeOf(work)) / 1e6
	for _, name := range []string{"sigit", "http-backend"} {
		t.times(fmt.Sprintf("push, %d MB, %s", h.mb, name), took[name], "%.0f MB/s", size/median(took[name]).Seconds())
	}
	for _, name := range []string{"sigit", "http-backend"} {
		t.times(fmt.Sprintf("push of a branch without objects, %s", name), small[name], "")
	}
	return err
}

// backend serves the repositories of a folder with git's own http-backend,
// with no checks of any kind.
func (b *bench) backend(root string) (*http.Server, error) {
	path, err := exec.CommandContext(b, "git", "--exec-path").Output()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	handler := &cgi.Handler{Path: program, Dir: root, Env: append(quietEnv(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: listener.Addr().String(), Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(listener) }() // ends with Close
	return s, nil
}
