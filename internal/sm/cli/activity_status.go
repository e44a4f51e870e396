package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"os/exec"
	"slices"
	"time"

	"skillforge/internal/sm/activity"
	"skillforge/internal/sm/api"
)

// hookRow is how one host stands.
type hookRow struct {
	ID         string             `json:"id"`
	State      string             `json:"state"` // installed, partial or not-installed
	ConfigPath string             `json:"configPath"`
	Verify     string             `json:"verify,omitempty"`
	Digest     *activity.Received `json:"digest,omitempty"` // what the server heard of it
	wired      activity.Wired
}

func activityStatusVerb() *verb {
	var host string
	var verify bool
	return &verb{
		name: "activity status", category: setup, brief: "Say which hosts tell what their agents do",
		details: "With --verify it runs what the hooks run, and looks whether that reaches the server.",
		args:    []arg{maybe(&host, "HOST", "all of them unless said: "+words(activity.Providers()))},
		flags:   []flag{toggle(&verify, "verify", "", "Try them.")},
		exits:   []exit{{1, "what is installed does not reach the server"}},
		run: func(ctx context.Context, s *session) error {
			hosts := activity.Providers()
			if host != "" {
				hosts = []string{host}
			}
			rows, err := s.hookRows(ctx, hosts)
			if err != nil {
				return err
			}
			if verify {
				for i := range rows {
					rows[i].Verify = s.tryHook(ctx, rows[i])
				}
			}
			return s.showHooks(rows)
		},
	}
}

func (s *session) hookRows(ctx context.Context, hosts []string) ([]hookRow, error) {
	a := s.open()
	defer func() { _ = a.Close() }() // the database was not used
	heard, _ := api.Disclaimed(ctx, s.project())
	rows := []hookRow{}
	for _, id := range hosts {
		state, err := a.HookState(id)
		if err != nil {
			return nil, err
		}
		row := hookRow{ID: id, State: state.State(), ConfigPath: state.ConfigPath, wired: state}
		if i := slices.IndexFunc(heard, func(r activity.Received) bool { return r.ID == id }); i >= 0 {
			row.Digest = &heard[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *session) showHooks(rows []hookRow) error {
	failed := slices.ContainsFunc(rows, func(r hookRow) bool {
		return slices.Contains([]string{"incomplete", "server-down", "bridge-failed", "not-received"}, r.Verify)
	})
	if s.json {
		err := s.emit(struct {
			OK        bool      `json:"ok"`
			Kind      string    `json:"kind"`
			Providers []hookRow `json:"providers"`
			ElapsedMs int64     `json:"elapsedMs"`
		}{!failed, "activity-status", rows, s.elapsedMs()})
		if err != nil {
			return err
		}
	} else {
		for _, r := range rows {
			s.printf("%-12s %-14s %s", r.ID, r.State, r.ConfigPath)
			if r.Verify != "" {
				s.printf("  %s", r.Verify)
			}
			if r.Digest != nil && r.Digest.Received > 0 {
				s.printf("  %d events, %d on the map", r.Digest.Received, r.Digest.Resolved)
			}
			s.printf("\n")
		}
	}
	if failed {
		return errNotClean
	}
	return nil
}

// How long a self-test waits: for the hook, and for its event to be seen.
const (
	hookPatience = 5 * time.Second
	seenPatience = 3 * time.Second
	seenEvery    = 100 * time.Millisecond
)

// tryHook runs what a host's hooks run and says what came of it in a word.
func (s *session) tryHook(ctx context.Context, r hookRow) string {
	switch {
	case r.State == "not-installed":
		return "not-installed"
	case r.State == "partial":
		return "incomplete"
	case r.ID == "opencode":
		return "unsupported" // its hooks run inside it
	}
	if _, up := api.Serving(ctx, s.project()); !up {
		return "server-down"
	}
	nonce := rand.Text()
	event, err := json.Marshal(map[string]string{"hook_event_name": "SelfTest", "__skillMapProbe": nonce})
	if err != nil || !r.wired.BridgePresent || !s.runHook(ctx, r.ID, event) {
		return "bridge-failed"
	}
	ctx, cancel := context.WithTimeout(ctx, seenPatience)
	defer cancel()
	again := time.NewTicker(seenEvery)
	defer again.Stop()
	for !api.Probed(ctx, s.project(), nonce) {
		select {
		case <-ctx.Done():
			return "not-received"
		case <-again.C:
		}
	}
	return "ok"
}

// runHook runs the command of a host's hooks as the host does: it must end
// well and say nothing.
func (s *session) runHook(ctx context.Context, host string, event []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", activity.Command(host))
	cmd.Dir, cmd.Stdin = s.Dir, bytes.NewReader(event)
	out, err := cmd.Output()
	return err == nil && len(out) == 0
}
