package api

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
)

// projectPreferences are the settings that the page changes.
type projectPreferences struct {
	AllowSidecarWriters bool `json:"allowSidecarWriters"`
	Scan                struct {
		ReferencePaths         []string `json:"referencePaths"`
		FollowExternalSymlinks bool     `json:"followExternalSymlinks"`
		RespectGitignore       bool     `json:"respectGitignore"`
	} `json:"scan"`
	TutorialReminderStep int       `json:"tutorialReminderStep"`
	UI                   config.UI `json:"ui"`
	MCPServerEnabled     bool      `json:"mcpServerEnabled"`
	SkillActionsEnabled  bool      `json:"skillActionsEnabled"`
}

func (s *Server) projectPreferences(w http.ResponseWriter, _ *http.Request) error {
	set := s.atlas.Settings()
	var p projectPreferences
	p.AllowSidecarWriters = set.AllowSidecarWriters
	p.Scan.ReferencePaths = append([]string{}, set.Scan.ReferencePaths...)
	p.Scan.FollowExternalSymlinks, p.Scan.RespectGitignore = set.Scan.FollowExternalSymlinks, set.Scan.RespectGitignore
	p.TutorialReminderStep, p.UI = set.TutorialReminderStep, set.UI
	p.MCPServerEnabled, p.SkillActionsEnabled = set.MCP.Server.Enabled, set.SkillActions.Enabled
	return httpd.JSON(w, http.StatusOK, p)
}

// changeProjectPreferences stores some of them. What lets the scan read outside
// the project must be confirmed.
func (s *Server) changeProjectPreferences(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Confirm             bool  `json:"confirm"`
		AllowSidecarWriters *bool `json:"allowSidecarWriters"`
		Scan                *struct {
			ReferencePaths         *[]string `json:"referencePaths"`
			FollowExternalSymlinks *bool     `json:"followExternalSymlinks"`
			RespectGitignore       *bool     `json:"respectGitignore"`
		} `json:"scan"`
		TutorialReminderStep *int            `json:"tutorialReminderStep"`
		UI                   map[string]bool `json:"ui"`
		MCPServerEnabled     *bool           `json:"mcpServerEnabled"`
		SkillActionsEnabled  *bool           `json:"skillActionsEnabled"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	var c changes
	put(&c, "allowSidecarWriters", in.AllowSidecarWriters)
	if in.Scan != nil {
		put(&c, "scan.respectGitignore", in.Scan.RespectGitignore)
		put(&c, "scan.followExternalSymlinks", in.Scan.FollowExternalSymlinks)
		if in.Scan.ReferencePaths != nil {
			if err := s.existing(*in.Scan.ReferencePaths); err != nil {
				return err
			}
			c = append(c, change{"scan.referencePaths", list2any(*in.Scan.ReferencePaths)})
		}
	}
	put(&c, "tutorialReminderStep", in.TutorialReminderStep)
	for name, on := range in.UI {
		c = append(c, change{"ui." + name, on})
	}
	put(&c, "mcp.server.enabled", in.MCPServerEnabled)
	put(&c, "skillActions.enabled", in.SkillActionsEnabled)
	if len(c) == 0 {
		return fault.New(fault.Invalid, "Say what is to be changed.")
	}
	if err := s.store(c, in.Confirm); err != nil {
		return err
	}
	return s.projectPreferences(w, r)
}

// change is one setting with its new value.
type change struct {
	key   string
	value any
}

type changes []change

func put[T any](c *changes, key string, v *T) {
	if v != nil {
		*c = append(*c, change{key, *v})
	}
}

func list2any(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// store keeps the changes, all or none as far as their values decide.
func (s *Server) store(c changes, confirmed bool) error {
	for _, one := range c {
		k, known := config.KeyFor(one.key)
		if !known {
			return fault.New(fault.Invalid, "There is no setting %s.", one.key)
		}
		if why := k.Check(one.value); why != "" {
			return fault.New(fault.Invalid, "%s %s.", one.key, why)
		}
	}
	slices.SortStableFunc(c, func(a, b change) int { return widens(b.key) - widens(a.key) }) // those that may be refused first
	for _, one := range c {
		if _, err := s.atlas.Project().Set(one.key, one.value, config.SetOptions{Yes: confirmed}); err != nil {
			return err
		}
	}
	return nil
}

func widens(key string) int {
	if k, _ := config.KeyFor(key); k.Widens {
		return 1
	}
	return 0
}

// existing refuses new folders that are none.
func (s *Server) existing(paths []string) error {
	have := s.atlas.Settings().Scan.ReferencePaths
	for _, p := range paths {
		at := p
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			at = filepath.Join(home, rest)
		} else if !filepath.IsAbs(p) {
			at = s.atlas.Project().Path(p)
		}
		info, err := os.Stat(at)
		if slices.Contains(have, p) || err == nil && info.IsDir() {
			continue
		}
		return fault.New(fault.Invalid, "There is no folder %s.", p)
	}
	return nil
}

// preferences are what the user settled for this machine.
func (s *Server) preferences(w http.ResponseWriter, _ *http.Request) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	return httpd.JSON(w, http.StatusOK, config.LoadPreferences(home))
}

func (s *Server) changePreferences(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		UpdateCheck *config.Toggle `json:"updateCheck"`
		GithubStars *config.Toggle `json:"githubStars"`
		UI          *struct {
			DismissedNotes *[]string `json:"dismissedNotes"`
		} `json:"ui"`
		Telemetry *struct {
			ErrorsEnabled   *bool `json:"errorsEnabled"`
			UsageCliEnabled *bool `json:"usageCliEnabled"`
			UsageUiEnabled  *bool `json:"usageUiEnabled"`
		} `json:"telemetry"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	if in.UpdateCheck == nil && in.GithubStars == nil && in.UI == nil && in.Telemetry == nil {
		return fault.New(fault.Invalid, "Say what is to be changed.")
	}
	p := config.LoadPreferences(home)
	over(&p.UpdateCheck, in.UpdateCheck)
	over(&p.GithubStars, in.GithubStars)
	if in.UI != nil {
		over(&p.UI.DismissedNotes, in.UI.DismissedNotes)
	}
	if t := in.Telemetry; t != nil {
		over(&p.Telemetry.ErrorsEnabled, t.ErrorsEnabled)
		over(&p.Telemetry.UsageCliEnabled, t.UsageCliEnabled)
		over(&p.Telemetry.UsageUiEnabled, t.UsageUiEnabled)
	}
	if err := config.SavePreferences(home, p); err != nil {
		return err
	}
	return s.preferences(w, r)
}

