package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"time"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
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
	info, err := readServeInfo(p.Inside(config.ServeFile))
	if err != nil || !httpd.IsLoopback(info.Host) || info.Port < 1 || info.Port > 65535 {
		return
	}
	root, err := filepath.Abs(p.Path("."))
	if err != nil || !sameFile(info.ScopeRoot, root) {
		return
	}
	for _, e := range events {
		if !info.push(ctx, e) {
			return
		}
	}
}

func (i ServeInfo) push(ctx context.Context, e sm.Event) bool {
	body, err := json.Marshal(e)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pushPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, i.URL()+"/api/job-events", bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(tokenHeader, i.Token)
	// No proxy, no redirects: the token is for that port alone.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusAccepted
}
