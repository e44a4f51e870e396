package cli

import (
	"context"
	"fmt"

	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/config"
)

func configVerb() *verb {
	return &verb{
		name: "config", category: setup, brief: "See and change the settings", group: true,
		details: "Settings stand in .skill-map/settings.json, which you commit, and in .skill-map/settings.local.json, which stays on this machine and wins. Settings that could do harm in a cloned project count only in the second, and only when they were set here.",
	}
}

// configuring is what the verbs of a kind share.
type configuring struct {
	key, value       string
	strict, yes      bool
	here, withSource bool
}

func (o *configuring) strictFlag() flag {
	return toggle(&o.strict, "strict", "", "Fail when something in the settings does not count, instead of warning.")
}

// load reads the settings and tells, or fails on, what was left out.
func (o *configuring) load(s *session) (*config.Settings, error) {
	settings := s.project().Load(nil)
	if o.strict {
		if err := settings.Strict(); err != nil {
			return nil, err
		}
	}
	s.warnSettings(settings)
	return settings, nil
}

func configListVerb() *verb {
	var o configuring
	return &verb{
		name: "config list", category: setup, brief: "List every setting in force", untimed: true,
		flags: []flag{o.strictFlag(), toggle(&o.withSource, "source", "", "Say which file each value comes from.")},
		run: func(_ context.Context, s *session) error {
			settings, err := o.load(s)
			if err != nil {
				return err
			}
			if s.json {
				text, err := settings.JSON()
				if err != nil {
					return err
				}
				return s.write(text)
			}
			return o.table(s, settings.Rows())
		},
	}
}

func (o *configuring) table(s *session, rows []config.Row) error {
	t := table{head: []string{"SETTING", "VALUE"}}
	if o.withSource {
		t.head = []string{"SETTING", "FROM", "VALUE"}
	}
	for _, r := range rows {
		value, err := shown(r.Value)
		if err != nil {
			return err
		}
		row := []string{draw.Line(r.Key), value}
		if o.withSource {
			row = []string{draw.Line(r.Key), string(r.Layer), value}
		}
		t.rows = append(t.rows, row)
	}
	s.printf("%s", t.text(s.tty.out, 0))
	return nil
}

// shown is a value for a person: strings bare, everything else as JSON.
func shown(v any) (string, error) {
	if text, ok := v.(string); ok {
		return draw.Line(text), nil
	}
	text, err := draw.JSON(v)
	return string(text), err
}

func configGetVerb() *verb {
	var o configuring
	return &verb{
		name: "config get", category: setup, brief: "Print one setting", untimed: true,
		args:     []arg{one(&o.key, "KEY", "dotted, such as scan.maxNodes")},
		flags:    []flag{o.strictFlag()},
		examples: []example{{"sm config get scan.maxNodes", ""}},
		exits:    []exit{{5, "no setting is called so"}},
		run: func(_ context.Context, s *session) error {
			settings, err := o.load(s)
			if err != nil {
				return err
			}
			row, err := settings.Get(o.key)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(row.Value)
			}
			value, err := shown(row.Value)
			if err != nil {
				return err
			}
			s.printf("%s\n", value)
			return nil
		},
	}
}

func configShowVerb() *verb {
	var o configuring
	return &verb{
		name: "config show", category: setup, brief: "Explain one setting: value, source, meaning", untimed: true,
		args:  []arg{one(&o.key, "KEY", "dotted, such as scan.maxNodes")},
		flags: []flag{o.strictFlag(), toggle(&o.withSource, "source", "", "Say which file the value comes from. Always said here.")},
		exits: []exit{{5, "no setting is called so"}},
		run: func(_ context.Context, s *session) error {
			settings, err := o.load(s)
			if err != nil {
				return err
			}
			row, err := settings.Get(o.key)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(row)
			}
			value, err := shown(row.Value)
			if err != nil {
				return err
			}
			s.printf("%s = %s  %s\n", row.Key, value, s.tty.out.dim("("+string(row.Layer)+")"))
			if k, ok := config.KeyFor(o.key); ok {
				s.printf("%s Takes %s.\n", k.Doc, k.Wants())
				if k.Local {
					s.printf("Counts only on this machine.\n")
				}
			}
			return nil
		},
	}
}

