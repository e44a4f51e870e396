package atlas

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm"
	"skillforge/internal/sm/activity"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// sessionsFolder holds recorded sessions, inside .skill-map.
const sessionsFolder = "sessions"

// witness remembers what hooks told since the process began.
type witness struct {
	tracker activity.Tracker
	journal activity.Journal
	run     string // the id of all its events
}

func newWitness(a *Atlas) *witness {
	began := a.now()
	w := &witness{tracker: activity.Tracker{Since: began}, run: sm.NewRunID(sm.ExternalRun, began)}
	w.journal.Dir = a.project.Inside(sessionsFolder)
	w.journal.Written = func(file string, _ *activity.Recording) {
		a.Log(sm.Operation{Op: "activity.session-write", Target: file, Channel: sm.Hook, Outcome: "ok"})
	}
	return w
}

// Ingest says what came of a hook's event.
type Ingest struct {
	Resolved int // nodes, owners and sessions that listeners were told of
	Spawns   int
}

// IngestActivity takes in what a hook of an agent's host tells: it counts, and
// publishes events. Nothing of the event itself is kept but what the user lets
// it keep. The fault is Invalid with the code "no-provider" for a host whose
// hooks are not read.
func (a *Atlas) IngestActivity(ctx context.Context, host string, event map[string]any) (Ingest, error) {
	r, ok := activity.Read(host, event)
	if !ok {
		a.log.Warn("activity", "outcome", "no-provider")
		return Ingest{}, fault.Coded(fault.Invalid, "no-provider", "The hooks of %q are not read; those of %s are.", host, strings.Join(activity.Providers(), ", "))
	}
	snap, err := a.Snapshot(ctx)
	if err != nil {
		return Ingest{}, err
	}
	settings := a.Settings()
	told := a.witness.tracker.Take(r, activity.Intake{
		Level: a.captureLevel(settings), Keep: settings.Activity.CaptureConversations, At: a.now(),
		Find: func(t activity.Target) (string, bool) { return snap.find(a.project.Path("."), host, t) },
	})
	if told.Outcome == activity.Unresolved && len(snap.nodes) == 0 {
		told.Outcome = activity.NoNodes
	}
	a.log.Info("activity", "provider", host, "hook", r.Hook, "outcome", told.Outcome)
	if err := a.witness.journal.Keep(r, told, a.now()); err != nil {
		a.log.Warn("a session cannot be recorded", "err", err)
	}
	for _, s := range told.Spawns {
		a.tell(a.witness.run, activity.AgentSpawn, s)
	}
	for _, v := range told.Activities {
		a.tell(a.witness.run, activity.NodeActivity, v)
	}
	return Ingest{len(told.Activities), len(told.Spawns)}, nil
}

// captureLevel is how much is taken in now: while somebody records, what it was
// when that began.
func (a *Atlas) captureLevel(s *config.Settings) string {
	if level, on := a.witness.journal.Recording(); on {
		return level
	}
	level := cmp.Or(s.Activity.CaptureLevel, activity.DefaultLevel)
	if level == "shell" && !s.Activity.ShellCapture {
		return "mcp"
	}
	return level
}

// find looks for what a hook speaks of. A name is that of a node of the host's
// own kinds before one of another host's.
func (s *Snapshot) find(root, host string, t activity.Target) (string, bool) {
	switch {
	case t.Path != "":
		path, ok := activity.Inside(root, t.Path)
		return path, ok && s.at32(path) >= 0
	case t.URI != "":
		return t.URI, s.at32(t.URI) >= 0
	}
	want := skillmap.Normalize(t.Name)
	found := ""
	for _, i := range s.kinds[t.Kind] {
		n := s.nodes[i].Node
		if n.Provider != host && found != "" || want == "" {
			continue
		}
		called := slices.ContainsFunc(provider.Identifiers(provider.ByID(n.Provider), n.Kind, n.Path, n.Frontmatter), func(id provider.Identifier) bool { return id.Normalized == want })
		if !called {
			continue
		}
		if n.Provider == host {
			return n.Path, true
		}
		found = n.Path
	}
	return found, found != ""
}

