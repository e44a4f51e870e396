package api

import (
	"net/http"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
)

// open is the one scope there is: whoever reaches loopback may do it all.
const open httpd.Scope = "loopback"

// routes is everything that is served.
func (s *Server) routes() []httpd.Route {
	table := []httpd.Route{
		{Pattern: "GET /api/health", Handle: s.health},
		{Pattern: "GET /api/mcp/status", Handle: s.mcpStatus},
		{Pattern: "GET /api/agent/presence", Handle: s.presence},
		{Pattern: "GET /api/activity/summary", Handle: s.activitySummary},

		{Pattern: "GET /api/scan", Handle: s.scan},
		{Pattern: "POST /api/scan", Handle: s.rescan},
		{Pattern: "GET /api/nodes", Handle: s.nodes},
		{Pattern: "GET /api/nodes/{path}", Handle: s.node},
		{Pattern: "GET /api/links", Handle: s.links},
		{Pattern: "GET /api/issues", Handle: s.issues},
		{Pattern: "GET /api/folders", Handle: s.folders},
		{Pattern: "GET /api/branch", Handle: s.branch},
		{Pattern: "GET /api/graph", Handle: s.graph},

		{Pattern: "GET /api/config", Handle: s.config},
		{Pattern: "GET /api/config/resolution", Handle: s.configResolution},
		{Pattern: "GET /api/active-provider", Handle: s.activeProvider},
		{Pattern: "GET /api/project-ignore", Handle: s.projectIgnore},
		{Pattern: "GET /api/plugins", Handle: s.plugins},
		{Pattern: "GET /api/annotations/registered", Handle: s.annotations},
		{Pattern: "GET /api/contributions/registered", Handle: s.contributions},
		{Pattern: "GET /api/map-views", Handle: s.mapViews},
		{Pattern: "/api/", Handle: noEndpoint},

		{Pattern: "GET /ws", Handle: s.socket},
		{Pattern: "/mcp", Handle: s.mcp},
		{Pattern: "/", Handle: s.page},
	}
	for i := range table {
		table[i].Scope = open
	}
	return table
}

func noEndpoint(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "Unknown API endpoint: %s.", r.URL.Path)
}

func nothing(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "Nothing is at %s.", r.URL.Path)
}

// mcp serves the MCP endpoint, or says how to switch it on.
func (s *Server) mcp(w http.ResponseWriter, r *http.Request) error {
	if s.opt.MCP == nil {
		return fault.Coded(fault.NotFound, "mcp-disabled", "The MCP server is off. Switch it on with `sm config set mcp.server.enabled true`, or once with `sm serve --mcp`, and start the server again.").
			With("key", "mcp.server.enabled")
	}
	s.opt.MCP.ServeHTTP(w, r)
	return nil
}

// page serves what the browser sees; there is nothing to send to it.
func (s *Server) page(w http.ResponseWriter, r *http.Request) error {
	if s.opt.Page == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nothing(w, r)
	}
	s.opt.Page.ServeHTTP(w, r)
	return nil
}