func configSetVerb() *verb {
	var o configuring
	return &verb{
		name: "config set", category: setup, brief: "Change one setting",
		args: []arg{one(&o.key, "KEY", "dotted, such as scan.maxNodes"), {name: "VALUE", help: "JSON, or plain text", set: func(v string) error { o.value = v; return nil }}},
		flags: []flag{
			toggle(&o.here, "local", "", "Set it for this machine only, in settings.local.json."),
			toggle(&o.yes, "yes", "y", "Consent to a value that lets the scan read outside the project."),
		},
		examples: []example{
			{"sm config set activeProvider claude", "settle the lens"},
			{"sm config set mcp.server.enabled true", "serve MCP"},
			{"sm config set ignore '[\"drafts/\"]'", ""},
		},
		run: func(ctx context.Context, s *session) error { return o.set(ctx, s) },
	}
}

func (o *configuring) set(ctx context.Context, s *session) error {
	p := s.project()
	value := config.ParseValue(o.key, o.value)
	options := config.SetOptions{Here: o.here, Yes: o.yes}
	done := config.Stored{Key: o.key, Value: value, Layer: config.Shared, Changed: true}
	var err error
	if lens, ok := value.(string); ok && o.key == "activeProvider" && !o.here {
		err = p.SetLens(lens)
	} else {
		done, err = p.Set(o.key, value, options)
	}
	if err != nil {
		return err
	}
	return o.tell(ctx, s, "config.set", "config-set", done, fmt.Sprintf("%s is set in %s.", o.key, fileOf(done.Layer)))
}

func fileOf(l config.Layer) string {
	if l == config.Local {
		return config.Folder + "/" + config.LocalFile
	}
	return config.Folder + "/" + config.SharedFile
}

// tell logs a change and answers it.
func (o *configuring) tell(ctx context.Context, s *session, op, kind string, done config.Stored, sentence string) error {
	a := s.open()
	defer func() { _ = a.Close() }() // only the log was written
	a.Log(sm.Operation{Op: op, Target: done.Key, Channel: sm.CLI, Outcome: "ok"})
	if s.json {
		return s.emit(struct {
			OK        bool         `json:"ok"`
			Kind      string       `json:"kind"`
			Key       string       `json:"key"`
			Value     any          `json:"value"`
			Layer     config.Layer `json:"layer"`
			Changed   bool         `json:"changed"`
			ElapsedMs int64        `json:"elapsedMs"`
		}{true, kind, done.Key, masked(done), done.Layer, done.Changed, s.elapsedMs()})
	}
	s.note("%s", sentence)
	if running, ok := api.Serving(ctx, s.project()); ok && done.Changed {
		s.note("The server at %s keeps its settings about serving until it is started again.", running.URL())
	}
	return nil
}

func masked(done config.Stored) any {
	if config.Secret(done.Key) && done.Value != nil {
		return config.Mask
	}
	return done.Value
}

func configResetVerb() *verb {
	var o configuring
	return &verb{
		name: "config reset", category: setup, brief: "Take one setting back",
		args:  []arg{one(&o.key, "KEY", "dotted, or a group such as scan")},
		flags: []flag{toggle(&o.here, "local", "", "Take it out of settings.local.json.")},
		exits: []exit{{5, "no setting is called so"}},
		run: func(ctx context.Context, s *session) error {
			done, err := s.project().Reset(o.key, config.SetOptions{Here: o.here})
			if err != nil {
				return err
			}
			sentence := fmt.Sprintf("%s is reset.", o.key)
			if !done.Changed {
				sentence = fmt.Sprintf("%s was not set in %s.", o.key, fileOf(done.Layer))
			}
			return o.tell(ctx, s, "config.reset", "config-reset", done, sentence)
		},
	}
}
