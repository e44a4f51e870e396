package api

import (
	"context"
	"net/http"
	"sync"

	"skillforge/internal/httpd"
	"skillforge/internal/sm"
)

// health says that the server is there, and for which project.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	db := "missing"
	if s.atlas.Exists() {
		db = "present"
	}
	return httpd.JSON(w, http.StatusOK, struct {
		OK            bool   `json:"ok"`
		SchemaVersion string `json:"schemaVersion"`
		SpecVersion   string `json:"specVersion"`
		ImplVersion   string `json:"implVersion"`
		DB            string `json:"db"`
		CWD           string `json:"cwd"`
		DBPath        string `json:"dbPath"`
		MCP           bool   `json:"mcp"`
	}{true, "1", sm.SpecVersion, sm.Version, db, s.scopeRoot(), s.atlas.Database(), s.opt.MCP != nil})
}

// mcpStatus counts the MCP clients that are there. It takes as long as the
// slowest of them needs to answer a ping, within its limit.
func (s *Server) mcpStatus(w http.ResponseWriter, r *http.Request) error {
	clients := 0
	if s.opt.MCP != nil {
		clients = s.opt.MCP.Clients(context.WithoutCancel(r.Context()))
	}
	return httpd.JSON(w, http.StatusOK, struct {
		SchemaVersion string `json:"schemaVersion"`
		Kind          string `json:"kind"`
		Enabled       bool   `json:"enabled"`
		Connected     bool   `json:"connected"`
		Clients       int    `json:"clients"`
		URL           string `json:"url"`
	}{"1", "mcp-status", s.opt.MCP != nil, clients > 0, clients, s.Address().URL + "/mcp"})
}

// presence is what the events of jobs say about agents at work. The zero value
// is nobody.
type presence struct {
	mu        sync.Mutex // guards all below
	attending bool
	lastClaim *int64
}

// see learns from one event.
func (p *presence) see(e sm.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Type {
	case "job.claimed":
		at := e.Timestamp
		p.lastClaim = &at
	case "job.completed", "job.failed":
		p.attending = true
	}
}

func (p *presence) now() (attending bool, lastClaim *int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attending, p.lastClaim
}

func (s *Server) presence(w http.ResponseWriter, _ *http.Request) error {
	attending, lastClaim := s.agents.now()
	return httpd.JSON(w, http.StatusOK, struct {
		SchemaVersion string `json:"schemaVersion"`
		Kind          string `json:"kind"`
		Attending     bool   `json:"attending"`
		LastClaimAt   *int64 `json:"lastClaimAt"`
	}{"1", "agent-presence", attending, lastClaim})
}
