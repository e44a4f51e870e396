package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// How much TestQueueUnderFire does.
const (
	overMCP    = 25
	overCLI    = 25
	doomedMCP  = 3 // of them, they die between claim and record
	doomedCLI  = 2 // their processes are killed at some moment
	cliRounds  = 4 // each takes so many jobs at most: a process for each step costs
	killAfter  = 60
	ttlSeconds = 5
)

// pages is how many jobs there are. The race detector makes each ten times as
// dear.
var pages = map[bool]int{false: 1000, true: 200}[racing]

const tags = `{"confidence":0.8,"safety":{"injectionDetected":false,"contentQuality":"clean"},"tags":["aa","bb"],"rationale":"so"}`

// TestQueueUnderFire: fifty claimers take a thousand jobs over MCP and on the
// command line at once, while some of them and the server are killed. Every job
// is handed out once; what the dead held is given up after its deadline, asked
// for again and done.
func TestQueueUnderFire(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it starts some hundred processes")
	}
	files := map[string]string{}
	for i := range pages {
		files[fmt.Sprintf("page-%04d.md", i)] = fmt.Sprintf("# Page %d\n", i)
	}
	f := newFire(t, files)
	f.must("jobs", "submit", "ai-tagger-action", "--all", "-q", "--ttl", fmt.Sprint(ttlSeconds))
	f.serve()
	var claimers sync.WaitGroup
	for i := range overMCP {
		claimers.Go(func() { f.claimOverMCP(i < doomedMCP) })
	}
	for i := range overCLI {
		claimers.Go(func() { f.claimOnCLI(cliRounds, i < doomedCLI) })
	}
	claimers.Go(func() {
		f.until("some claims", func() bool { return f.claims.Load() >= killAfter })
		f.killServer()
		f.serve()
		close(f.restarted)
	})
	claimers.Wait()
	f.once()
	lost := f.reap()
	f.again(lost)
	t.Logf("%d jobs, %d claims over MCP, %d on the command line, %d held by the dead", pages, f.mcp.Load(), f.cli.Load(), len(lost))
	f.secrets()
}

// fire is one project with its server and claimers.
type fire struct {
	t            *testing.T
	dir, program string
	watch        bool          // the server follows the files
	restarted    chan struct{} // closed when the server is back

	claims, mcp, cli atomic.Int64

	mu     sync.Mutex // guards what follows
	taken  map[string]int
	nonces []string
	server *exec.Cmd
	log    *os.File
}

// newFire is a project of these files that is scanned and that an agent may
// work in.
func newFire(t *testing.T, files map[string]string) *fire {
	f := &fire{t: t, dir: t.TempDir(), program: asProgram(t), restarted: make(chan struct{}), taken: map[string]int{}}
	for name, text := range files {
		put(t, filepath.Join(f.dir, name), text)
	}
	var err error
	if f.log, err = os.Create(filepath.Join(t.TempDir(), "server.log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.killServer()
		_ = f.log.Close()
	})
	f.must("scan", "-q")
	f.must("agent", "install", "--for", "claude", "-q")
	return f
}

// run runs the program and returns what it printed and its exit code; -1 when
// it was killed.
func (f *fire) run(ctx context.Context, in string, args ...string) (out, errs string, code int) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, f.program, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = f.dir, strings.NewReader(in), &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil && f.t.Context().Err() == nil { // killed, or too late to begin
		return "", "", -1
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.t.Errorf("sm %v: %v", args, err)
		return "", "", -1
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func (f *fire) must(args ...string) string {
	f.t.Helper()
	out, errs, code := f.run(f.t.Context(), "", args...)
	if code != 0 {
		f.t.Fatalf("sm %v exits %d: %s", args, code, errs)
	}
	return out
}

func (f *fire) until(what string, ok func() bool) {
	for end := time.Now().Add(2 * patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Errorf("waited for %s", what)
			return
		}
	}
}

