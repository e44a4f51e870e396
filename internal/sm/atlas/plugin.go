package atlas

import (
	"context"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/plugin"
)

// Switch is an extension, or a whole plugin, that can be on or off.
type Switch struct {
	ID          string // qualified; a plugin's has no "/"
	Kind        string // provider, extractor, analyzer, action or formatter; empty for a plugin
	Description string
	Stability   string
	Version     string
	Ships       bool // on unless somebody says otherwise
	Locked      bool // never off
	On          bool // as the settings have it
	DropIn      bool

	fixes []string // of a fixer: what it mends
}

// Switches lists every extension, by plugin, and in it by kind and id.
func (a *Atlas) Switches() []Switch { return a.switches(a.Settings()) }

func (a *Atlas) switches(s *config.Settings) []Switch {
	list := builtInSwitches()
	for _, p := range plugin.Load(a.pluginHost(s)) {
		for _, e := range p.Extensions {
			list = append(list, Switch{ID: p.ID + "/" + e.ID, Kind: string(e.Kind), Description: e.Description, Stability: e.Stability, Version: e.Version, Ships: e.Stability != "experimental", DropIn: true})
		}
		for _, e := range p.Unloaded {
			list = append(list, Switch{ID: p.ID + "/" + e.ID, Kind: e.Kind, Description: e.Detail, Stability: e.Stability, Version: e.Version, Ships: e.Stability != "experimental", DropIn: true})
		}
		for _, e := range p.Jobs {
			i := slices.IndexFunc(list, func(sw Switch) bool { return sw.ID == e.ID })
			list[i].fixes, list[i].Ships = e.AnalyzerIDs, e.Default
		}
	}
	for i := range list {
		list[i].On = list[i].Locked || s.ExtensionEnabled(list[i].ID, list[i].Ships)
	}
	return list
}

func builtInSwitches() []Switch {
	var list []Switch
	add := func(sw Switch) {
		sw.Version = sm.Version
		list = append(list, sw)
	}
	for _, p := range provider.All() {
		sw := Switch{ID: p.ID + "/" + p.ID, Kind: "provider", Description: "Knows where " + p.Label + " keeps its files.", Ships: true, Locked: p.Base || p.Fallback}
		if p.Base {
			sw.ID = "core/" + p.ID
		}
		if p.Beta {
			sw.Stability = "beta"
		}
		add(sw)
	}
	for _, id := range extract.IDs() {
		add(Switch{ID: id, Kind: "extractor", Description: "Reads links of the kind " + skillmap.ShortID(id) + ".", Ships: true})
	}
	for _, an := range check.Analyzers() {
		add(Switch{ID: an.ID, Kind: "analyzer", Description: an.Description, Ships: an.Ships, Locked: an.Locked})
	}
	for _, e := range job.Builtin(sm.Version) {
		add(Switch{ID: e.ID, Kind: string(e.Kind), Description: e.Description, Stability: e.Stability, Ships: e.Default, Locked: e.Locked, fixes: e.AnalyzerIDs})
	}
	for _, act := range actions {
		add(Switch{ID: act.id, Kind: "action", Description: act.about, Ships: act.on})
	}
	for i, format := range draw.Formats {
		add(Switch{ID: "core/" + format, Kind: "formatter", Description: "Draws the map as " + format + ".", Ships: true, Locked: i == 0})
	}
	slices.SortStableFunc(list, func(x, y Switch) int {
		if c := compareTexts(groupRank(x.ID), groupRank(y.ID)); c != 0 {
			return c
		}
		return compareTexts(x.Kind, y.Kind, x.ID, y.ID)
	})
	return list
}

// groupRank sorts the core before the other plugins.
func groupRank(id string) string {
	if p := pluginOf(id); p != "core" {
		return p
	}
	return ""
}