// ActivitySummary is what hooks told since the process began.
func (a *Atlas) ActivitySummary() activity.Summary { return a.witness.tracker.Summary() }

// RunNodes lists the nodes that something of the history was about.
func (a *Atlas) RunNodes(ctx context.Context) ([]string, error) {
	list := []string{}
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.RunNodes(ctx)
		list = append(list, all...)
		return err
	})
	return list, ifMissing(err)
}

// NodeActivity is what is remembered of one node, and its last runs.
type NodeActivity struct {
	activity.NodeDetail
	CaptureEnabled bool  `json:"captureEnabled"`
	Runs           []Run `json:"runs"`
}

// Run is one line of the history, short.
type Run struct {
	ExecutionID   string      `json:"executionId"`
	ExtensionID   string      `json:"extensionId"`
	Status        job.Status  `json:"status"`
	Model         *string     `json:"model"`
	DurationMs    *int64      `json:"durationMs"`
	FinishedAt    int64       `json:"finishedAt"`
	FailureReason *job.Reason `json:"failureReason"`
}

// runsMax bounds the runs of NodeActivity.
const runsMax = 15

// ActivityOf is everything remembered of one node, which need not be on the
// map.
func (a *Atlas) ActivityOf(ctx context.Context, path string) (*NodeActivity, error) {
	out := &NodeActivity{NodeDetail: a.witness.tracker.Node(path), CaptureEnabled: a.Settings().Activity.CaptureConversations, Runs: []Run{}}
	err := a.Read(ctx, func(tx *store.Tx) error {
		all, err := tx.Executions(ctx, store.ExecutionFilter{Node: path, Limit: runsMax})
		for _, e := range all {
			out.Runs = append(out.Runs, Run{e.ID, e.ExtensionID, e.Status, e.Model, e.DurationMs, e.FinishedAt, e.FailureReason})
		}
		return err
	})
	return out, ifMissing(err)
}

// ForgetActivity clears what is remembered of a node, its lines of the history
// too.
func (a *Atlas) ForgetActivity(ctx context.Context, by sm.Channel, path string) error {
	err := a.write(ctx, func(tx *store.Tx) error { return tx.ForgetExecutions(ctx, path) })
	if err := ifMissing(err); err != nil {
		return err
	}
	a.witness.tracker.Forget(path)
	a.Log(sm.Operation{Op: "activity.clear", Target: path, Channel: by, Outcome: "ok"})
	return nil
}

// Conversation is what was kept of a sub-agent. The fault is NotFound when it
// is not known, or no more.
func (a *Atlas) Conversation(spawn string) (activity.Conversation, error) {
	c, ok := a.witness.tracker.Conversation(spawn)
	if !ok {
		return c, fault.Coded(fault.NotFound, "not-found", "Nothing is known of the sub-agent %q.", spawn)
	}
	return c, nil
}

// CaptureConversations lets what sub-agents are told and answer be kept in
// memory, or not. Those kept so far are dropped with it.
func (a *Atlas) CaptureConversations(on bool) error {
	if _, err := a.project.Set("activity.captureConversations", on, config.SetOptions{}); err != nil {
		return err
	}
	if !on {
		a.witness.tracker.Silence()
	}
	return nil
}

// CaptureLevel is how much of agents' work is taken in.
func (a *Atlas) CaptureLevel() string { return a.captureLevel(a.Settings()) }

// SetCaptureLevel changes it. The fault is Denied while somebody records, and
// Invalid for a word that is none, and for shell commands that the user does
// not let be recorded.
func (a *Atlas) SetCaptureLevel(level string) error {
	if _, on := a.witness.journal.Recording(); on {
		return fault.Coded(fault.Denied, "locked", "The level cannot change while sessions are recorded.").With("key", "activity.captureLevel")
	}
	if level == "shell" && !a.Settings().Activity.ShellCapture {
		return fault.Coded(fault.Invalid, "shell-not-enabled", "Shell commands are taken in once the hooks tell of them: `sm activity install HOST --shell`.").With("key", "activity.shellCapture")
	}
	_, err := a.project.Set("activity.captureLevel", level, config.SetOptions{})
	return err
}

