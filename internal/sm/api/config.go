package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm/config"
)

// config answers the settings in force.
func (s *Server) config(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.atlas.Settings().JSON()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return err
	}
	return value(w, "config", b.Bytes())
}

// configResolution answers each setting with the layer it comes from.
func (s *Server) configResolution(w http.ResponseWriter, _ *http.Request) error {
	rows, err := encode(map[string]any{"rows": s.atlas.Settings().Rows()})
	if err != nil {
		return err
	}
	return value(w, "config.resolution", rows)
}

// activeProvider says whose rules hold in the project. Where several could and
// nobody settled it, none does.
func (s *Server) activeProvider(w http.ResponseWriter, _ *http.Request) error {
	return s.providerAnswer(w, nil)
}

// providerAnswer tells whose rules hold, and what a change of them did.
func (s *Server) providerAnswer(w http.ResponseWriter, change any) error {
	lens, err := s.atlas.Project().Lens(s.atlas.Settings())
	out := struct {
		Active     *string  `json:"activeProvider"`
		Detected   []string `json:"detected"`
		Source     string   `json:"source"`
		Selectable []string `json:"selectable"`
		Drift      any      `json:"markerDrift"`
		Switch     any      `json:"switch,omitempty"`
	}{Switch: change, Detected: []string{}, Source: "default", Selectable: config.Lenses()}
	switch {
	case err == nil:
		out.Active, out.Source, out.Detected = &lens.ID, lens.Source, lens.Detected
		if lens.Was != nil {
			out.Drift = drift(lens.Was, lens.Detected)
		}
	case fault.Code(err) == "ambiguous-provider":
		out.Source = "autodetect"
		out.Detected, _ = fault.Details(err)["candidates"].([]string)
	case fault.Of(err) == fault.Internal:
		return err
	}
	return httpd.JSON(w, http.StatusOK, out)
}

// drift is what came and went among the marker folders since the lens was
// settled.
func drift(was, now []string) map[string][]string {
	return map[string][]string{"added": without(now, was), "removed": without(was, now)}
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// projectIgnore answers the patterns of .skillmapignore.
func (s *Server) projectIgnore(w http.ResponseWriter, _ *http.Request) error {
	patterns := s.atlas.Project().IgnorePatterns()
	if patterns == nil {
		patterns = []string{}
	}
	return httpd.JSON(w, http.StatusOK, map[string]any{"patterns": patterns})
}

func (s *Server) annotations(w http.ResponseWriter, _ *http.Request) error {
	return httpd.JSON(w, http.StatusOK, newCatalogue("annotations.registered", []any{}))
}

func (s *Server) contributions(w http.ResponseWriter, _ *http.Request) error {
	return httpd.JSON(w, http.StatusOK, newCatalogue("contributions.registered", []any{}))
}

// savedView is one stored arrangement of the map.
type savedView struct {
	Slug string          `json:"slug"`
	View json.RawMessage `json:"view"`
}

type skippedView struct {
	Slug   string `json:"slug"`
	Reason string `json:"reason"`
}

var slug = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$`)

// mapViews lists the stored arrangements of the map. A file that is none is
// named, never left out silently.
func (s *Server) mapViews(w http.ResponseWriter, _ *http.Request) error {
	folder := s.atlas.Project().Inside("views")
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	views, skipped := []savedView{}, []skippedView{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || e.IsDir() {
			continue
		}
		text, reason := readView(filepath.Join(folder, e.Name()), name)
		if reason != "" {
			skipped = append(skipped, skippedView{name, reason})
			continue
		}
		views = append(views, savedView{name, text})
	}
	return httpd.JSON(w, http.StatusOK, struct {
		SchemaVersion string        `json:"schemaVersion"`
		Kind          string        `json:"kind"`
		Views         []savedView   `json:"views"`
		Skipped       []skippedView `json:"skipped"`
	}{"1", "map-views", views, skipped})
}

func readView(path, name string) (text json.RawMessage, reason string) {
	if !slug.MatchString(name) {
		return nil, "the file name is no slug"
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, "the file cannot be read"
	}
	var view map[string]json.RawMessage
	if json.Unmarshal(raw, &view) != nil {
		return nil, "the file is no JSON object"
	}
	return raw, ""
}
