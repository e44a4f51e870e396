package api

import (
	"net/http"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// runAction does one of the actions that need no agent.
func (s *Server) runAction(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	var in struct {
		agreed
		NodePath string            `json:"nodePath"`
		Input    atlas.ActionInput `json:"input"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.NodePath == "" {
		return fault.New(fault.Invalid, "Say which node: nodePath.")
	}
	id := r.PathValue("plugin") + "/" + r.PathValue("action")
	report, err := s.atlas.RunAction(r.Context(), sm.UI, id, in.NodePath, in.Input, in.consent())
	if err != nil {
		return err
	}
	if !report.OK {
		code := report.Reason
		if code == "" {
			code = "action-refused"
		}
		return fault.Coded(fault.Conflict, code, "%s did nothing: %s.", id, code)
	}
	return applied(w, "action.applied", began, map[string]any{"actionId": id, "nodePath": in.NodePath, "report": report})
}

// agentState says whether a host's agent has the skill that works the queue.
func (s *Server) agentState(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("provider")
	if id == "" {
		return fault.New(fault.Invalid, "Required query parameter: provider.")
	}
	return s.agentAnswer(w, id, nil)
}

// agentAnswer tells how a host stands, and what was done.
func (s *Server) agentAnswer(w http.ResponseWriter, id string, more map[string]any) error {
	out := map[string]any{"provider": id, "supported": false, "skillDir": nil, "installed": false, "stale": false}
	if state, err := s.atlas.AgentState(id); err == nil {
		out["supported"], out["skillDir"], out["installed"], out["stale"] = true, state.SkillDir, state.Installed, state.Stale
	}
	for k, v := range more {
		out[k] = v
	}
	return httpd.JSON(w, http.StatusOK, out)
}

// asked reads a request to change something of a host's, which must be
// confirmed.
func asked(r *http.Request) (provider string, shell *bool, err error) {
	var in struct {
		Provider string `json:"provider"`
		Confirm  bool   `json:"confirm"`
		Shell    *bool  `json:"shell"` // of hooks: shell commands too
	}
	if err := httpd.Decode(r, &in); err != nil {
		return "", nil, err
	}
	if in.Provider == "" {
		return "", nil, fault.New(fault.Invalid, "Say which provider.")
	}
	if !in.Confirm {
		return "", nil, fault.Coded(fault.Invalid, "confirm-required", "This writes files of %s in the project. Confirm it.", in.Provider)
	}
	return in.Provider, in.Shell, nil
}

func (s *Server) installAgent(w http.ResponseWriter, r *http.Request) error {
	id, _, err := asked(r)
	if err != nil {
		return err
	}
	_, outcome, err := s.atlas.InstallAgent(id)
	if err != nil {
		return err
	}
	return s.agentAnswer(w, id, map[string]any{"outcome": outcome})
}

func (s *Server) uninstallAgent(w http.ResponseWriter, r *http.Request) error {
	id, _, err := asked(r)
	if err != nil {
		return err
	}
	_, outcome, err := s.atlas.UninstallAgent(id)
	if err != nil {
		return err
	}
	return s.agentAnswer(w, id, map[string]any{"outcome": outcome, "removed": outcome == "removed"})
}
