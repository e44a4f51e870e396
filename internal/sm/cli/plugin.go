package cli

import (
	"context"
	"fmt"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/plugin"
)

func pluginsVerb() *verb {
	return &verb{
		name: "plugins", category: setup, brief: "Switch extensions, and look after drop-in plugins", group: true,
		details: "A drop-in plugin is a folder below .skill-map/plugins. It adds finders, fixers and actions for your agent with a prompt and a report schema; code is not run. It takes part once it is trusted in this copy of the project.",
	}
}

func pluginsListVerb() *verb {
	var id string
	return &verb{
		name: "plugins list", category: setup, brief: "List plugins and their extensions",
		args:  []arg{maybe(&id, "ID", "one plugin")},
		exits: []exit{{5, "there is no such plugin"}},
		run: func(_ context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // nothing was written
			list := a.PluginList()
			if id != "" {
				for _, g := range list {
					if g.ID == id {
						return s.showPlugin(g)
					}
				}
				return fault.Coded(fault.NotFound, "not-found", "There is no plugin %q; `sm plugins list` shows them.", id)
			}
			if s.json {
				return s.emit(list)
			}
			t := table{head: []string{"PLUGIN", "STATUS", "EXTENSIONS", "ABOUT"}, right: map[int]bool{2: true}}
			for _, g := range list {
				t.rows = append(t.rows, []string{draw.Line(g.ID), string(g.Status), fmt.Sprint(len(g.Extensions)), draw.Line(g.Description)})
			}
			s.printf("%s", t.text(s.tty.out, s.tty.wide))
			return nil
		},
	}
}

func (s *session) showPlugin(g atlas.PluginInfo) error {
	if s.json {
		return s.emit(g)
	}
	p := s.tty.out
	s.printf("%s %s  %s\n%s\n", p.bold(draw.Line(g.ID)), draw.Line(g.Version), g.Status, draw.Line(g.Description))
	if g.Reason != nil {
		s.printf("%s\n", p.yellow(draw.Line(*g.Reason)))
	}
	for _, e := range g.Extensions {
		mark := p.green("on ")
		if !e.Enabled {
			mark = p.dim("off")
		}
		s.printf("  %s  %s  %s\n", mark, pad(draw.Line(e.ID), 28), draw.Line(e.Description))
	}
	for _, u := range g.Unloaded {
		s.printf("  %s  %s  %s %s\n", p.dim("-  "), pad(draw.Line(u.ID), 28), u.Reason, draw.Line(u.Detail))
	}
	return nil
}

func pluginsShowVerb() *verb {
	v := pluginsListVerb()
	v.name, v.brief = "plugins show", "Show one plugin"
	v.args[0].optional = false
	return v
}

func pluginsEnableVerb() *verb {
	return pluginsSwitch("plugins enable", "enable", "Switch extensions on", true)
}
func pluginsDisableVerb() *verb {
	return pluginsSwitch("plugins disable", "disable", "Switch extensions off", false)
}

func pluginsSwitch(name, action, brief string, on bool) *verb {
	var ids []string
	return &verb{
		name: name, category: setup, brief: brief,
		details: "A fixer and its finder go together. What is switched off has its queued jobs cancelled.",
		args:    []arg{{name: "ID", help: "an extension such as core/node-bump, or a plugin", many: true, set: func(v string) error { ids = append(ids, v); return nil }}},
		exits:   []exit{{5, "there is none of that name"}},
		run: func(ctx context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // what was cancelled is committed
			tell := s.herald(a)
			defer func() { tell(ctx) }()
			changed, err := a.SetExtensions(ctx, sm.CLI, ids, on)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK        bool     `json:"ok"`
					Kind      string   `json:"kind"`
					Action    string   `json:"action"`
					IDs       []string `json:"ids"`
					ElapsedMs int64    `json:"elapsedMs"`
				}{true, "plugins-toggle", action, changed, s.elapsedMs()})
			}
			if len(changed) == 0 {
				s.note("Nothing changed.")
			}
			for _, id := range changed {
				s.printf("%s %sd\n", draw.Line(id), action)
			}
			return nil
		},
	}
}

func pluginsTrustVerb() *verb {
	var id string
	return &verb{
		name: "plugins trust", category: setup, brief: "Let a drop-in plugin take part in this copy of the project",
		args:  []arg{one(&id, "ID", "the plugin")},
		exits: []exit{{5, "there is no such plugin"}},
		run: func(_ context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // the database was not used
			if err := a.TrustPlugin(id); err != nil {
				return err
			}
			return s.toggled("trust", id)
		},
	}
}

func pluginsUntrustVerb() *verb {
	var id string
	return &verb{
		name: "plugins untrust", category: setup, brief: "Take that back",
		args: []arg{one(&id, "ID", "the plugin")},
		run: func(ctx context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // what was cancelled is committed
			tell := s.herald(a)
			defer func() { tell(ctx) }()
			if _, err := a.DistrustPlugin(ctx, sm.CLI, id); err != nil {
				return err
			}
			return s.toggled("untrust", id)
		},
	}
}

func (s *session) toggled(action, id string) error {
	if s.json {
		return s.emit(struct {
			OK        bool     `json:"ok"`
			Kind      string   `json:"kind"`
			Action    string   `json:"action"`
			IDs       []string `json:"ids"`
			ElapsedMs int64    `json:"elapsedMs"`
		}{true, "plugins-toggle", action, []string{id}, s.elapsedMs()})
	}
	s.printf("%s %sed\n", draw.Line(id), action)
	return nil
}

