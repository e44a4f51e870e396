package atlas

import (
	"slices"

	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/plugin"
)

// Extension is a kind of work that can be asked for, as callers see it.
type Extension struct {
	ID          string   `json:"id"`
	Kind        job.Kind `json:"kind"`
	Role        job.Role `json:"role"`
	Description string   `json:"description"`
	AnalyzerIDs []string `json:"analyzerIds,omitempty"`
}

// Extensions lists what can be asked for now: every extension that is on and
// works through an agent, by id.
func (a *Atlas) Extensions() []Extension {
	list := []Extension{}
	for _, e := range a.catalog(a.Settings()).Offered() {
		list = append(list, Extension{e.ID, e.Kind, e.Role(), e.Description, e.AnalyzerIDs})
	}
	return list
}

// catalog is the set of extensions as the settings have it.
func (a *Atlas) catalog(s *config.Settings) *job.Catalog {
	var on []job.Extension
	for _, e := range job.Builtin(sm.Version) {
		if e.Locked || s.ExtensionEnabled(e.ID, e.Default) {
			on = append(on, e)
		}
	}
	for _, p := range plugin.Load(a.pluginHost(s)) {
		on = append(on, p.Jobs...)
	}
	return job.NewCatalog(on, deterministic())
}

// everything is the set of extensions whether they are on or not: a job that
// is under way comes to its end after somebody switched its extension off.
func (a *Atlas) everything(s *config.Settings) *job.Catalog {
	host := a.pluginHost(s)
	host.Enabled = func(string, bool) bool { return true }
	all := job.Builtin(sm.Version)
	for _, p := range plugin.Load(host) {
		all = append(all, p.Jobs...)
	}
	return job.NewCatalog(all, deterministic())
}

// pluginHost is what drop-in plugins depend on.
func (a *Atlas) pluginHost(s *config.Settings) plugin.Host {
	return plugin.Host{
		Folder: a.project.Inside(plugin.Folder), SpecVersion: sm.SpecVersion, Trusts: a.project.Trusts, BuiltIn: builtInPlugins(),
		On: func(id string) bool {
			on := s.Plugins[id].Enabled
			return on == nil || *on
		},
		Enabled: s.ExtensionEnabled,
	}
}

func builtInPlugins() []string {
	ids := []string{"core", "github"}
	for _, p := range provider.All() {
		if !p.Base {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// deterministic lists the extensions that need no agent.
func deterministic() []string {
	var ids []string
	for _, an := range check.Analyzers() {
		ids = append(ids, an.ID)
	}
	for _, act := range actions {
		ids = append(ids, act.id)
	}
	return ids
}

// mendsIssues reports whether a fixer mends what a rule of this program
// reports, and not what an agent found.
func mendsIssues(e *job.Extension) bool {
	return slices.ContainsFunc(e.AnalyzerIDs, func(id string) bool { return check.ByID(id) != nil })
}
