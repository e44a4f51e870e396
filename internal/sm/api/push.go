package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/activity"
	"skillforge/internal/sm/config"
)

// tokenHeader carries the token of serve.json. It shows that the sender may
// read this user's files of the project.
const tokenHeader = "X-Skill-Map-Token"

// pushPatience is how long a command waits for the server to take an event.
const pushPatience = 250 * time.Millisecond

// Push hands events that a command caused to the server of the project, so
// that pages and clients see them. Without a server, or when it does not take
// them, nothing happens: the database holds what counts.
func Push(ctx context.Context, p config.Project, events []sm.Event) {
	if len(events) == 0 {
		return
	}
	info, ok := nominal(p)
	if !ok {
		return
	}
	for _, e := range events {
		body, err := json.Marshal(e)
		if err != nil {
			return
		}
		if status, _ := info.ask(ctx, pushPatience, http.MethodPost, "/api/job-events", body); status != http.StatusAccepted {
			return
		}
	}
}

// reportPatience is how long a hook may hold up the agent.
const reportPatience = 1500 * time.Millisecond

// Report hands what a hook of an agent's host tells to the server of the
// project. It is false when nobody took it.
func Report(ctx context.Context, p config.Project, host string, event map[string]any) bool {
	info, ok := nominal(p)
	if !ok {
		return false
	}
	body, err := json.Marshal(map[string]any{"provider": host, "event": activity.Trim(event)})
	if err != nil {
		return false
	}
	status, _ := info.ask(ctx, reportPatience, http.MethodPost, "/api/activity", body)
	return status == http.StatusAccepted
}

// Probed asks the server of the project whether the event of a self-test
// arrived.
func Probed(ctx context.Context, p config.Project, nonce string) bool {
	var out struct {
		Seen bool `json:"seen"`
	}
	return get(ctx, p, "/api/activity/probe?nonce="+url.QueryEscape(nonce), &out) && out.Seen
}

// Disclaimed asks the server of the project what hooks told so far.
func Disclaimed(ctx context.Context, p config.Project) ([]activity.Received, bool) {
	var out struct {
		Providers []activity.Received `json:"providers"`
	}
	ok := get(ctx, p, "/api/activity/disclaimed", &out)
	return out.Providers, ok
}

func get(ctx context.Context, p config.Project, path string, out any) bool {
	info, ok := nominal(p)
	if !ok {
		return false
	}
	status, body := info.ask(ctx, patience, http.MethodGet, path, nil)
	return status == http.StatusOK && json.Unmarshal(body, out) == nil
}

// nominal is the server that serve.json names, alive or not.
func nominal(p config.Project) (ServeInfo, bool) {
	info, err := readServeInfo(p.Inside(config.ServeFile))
	if err != nil || !httpd.IsLoopback(info.Host) || info.Port < 1 || info.Port > 65535 {
		return info, false
	}
	root, err := filepath.Abs(p.Path("."))
	return info, err == nil && sameFile(info.ScopeRoot, root)
}

// ask sends one request to the server and reads the answer; the status is 0
// when there is none.
func (i ServeInfo) ask(ctx context.Context, patience time.Duration, method, path string, body []byte) (status int, answer []byte) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, i.URL()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(tokenHeader, i.Token)
	// No proxy, no redirects: the token is for that port alone.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, bodyLimit))
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, answer
}
