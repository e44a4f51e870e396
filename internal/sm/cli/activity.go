package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"skillforge/internal/sm/activity"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/config"
)

func activityVerb() *verb {
	return &verb{
		name: "activity", category: setup, brief: "Let the map show agents at work", group: true,
		details: "Wires the hooks of an agent's host, so that `sm serve` hears which skills, agents, files and servers it uses. Everything stays on this machine.",
	}
}

func activityInstallVerb() *verb {
	var host string
	var yes, shell, noShell bool
	return &verb{
		name: "activity install", category: setup, brief: "Let a host's hooks tell what its agent does",
		details: "Puts entries of ours into the host's file of hooks in the project; everything else there stays. With --shell the hooks tell of shell commands too, and that is remembered.",
		args:    []arg{one(&host, "HOST", words(activity.Providers()))},
		flags: []flag{
			toggle(&yes, "yes", "y", "Do not ask."),
			toggle(&shell, "shell", "", "Shell commands too."),
			toggle(&noShell, "no-shell", "", "No shell commands any more."),
		},
		examples: []example{{"sm activity install claude", ""}},
		run: func(_ context.Context, s *session) error {
			if shell && noShell {
				return usage("either --shell or --no-shell")
			}
			return s.installHooks(host, yes, asked(shell, noShell))
		},
	}
}

// asked is what two opposite switches say; nil when neither is given.
func asked(on, off bool) *bool {
	if !on && !off {
		return nil
	}
	return &on
}

func (s *session) installHooks(host string, yes bool, shell *bool) error {
	a := s.open()
	defer func() { _ = a.Close() }() // the database was not used
	before, err := a.HookState(host)
	if err != nil {
		return err
	}
	if !yes && !s.tty.asks {
		return usage("this changes %s; say --yes", before.ConfigPath)
	}
	if !s.sure(yes, "Put entries into "+before.ConfigPath+"?") {
		return nil
	}
	state, err := a.InstallHooks(host, shell)
	if err != nil {
		return err
	}
	s.printf("%s %s\n", state.ConfigPath, state.State())
	if !state.BridgePresent {
		s.warn("the hooks call sm, which is not on the PATH")
	}
	return nil
}

func activityUninstallVerb() *verb {
	var host string
	return &verb{
		name: "activity uninstall", category: setup, brief: "Take our hooks away again",
		args: []arg{one(&host, "HOST", words(activity.Providers()))},
		run: func(_ context.Context, s *session) error {
			a := s.open()
			defer func() { _ = a.Close() }() // the database was not used
			state, removed, err := a.UninstallHooks(host)
			if err != nil {
				return err
			}
			if !removed {
				s.note("There was nothing to remove.")
				return nil
			}
			s.printf("%s %s\n", state.ConfigPath, state.State())
			return nil
		},
	}
}

func activityBridgeVerb() *verb {
	var host string
	return &verb{
		name: "activity bridge", category: setup, brief: "Hand a hook's event to the server; hooks run this", untimed: true,
		details: "Reads the event as JSON from standard input. Whatever happens, it says nothing and exits 0: some hosts stop an agent whose hook does otherwise.",
		args:    []arg{one(&host, "HOST", words(activity.Providers()))},
		run: func(ctx context.Context, s *session) error {
			text, err := io.ReadAll(io.LimitReader(s.input(), 64<<20))
			if err != nil {
				return nil
			}
			var event map[string]any
			if json.Unmarshal(text, &event) == nil && event != nil {
				api.Report(ctx, s.served(), host, event)
			}
			return nil
		},
	}
}

// served is the project whose agent runs a hook: the host says where, or the
// nearest folder above that is served.
func (s *session) served() config.Project {
	dir := s.Env("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = s.Dir
	}
	for at := dir; ; at = filepath.Dir(at) {
		p := config.Project{Root: at}
		if _, err := os.Stat(p.Inside(config.ServeFile)); err == nil || filepath.Dir(at) == at {
			return p
		}
	}
}