func (f *fire) serve() {
	args := []string{"serve", "--mcp", "--no-open", "--port", "0", "--log", "debug"}
	if !f.watch {
		args = append(args, "--no-watcher")
	}
	cmd := exec.Command(f.program, args...)
	cmd.Dir, cmd.Stderr = f.dir, f.log
	if err := cmd.Start(); err != nil {
		f.t.Error(err)
		return
	}
	f.mu.Lock()
	f.server = cmd
	f.mu.Unlock()
	f.until("the server", func() bool { return f.address(cmd.Process.Pid) != "" })
}

func (f *fire) killServer() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		_ = f.server.Process.Kill()
		_ = f.server.Wait() // it was killed
		f.server = nil
	}
}

// address is where the server listens; with a pid, only where that one does.
func (f *fire) address(pid int) string {
	text, err := os.ReadFile(filepath.Join(f.dir, ".skill-map", "serve.json"))
	if err != nil || pid != 0 && gjson.GetBytes(text, "pid").Int() != int64(pid) {
		return ""
	}
	return "http://127.0.0.1:" + gjson.GetBytes(text, "port").Raw
}

// took notes that a job was handed out.
func (f *fire) took(id, nonce string, by *atomic.Int64) {
	f.claims.Add(1)
	by.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken[id]++
	f.nonces = append(f.nonces, nonce)
}

func (f *fire) isBack() bool {
	select {
	case <-f.restarted:
		return true
	default:
		return false
	}
}

