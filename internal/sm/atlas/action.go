package atlas

import (
	"context"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/store"
)

// Ids of the actions that need no agent.
const (
	BumpAction      = "core/node-bump"
	TagsAction      = "core/node-set-tags"
	StabilityAction = "core/node-set-stability"
	GitHubAction    = "github/enrichment"
)

type action struct {
	id, about string
	on        bool // unless somebody says otherwise
}

var actions = []action{
	{BumpAction, "Raises the version in a file's sidecar and notes the state of the file.", false},
	{StabilityAction, "Marks a file as experimental, stable or deprecated.", false},
	{TagsAction, "Gives a file its tags.", true},
	{GitHubAction, "Compares a file with the one on GitHub that it was taken from.", false},
}

// ActionInfo describes something that can be done with files: by the program
// itself, or by an agent. Its JSON is the contract's; kind and role are ours.
type ActionInfo struct {
	QualifiedID     string        `json:"qualifiedId"`
	ID              string        `json:"id"`
	PluginID        string        `json:"pluginId"`
	Kind            job.Kind      `json:"kind"`
	Role            job.Role      `json:"role,omitempty"`
	Mode            string        `json:"mode"`   // deterministic or probabilistic
	Source          string        `json:"source"` // built-in or drop-in
	Description     string        `json:"description"`
	Precondition    *Precondition `json:"precondition,omitempty"`
	ExpectedSeconds int           `json:"probExpectedDurationSeconds,omitempty"`
	Enabled         bool          `json:"enabled"`

	ReportSchema []byte `json:"-"`
	Prompt       string `json:"-"`
}

// Precondition says which files an action is for, and what a fixer mends.
type Precondition struct {
	job.Precondition
	AnalyzerIDs []string `json:"analyzerIds,omitempty"`
}

// Actions lists what can be done with files, by id: actions of the program,
// and everything that an agent can be asked for. Those that are off are among
// them when all is set.
func (a *Atlas) Actions(all bool) []ActionInfo {
	s := a.Settings()
	list := []ActionInfo{}
	for _, act := range actions {
		on := s.ExtensionEnabled(act.id, act.on)
		if on || all {
			list = append(list, ActionInfo{QualifiedID: act.id, ID: skillmap.ShortID(act.id), PluginID: pluginOf(act.id), Kind: job.Action, Mode: "deterministic", Source: "built-in", Description: act.about, Enabled: on})
		}
	}
	on := a.catalog(s)
	set := on
	if all {
		set = a.everything(s)
	}
	for _, e := range set.Offered() {
		_, enabled := on.ByKind(e.ID, e.Kind)
		list = append(list, infoOf(e, enabled))
	}
	slices.SortFunc(list, func(x, y ActionInfo) int { return strings.Compare(x.QualifiedID, y.QualifiedID) })
	return list
}

func infoOf(e job.Extension, enabled bool) ActionInfo {
	info := ActionInfo{
		QualifiedID: e.ID, ID: skillmap.ShortID(e.ID), PluginID: pluginOf(e.ID), Kind: e.Kind, Role: e.Role(), Mode: "probabilistic", Source: "drop-in",
		Description: e.Description, ExpectedSeconds: e.ExpectedSeconds, Enabled: enabled, ReportSchema: e.ReportSchema, Prompt: e.Prompt,
	}
	if slices.Contains(builtInPlugins(), info.PluginID) {
		info.Source = "built-in"
	}
	if p := e.Precondition; len(p.Providers)+len(p.Kinds)+len(p.FrontmatterMissing)+len(e.AnalyzerIDs) > 0 {
		info.Precondition = &Precondition{p, e.AnalyzerIDs}
	}
	return info
}

func pluginOf(id string) string {
	p, _, _ := strings.Cut(id, "/")
	return p
}

// Action finds one by its id, qualified or bare. The fault is NotFound.
func (a *Atlas) Action(id string) (ActionInfo, error) {
	for _, info := range a.Actions(true) {
		if info.QualifiedID == id || info.ID == id {
			return info, nil
		}
	}
	return ActionInfo{}, fault.Coded(fault.NotFound, "not-found", "There is no action %q; `sm actions list` shows them.", id)
}

// needAction refuses an action that is switched off.
func (a *Atlas) needAction(id string) error {
	at := slices.IndexFunc(actions, func(act action) bool { return act.id == id })
	if a.Settings().ExtensionEnabled(id, actions[at].on) {
		return nil
	}
	return fault.Coded(fault.Invalid, "action-disabled", "%s is switched off. `sm plugins enable %s` switches it on.", id, id)
}

