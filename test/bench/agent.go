package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// agent is an MCP client with one connection of its own, no more than it takes
// to measure a server.
type agent struct {
	url, token, session string
	client              *http.Client
	id                  int
	body                bytes.Buffer // of the last answer
}

const revision = "2025-06-18"

// newAgent shakes hands. The token is empty where none is needed.
func newAgent(ctx context.Context, url, token string) (*agent, error) {
	a := &agent{url: url, token: token, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}}
	answer, err := a.post(ctx, "initialize", map[string]any{"protocolVersion": revision, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err != nil {
		return nil, err
	}
	a.session = answer.Header.Get("Mcp-Session-Id")
	if _, err := a.post(ctx, "notifications/initialized", nil); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *agent) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, a.url, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if a.session != "" {
		r.Header.Set("Mcp-Session-Id", a.session)
		r.Header.Set("Mcp-Protocol-Version", revision)
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return r, nil
}

// post sends one message and reads the whole answer.
func (a *agent) post(ctx context.Context, method string, params any) (*http.Response, error) {
	message := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	if !strings.HasPrefix(method, "notifications/") {
		a.id++
		message["id"] = a.id
	}
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	r, err := a.request(ctx, http.MethodPost, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	a.body.Reset()
	if _, err := a.body.ReadFrom(answer.Body); err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 || bytes.Contains(a.body.Bytes(), []byte(`"error":{"code"`)) {
		return nil, fmt.Errorf("%s answers %d %.300s", method, answer.StatusCode, a.body.Bytes())
	}
	return answer, nil
}

// call calls a tool. The answer stays in body.
func (a *agent) call(ctx context.Context, tool string, arguments any) error {
	_, err := a.post(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err == nil && bytes.Contains(a.body.Bytes(), []byte(`"isError":true`)) {
		err = fmt.Errorf("%s refuses: %.300s", tool, a.body.Bytes())
		if bytes.Contains(a.body.Bytes(), []byte("goes on; ask the same again")) {
			err = errSlow
		}
	}
	return err
}

// errSlow is a search that takes longer than the forge lets somebody wait.
var errSlow = errors.New("the search goes on")

// text decodes the first text block of the last answer.
func (a *agent) text(to any) error {
	body := a.body.Bytes()
	if i := bytes.Index(body, []byte("data: ")); i >= 0 && !bytes.HasPrefix(body, []byte("{")) {
		body, _, _ = bytes.Cut(body[i+6:], []byte("\n"))
	}
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if len(answer.Result.Content) == 0 {
		return fmt.Errorf("an answer without text: %.200s", body)
	}
	return json.Unmarshal([]byte(answer.Result.Content[0].Text), to)
}

// listen opens the stream of a session and gives the time of each message
// that holds the words.
func (a *agent) listen(ctx context.Context, words string) (<-chan time.Time, error) {
	r, err := a.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("the stream answers %d", answer.StatusCode)
	}
	heard := make(chan time.Time, 1000)
	go func() {
		defer close(heard)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), words) {
				heard <- time.Now()
			}
		}
	}()
	return heard, nil
}

func (a *agent) close(ctx context.Context) {
	if a.session != "" {
		if r, err := a.request(ctx, http.MethodDelete, nil); err == nil {
			if answer, err := a.client.Do(r); err == nil {
				answer.Body.Close()
			}
		}
	}
	a.client.CloseIdleConnections()
}

// crew calls one tool from several agents at once.
type crew struct {
	took  []time.Duration
	wall  time.Duration
	bytes int
	slow  int // calls that ended with errSlow
}

func (c crew) rate() float64 { return float64(len(c.took)) / c.wall.Seconds() }

// drive makes n calls from so many agents; arguments are those of the i-th.
func (b *bench) drive(agents []*agent, n int, tool string, arguments func(i int) any) (crew, error) {
	return b.each(agents, n, func(a *agent, i int) error { return a.call(b, tool, arguments(i)) })
}

// rowTime bounds one row: slow calls are made less often.
const rowTime = 10 * time.Second

// each does n things, each by the next agent that is free, and takes the time
// of each. The first error ends it; past rowTime, two by each agent are enough.
func (b *bench) each(agents []*agent, n int, do func(a *agent, i int) error) (crew, error) {
	var mu sync.Mutex // guards what follows
	var out crew
	var first error
	next, begun := 0, time.Now()
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		i := next
		next++
		enough := i >= 2*len(agents) && time.Since(begun) > rowTime
		return i, i < n && !enough && first == nil && b.Err() == nil
	}
	give := func(took time.Duration, size int, err error) {
		mu.Lock()
		defer mu.Unlock()
		out.took, out.bytes = append(out.took, took), size
		if errors.Is(err, errSlow) {
			out.slow++
		} else if first == nil {
			first = err
		}
	}
	var wait sync.WaitGroup
	for _, a := range agents {
		wait.Go(func() {
			for i, more := take(); more; i, more = take() {
				start := time.Now()
				err := do(a, i)
				give(time.Since(start), a.body.Len(), err)
			}
		})
	}
	wait.Wait()
	out.wall = time.Since(begun)
	return out, first
}

func (b *bench) agents(n int, url, token string) ([]*agent, error) {
	var list []*agent
	for range n {
		a, err := newAgent(b, url, token)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// rows measures one tool at 1 and at 16 agents.
func (b *bench) rows(t *table, url, token, label, tool string, n int, arguments func(i int) any) error {
	for _, clients := range []int{1, 16} {
		agents, err := b.agents(clients, url, token)
		if err != nil {
			return err
		}
		if _, err := b.drive(agents, min(n, 10*clients), tool, arguments); err != nil { // warm
			return err
		}
		got, err := b.drive(agents, max(n, 2*clients), tool, arguments)
		for _, a := range agents {
			a.close(b)
		}
		if err != nil {
			return err
		}
		note := fmt.Sprintf("%.0f/s, %d kB", got.rate(), got.bytes/1000)
		if got.slow > 0 {
			note += fmt.Sprintf(", %d not in time", got.slow)
		}
		t.times(fmt.Sprintf("%s, %d at once", label, clients), got.took, "%s", note)
	}
	return nil
}