// claimOverMCP works until the queue is empty. When the server dies it comes
// back with a new session, as clients do.
func (f *fire) claimOverMCP(doomed bool) {
	var c *caller
	for {
		if c == nil {
			if c = dial(f.address(0)); c == nil {
				if f.t.Failed() {
					return
				}
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		answer, err := c.call("claim_job", `{}`)
		if err != nil {
			c = nil
			continue
		}
		id := answer.Get("id").Str
		if id == "" {
			if f.isBack() || f.t.Failed() {
				return
			}
			time.Sleep(20 * time.Millisecond)
			continue
		}
		f.took(id, answer.Get("nonce").Str, &f.mcp)
		if doomed {
			return
		}
		report, _ := json.Marshal(tags)
		done, err := c.call("record_job", fmt.Sprintf(`{"id":%q,"nonce":%q,"status":"completed","report":%s}`, id, answer.Get("nonce").Str, report))
		if err == nil && done.Get("outcome").Str != "completed" && done.Get("outcome").Str != "not-running" {
			f.t.Errorf("record_job gives %s", done.Raw)
		}
	}
}

// claimOnCLI takes some jobs and does them. The processes of a doomed one are
// killed at some moment.
func (f *fire) claimOnCLI(rounds int, doomed bool) {
	for range rounds {
		ctx, cancel := f.t.Context(), context.CancelFunc(func() {})
		if doomed {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(5+rand.IntN(60))*time.Millisecond)
		}
		out, errs, code := f.run(ctx, "", "jobs", "claim", "--json", "-q")
		cancel()
		switch {
		case code == 1:
			return
		case code == -1:
			continue
		case code != 0:
			f.t.Errorf("sm jobs claim exits %d: %s", code, errs)
			return
		}
		got := gjson.Parse(out)
		f.took(got.Get("id").Str, got.Get("nonce").Str, &f.cli)
		if doomed {
			continue
		}
		_, errs, code = f.run(f.t.Context(), tags, "record", "--id", got.Get("id").Str, "--nonce", got.Get("nonce").Str, "--status", "completed", "--report", "-", "-q")
		if code != 0 && !strings.Contains(errs, "not in running state") {
			f.t.Errorf("sm record exits %d: %s", code, errs)
		}
	}
}

// once checks that no job was handed out twice, and that none waits.
func (f *fire) once() {
	for id, n := range f.taken {
		if n != 1 {
			f.t.Errorf("%s was handed out %d times", id, n)
		}
	}
	counts := gjson.Parse(f.must("jobs", "status", "--json"))
	if n := counts.Get("queued").Int(); n != 0 {
		f.t.Errorf("%d jobs wait", n)
	}
	if n := counts.Get("completed").Int() + counts.Get("running").Int() + counts.Get("failed").Int(); n != int64(pages) {
		f.t.Errorf("%d jobs are left of %d: %s", n, pages, counts.Raw)
	}
}

// reap waits until what the dead held is given up, and says of which pages.
func (f *fire) reap() (lost []string) {
	f.until("the deadlines", func() bool {
		if _, errs, code := f.run(f.t.Context(), "", "jobs", "claim", "-q"); code != 1 {
			f.t.Errorf("a claim on an empty queue exits %d: %s", code, errs)
			return true
		}
		return gjson.Get(f.must("jobs", "status", "--json"), "running").Int() == 0
	})
	for _, j := range gjson.Parse(f.must("jobs", "list", "--json", "--status", "failed")).Array() {
		if why := j.Get("failureReason").Str; why != "abandoned" {
			f.t.Errorf("%s failed: %s", j.Get("id"), why)
		}
		lost = append(lost, j.Get("nodeId").Str)
	}
	if len(lost) < doomedMCP {
		f.t.Errorf("only %d jobs were lost", len(lost))
	}
	return lost
}

// again asks for the lost ones once more and does them.
func (f *fire) again(lost []string) {
	for _, page := range lost {
		f.must("jobs", "submit", "ai-tagger-action", "-n", page, "-q")
	}
	f.claimOnCLI(len(lost), false)
	done := map[string]int{}
	for _, j := range gjson.Parse(f.must("jobs", "list", "--json", "--status", "completed")).Array() {
		done[j.Get("nodeId").Str]++
	}
	if len(done) != pages {
		f.t.Errorf("%d pages of %d are done", len(done), pages)
	}
	for page, n := range done {
		if n != 1 {
			f.t.Errorf("%s is done %d times", page, n)
		}
	}
}

// secrets checks that no nonce is anywhere but in the answer to its claim.
func (f *fire) secrets() {
	seen := f.must("db", "dump") + f.must("jobs", "list", "--json") + f.must("history", "--json")
	for _, path := range []string{"/api/jobs", "/api/health", "/api/activity/summary"} {
		answer, err := http.Get(f.address(0) + path)
		if err != nil {
			f.t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			f.t.Fatal(err)
		}
		seen += string(body)
	}
	f.killServer()
	for _, name := range []string{f.log.Name(), filepath.Join(f.dir, ".skill-map", "operations.log"), filepath.Join(f.dir, ".skill-map", "map.db")} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.t.Fatal(err)
		}
		seen += string(text)
	}
	for _, nonce := range f.nonces {
		if len(nonce) != 32 || strings.Contains(seen, nonce) {
			f.t.Fatalf("the nonce %q is told elsewhere", nonce)
		}
	}
}

// caller is a client of MCP, no more than these tests need.
type caller struct{ url, session string }

// dial shakes hands; nil when nobody answers.
func dial(address string) *caller {
	if address == "" {
		return nil
	}
	c := &caller{url: address + "/mcp"}
	res, err := c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	if err != nil {
		return nil
	}
	_ = res.Body.Close()
	c.session = res.Header.Get("Mcp-Session-Id")
	if c.session == "" {
		return nil
	}
	return c
}

func (c *caller) post(body string) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return http.DefaultClient.Do(req)
}

// call calls a tool and returns its structured answer.
func (c *caller) call(tool, arguments string) (gjson.Result, error) {
	res, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	if err != nil {
		return gjson.Result{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return gjson.Result{}, err
	}
	if _, data, ok := bytes.Cut(text, []byte("data: {")); ok { // one event of a stream
		text = append([]byte("{"), data...)
	}
	answer := gjson.ParseBytes(text)
	if res.StatusCode != http.StatusOK || !answer.Get("result").Exists() {
		return gjson.Result{}, fmt.Errorf("%s answers %d %.200s", tool, res.StatusCode, text)
	}
	return gjson.Parse(answer.Get("result.content.0.text").Str), nil
}