func pluginsCreateVerb() *verb {
	var id, shape string
	return &verb{
		name: "plugins create", category: setup, brief: "Make a drop-in plugin to start from",
		args:     []arg{one(&id, "ID", "its name: lower-case letters, digits and hyphens")},
		flags:    []flag{choice(&shape, "kind", "", "KIND", "What it adds; a finder unless said.", plugin.Shapes...)},
		examples: []example{{"sm plugins create house-style --kind finder", ""}},
		run: func(_ context.Context, s *session) error {
			if shape == "" {
				shape = "finder"
			}
			a := s.open()
			defer func() { _ = a.Close() }() // the database was not used
			files, err := a.CreatePlugin(id, shape)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK        bool     `json:"ok"`
					Kind      string   `json:"kind"`
					ID        string   `json:"id"`
					Files     []string `json:"files"`
					ElapsedMs int64    `json:"elapsedMs"`
				}{true, "plugins-create", id, files, s.elapsedMs()})
			}
			for _, f := range files {
				s.printf("%s\n", f)
			}
			s.note("It is trusted here. Change the prompt and the schema, then `sm plugins doctor`.")
			return nil
		},
	}
}

func pluginsDoctorVerb() *verb {
	return &verb{
		name: "plugins doctor", category: setup, brief: "Look whether the drop-in plugins are in order",
		exits: []exit{{1, "one is not"}},
		run:   func(_ context.Context, s *session) error { return s.pluginsDoctor() },
	}
}

type pluginCounts struct {
	Enabled      int `json:"enabled"`
	Disabled     int `json:"disabled"`
	Loaded       int `json:"loaded"`
	Incompatible int `json:"incompatible"`
	Invalid      int `json:"invalid"`
	LoadError    int `json:"loadError"`
	Warnings     int `json:"warnings"`
}

type pluginIssue struct {
	ID     string        `json:"id"`
	Status plugin.Status `json:"status"`
	Reason string        `json:"reason"`
}

type pluginWarning struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

func (s *session) pluginsDoctor() error {
	a := s.open()
	defer func() { _ = a.Close() }() // nothing was written
	var counts pluginCounts
	issues, warnings := []pluginIssue{}, []pluginWarning{}
	for _, g := range a.PluginList() {
		switch g.Status {
		case plugin.Enabled:
			counts.Enabled++
			counts.Loaded++
		case plugin.Disabled:
			counts.Disabled++
		case plugin.IncompatibleSpec, plugin.IncompatibleCatalog:
			counts.Incompatible++
		case plugin.InvalidManifest, plugin.IDCollision:
			counts.Invalid++
		case plugin.LoadError:
			counts.LoadError++
		}
		if g.Status.Broken() {
			issues = append(issues, pluginIssue{g.ID, g.Status, *g.Reason})
		}
	}
	for _, p := range a.Plugins() {
		for _, u := range plugin.UnknownKinds(p) {
			warnings = append(warnings, pluginWarning{u.Extension, "precondition-kind-unknown", "No provider has the kind " + u.Kind + "."})
		}
	}
	counts.Warnings = len(warnings)
	if s.json {
		err := s.emit(struct {
			OK                 bool            `json:"ok"`
			Kind               string          `json:"kind"`
			Counts             pluginCounts    `json:"counts"`
			Issues             []pluginIssue   `json:"issues"`
			Warnings           []pluginWarning `json:"warnings"`
			ContributionErrors []struct{}      `json:"contributionErrors"`
			ElapsedMs          int64           `json:"elapsedMs"`
		}{true, "plugins.doctor", counts, issues, warnings, []struct{}{}, s.elapsedMs()})
		if err != nil {
			return err
		}
	} else {
		for _, i := range issues {
			s.printf("%s  %s  %s\n", s.tty.out.red(string(i.Status)), draw.Line(i.ID), draw.Line(i.Reason))
		}
		for _, w := range warnings {
			s.printf("%s  %s  %s\n", s.tty.out.yellow("warn"), draw.Line(w.ID), draw.Line(w.Message))
		}
		s.printf("%s, %d of them on\n", plural(counts.Enabled+counts.Disabled+len(issues), "plugin"), counts.Enabled)
	}
	if len(issues) > 0 {
		return errNotClean
	}
	return nil
}

func pluginsSlotsVerb() *verb {
	return &verb{name: "plugins slots", category: setup, brief: "See where plugins may show something", group: true}
}

func pluginsSlotsListVerb() *verb {
	return &verb{
		name: "plugins slots list", category: setup, brief: "List the places for contributions, and the types of settings",
		details: "Drop-in plugins here contribute to none of them: that needs code.",
		run: func(_ context.Context, s *session) error {
			if s.json {
				return s.emit(struct {
					ViewSlots  []string `json:"viewSlots"`
					InputTypes []string `json:"inputTypes"`
				}{plugin.Slots, plugin.InputTypes})
			}
			for _, name := range plugin.Slots {
				s.printf("slot  %s\n", name)
			}
			for _, name := range plugin.InputTypes {
				s.printf("type  %s\n", name)
			}
			return nil
		},
	}
}
