package api

import (
	"net/http"
	"strconv"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

// row is a finding as this door shows it.
type row struct {
	finding.Record
	// BodyHashAtGeneration hides the record's own: the page compares nothing.
	BodyHashAtGeneration *struct{} `json:"bodyHashAtGeneration,omitempty"`
}

// findings lists what was found in a node.
func (s *Server) findings(w http.ResponseWriter, r *http.Request) error {
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	var v finding.View
	for name, p := range map[string]*bool{"dismissed": &v.Dismissed, "fixed": &v.Fixed, "stale": &v.Stale} {
		if *p, err = isSet(q, name); err != nil {
			return err
		}
	}
	page, err := s.atlas.Findings(r.Context(), finding.Filter{Node: path}, v)
	if err != nil {
		return err
	}
	rows := make([]row, len(page.Findings))
	for i, f := range page.Findings {
		rows[i].Record = f
	}
	items, err := encode(rows)
	if err != nil {
		return err
	}
	return list{
		kind: "findings", items: items, total: len(rows), count: len(rows),
		filters: map[string]any{"dismissed": v.Dismissed, "fixed": v.Fixed, "stale": v.Stale},
		more:    map[string]int{"dismissedExcluded": page.DismissedExcluded, "fixedExcluded": page.FixedExcluded},
	}.write(w)
}

// agreed is how a caller consents to the writing of a sidecar.
type agreed struct {
	Confirm bool `json:"confirm"`
	Always  bool `json:"always"`
}

func (a agreed) consent() atlas.Consent { return atlas.Consent{Once: a.Confirm, Always: a.Always} }

// findingOf reads which finding of which node a request is about.
func (s *Server) findingOf(r *http.Request) (atlas.FindingChange, error) {
	path, err := s.nodeOf(r)
	if err != nil {
		return atlas.FindingChange{}, err
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return atlas.FindingChange{}, fault.New(fault.NotFound, "There is no finding %q.", r.PathValue("id"))
	}
	return atlas.FindingChange{ID: id, Node: path}, nil
}

func (s *Server) dismissFinding(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		agreed
		Class bool `json:"class"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	change, err := s.findingOf(r)
	if err != nil {
		return err
	}
	var outcome atlas.FindingOutcome
	if in.Class {
		outcome, _, _, err = s.atlas.DismissClass(r.Context(), sm.UI, change, in.consent())
	} else {
		outcome, _, err = s.atlas.DismissFinding(r.Context(), sm.UI, change)
	}
	return settled(w, change, outcome, err)
}

// settled answers that a finding was settled, or why not.
func settled(w http.ResponseWriter, change atlas.FindingChange, outcome atlas.FindingOutcome, err error) error {
	if err == nil {
		err = outcome.Refusal(change.ID)
	}
	if err != nil {
		return err
	}
	return done(w)
}

func (s *Server) reopenFinding(w http.ResponseWriter, r *http.Request) error {
	if err := httpd.Decode(r, &struct{}{}); err != nil {
		return err
	}
	change, err := s.findingOf(r)
	if err != nil {
		return err
	}
	outcome, _, err := s.atlas.ReopenFinding(r.Context(), sm.UI, change)
	return settled(w, change, outcome, err)
}

func (s *Server) resolveFinding(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Note string `json:"note"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	change, err := s.findingOf(r)
	if err != nil {
		return err
	}
	change.Note = in.Note
	outcome, _, err := s.atlas.ResolveFinding(r.Context(), sm.UI, change)
	return settled(w, change, outcome, err)
}

func (s *Server) deleteFinding(w http.ResponseWriter, r *http.Request) error {
	var in agreed
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	change, err := s.findingOf(r)
	if err != nil {
		return err
	}
	outcome, err := s.atlas.DeleteFinding(r.Context(), sm.UI, change, in.consent())
	return settled(w, change, outcome, err)
}

func (s *Server) undismissFinding(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		agreed
		Extension string `json:"extension"`
		Type      string `json:"type"`
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
	change := atlas.ClassChange{Node: path, Extension: in.Extension, Type: in.Type}
	outcome, _, err := s.atlas.UndismissClass(r.Context(), sm.UI, change, in.consent())
	if err == nil {
		err = outcome.Refusal(change)
	}
	if err != nil {
		return err
	}
	return done(w)
}

// dismissal names issues that are dismissed, or not any more.
type dismissal struct {
	agreed
	Analyzer string `json:"analyzer"`
	Value    string `json:"value"`
}

func (in dismissal) of(node, note string) (atlas.IssueDismissal, error) {
	if in.Analyzer == "" || in.Value == "" {
		return atlas.IssueDismissal{}, fault.New(fault.Invalid, "Say which analyzer and which value.")
	}
	return atlas.IssueDismissal{Node: node, Analyzer: in.Analyzer, Value: in.Value, Note: note}, nil
}

func (s *Server) dismissIssue(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		dismissal
		Note string `json:"note"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	d, err := in.of(path, in.Note)
	if err != nil {
		return err
	}
	if _, _, err := s.atlas.DismissIssue(r.Context(), sm.UI, d, in.consent()); err != nil {
		return err
	}
	return done(w)
}

func (s *Server) undismissIssue(w http.ResponseWriter, r *http.Request) error {
	var in dismissal
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	d, err := in.of(path, "")
	if err != nil {
		return err
	}
	outcome, _, err := s.atlas.UndismissIssue(r.Context(), sm.UI, d, in.consent())
	if err == nil {
		err = outcome.Refusal(d)
	}
	if err != nil {
		return err
	}
	return done(w)
}
