package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/draw"
	"skillforge/internal/sm"
)

// scan answers the map: as it is kept, without its lists, or made anew and
// not kept.
func (s *Server) scan(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	fresh, err := isSet(q, "fresh")
	if err != nil {
		return err
	}
	meta, err := isSet(q, "meta")
	if err != nil {
		return err
	}
	switch {
	case fresh:
		return s.freshScan(w, r)
	case meta:
		m, err := s.atlas.Meta(r.Context())
		if err != nil {
			return err
		}
		return scanResult(w, m)
	}
	body, err := s.atlas.ScanJSON(r.Context())
	if err != nil {
		return err
	}
	httpd.Bytes(w, http.StatusOK, "application/json", body)
	return nil
}

func scanResult(w http.ResponseWriter, r *skillmap.ScanResult) error {
	httpd.Bytes(w, http.StatusOK, "application/json", r.AppendJSON(nil))
	return nil
}

func (s *Server) freshScan(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Partial {
		return partial()
	}
	opt := s.opt.Scan
	opt.Channel, opt.DryRun, opt.Full, opt.NoWait = sm.UI, true, true, true
	scanned, err := s.atlas.Scan(r.Context(), opt)
	if err != nil {
		return err
	}
	result, err := scanned.Result(r.Context())
	if err != nil {
		return err
	}
	return scanResult(w, result)
}

// rescan makes the map and keeps it.
func (s *Server) rescan(w http.ResponseWriter, r *http.Request) error {
	if err := httpd.Decode(r, &struct{}{}); err != nil {
		return err
	}
	if s.opt.Partial {
		return partial()
	}
	if !s.atlas.Exists() {
		return fault.Coded(fault.NotFound, "db-missing", "This project has no map yet. Make one with `sm scan`.")
	}
	opt := s.opt.Scan
	opt.Channel, opt.NoWait = sm.UI, true
	scanned, err := s.atlas.Scan(r.Context(), opt)
	if err != nil {
		return err
	}
	result, err := scanned.Result(r.Context())
	if err != nil {
		return err
	}
	return scanResult(w, result)
}

func partial() error {
	return fault.New(fault.Invalid, "This server runs without its built-ins or plugins, so a scan from here would not be the project's map. Start it without --no-built-ins and --no-plugins.")
}

// graph draws the map.
func (s *Server) graph(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	format := draw.Formats[0]
	if q.Has("format") {
		format = q.Get("format")
	}
	result, err := s.atlas.ScanResult(r.Context())
	if err != nil {
		return err
	}
	body, err := draw.Render(format, result)
	if err != nil {
		return err
	}
	if format == "svg" { // a document of its own when opened: it may show, not act
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox")
	}
	httpd.Bytes(w, http.StatusOK, draw.MediaType(format), body)
	return nil
}

// encode is JSON of a small value of ours.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return b, nil
}
