package api

import (
	"net/http"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
)

// summaries lists what summarizers said of a node.
func (s *Server) summaries(w http.ResponseWriter, r *http.Request) error {
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	list, err := s.atlas.Summaries(r.Context(), path)
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, map[string]any{"items": list})
}

func (s *Server) deleteSummary(w http.ResponseWriter, r *http.Request) error {
	path, err := s.nodeOf(r)
	if err != nil {
		return err
	}
	if err := s.atlas.DeleteSummary(r.Context(), sm.UI, path, r.URL.Query().Get("summarizer")); err != nil {
		return err
	}
	return done(w)
}

// favorite marks a node; unfavorite takes the mark away, whether there is such
// a node or not.
func (s *Server) favorite(w http.ResponseWriter, r *http.Request) error   { return s.mark(w, r, true) }
func (s *Server) unfavorite(w http.ResponseWriter, r *http.Request) error { return s.mark(w, r, false) }

func (s *Server) mark(w http.ResponseWriter, r *http.Request, on bool) error {
	path, ok := decodePath(r.PathValue("path"))
	if !ok {
		return noEndpoint(w, r)
	}
	if err := s.atlas.SetFavorite(r.Context(), path, on); err != nil {
		return err
	}
	return done(w)
}
