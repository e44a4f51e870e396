package api

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
)

// plainCodes are the contract's words for codes of ours that it does not know.
var plainCodes = map[string]string{
	"deterministic": "bad-query", "ambiguous": "bad-query", "action-disabled": "bad-query", "unknown-provider": "bad-query",
	"unreadable": "node-drifted", "report-invalid": "bad-query", "usage": "bad-query", "invalid-value": "bad-query", "node-missing": "bad-query",
}

// absent are routes for which a database that is not there means that what
// they speak of is not there.
func absent(h httpd.Handler) httpd.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		code := fault.Code(err)
		if code == "db-missing" {
			return fault.Coded(fault.NotFound, "not-found", "%s", fault.Text(err))
		}
		if plain, ok := plainCodes[code]; ok {
			f := fault.Coded(fault.Of(err), plain, "%s", fault.Text(err))
			for k, v := range fault.Details(err) {
				f = f.With(k, v)
			}
			return f
		}
		return err
	}
}

// done answers that there is nothing to say.
func done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// nodeOf reads the path of a node in a request. The fault is NotFound for what
// is none.
func (s *Server) nodeOf(r *http.Request) (string, error) {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return "", fault.New(fault.NotFound, "Unknown API endpoint: %s.", r.URL.Path)
	}
	_, err := s.atlas.Node(r.Context(), path, atlas.NodeOptions{})
	return path, err
}

// jobs lists the queue, newest first, without the host's own jobs.
func (s *Server) jobs(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := atlas.JobFilter{Status: q.Get("status"), Extension: q.Get("extension"), Node: q.Get("node")}
	if err := atlas.CheckStatus(f.Status); err != nil {
		return err
	}
	list, err := s.atlas.Jobs(r.Context(), f)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, map[string]any{
		"schemaVersion": "1", "kind": "jobs", "items": list, "counts": map[string]int{"total": len(list), "returned": len(list)},
		"filters": map[string]any{"status": textOrNull(f.Status), "extension": textOrNull(f.Extension), "node": textOrNull(f.Node)},
	})
}

// submitted answers with a job that was queued, or says what stands in the way.
func submitted(w http.ResponseWriter, began time.Time, got atlas.Submission, err error) error {
	if err == nil {
		err = got.Refusal()
	}
	if err != nil {
		return err
	}
	return applied(w, "job.submitted", began, map[string]any{
		"jobId": got.Job.ID, "nodePath": got.Node, "extensionId": got.Extension, "supersededIds": got.SupersededIDs,
	})
}

// applied answers with what an action did.
func applied(w http.ResponseWriter, kind string, began time.Time, value any) error {
	return httpd.JSON(w, http.StatusOK, map[string]any{
		"schemaVersion": "1", "kind": kind, "value": value, "elapsedMs": time.Since(began).Milliseconds(),
	})
}

// submitJob queues a job about one node.
func (s *Server) submitJob(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	var in struct {
		Extension  string  `json:"extension"`
		AutoFix    bool    `json:"autoFix"`
		FindingIDs []int64 `json:"findingIds"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	if in.Extension == "" {
		return fault.New(fault.Invalid, "Say which extension.")
	}
	got, err := s.atlas.SubmitJob(r.Context(), sm.UI, atlas.JobRequest{Extension: in.Extension, Node: path, AutoFix: in.AutoFix, FindingIDs: in.FindingIDs, Skills: true})
	return submitted(w, began, got, err)
}

// submitNodeless queues a job that works on no file.
func (s *Server) submitNodeless(w http.ResponseWriter, r *http.Request) error {
	began := time.Now()
	var in struct {
		Extension string `json:"extension"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Extension == "" {
		return fault.New(fault.Invalid, "Say which extension.")
	}
	got, err := s.atlas.SubmitNodeless(r.Context(), sm.UI, in.Extension)
	return submitted(w, began, got, err)
}

func (s *Server) cancelJob(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	outcome, err := s.atlas.CancelJob(r.Context(), sm.UI, id)
	if err == nil {
		err = outcome.Refusal(id)
	}
	if err != nil {
		return err
	}
	return done(w)
}

func (s *Server) cancelJobs(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.atlas.CancelJobs(r.Context(), sm.UI); err != nil && fault.Code(err) != "db-missing" {
		return err
	}
	return done(w)
}

// clearJobs deletes jobs of one terminal status, or of all three.
func (s *Server) clearJobs(w http.ResponseWriter, r *http.Request) error {
	if err := s.atlas.ClearJobs(r.Context(), sm.UI, r.URL.Query().Get("status")); err != nil && fault.Code(err) != "db-missing" {
		return err
	}
	return done(w)
}

// offers says what an agent can be asked to do with a node.
func (s *Server) offers(w http.ResponseWriter, r *http.Request) error {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return noEndpoint(w, r)
	}
	offers, err := s.atlas.Offers(r.Context(), path)
	if err != nil {
		return err
	}
	item, err := encode(offers)
	if err != nil {
		return err
	}
	return finish(w, append(append(head("node.prob-extensions", len(item)), `,"item":`...), item...), nil)
}

// pushed are the events that a command may tell of.
var pushed = []string{atlas.JobSubmitted, atlas.JobClaimed, atlas.JobCompleted, atlas.JobFailed, atlas.JobCancelled}

// pushEvent takes an event that a command of this machine caused, and tells it
// to everybody here.
func (s *Server) pushEvent(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkToken(r); err != nil {
		return err
	}
	var in struct {
		Type      string          `json:"type"`
		Timestamp int64           `json:"timestamp"`
		RunID     string          `json:"runId"`
		JobID     *string         `json:"jobId"`
		Data      json.RawMessage `json:"data"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if !slices.Contains(pushed, in.Type) || in.JobID == nil || in.RunID == "" || in.Timestamp <= 0 || len(in.Data) == 0 {
		return fault.New(fault.Invalid, "This is no event of a job.")
	}
	s.atlas.Events.Publish(sm.Event{Type: in.Type, Timestamp: in.Timestamp, RunID: in.RunID, JobID: in.JobID, Data: in.Data})
	return httpd.JSON(w, http.StatusAccepted, map[string]bool{"ok": true})
}

// checkToken lets only those through who may read serve.json.
func (s *Server) checkToken(r *http.Request) error {
	if subtle.ConstantTimeCompare([]byte(r.Header.Get(tokenHeader)), []byte(s.token)) != 1 {
		return fault.Coded(fault.Denied, "token-mismatch", "The token is not the one of serve.json.")
	}
	return nil
}
