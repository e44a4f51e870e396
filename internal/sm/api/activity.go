package api

import (
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/activity"
	"skillforge/internal/sm/atlas"
)

// probeKey marks the event of a self-test, which is only to arrive.
const probeKey = "__skillMapProbe"

// ingestActivity takes what a hook tells. The token is asked for before the
// body is read: agents' words come from this user's machine alone.
func (s *Server) ingestActivity(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkToken(r); err != nil {
		s.log.Warn("activity", "outcome", "token-mismatch")
		return err
	}
	var in struct {
		Provider      string         `json:"provider"`
		Event         map[string]any `json:"event"`
		AgentEndpoint any            `json:"agentEndpoint"` // of older hooks; it says nothing to us
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Provider == "" || in.Event == nil {
		return fault.New(fault.Invalid, "Say provider and event.")
	}
	var got atlas.Ingest
	if nonce, ok := in.Event[probeKey].(string); ok {
		s.atlas.Probe(nonce)
	} else {
		var err error
		if got, err = s.atlas.IngestActivity(r.Context(), in.Provider, in.Event); err != nil {
			return err
		}
	}
	return httpd.JSON(w, http.StatusAccepted, struct {
		OK       bool `json:"ok"`
		Resolved int  `json:"resolved"`
		Spawns   int  `json:"spawns"`
	}{true, got.Resolved, got.Spawns})
}

// activitySummary counts what agents did since the server started, and names
// the nodes that the history knows.
func (s *Server) activitySummary(w http.ResponseWriter, r *http.Request) error {
	ran, err := s.atlas.RunNodes(r.Context())
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, struct {
		activity.Summary
		RunNodes []string `json:"runNodes"`
	}{s.atlas.ActivitySummary(), ran})
}

// nodeActivity is what is remembered of one node.
func (s *Server) nodeActivity(w http.ResponseWriter, r *http.Request) error {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return noEndpoint(w, r)
	}
	v, err := s.atlas.ActivityOf(r.Context(), path)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, v)
}

func (s *Server) forgetActivity(w http.ResponseWriter, r *http.Request) error {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return noEndpoint(w, r)
	}
	if err := s.atlas.ForgetActivity(r.Context(), sm.UI, path); err != nil {
		return err
	}
	return done(w)
}

// conversation is what was kept of a sub-agent.
func (s *Server) conversation(w http.ResponseWriter, r *http.Request) error {
	c, err := s.atlas.Conversation(r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, struct {
		activity.Conversation
		CaptureEnabled bool `json:"captureEnabled"`
	}{c, s.atlas.Settings().Activity.CaptureConversations})
}

// enabled is the answer to whether conversations are kept.
type enabled struct {
	Enabled bool `json:"enabled"`
}

func (s *Server) capture(w http.ResponseWriter, _ *http.Request) error {
	return httpd.JSON(w, http.StatusOK, enabled{s.atlas.Settings().Activity.CaptureConversations})
}

// changeCapture lets conversations be kept, or not. To keep them must be
// confirmed: they may hold anything.
func (s *Server) changeCapture(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Enabled *bool `json:"enabled"`
		Confirm bool  `json:"confirm"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Enabled == nil {
		return fault.New(fault.Invalid, "Say enabled: true or false.")
	}
	if *in.Enabled && !in.Confirm {
		return fault.Coded(fault.Invalid, "confirm-required", "What sub-agents are told and answer would be kept in memory, secrets in it too. Confirm it.").With("key", "activity.captureConversations")
	}
	if err := s.atlas.CaptureConversations(*in.Enabled); err != nil {
		return err
	}
	return s.capture(w, r)
}

func (s *Server) changeCaptureLevel(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Level string `json:"level"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if err := s.atlas.SetCaptureLevel(in.Level); err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, map[string]string{"captureLevel": s.atlas.CaptureLevel()})
}

// sessions lists what was recorded.
func (s *Server) sessions(w http.ResponseWriter, _ *http.Request) error {
	v, err := s.atlas.ActivitySessions()
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, struct {
		SchemaVersion string `json:"schemaVersion"`
		Kind          string `json:"kind"`
		*atlas.Sessions
	}{"1", "activity-sessions", v})
}

func (s *Server) clearSessions(w http.ResponseWriter, _ *http.Request) error {
	if _, err := s.atlas.ClearSessions(sm.UI); err != nil {
		return err
	}
	return done(w)
}

func (s *Server) recordSessions(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Recording *bool `json:"recording"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Recording == nil {
		return fault.New(fault.Invalid, "Say recording: true or false.")
	}
	on, err := s.atlas.RecordSessions(*in.Recording)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, map[string]bool{"recording": on})
}

// probed says whether the event of a self-test arrived.
func (s *Server) probed(w http.ResponseWriter, r *http.Request) error {
	nonce := r.URL.Query().Get("nonce")
	if nonce == "" {
		return fault.New(fault.Invalid, "Required query parameter: nonce.")
	}
	out := struct {
		Nonce string `json:"nonce"`
		Seen  bool   `json:"seen"`
		At    *int64 `json:"at"`
	}{Nonce: nonce}
	if at, ok := s.atlas.Probed(nonce); ok {
		ms := at.UnixMilli()
		out.Seen, out.At = true, &ms
	}
	return httpd.JSON(w, http.StatusOK, out)
}

// disclaimed counts what hooks told that said nothing.
func (s *Server) disclaimed(w http.ResponseWriter, r *http.Request) error {
	list, err := s.atlas.Disclaimed(r.URL.Query().Get("provider"))
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, map[string]any{"providers": list})
}

// hookState says how the hooks of a host stand; a host without any is not
// supported.
func (s *Server) hookState(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("provider")
	if id == "" {
		return fault.New(fault.Invalid, "Required query parameter: provider.")
	}
	state, err := s.atlas.HookState(id)
	if err != nil && fault.Code(err) != "unknown-provider" {
		return err
	}
	return httpd.JSON(w, http.StatusOK, state)
}

func (s *Server) installHooks(w http.ResponseWriter, r *http.Request) error {
	id, shell, err := asked(r)
	if err != nil {
		return err
	}
	state, err := s.atlas.InstallHooks(id, shell)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, state)
}

func (s *Server) uninstallHooks(w http.ResponseWriter, r *http.Request) error {
	id, _, err := asked(r)
	if err != nil {
		return err
	}
	state, removed, err := s.atlas.UninstallHooks(id)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, struct {
		activity.Wired
		Removed bool `json:"removed"`
	}{state, removed})
}