// ActionReport is what an action that needs no agent says of itself.
type ActionReport struct {
	OK             bool     `json:"ok"`
	Noop           bool     `json:"noop,omitempty"`
	Reason         string   `json:"reason,omitempty"`
	Tags           []string `json:"tags,omitempty"`
	Stability      string   `json:"stability,omitempty"`
	Version        int      `json:"version,omitempty"`
	CreatedSidecar bool     `json:"createdSidecar,omitempty"`
}

// SetTags gives a node exactly these tags, trimmed and each once.
func (a *Atlas) SetTags(ctx context.Context, by sm.Channel, path string, tags []string, c Consent) (ActionReport, error) {
	list := []any{}
	clean := []string{}
	for _, tag := range tags {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(clean, tag) {
			clean = append(clean, tag)
			list = append(list, tag)
		}
	}
	report := ActionReport{OK: true, Tags: clean}
	err := a.setAnnotation(ctx, TagsAction, path, c, &report, func(notes map[string]any) (any, bool) {
		return list, !slices.Equal(store.TagsOf(&skillmap.Node{Sidecar: skillmap.Sidecar{Annotations: notes}}), clean)
	}, "tags")
	return report, err
}

// Stabilities are the words of SetStability.
var Stabilities = []string{"experimental", "stable", "deprecated"}

// SetStability marks a node. A word that is none is refused in the report.
func (a *Atlas) SetStability(ctx context.Context, by sm.Channel, path, stability string, c Consent) (ActionReport, error) {
	if !slices.Contains(Stabilities, stability) {
		return ActionReport{Reason: "invalid"}, a.needAction(StabilityAction)
	}
	report := ActionReport{OK: true, Stability: stability}
	err := a.setAnnotation(ctx, StabilityAction, path, c, &report, func(notes map[string]any) (any, bool) {
		return stability, notes["stability"] != stability
	}, "stability")
	return report, err
}

// setAnnotation writes one key of a node's annotations.
func (a *Atlas) setAnnotation(ctx context.Context, id, path string, c Consent, report *ActionReport, value func(notes map[string]any) (any, bool), key string) error {
	if err := a.needAction(id); err != nil {
		return err
	}
	return a.write(ctx, func(tx *store.Tx) error {
		n, err := a.note(ctx, tx, path)
		if err != nil {
			return err
		}
		if n == nil {
			return unknownNode(path)
		}
		if err := a.consent(c); err != nil {
			return err
		}
		done, err := n.update(func(current map[string]any) (map[string]any, error) {
			v, changed := value(annotationsOf(current))
			report.Noop = !changed
			if !changed {
				return nil, nil
			}
			return map[string]any{"annotations": map[string]any{key: v}}, nil
		})
		report.CreatedSidecar = done.Created
		return err
	})
}

// ActionInput is what an action is told. Fields that it does not know are
// nobody's.
type ActionInput struct {
	Force     bool     `json:"force"`
	Tags      []string `json:"tags"`
	Stability string   `json:"stability"`
}

// RunAction does one of the actions that need no agent. The fault is NotFound
// for an action or a node that is none.
func (a *Atlas) RunAction(ctx context.Context, by sm.Channel, id, path string, in ActionInput, c Consent) (ActionReport, error) {
	var report ActionReport
	var err error
	switch id {
	case BumpAction:
		var bumped BumpReport
		bumped, err = a.Bump(ctx, by, path, BumpOptions{Force: in.Force, Consent: c})
		report = ActionReport{OK: bumped.OK, Noop: bumped.Noop, Reason: bumped.Reason, Version: bumped.Version, CreatedSidecar: bumped.CreatedSidecar}
	case TagsAction:
		report, err = a.SetTags(ctx, by, path, in.Tags, c)
	case StabilityAction:
		report, err = a.SetStability(ctx, by, path, in.Stability, c)
	default:
		return report, fault.Coded(fault.NotFound, "not-found", "There is no action %s that works without an agent.", id)
	}
	if err == nil && report.OK && !report.Noop {
		run := sm.NewRunID(sm.ExternalRun, a.now())
		a.tell(run, ActionApplied, actionApplied{id, path, report})
	}
	return report, err
}

// ActionApplied is the event of an action that changed something.
const ActionApplied = "action.applied"

type actionApplied struct {
	ActionID string       `json:"actionId"`
	NodePath string       `json:"nodePath"`
	Report   ActionReport `json:"report"`
}
