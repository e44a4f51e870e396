package sm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"skillforge/internal/sm"
)

func TestLogOperation(t *testing.T) {
	dir := t.TempDir()
	op := sm.Operation{At: time.Unix(1767225600, 123e6), Op: "jobs.submit", Target: "docs/a.md", Extension: "core/x", Channel: sm.MCP, Outcome: "queued", ID: "d-1"}
	sm.LogOperation(dir, op)
	op.Extension, op.ID = "", ""
	sm.LogOperation(dir, op)
	got := read(t, filepath.Join(dir, "operations.log"))
	want := `{"at":"2026-01-01T00:00:00.123Z","op":"jobs.submit","target":"docs/a.md","extension":"core/x","channel":"mcp","outcome":"queued","id":"d-1"}
{"at":"2026-01-01T00:00:00.123Z","op":"jobs.submit","target":"docs/a.md","channel":"mcp","outcome":"queued"}
`
	if got != want {
		t.Errorf("log:\n%s\nwant:\n%s", got, want)
	}
}

func TestLogOperationRotates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "operations.log")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	sm.LogOperation(dir, sm.Operation{Op: "scan", Target: "*", Channel: sm.CLI, Outcome: "ok"})
	if got := read(t, path+".1"); len(got) != 1<<20 {
		t.Errorf("the old log has %d bytes aside", len(got))
	}
	if got := read(t, path); strings.Count(got, "\n") != 1 {
		t.Errorf("the new log is %q, want one line", got)
	}
}

func TestLogOperationNeedsTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	sm.LogOperation(dir, sm.Operation{Op: "scan"})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("logging made a folder (%v)", err)
	}
}

func TestEventEnvelope(t *testing.T) {
	b, err := json.Marshal(sm.Event{Type: sm.ScanCompleted, Timestamp: 5, RunID: "r", Data: map[string]int{}, Change: &sm.Change{}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"scan.completed","timestamp":5,"runId":"r","jobId":null,"data":{}}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	if id := sm.NewRunID(sm.ScanRun, time.Unix(1767225600, 0)); !regexp.MustCompile(`^r-scan-20260101-000000-[0-9a-f]{4}$`).MatchString(id) {
		t.Errorf("run id %q", id)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
