package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const (
	calm     = `"confidence":0.9,"safety":{"injectionDetected":false,"contentQuality":"clean"}`
	saidOnce = `{` + calm + `,"findings":[]}`
	saidMore = `{` + calm + `,"findings":[{"type":"redundancy","severity":"warn","message":"Said twice."}]}`
)

// TestMixedLoop: somebody works on the command line, an agent over MCP, on one
// queue; each sees what the other does.
func TestMixedLoop(t *testing.T) {
	f := newFire(t, map[string]string{"docs/style.md": "# Style\n\nSay it once. Say it once.\n"})
	page := filepath.Join(f.dir, "docs", "style.md")
	f.watch = true
	f.serve()
	agent := dial(f.address(0))
	if agent == nil {
		t.Fatal("no session")
	}
	tool := func(name, arguments string) gjson.Result {
		t.Helper()
		got, err := agent.call(name, arguments)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	record := func(j gjson.Result, report string) {
		t.Helper()
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if got := tool("record_job", fmt.Sprintf(`{"id":%q,"nonce":%q,"status":"completed","report":%s}`, j.Get("id").Str, j.Get("nonce").Str, text)); got.Get("outcome").Str != "completed" {
			t.Fatalf("record_job gives %s", got.Raw)
		}
	}

	// The agent waits; the command line asks; the agent is given the job.
	waited := make(chan gjson.Result, 1)
	go func() {
		got, err := agent.call("claim_job", `{"wait":60}`)
		if err != nil {
			t.Error(err)
		}
		waited <- got
	}()
	asked := strings.TrimSpace(f.must("jobs", "submit", "ai-redundancy-analyzer", "-n", "docs/style.md", "-q"))
	j := <-waited
	if j.Get("id").Str != asked {
		t.Fatalf("the agent was given %s, asked for was %s", j.Get("id"), asked)
	}
	if got := gjson.Get(f.must("jobs", "show", asked, "--json"), "status").Str; got != "running" {
		t.Errorf("the command line sees it %s", got)
	}
	record(j, saidMore)
	list := gjson.Parse(f.must("findings", "--json"))
	if list.Get("total").Int() != 1 {
		t.Fatalf("the command line sees %s", list.Raw)
	}
	id := list.Get("findings.0.id").Int()

	// The agent asks, the command line does it.
	if got := tool("submit_job", fmt.Sprintf(`{"extension":"ai-redundancy-action","node":"docs/style.md","findingIds":[%d]}`, id)); got.Get("outcome").Str != "created" {
		t.Fatalf("submit_job gives %s", got.Raw)
	}
	claimed := gjson.Parse(f.must("jobs", "claim", "--json"))
	put(t, page, "# Style\n\nSay it once.\n")
	report := fmt.Sprintf(`{`+calm+`,"resolved":[{"id":%d,"state":"fixed","by":"fixer","note":"Cut."}],"editsSummary":"One sentence cut."}`, id)
	if _, errs, code := f.run(t.Context(), report, "record", "--id", claimed.Get("id").Str, "--nonce", claimed.Get("nonce").Str, "--status", "completed", "--report", "-"); code != 0 {
		t.Fatalf("sm record: %s", errs)
	}
	if got := tool("list_findings", `{"node":"docs/style.md","includeStale":true}`).Get("findings.0.resolution").Str; got != "fixed" {
		t.Errorf("the agent sees the finding %q", got)
	}

	// Judged anew, once the map has followed; the file changes; the finding is
	// stale.
	f.until("the map to follow", func() bool {
		_, _, code := f.run(t.Context(), "", "jobs", "submit", "ai-redundancy-analyzer", "-n", "docs/style.md", "-q")
		return code == 0
	})
	record(tool("claim_job", `{"wait":10}`), saidMore)
	put(t, page, "# Style\n\nSay it once, and well.\n")
	f.until("the finding to be stale", func() bool {
		return gjson.Get(f.must("findings", "--stale", "--json"), "total").Int() == 1
	})
	if got := tool("list_findings", `{"node":"docs/style.md"}`); len(got.Get("findings").Array()) != 0 {
		t.Errorf("the agent still sees %s", got.Raw)
	}

	// Dismissed on the command line, beside the file; the map knows.
	f.must("findings", "dismiss", gjson.Get(f.must("findings", "--stale", "--json"), "findings.0.id").Raw, "--class", "--yes")
	if text, err := os.ReadFile(filepath.Join(f.dir, "docs", "style.sm")); err != nil || !strings.Contains(string(text), "redundancy") {
		t.Errorf("beside the file: %s, %v", text, err)
	}
	if got := tool("get_node", `{"path":"docs/style.md"}`); !strings.Contains(got.Get("item.sidecar").Raw, "redundancy") {
		t.Errorf("the agent sees the node as %.400s", got.Get("item.sidecar").Raw)
	}
	f.must("jobs", "submit", "ai-redundancy-analyzer", "-n", "docs/style.md", "-q")
	record(tool("claim_job", `{"wait":10}`), saidOnce)
	if got := gjson.Get(f.must("jobs", "status", "--json"), "completed").Int(); got != 4 {
		t.Errorf("%d jobs are done", got)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
