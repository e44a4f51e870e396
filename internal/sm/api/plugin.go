package api

import (
	"net/http"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm"
)

// plugins lists what comes with the program and the drop-ins, switched as the
// settings have it.
func (s *Server) plugins(w http.ResponseWriter, _ *http.Request) error {
	items := s.atlas.PluginList()
	encoded, err := encode(items)
	if err != nil {
		return err
	}
	return list{kind: "plugins", items: encoded, total: len(items), count: len(items)}.write(w)
}

// toggle is the wish for one extension, or a whole plugin.
type toggle struct {
	ID      string `json:"id"`
	Enabled *bool  `json:"enabled"`
}

// togglePlugins switches several, all or none of them.
func (s *Server) togglePlugins(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Changes []toggle `json:"changes"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	wishes := map[bool][]string{}
	for _, c := range in.Changes {
		if c.ID == "" || c.Enabled == nil {
			return fault.New(fault.Invalid, "Each change says id and enabled.").With("id", c.ID)
		}
		wishes[*c.Enabled] = append(wishes[*c.Enabled], c.ID)
	}
	if len(in.Changes) == 0 {
		return fault.New(fault.Invalid, "Say what is to be switched.")
	}
	if err := s.atlas.CheckSwitches(wishes[true], wishes[false]); err != nil {
		return err
	}
	for on, ids := range wishes {
		if err := s.switchAll(r, ids, on); err != nil {
			return err
		}
	}
	return s.plugins(w, r)
}

func (s *Server) switchAll(r *http.Request, ids []string, on bool) error {
	_, err := s.atlas.SetExtensions(r.Context(), sm.UI, ids, on)
	return err
}

// togglePlugin switches a plugin, toggleExtension one of its extensions.
func (s *Server) togglePlugin(w http.ResponseWriter, r *http.Request) error {
	return s.toggleOne(w, r, r.PathValue("plugin"))
}

func (s *Server) toggleExtension(w http.ResponseWriter, r *http.Request) error {
	return s.toggleOne(w, r, r.PathValue("plugin")+"/"+r.PathValue("extension"))
}

func (s *Server) toggleOne(w http.ResponseWriter, r *http.Request, id string) error {
	var in struct {
		Enabled *bool `json:"enabled"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	if in.Enabled == nil {
		return fault.New(fault.Invalid, "Say enabled: true or false.")
	}
	if err := s.switchAll(r, []string{id}, *in.Enabled); err != nil {
		return err
	}
	return s.plugins(w, r)
}

// trustPlugin lets a drop-in plugin take part here, or takes that back.
func (s *Server) trustPlugin(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Trusted *bool `json:"trusted"`
	}
	if err := httpd.Decode(r, &in); err != nil {
		return err
	}
	id := r.PathValue("plugin")
	var err error
	switch {
	case in.Trusted == nil || strings.TrimSpace(id) == "":
		err = fault.New(fault.Invalid, "Say trusted: true or false.")
	case *in.Trusted:
		err = s.atlas.TrustPlugin(id)
	default:
		_, err = s.atlas.DistrustPlugin(r.Context(), sm.UI, id)
	}
	if err != nil {
		return err
	}
	return s.plugins(w, r)
}
