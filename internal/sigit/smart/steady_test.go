package smart_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"skillforge/internal/sigit"
	"skillforge/internal/sigit/smart"
)

// timed notes the deadlines that a handler sets.
type timed struct {
	*httptest.ResponseRecorder
	mu            sync.Mutex
	reads, writes []time.Time
}

func (d *timed) SetReadDeadline(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads = append(d.reads, t)
	return nil
}

func (d *timed) SetWriteDeadline(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = append(d.writes, t)
	return nil
}

// TestStreamsEndWhenTheyStandStill: a transfer has no fixed end; each piece
// that moves gives it the whole patience again.
func TestStreamsEndWhenTheyStandStill(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	must(t, work(t), "push", c.as("alice", "alice/notes"), "main")
	o := smart.Options{Forge: c.forge, Caller: func(*http.Request) (sigit.Actor, error) { return c.who["alice"], nil }, Idle: time.Hour}
	mux := http.NewServeMux()
	for _, r := range smart.New(o).Routes() {
		mux.HandleFunc(r.Pattern, r.Serve)
	}
	_, code, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	tip, err := code.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	want := func(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }
	body := want("want "+tip.OID+" no-progress\n") + "0000" + want("done\n")
	r := httptest.NewRequest("POST", "/alice/notes/git-upload-pack", io.MultiReader(strings.NewReader(body[:30]), strings.NewReader(body[30:])))
	r.Header.Set("Content-Type", "application/x-git-upload-pack-request")
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	begun := time.Now()
	mux.ServeHTTP(w, r)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "PACK") {
		t.Fatalf("fetching answers %d %.100q", w.Code, w.Body)
	}
	for what, list := range map[string][]time.Time{"reads": w.reads, "writes": w.writes} {
		if len(list) < 2 {
			t.Errorf("%d %s have a deadline of their own", len(list), what)
		}
		for _, at := range list {
			if at.Before(begun.Add(time.Hour)) {
				t.Errorf("one of the %s must end in %v, want an hour from then", what, at.Sub(begun))
			}
		}
	}
}

// TestStalledClient: who stands still is let go, and the place with it.
func TestStalledClient(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	must(t, work(t), "push", c.as("alice", "alice/notes"), "main")
	mux := http.NewServeMux()
	caller := func(*http.Request) (sigit.Actor, error) { return c.who["alice"], nil }
	for _, r := range smart.New(smart.Options{Forge: c.forge, Caller: caller, Idle: time.Second, AtOnce: 1}).Routes() {
		mux.HandleFunc(r.Pattern, r.Serve)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /alice/notes/git-upload-pack HTTP/1.1\r\nHost: sigit.test\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: 1000\r\n\r\n0032want ")
	if _, err := io.ReadAll(bufio.NewReader(conn)); err != nil { // ends with the connection
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/alice/notes/info/refs?service=git-upload-pack", nil)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "refs/heads/main") {
		t.Errorf("the next caller hears %d %.100q", w.Code, w.Body)
	}
}
