package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"skillforge/internal/sm"
)

func dial(t *testing.T, s *site) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.url, "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func receive(t *testing.T, conn *websocket.Conn) (map[string]any, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	_, text, err := conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	return object(t, text), nil
}

func TestSocketCarriesEvents(t *testing.T) {
	s := serve(t, project(t, small))
	one, two := dial(t, s), dial(t, s)
	// What a client says is ignored.
	if err := one.Write(context.Background(), websocket.MessageText, []byte(strings.Repeat("x", 100_000))); err != nil {
		t.Fatal(err)
	}
	if a := s.do("POST", "/api/scan", ""); a.status != 200 {
		t.Fatalf("scan gives %d %s", a.status, a.body)
	}
	for _, conn := range []*websocket.Conn{one, two} {
		seen := map[string]bool{}
		for !seen[sm.ScanCompleted] {
			e, err := receive(t, conn)
			if err != nil {
				t.Fatalf("after %v: %v", seen, err)
			}
			seen[e["type"].(string)] = true
			for _, key := range []string{"type", "timestamp", "runId", "jobId", "data"} {
				if _, ok := e[key]; !ok {
					t.Fatalf("event %v lacks %s", e, key)
				}
			}
			if at, ok := e["timestamp"].(float64); !ok || at < 1e12 {
				t.Fatalf("timestamp %v is not in milliseconds", e["timestamp"])
			}
			if e["type"] == sm.ScanCompleted && dig(e, "data", "stats", "nodesCount") == nil {
				t.Errorf("scan.completed is %v, want stats beside the counts", e)
			}
		}
		if !seen[sm.ScanStarted] {
			t.Errorf("saw %v, want scan.started", seen)
		}
	}
}

func TestSocketHasNoReplay(t *testing.T) {
	s := serve(t, project(t, small))
	early := dial(t, s)
	s.atlas.Events.Publish(sm.Event{Type: "before"})
	if e, err := receive(t, early); err != nil || e["type"] != "before" {
		t.Fatalf("who was there hears %v (%v)", e, err)
	}
	late := dial(t, s)
	s.atlas.Events.Publish(sm.Event{Type: "after"})
	if e, err := receive(t, late); err != nil || e["type"] != "after" {
		t.Errorf("who came later hears %v first (%v)", e, err)
	}
}

func TestTooManySockets(t *testing.T) {
	s := serve(t, project(t, small))
	ended := make(chan error, 65)
	for range 65 { // whichever comes last is the one too many
		conn := dial(t, s)
		go func() { _, err := receive(t, conn); ended <- err }()
	}
	if err := <-ended; websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), "too many connections") {
		t.Errorf("one too many ends with %v, want 1013", err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	for range 64 {
		if err := <-ended; websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("the others end with %v, want 1001", err)
		}
	}
}

func TestSocketsGoWithTheServer(t *testing.T) {
	s := serve(t, project(t, small))
	conn := dial(t, s)
	ended := make(chan error, 1)
	go func() { _, err := receive(t, conn); ended <- err }()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; websocket.CloseStatus(err) != websocket.StatusGoingAway || !strings.Contains(err.Error(), "server shutdown") {
		t.Errorf("ends with %v, want 1001", err)
	}
}

func TestEventsOfAgents(t *testing.T) {
	s := serve(t, project(t, small))
	conn := dial(t, s)
	s.atlas.Events.Publish(sm.Event{Type: "job.claimed", Timestamp: 1796033703474})
	s.atlas.Events.Publish(sm.Event{Type: "job.completed", Timestamp: 1796033703475})
	for {
		e, err := receive(t, conn)
		if err != nil {
			t.Fatal(err)
		}
		if e["type"] == "job.completed" {
			break
		}
	}
	v := s.get("/api/agent/presence", 200)
	if v["attending"] != true || v["lastClaimAt"] != json.Number("1796033703474") && v["lastClaimAt"] != 1796033703474.0 {
		t.Errorf("presence %v", v)
	}
}