// SetExtensions switches extensions on or off: ids of extensions, or of whole
// plugins. A fixer and its finder go together, as far as nothing else needs
// them. What is switched off has its queued jobs cancelled. It returns the ids
// whose setting changed. The fault is NotFound, before anything changes, for
// an id that is none, and Denied, code "locked", for one that cannot be
// switched off.
func (a *Atlas) SetExtensions(ctx context.Context, by sm.Channel, ids []string, on bool) ([]string, error) {
	s := a.Settings()
	known := a.switches(s)
	want, err := meantSwitches(known, ids, on)
	if err != nil {
		return nil, err
	}
	changed := []string{}
	for _, id := range withPartners(known, want, on) {
		for _, sw := range matchSwitch(known, id) {
			if sw.Locked || s.ExtensionEnabled(id, sw.Ships) == on {
				continue
			}
			if err := a.setSwitch(sw, on); err != nil {
				return changed, err
			}
			changed = append(changed, id)
		}
	}
	if !on && len(changed) > 0 && a.Exists() {
		if _, err := a.endAll(ctx, by, job.Cancel, changed, "disabled "); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// matchSwitch finds what an id means: a whole plugin, a qualified id, or a bare
// one that all extensions of that name answer to.
func matchSwitch(known []Switch, id string) []Switch {
	var match []Switch
	for _, sw := range known {
		switch {
		case sw.ID == id:
			return []Switch{sw}
		case pluginOf(sw.ID) == id:
			return []Switch{{ID: id, Ships: true, DropIn: sw.DropIn}}
		case skillmap.ShortID(sw.ID) == id:
			match = append(match, sw)
		}
	}
	return match
}

// withPartners adds to extensions the finders and fixers that go with them:
// when switching on all of them, when switching off those finders that no
// other fixer mends. A rule of the program itself stays as it is.
func withPartners(known []Switch, ids []string, on bool) []string {
	out := slices.Clone(ids)
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for _, sw := range known {
		for _, finder := range sw.fixes {
			if check.ByID(finder) != nil {
				continue
			}
			switch {
			case slices.Contains(ids, sw.ID) && (on || !mendedBy(known, finder, sw.ID)):
				add(finder)
			case slices.Contains(ids, finder):
				add(sw.ID)
			}
		}
	}
	return out
}

// mendedBy reports whether a fixer that is on, other than one, mends what a
// finder finds.
func mendedBy(known []Switch, finder, other string) bool {
	return slices.ContainsFunc(known, func(sw Switch) bool {
		return sw.ID != other && sw.On && skillmap.MatchAnalyzer(finder, sw.fixes...)
	})
}

// meantSwitches are the qualified ids of what is to be switched.
func meantSwitches(known []Switch, ids []string, on bool) ([]string, error) {
	var want []string
	for _, id := range ids {
		match := matchSwitch(known, id)
		if len(match) == 0 {
			return nil, fault.Coded(fault.NotFound, "not-found", "There is no plugin or extension %q; `sm plugins list` shows them.", id).With("id", id)
		}
		for _, sw := range match {
			if sw.Locked && !on {
				return nil, fault.Coded(fault.Denied, "locked", "%s cannot be switched off.", sw.ID).With("id", sw.ID)
			}
			want = append(want, sw.ID)
		}
	}
	return want, nil
}

// CheckSwitches is the fault that SetExtensions would give for switching these
// on and those off, so that a list is switched whole or not at all.
func (a *Atlas) CheckSwitches(on, off []string) error {
	known := a.Switches()
	if _, err := meantSwitches(known, on, true); err != nil {
		return err
	}
	_, err := meantSwitches(known, off, false)
	return err
}

// setSwitch stores a switch in the committed settings; one that says what
// holds anyway is taken out.
func (a *Atlas) setSwitch(sw Switch, on bool) error {
	key := "plugins." + pluginOf(sw.ID) + ".extensions." + skillmap.ShortID(sw.ID) + ".enabled"
	if sw.ID == pluginOf(sw.ID) {
		key = "plugins." + sw.ID + ".enabled"
	}
	if _, err := a.project.Reset(key, config.SetOptions{}); err != nil {
		return err
	}
	if a.Settings().ExtensionEnabled(sw.ID, sw.Ships) == on {
		return nil
	}
	_, err := a.project.Set(key, on, config.SetOptions{})
	return err
}

// Plugins lists the drop-in plugins.
func (a *Atlas) Plugins() []plugin.Plugin {
	list := plugin.Load(a.pluginHost(a.Settings()))
	if list == nil {
		return []plugin.Plugin{}
	}
	return list
}

// Plugin finds a drop-in plugin. The fault is NotFound.
func (a *Atlas) Plugin(id string) (plugin.Plugin, error) {
	p, ok := plugin.Find(a.Plugins(), id)
	if !ok {
		return p, fault.Coded(fault.NotFound, "not-found", "There is no drop-in plugin %q below .skill-map/%s.", id, plugin.Folder)
	}
	return p, nil
}

// TrustPlugin lets a drop-in plugin take part in this copy of the project.
func (a *Atlas) TrustPlugin(id string) error {
	if _, err := a.Plugin(id); err != nil {
		return err
	}
	return a.project.TrustPlugin(id)
}

// DistrustPlugin takes that back, and cancels the plugin's queued jobs. It
// reports whether there was any trust.
func (a *Atlas) DistrustPlugin(ctx context.Context, by sm.Channel, id string) (bool, error) {
	var ids []string
	if p, err := a.Plugin(id); err == nil {
		for _, e := range p.Jobs {
			ids = append(ids, e.ID)
		}
	}
	was, err := a.project.DistrustPlugin(id)
	if err != nil || len(ids) == 0 || !a.Exists() {
		return was, err
	}
	_, err = a.endAll(ctx, by, job.Cancel, ids, "untrusted ")
	return was, err
}

// CreatePlugin makes a drop-in plugin to start from, and trusts it. It returns
// the files it made, relative to the project.
func (a *Atlas) CreatePlugin(id, shape string) ([]string, error) {
	if slices.Contains(builtInPlugins(), id) {
		return nil, fault.New(fault.Invalid, "%s is the name of a plugin that comes with the program; choose another.", id)
	}
	files, err := plugin.Create(a.project.Inside(plugin.Folder), id, shape)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		files[i] = strings.Join([]string{config.Folder, plugin.Folder, f}, "/")
	}
	return files, a.project.TrustPlugin(id)
}

// PluginInfo is a plugin with its extensions: one that comes with the program,
// or a drop-in. Its JSON is the contract's.
type PluginInfo struct {
	ID          string            `json:"id"`
	Version     string            `json:"version"`
	Kinds       []string          `json:"kinds"`
	Status      plugin.Status     `json:"status"`
	Reason      *string           `json:"reason"`
	Source      string            `json:"source"` // built-in or drop-in
	Description string            `json:"description"`
	Trusted     *bool             `json:"trusted,omitempty"` // of a drop-in
	Path        string            `json:"path,omitempty"`    // the same
	Order       int               `json:"order"`
	Extensions  []ExtensionInfo   `json:"extensions"`
	Unloaded    []plugin.Unloaded `json:"unloadedExtensions,omitempty"`
}

// ExtensionInfo is an extension of a plugin.
type ExtensionInfo struct {
	ID          string `json:"id"` // without the plugin's
	Kind        string `json:"kind"`
	Version     string `json:"version"`
	Enabled     bool   `json:"enabled"`
	Description string `json:"description"`
	Stability   string `json:"stability,omitempty"`
	Locked      bool   `json:"locked,omitempty"`
}

// PluginList lists every plugin: the core, the others that come with the
// program, the drop-ins.
func (a *Atlas) PluginList() []PluginInfo {
	var out []PluginInfo
	at := map[string]int{}
	for _, sw := range a.Switches() {
		if sw.DropIn {
			continue
		}
		id, name, _ := strings.Cut(sw.ID, "/")
		i, ok := at[id]
		if !ok {
			i, at[id] = len(out), len(out)
			out = append(out, PluginInfo{ID: id, Version: sm.Version, Description: aboutPlugin(id), Source: "built-in", Status: plugin.Disabled, Extensions: []ExtensionInfo{}})
		}
		if sw.On {
			out[i].Status = plugin.Enabled
		}
		out[i].Extensions = append(out[i].Extensions, ExtensionInfo{name, sw.Kind, sw.Version, sw.On, sw.Description, sw.Stability, sw.Locked})
	}
	for _, p := range a.Plugins() {
		info := PluginInfo{ID: p.ID, Version: p.Version, Description: p.Description, Source: p.Source, Status: p.Status, Reason: p.Reason, Trusted: &p.Trusted, Path: p.Path, Extensions: []ExtensionInfo{}, Unloaded: p.Unloaded}
		for _, e := range p.Extensions {
			info.Extensions = append(info.Extensions, ExtensionInfo{e.ID, string(e.Kind), e.Version, e.Enabled, e.Description, e.Stability, false})
		}
		out = append(out, info)
	}
	for i := range out {
		out[i].Order, out[i].Kinds = i, []string{}
		for _, e := range out[i].Extensions {
			if !slices.Contains(out[i].Kinds, e.Kind) {
				out[i].Kinds = append(out[i].Kinds, e.Kind)
			}
		}
		slices.Sort(out[i].Kinds)
	}
	return out
}

func aboutPlugin(id string) string {
	if p := provider.ByID(id); p != nil && !p.Base {
		return "Reads the files of " + p.Label + "."
	}
	if id == "core" {
		return "The rules, formats and actions that every project has."
	}
	return "Asks GitHub about files that were taken from there."
}
