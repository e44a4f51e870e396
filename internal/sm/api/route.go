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

		{Pattern: "POST /api/activity", Handle: s.ingestActivity},
		{Pattern: "GET /api/activity/summary", Handle: s.activitySummary},
		{Pattern: "GET /api/activity/node/{path}", Handle: s.nodeActivity},
		{Pattern: "DELETE /api/activity/node/{path}", Handle: absent(s.forgetActivity)},
		{Pattern: "GET /api/activity/spawns/{id}", Handle: s.conversation},
		{Pattern: "GET /api/activity/capture", Handle: s.capture},
		{Pattern: "POST /api/activity/capture", Handle: s.changeCapture},
		{Pattern: "POST /api/activity/capture-level", Handle: absent(s.changeCaptureLevel)},
		{Pattern: "GET /api/activity/sessions", Handle: s.sessions},
		{Pattern: "DELETE /api/activity/sessions", Handle: s.clearSessions},
		{Pattern: "POST /api/activity/sessions/recording", Handle: s.recordSessions},
		{Pattern: "GET /api/activity/probe", Handle: s.probed},
		{Pattern: "GET /api/activity/disclaimed", Handle: s.disclaimed},
		{Pattern: "GET /api/activity/install", Handle: s.hookState},
		{Pattern: "POST /api/activity/install", Handle: s.installHooks},
		{Pattern: "POST /api/activity/uninstall", Handle: s.uninstallHooks},

		{Pattern: "GET /api/scan", Handle: s.scan},
		{Pattern: "POST /api/scan", Handle: s.rescan},
		{Pattern: "GET /api/nodes", Handle: s.nodes},
		{Pattern: "GET /api/nodes/{path}", Handle: s.node},
		{Pattern: "GET /api/links", Handle: s.links},
		{Pattern: "GET /api/issues", Handle: s.issues},
		{Pattern: "GET /api/folders", Handle: s.folders},
		{Pattern: "GET /api/branch", Handle: s.branch},
		{Pattern: "GET /api/graph", Handle: s.graph},

		{Pattern: "GET /api/jobs", Handle: s.jobs},
		{Pattern: "POST /api/jobs", Handle: absent(s.submitNodeless)},
		{Pattern: "POST /api/jobs/cancel-all", Handle: s.cancelJobs},
		{Pattern: "POST /api/jobs/prune", Handle: s.clearJobs},
		{Pattern: "POST /api/jobs/{id}/cancel", Handle: absent(s.cancelJob)},
		{Pattern: "POST /api/job-events", Handle: s.pushEvent},
		{Pattern: "POST /api/nodes/{path}/jobs", Handle: absent(s.submitJob)},
		{Pattern: "GET /api/nodes/{path}/prob-extensions", Handle: s.offers},
		{Pattern: "GET /api/nodes/{path}/findings", Handle: s.findings},
		{Pattern: "POST /api/nodes/{path}/findings/undismiss", Handle: absent(s.undismissFinding)},
		{Pattern: "POST /api/nodes/{path}/findings/{id}/dismiss", Handle: absent(s.dismissFinding)},
		{Pattern: "POST /api/nodes/{path}/findings/{id}/reopen", Handle: absent(s.reopenFinding)},
		{Pattern: "POST /api/nodes/{path}/findings/{id}/resolve", Handle: absent(s.resolveFinding)},
		{Pattern: "DELETE /api/nodes/{path}/findings/{id}", Handle: absent(s.deleteFinding)},
		{Pattern: "POST /api/nodes/{path}/issues/dismiss", Handle: absent(s.dismissIssue)},
		{Pattern: "POST /api/nodes/{path}/issues/undismiss", Handle: absent(s.undismissIssue)},
		{Pattern: "GET /api/nodes/{path}/summary", Handle: s.summaries},
		{Pattern: "DELETE /api/nodes/{path}/summary", Handle: absent(s.deleteSummary)},
		{Pattern: "PUT /api/favorites/{path}", Handle: absent(s.favorite)},
		{Pattern: "DELETE /api/favorites/{path}", Handle: absent(s.unfavorite)},
		{Pattern: "POST /api/actions/{plugin}/{action}", Handle: absent(s.runAction)},
		{Pattern: "GET /api/agent/install", Handle: s.agentState},
		{Pattern: "POST /api/agent/install", Handle: s.installAgent},
		{Pattern: "POST /api/agent/uninstall", Handle: s.uninstallAgent},

		{Pattern: "GET /api/config", Handle: s.config},
		{Pattern: "GET /api/config/resolution", Handle: s.configResolution},
		{Pattern: "GET /api/active-provider", Handle: s.activeProvider},
		{Pattern: "PATCH /api/active-provider", Handle: absent(s.changeProvider)},
		{Pattern: "POST /api/active-provider/accept-markers", Handle: absent(s.acceptMarkers)},
		{Pattern: "GET /api/project-ignore", Handle: s.projectIgnore},
		{Pattern: "PATCH /api/project-ignore", Handle: s.changeIgnore},
		{Pattern: "GET /api/project-preferences", Handle: s.projectPreferences},
		{Pattern: "PATCH /api/project-preferences", Handle: absent(s.changeProjectPreferences)},
		{Pattern: "GET /api/preferences", Handle: s.preferences},
		{Pattern: "PATCH /api/preferences", Handle: s.changePreferences},
		{Pattern: "GET /api/plugins", Handle: s.plugins},
		{Pattern: "PATCH /api/plugins", Handle: absent(s.togglePlugins)},
		{Pattern: "PATCH /api/plugins/{plugin}", Handle: absent(s.togglePlugin)},
		{Pattern: "PATCH /api/plugins/{plugin}/trust", Handle: absent(s.trustPlugin)},
		{Pattern: "PATCH /api/plugins/{plugin}/extensions/{extension}", Handle: absent(s.toggleExtension)},
		{Pattern: "GET /api/annotations/registered", Handle: s.annotations},
		{Pattern: "GET /api/contributions/registered", Handle: s.contributions},
		{Pattern: "GET /api/map-views", Handle: s.mapViews},
		{Pattern: "PUT /api/map-views/{slug}", Handle: s.saveView},
		{Pattern: "DELETE /api/map-views/{slug}", Handle: s.deleteView},
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