func over[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// changeIgnore makes .skillmapignore hold these patterns.
func (s *Server) changeIgnore(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Patterns *[]string `json:"patterns"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Patterns == nil {
		return fault.New(fault.Invalid, "Say which patterns.")
	}
	if err := s.atlas.Project().SetIgnorePatterns(*in.Patterns); err != nil {
		return err
	}
	return s.projectIgnore(w, r)
}

// changeProvider settles whose rules hold. The map was made by others, so it
// is dropped; the next scan makes it anew.
func (s *Server) changeProvider(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ActiveProvider string `json:"activeProvider"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	was, _ := s.atlas.Project().Lens(s.atlas.Settings())
	if err := s.atlas.Project().SetLens(in.ActiveProvider); err != nil {
		return err
	}
	var dropped any
	if was.ID != in.ActiveProvider && s.atlas.Exists() {
		rows, err := s.atlas.Reset(r.Context(), atlas.ResetScan, false)
		if err != nil {
			return err
		}
		names := []string{}
		for _, t := range rows {
			names = append(names, t.Name)
		}
		dropped = map[string]any{"tableCount": len(names), "tableNames": names}
	}
	return s.providerAnswer(w, map[string]any{"dropped": dropped})
}

// acceptMarkers settles the lens again with the folders that stand now.
func (s *Server) acceptMarkers(w http.ResponseWriter, _ *http.Request) error {
	lens, err := s.atlas.Project().Lens(s.atlas.Settings())
	if err != nil {
		return err
	}
	if err := s.atlas.Project().SetLens(lens.ID); err != nil {
		return err
	}
	return s.providerAnswer(w, nil)
}

// saveView keeps an arrangement of the map, deleteView removes one.
func (s *Server) saveView(w http.ResponseWriter, r *http.Request) error {
	var v view
	if err := httpd.Decode(r, &v); err != nil {
		return err
	}
	name := r.PathValue("slug")
	if !slug.MatchString(name) {
		return fault.New(fault.Invalid, "%q is no name for a view: lower-case letters, digits and hyphens.", name)
	}
	if err := v.check(); err != nil {
		return err
	}
	text, err := v.text()
	if err != nil {
		return err
	}
	if err := s.atlas.SaveView(name, text); err != nil {
		return err
	}
	return s.mapViews(w, r)
}

func (s *Server) deleteView(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("slug")
	if !slug.MatchString(name) {
		return noEndpoint(w, r)
	}
	err := s.atlas.DeleteView(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "There is no view %s.", name)
	}
	if err != nil {
		return err
	}
	return done(w)
}
