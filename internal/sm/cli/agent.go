package cli

import (
	"context"
	"encoding/json"
	"net"
	"path"
	"strconv"
	"strings"

	"skillforge/internal/skillmap/provider"
	"skillforge/internal/sm/agent"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
)

func agentVerb() *verb {
	return &verb{
		name: "agent", category: setup, brief: "Teach your agent to work the queue", group: true,
		details: "Writes a skill, sm-process-jobs, where the agent's host looks for skills. It says how to claim a job, do it and record it, over MCP or on the command line.",
	}
}

func forHost(host *string) flag {
	return choice(host, "for", "", "HOST", "Whose agent: "+"the project's lens unless said.", atlas.AgentHosts()...)
}

// host is the host that is meant: the one named, else the project's lens.
func (s *session) host(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	lens, err := s.project().Lens(s.project().Load(nil))
	if err != nil {
		return "", usage("say whose agent: --for HOST")
	}
	return lens.ID, nil
}

func agentInstallVerb() *verb {
	return agentChange("agent install", "agent-install", "Give an agent the skill, or bring it up to date", (*atlas.Atlas).InstallAgent)
}

func agentUninstallVerb() *verb {
	return agentChange("agent uninstall", "agent-uninstall", "Take the skill away again", (*atlas.Atlas).UninstallAgent)
}

func agentChange(name, kind, brief string, change func(*atlas.Atlas, string) (agent.State, agent.Outcome, error)) *verb {
	var named string
	return &verb{
		name: name, category: setup, brief: brief,
		flags:    []flag{forHost(&named)},
		examples: []example{{"sm " + name + " --for claude", ""}},
		run: func(ctx context.Context, s *session) error {
			host, err := s.host(named)
			if err != nil {
				return err
			}
			a := s.open()
			defer func() { _ = a.Close() }() // the database was not used
			state, outcome, err := change(a, host)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(struct {
					OK        bool          `json:"ok"`
					Kind      string        `json:"kind"`
					Provider  string        `json:"provider"`
					SkillDir  string        `json:"skillDir"`
					Outcome   agent.Outcome `json:"outcome"`
					ElapsedMs int64         `json:"elapsedMs"`
				}{true, kind, state.Provider, state.SkillDir, outcome, s.elapsedMs()})
			}
			s.printf("%s %s\n", path.Join(state.SkillDir, agent.Skill), outcome)
			if outcome == agent.Installed {
				s.note("Ask your agent to process the skill-map jobs.")
				s.tellRegistration(ctx, host)
			}
			return nil
		},
	}
}

// tellRegistration says how a host hears of the MCP server.
func (s *session) tellRegistration(ctx context.Context, host string) {
	p := provider.ByID(host)
	if p == nil || p.Register == nil {
		return
	}
	settings := s.project().Load(nil)
	url := "http://" + net.JoinHostPort(settings.Server.Host, strconv.Itoa(settings.Server.Port))
	if info, up := api.Serving(ctx, s.project()); up {
		url = info.URL()
	}
	tell, where := p.Register.Command, ""
	if tell == "" {
		text, err := json.Marshal(p.Register.Document)
		if err != nil {
			return
		}
		tell, where = string(text), " in "+p.Register.Target
	}
	s.note("To let it work over MCP, run `sm config set mcp.server.enabled true` and `sm serve`, and tell the host once%s:\n  %s", where, strings.ReplaceAll(tell, "{{url}}", url+"/mcp"))
}

func agentStatusVerb() *verb {
	var named string
	return &verb{
		name: "agent status", category: setup, brief: "Say whether an agent has the skill",
		flags: []flag{forHost(&named)},
		run: func(_ context.Context, s *session) error {
			host, err := s.host(named)
			if err != nil {
				return err
			}
			a := s.open()
			defer func() { _ = a.Close() }() // the database was not used
			state, err := a.AgentState(host)
			if err != nil {
				return err
			}
			if s.json {
				return s.emit(state)
			}
			switch {
			case !state.Installed:
				s.printf("%s: not installed; `sm agent install --for %s`\n", state.Provider, state.Provider)
			case state.Stale:
				s.printf("%s: installed, and not of this version; `sm agent install --for %s`\n", state.Provider, state.Provider)
			default:
				s.printf("%s: installed\n", state.Provider)
			}
			return nil
		},
	}
}
