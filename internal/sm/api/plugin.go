package api

import (
	"net/http"
	"slices"
	"strings"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/job"
)

// plugin is a group of extensions that comes and goes together.
type plugin struct {
	ID          string      `json:"id"`
	Version     string      `json:"version"`
	Kinds       []string    `json:"kinds"`
	Status      string      `json:"status"`
	Reason      *string     `json:"reason"`
	Source      string      `json:"source"`
	Description string      `json:"description"`
	Order       int         `json:"order"`
	Extensions  []extension `json:"extensions"`
}

// extension is one provider, analyzer, formatter or action of a plugin.
type extension struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Version     string `json:"version"`
	Enabled     bool   `json:"enabled"`
	Description string `json:"description"`
	Stability   string `json:"stability,omitempty"`
	Locked      bool   `json:"locked,omitempty"`

	plugin string
}

// plugins lists what is built in, switched as the settings have it.
func (s *Server) plugins(w http.ResponseWriter, _ *http.Request) error {
	items := builtins(s.atlas.Settings())
	encoded, err := encode(items)
	if err != nil {
		return err
	}
	return list{kind: "plugins", items: encoded, total: len(items), count: len(items)}.write(w)
}

func builtins(set *config.Settings) []plugin {
	found := map[string]*plugin{}
	order := []*plugin{}
	for _, e := range extensions() {
		p := found[e.plugin]
		if p == nil {
			p = &plugin{ID: e.plugin, Version: sm.Version, Status: "enabled", Source: "built-in", Description: describe(e.plugin), Order: len(order), Kinds: []string{}}
			found[e.plugin] = p
			order = append(order, p)
		}
		e.Enabled = e.Locked || set.ExtensionEnabled(e.plugin+"/"+e.ID, e.Enabled)
		p.Extensions = append(p.Extensions, e)
		if !slices.Contains(p.Kinds, e.Kind) {
			p.Kinds = append(p.Kinds, e.Kind)
		}
	}
	list := make([]plugin, len(order))
	for i, p := range order {
		slices.Sort(p.Kinds)
		if !slices.ContainsFunc(p.Extensions, func(e extension) bool { return e.Enabled }) {
			p.Status = "disabled"
		}
		list[i] = *p
	}
	return list
}

// extensions lists every built-in extension, the core ones first.
func extensions() []extension {
	var all []extension
	for _, p := range provider.All() {
		e := extension{ID: p.ID, Kind: "provider", Enabled: true, Description: "Knows where " + p.Label + " keeps its files.", plugin: p.ID, Locked: p.Base || p.Fallback}
		if p.Base {
			e.plugin = "core"
		}
		if p.Beta {
			e.Stability = "beta"
		}
		all = append(all, e)
	}
	for _, a := range check.Analyzers() {
		group, name, _ := strings.Cut(a.ID, "/")
		all = append(all, extension{ID: name, Kind: "analyzer", Enabled: a.Ships, Description: a.Description, Locked: a.Locked, plugin: group})
	}
	for _, j := range job.Builtin(sm.Version) {
		group, name, _ := strings.Cut(j.ID, "/")
		all = append(all, extension{ID: name, Kind: string(j.Kind), Enabled: true, Description: j.Description, Locked: j.Locked, plugin: group})
	}
	for i, name := range draw.Formats {
		all = append(all, extension{ID: name, Kind: "formatter", Enabled: true, Description: "Draws the map as " + name + ".", Locked: i == 0, plugin: "core"})
	}
	for i := range all {
		all[i].Version = sm.Version
	}
	slices.SortStableFunc(all, func(a, b extension) int {
		return strings.Compare(rank(a.plugin), rank(b.plugin))
	})
	return all
}

// rank puts the core first and leaves the others as they are.
func rank(id string) string {
	if id == "core" {
		return ""
	}
	return "x"
}

func describe(id string) string {
	if p := provider.ByID(id); p != nil && !p.Base {
		return "Reads the files of " + skillmap.ShortID(p.Label) + "."
	}
	if id == "core" {
		return "The rules, formats and actions that every project has."
	}
	return "Built in."
}
