package tools_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/tools"
)

// TestWaitTellsOfItself: a client that asks for progress hears of a claim that
// waits every fifteen seconds, any other hears nothing but the answer.
func TestWaitTellsOfItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &client{t: t, project: config.Project{Root: t.TempDir()}}
		p.write("a.md", "# A\n")
		a := atlas.Open(p.project, atlas.Options{})
		defer a.Close()
		if _, err := a.Scan(t.Context(), atlas.ScanOptions{Channel: sm.CLI}); err != nil {
			t.Fatal(err)
		}
		door, err := tools.New(a, tools.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer door.Close()
		theirs, say := io.Pipe()
		hear, ours := io.Pipe()
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- door.ServeStdio(ctx, theirs, ours) }()
		lines := bufio.NewScanner(hear)
		answer := func(message string) string {
			t.Helper()
			fmt.Fprintln(say, message)
			var heard []string
			for lines.Scan() {
				heard = append(heard, lines.Text())
				if strings.Contains(lines.Text(), `"id":`) {
					return strings.Join(heard, "\n")
				}
			}
			t.Fatal("no answer")
			return ""
		}
		answer(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
		fmt.Fprintln(say, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)

		got := answer(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"claim_job","arguments":{"wait":50},"_meta":{"progressToken":"p"}}}`)
		for _, seconds := range []string{"15", "30", "45"} {
			if !strings.Contains(got, `"progress":`+seconds) {
				t.Errorf("no progress at %s s in\n%s", seconds, got)
			}
		}
		if n := strings.Count(got, "notifications/progress"); n != 3 || strings.Contains(got, `"total"`) || !strings.Contains(got, `"text":"null"`) {
			t.Errorf("%d frames of progress in\n%s", n, got)
		}
		got = answer(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"claim_job","arguments":{"wait":50}}}`)
		if strings.Contains(got, "progress") || !strings.Contains(got, `"text":"null"`) {
			t.Errorf("unasked for\n%s", got)
		}
		// No call is held for longer than an hour.
		began := time.Now()
		got = answer(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"claim_job","arguments":{"wait":9007199254740991}}}`)
		if held := time.Since(began); held != time.Hour || !strings.Contains(got, `"text":"null"`) {
			t.Errorf("held for %v: %s", held, got)
		}
		end()
		_ = say.Close()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
}
