package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
)

// In these tests time is synctest's: it stands still while anything runs, and
// connections live in the process.

// alive reports whether the session of p is still known to the server. Asking
// is a request like any other: the session counts as seen.
func alive(p *peer) bool {
	return p.do("GET", "", "Accept", "nothing").status == http.StatusNotAcceptable
}

func ping(p *peer) int { return p.do("POST", `{"jsonrpc":"2.0","id":7,"method":"ping"}`).status }

func TestClientsAreThoseThatAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		p := piped(t, s).open()
		if n := s.Clients(t.Context()); n != 0 {
			t.Errorf("without a stream %d clients, want 0", n)
		}
		listening := p.listen(true)
		p.another().listen(false) // has a stream, but never answers
		p.another()               // has none
		start := time.Now()
		if n := s.Clients(t.Context()); n != 1 {
			t.Errorf("%d clients, want 1", n)
		}
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("the count took %v, want the ping limit for the silent one", took)
		}
		listening.close()
		synctest.Wait()
		start = time.Now()
		if n := s.Clients(t.Context()); n != 0 || time.Since(start) > 1500*time.Millisecond {
			t.Errorf("after the client was killed: %d clients in %v", n, time.Since(start))
		}
	})
}

func TestKilledClientIsReapedAfterGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		p := piped(t, s).open()
		l := p.listen(true)
		time.Sleep(time.Hour) // silent, but reachable: never abandoned
		s.Clients(t.Context())
		l.close()
		synctest.Wait()
		s.Clients(t.Context()) // the first miss
		time.Sleep(29 * time.Second)
		s.Clients(t.Context())
		if status := ping(p); status != 200 {
			t.Fatalf("inside the grace: %d, want the session usable", status)
		}
		time.Sleep(29 * time.Second) // unreachable for 58 s, silent for 29
		s.Clients(t.Context())
		time.Sleep(2 * time.Second) // silent for 31
		s.Clients(t.Context())
		if status := ping(p); status != 404 {
			t.Errorf("after the grace: %d, want 404", status)
		}
	})
}

func TestOneMissNeverReaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		p := piped(t, s).open()
		time.Sleep(24 * time.Hour)
		s.Clients(t.Context())
		if !alive(p) {
			t.Error("a session is gone after one missed ping")
		}
	})
}

func TestPostOnlyClientIsNeverReaped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		defer running.Wait()
		defer stop()
		p := piped(t, s).open()
		for range 200 {
			time.Sleep(25 * time.Second)
			if status := ping(p); status != 200 {
				t.Fatalf("an active client gets %d", status)
			}
			if n := s.Clients(t.Context()); n != 0 {
				t.Fatalf("a client without a stream counts: %d", n)
			}
		}
	})
}

func TestAbandonedSessionsGoUnattended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		p := piped(t, s).open()
		time.Sleep(2*time.Minute + 2*time.Second) // two looks of the timer
		if status := ping(p); status != 404 {
			t.Errorf("an abandoned session gives %d, want 404", status)
		}
		stop()
		running.Wait()
		if status := ping(p); status != 503 {
			t.Errorf("after Run: %d, want 503", status)
		}
	})
}

func TestOverlappingSweepsShareOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		p := piped(t, s).open()
		l := p.listen(false)
		var looking sync.WaitGroup
		for range 20 {
			looking.Go(func() { s.Clients(t.Context()) })
		}
		looking.Wait()
		if n := len(l.messages); n != 1 {
			t.Errorf("%d pings for overlapping counts, want 1", n)
		}
		if m := l.next(t); m.Method != "ping" || string(m.ID) != "0" {
			t.Errorf("%s with id %s, want ping with id 0", m.Method, m.ID)
		}
	})
}

func TestOldestMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		o := options()
		o.Log = log.logger()
		s := newServer(t, o)
		first := piped(t, s).open()
		second := first.another()
		for range 30 {
			first.another()
		}
		if !alive(first) {
			t.Fatal("32 sessions do not fit")
		}
		last := first.another()
		if alive(first) || !alive(second) || !alive(last) {
			t.Errorf("the 33rd leaves first %v, second %v, last %v", alive(first), alive(second), alive(last))
		}
		if !strings.Contains(log.String(), "level=WARN") {
			t.Errorf("no warning in the log: %s", log.String())
		}
	})
}

func TestAbandonedMakeRoomFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Limits.Sessions = 2
		s := newServer(t, o)
		first := piped(t, s).open()
		first.listen(true)
		gone := first.another()
		s.Clients(t.Context())
		time.Sleep(time.Minute)
		third := first.another()
		if !alive(first) || alive(gone) || !alive(third) {
			t.Errorf("first %v, abandoned %v, third %v", alive(first), alive(gone), alive(third))
		}
	})
}

func TestStalledReaderHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		p := piped(t, s).open()
		stalled := p.another()
		for _, one := range []*peer{p, stalled} {
			one.call("resources/subscribe", `{"uri":"skillmap://graph"}`)
		}
		res, err := stalled.client.Do(stalled.request(t.Context(), "GET", ""))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		l := p.listen(true)
		for range 300 {
			s.Updated("skillmap://graph")
			if m := l.next(t); m.Method != "notifications/resources/updated" {
				t.Fatalf("the healthy client hears %s", m.Method)
			}
		}
		start := time.Now()
		if n := s.Clients(t.Context()); n != 1 || time.Since(start) > 1500*time.Millisecond {
			t.Errorf("%d clients in %v, want 1 within the ping limit", n, time.Since(start))
		}
		time.Sleep(time.Minute) // the heartbeat runs into the stalled reader
		if text, err := io.ReadAll(res.Body); err == nil && !strings.Contains(string(text), ": keepalive") {
			t.Errorf("the stalled stream went on: %q", text)
		}
	})
}

func TestQuietStreamsAreKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, started, _ := parked(t)
		p := piped(t, s).open()
		for _, try := range []struct {
			method, body string
			first        time.Duration
		}{{"GET", "", 0}, {"POST", park, 250 * time.Millisecond}} {
			ctx, hangUp := context.WithCancel(t.Context())
			start := time.Now()
			res, err := p.client.Do(p.request(ctx, try.method, try.body))
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != try.first {
				t.Errorf("%s: headers after %v, want %v", try.method, took, try.first)
			}
			lines := bufio.NewReader(res.Body)
			var at []time.Duration
			for range 3 {
				line, err := lines.ReadString('\n')
				if err != nil || line != ": keepalive\n" {
					t.Fatalf("%s: %q, %v", try.method, line, err)
				}
				at = append(at, time.Since(start))
				if _, err := lines.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if at[0] != try.first || at[2] != try.first+30*time.Second {
				t.Errorf("%s: comments at %v, want each 15 s", try.method, at)
			}
			if try.method == "POST" {
				<-started
			}
			hangUp()
			res.Body.Close()
		}
	})
}

func TestHeaderOfRecentRevisionsInASession(t *testing.T) {
	p := over(t, newServer(t, options())).open()
	if r := p.do("POST", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "Mcp-Protocol-Version", "2025-11-25"); r.status != 200 {
		t.Errorf("gives %d %s", r.status, r.body)
	}
}

func TestStdio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, options())
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.ServeStdio(t.Context(), in, out); out.Close() }()
		lines := bufio.NewReader(fromServer)
		say := func(line string) { _, _ = io.WriteString(toServer, line+"\n") }
		hear := func(want string) {
			t.Helper()
			got, err := lines.ReadString('\n')
			if err != nil || strings.TrimSpace(got) != want {
				t.Fatalf("hears %q (%v), want %s", got, err, want)
			}
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		hear(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"initialize comes first"}}`)
		say(`{`)
		hear(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
		say(`[]`)
		hear(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid JSON-RPC message"}}`)
		say(hello)
		if got, _ := lines.ReadString('\n'); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
			t.Fatalf("initialize gives %s", got)
		}
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		say(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`)
		hear(`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"{\"text\":\"hi\"}"}],"structuredContent":{"text":"hi"}}}`)
		say(`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"skillmap://graph"}}`)
		hear(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.Updated("skillmap://graph")
		hear(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"skillmap://graph"}}`)
		say(hello)
		hear(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}}`)
		toServer.Close()
		if err := <-ended; err != nil {
			t.Errorf("ends with %v", err)
		}
	})
}

func TestStdioCancelsWhatRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, left := parked(t)
		start := time.Now()
		if err := s.ServeStdio(t.Context(), strings.NewReader(hello+"\n"+park+"\n"), io.Discard); err != nil {
			t.Error(err)
		}
		if <-left; time.Since(start) != 2*time.Second {
			t.Errorf("the call ran on for %v after the client left", time.Since(start))
		}
	})
}

// TestStdioEndsWithItsContext: a host that stops the program need not close
// the pipe first, and a person at a terminal cannot.
func TestStdioEndsWithItsContext(t *testing.T) {
	s, started, left := parked(t)
	in, say := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStdio(ctx, in, io.Discard) }()
	for _, line := range []string{hello, park} {
		if _, err := io.WriteString(say, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-started
	stop()
	<-left
	if err := <-ended; err != nil {
		t.Errorf("ends with %v", err)
	}
	_ = say.Close()
}

func TestStdioLine(t *testing.T) {
	o := options()
	o.Limits.Body = 1000
	err := newServer(t, o).ServeStdio(t.Context(), strings.NewReader(strings.Repeat("x", 2000)+"\n"), io.Discard)
	if fault.Of(err) != fault.TooLarge || !strings.Contains(fault.Text(err), "1000 bytes") {
		t.Errorf("a line without end gives %v", err)
	}
}

func TestClosedSessionHearsNothing(t *testing.T) {
	s := newServer(t, options())
	p := over(t, s).open()
	l := p.listen(true)
	p.do("DELETE", "")
	if m, ok := <-l.messages; ok {
		t.Errorf("the stream of an ended session says %s", m.Method)
	}
	s.Updated("skillmap://graph")
	s.ResourcesChanged()
}

var _ http.Handler = (*mcp.Server)(nil)