// RecordSessions starts the recording of sessions, or stops it, and says
// whether they are recorded now: never where the settings switch that off.
func (a *Atlas) RecordSessions(on bool) (bool, error) {
	s := a.Settings()
	j := &a.witness.journal
	j.MaxFiles, j.MaxBytes = s.Activity.Journal.MaxFiles, s.Activity.Journal.MaxTotalBytes
	on = on && s.Activity.Journal.Enabled
	if on && a.project.Exists() {
		if _, err := a.project.TopUpGitignore(); err != nil {
			return false, err
		}
	}
	return on, j.Record(on, a.captureLevel(s), a.now())
}

// Sessions are the recorded sessions.
type Sessions struct {
	Sessions     []*activity.Recording `json:"sessions"` // the newest first
	Skipped      []activity.Skipped    `json:"skipped"`  // files that are none
	Recording    bool                  `json:"recording"`
	CaptureLevel string                `json:"captureLevel"`
	ShellCapture bool                  `json:"shellCapture"`
}

// ActivitySessions reads the recorded sessions.
func (a *Atlas) ActivitySessions() (*Sessions, error) {
	list, skipped, err := a.witness.journal.Sessions()
	_, on := a.witness.journal.Recording()
	s := a.Settings()
	return &Sessions{list, skipped, on, a.captureLevel(s), s.Activity.ShellCapture}, err
}

// ClearSessions removes them.
func (a *Atlas) ClearSessions(by sm.Channel) (int, error) {
	n, err := a.witness.journal.Clear()
	if err == nil {
		a.Log(sm.Operation{Op: "activity.sessions-clear", Target: "*", Channel: by, Outcome: "ok"})
	}
	return n, err
}

// Probe notes that the event of a self-test arrived, Probed says whether one
// did, and when.
func (a *Atlas) Probe(nonce string) { a.witness.tracker.Probe(nonce, a.now()) }

// Probed says whether the event of a self-test arrived, and when.
func (a *Atlas) Probed(nonce string) (time.Time, bool) { return a.witness.tracker.Probed(nonce) }

// Disclaimed counts what hooks told and what of it said nothing, of one host or
// of all.
func (a *Atlas) Disclaimed(host string) ([]activity.Received, error) {
	if host != "" && !slices.Contains(activity.Providers(), host) {
		return nil, fault.Coded(fault.Invalid, "unknown-provider", "The hooks of %q are not read.", host)
	}
	return a.witness.tracker.Disclaimed(host), nil
}

// HookState says how the hooks of a host stand. The fault is Invalid for a host
// whose hooks are not read.
func (a *Atlas) HookState(host string) (activity.Wired, error) {
	return activity.StatusOf(a.project.Path("."), host, filepath.SplitList(os.Getenv("PATH")))
}

// InstallHooks wires the hooks of a host to this program. shell says whether
// they tell of shell commands too; nil leaves that as it is settled.
func (a *Atlas) InstallHooks(host string, shell *bool) (activity.Wired, error) {
	want := a.Settings().Activity.ShellCapture && activity.CanShell(host)
	if shell != nil {
		want = *shell
	}
	if err := activity.Install(a.project.Path("."), host, want); err != nil {
		return activity.Wired{}, err
	}
	if shell != nil {
		if _, err := a.project.Set("activity.shellCapture", want, config.SetOptions{}); err != nil {
			return activity.Wired{}, err
		}
	}
	return a.HookState(host)
}

// UninstallHooks takes them away again; false when there were none.
func (a *Atlas) UninstallHooks(host string) (activity.Wired, bool, error) {
	removed, err := activity.Uninstall(a.project.Path("."), host)
	if err != nil {
		return activity.Wired{}, false, err
	}
	w, err := a.HookState(host)
	return w, removed, err
}

// close writes what is recorded to the end.
func (w *witness) close(now time.Time) error { return w.journal.Close(now) }
