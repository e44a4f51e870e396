package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/httpd"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
)

func b64(path string) string { return base64.RawURLEncoding.EncodeToString([]byte(path)) }

func TestRoutes(t *testing.T) {
	s := serve(t, project(t, small))
	rows := []struct {
		path   string
		status int
		kind   string // of the envelope; empty for none
		holds  string
	}{
		{"/api/health", 200, "", `"db":"present"`},
		{"/api/scan", 200, "", `"schemaVersion":1`},
		{"/api/scan?meta=1", 200, "", `"nodes":[]`},
		{"/api/scan?fresh=1", 200, "", `"path":"AGENTS.md"`},
		{"/api/scan?meta=x", 400, "", `"code":"bad-query"`},
		{"/api/nodes", 200, "nodes", `"page":{"offset":0,"limit":100}`},
		{"/api/nodes?kind=agent,skill", 200, "nodes", `"total":2`},
		{"/api/nodes?kind=agent&limit=1&offset=1", 200, "nodes", `"returned":0`},
		{"/api/nodes?hasIssues=1", 200, "nodes", `"hasIssues":true`},
		{"/api/nodes?path=docs/**", 200, "nodes", `"total":2`},
		{"/api/nodes?limit=0", 400, "", `"code":"bad-query"`},
		{"/api/nodes?limit=1001", 400, "", `"code":"bad-query"`},
		{"/api/nodes?offset=-1", 400, "", `"code":"bad-query"`},
		{"/api/nodes?offset=1.5", 400, "", `"code":"bad-query"`},
		{"/api/nodes?hasIssues=maybe", 400, "", `"code":"bad-query"`},
		{"/api/nodes/" + b64("docs/style.md"), 200, "node", `"isFavorite":false`},
		{"/api/nodes/" + b64("docs/a b.md") + "?include=body,raw", 200, "node", `"raw":"# Spaces\n"`},
		{"/api/nodes/" + b64("docs/a b.md") + "?include=soul", 400, "", `"code":"bad-query"`},
		{"/api/nodes/" + b64("nope.md"), 404, "", `"code":"not-found"`},
		{"/api/nodes/" + b64("docs/style.md") + "=", 404, "", `"code":"not-found"`},
		{"/api/nodes/****", 404, "", `"code":"not-found"`},
		{"/api/nodes/QQ/more", 404, "", `"code":"not-found"`},
		{"/api/links", 200, "links", `"from":null`},
		{"/api/links?kind=mentions", 200, "links", `"resolvedTarget":".claude/agents/editor.md"`},
		{"/api/links?to=docs/style.md", 200, "links", `"total":1`},
		{"/api/issues", 200, "issues", `reference-broken`},
		{"/api/issues?severity=error", 200, "issues", `"severity":["error"]`},
		{"/api/issues?severity=terrible", 200, "issues", `"total":0`},
		{"/api/issues?node=AGENTS.md&analyzerId=core/reference-broken", 200, "issues", `"total":1`},
		{"/api/folders", 200, "folders", `"errorCount":1`},
		{"/api/branch?path=docs", 200, "branch", `"rootExcluded":true`},
		{"/api/branch?path=docs&exclude=docs", 400, "", `"code":"bad-query"`},
		{"/api/branch?excludeRoot=0&exclude=docs", 200, "branch", `"excluded":["docs"]`},
		{"/api/graph", 200, "", `AGENTS.md`},
		{"/api/graph?format=dot", 200, "", `digraph`},
		{"/api/graph?format=nope", 400, "", `"code":"bad-query"`},
		{"/api/graph?format=", 400, "", `"code":"bad-query"`},
		{"/api/config", 200, "config", `"activeProvider":"claude"`},
		{"/api/config/resolution", 200, "config.resolution", `"layer":"project"`},
		{"/api/mcp/status", 200, "mcp-status", `"enabled":true`},
		{"/api/active-provider", 200, "", `"activeProvider":"claude"`},
		{"/api/annotations/registered", 200, "annotations.registered", `"total":0`},
		{"/api/contributions/registered", 200, "contributions.registered", `"items":[]`},
		{"/api/agent/presence", 200, "agent-presence", `"attending":false`},
		{"/api/activity/summary", 200, "", `"runNodes":[]`},
		{"/api/plugins", 200, "plugins", `"id":"reference-broken"`},
		{"/api/map-views", 200, "map-views", `"views":[]`},
		{"/api/project-ignore", 200, "", `"patterns":[]`},
		{"/api/nope", 404, "", `"Unknown API endpoint: /api/nope."`},
		{"/api", 404, "", ""},
		{"/", 200, "", `<meta name="skill-map-version"`},
		{"/any/page", 200, "", `skill-map-scope`},
	}
	for _, row := range rows {
		a := s.do("GET", row.path, "")
		if row.path == "/api" && a.status/100 == 3 {
			continue // the mux sends it to /api/
		}
		if a.status != row.status || !strings.Contains(string(a.body), row.holds) {
			t.Errorf("GET %s gives %d %.400s, want %d with %s", row.path, a.status, a.body, row.status, row.holds)
		}
		if row.kind != "" && !strings.HasPrefix(string(a.body), `{"schemaVersion":"1","kind":"`+row.kind+`"`) {
			t.Errorf("GET %s is %.80s, want kind %s", row.path, a.body, row.kind)
		}
		if strings.Contains(string(a.body), row.holds) && strings.HasPrefix(a.header.Get("Content-Type"), "application/json") && !json.Valid(a.body) {
			t.Errorf("GET %s is no JSON", row.path)
		}
		if a.header.Get("X-Frame-Options") != "DENY" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s lacks security headers: %v", row.path, a.header)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	s := serve(t, project(t, small))
	for target, want := range map[string]int{
		"POST /api/nodes": 404, "PUT /api/scan": 404, "DELETE /api/health": 404, "POST /": 404, "POST /page": 404, "PUT /ws": 404,
	} {
		method, path, _ := strings.Cut(target, " ")
		if a := s.do(method, path, "{}"); a.status != want || object(t, a.body)["ok"] != false {
			t.Errorf("%s gives %d %s", target, a.status, a.body)
		}
	}
}

func TestRescan(t *testing.T) {
	p := project(t, small)
	s := serve(t, p)
	write(t, p.Path("docs/new.md"), "# New\n")
	a := s.do("POST", "/api/scan", "")
	if a.status != 200 || !slices.Contains(paths(object(t, a.body)["nodes"]), "docs/new.md") {
		t.Errorf("POST /api/scan gives %d %.300s", a.status, a.body)
	}
	if got := paths(s.get("/api/nodes", 200)["items"]); !slices.Contains(got, "docs/new.md") {
		t.Errorf("afterwards %v", got)
	}
	if a := s.do("POST", "/api/scan", `{"surprise":1}`); a.status != 400 {
		t.Errorf("an unknown member gives %d", a.status)
	}
}

func TestFreshScanKeepsNothing(t *testing.T) {
	p := project(t, small)
	s := serve(t, p)
	write(t, p.Path("docs/new.md"), "# New\n")
	if got := paths(s.get("/api/scan?fresh=1", 200)["nodes"]); !slices.Contains(got, "docs/new.md") {
		t.Errorf("fresh: %v", got)
	}
	if got := paths(s.get("/api/scan", 200)["nodes"]); slices.Contains(got, "docs/new.md") {
		t.Errorf("kept: %v", got)
	}
}

func TestPartialServerDoesNotScan(t *testing.T) {
	s := serve(t, project(t, small), func(o *options) { o.api.Partial = true })
	if a := s.do("POST", "/api/scan", ""); a.status != 400 {
		t.Errorf("POST gives %d", a.status)
	}
	s.get("/api/scan?fresh=1", 400)
}

func TestWithoutDatabase(t *testing.T) {
	p := project(t, small)
	a := atlas.Open(p, atlas.Options{Resident: true})
	t.Cleanup(func() { _ = a.Close() })
	s := start(t, a)
	if h := s.get("/api/health", 200); h["db"] != "missing" || h["ok"] != true {
		t.Errorf("health %v", h)
	}
	for _, path := range []string{"/api/nodes", "/api/links", "/api/issues", "/api/folders"} {
		if v := s.get(path, 200); len(v["items"].([]any)) != 0 {
			t.Errorf("%s gives %v", path, v["items"])
		}
	}
	if v := s.get("/api/scan", 200); v["scanCeiling"] != 5000.0 || v["maxRenderNodes"] != 256.0 || len(v["nodes"].([]any)) != 0 {
		t.Errorf("scan %v", v)
	}
	if v := s.get("/api/branch", 200); dig(v, "branch", "total") != 0.0 {
		t.Errorf("branch %v", v)
	}
	s.get("/api/nodes/"+b64("AGENTS.md"), 404)
	if a := s.do("POST", "/api/scan", ""); a.status != 500 || dig(object(t, a.body), "error", "code") != "db-missing" {
		t.Errorf("POST /api/scan gives %d %s", a.status, a.body)
	}
}

func TestGate(t *testing.T) {
	s := serve(t, project(t, small))
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	rpc := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	rows := []struct {
		method, path, body string
		headers            []string
		status             int
		code               string
	}{
		{"GET", "/api/health", "", []string{"Host", "evil.test"}, 403, "host-not-allowed"},
		{"GET", "/", "", []string{"Host", "evil.test"}, 403, "host-not-allowed"},
		{"GET", "/api/health", "", []string{"Origin", "http://evil.test"}, 403, "origin-not-allowed"},
		{"GET", "/ws", "", []string{"Origin", "http://evil.test"}, 403, "origin-not-allowed"},
		{"POST", "/mcp", hello, append(rpc, "Origin", "http://evil.test"), 403, "origin-not-allowed"},
		{"POST", "/mcp", hello, append(rpc, "Host", "evil.test"), 403, "host-not-allowed"},
		{"GET", "/", "", []string{"Origin", "http://evil.test"}, 200, ""},
		{"POST", "/mcp", hello, rpc, 200, ""},
		{"POST", "/mcp", hello, append(rpc, "Origin", "null"), 200, ""},
		{"POST", "/mcp", hello, append(rpc, "Origin", "http://localhost:9"), 200, ""},
		{"GET", "/api/health", "", []string{"Host", "localhost:1", "Origin", "http://[::1]:5173"}, 200, ""},
	}
	for _, row := range rows {
		a := s.do(row.method, row.path, row.body, row.headers...)
		if a.status != row.status {
			t.Errorf("%s %s %v gives %d, want %d", row.method, row.path, row.headers, a.status, row.status)
			continue
		}
		if row.code != "" && (dig(object(t, a.body), "error", "code") != row.code || a.header.Get("X-Frame-Options") != "") {
			t.Errorf("%s %s %v gives %s %v", row.method, row.path, row.headers, a.body, a.header)
		}
	}
}

func TestMCPOff(t *testing.T) {
	s := serve(t, project(t, small), func(o *options) { o.mcp = false })
	for _, method := range []string{"GET", "POST", "DELETE"} {
		a := s.do(method, "/mcp", "{}")
		v := object(t, a.body)
		if a.status != 404 || dig(v, "error", "code") != "mcp-disabled" || !strings.Contains(dig(v, "error", "message").(string), "sm serve --mcp") || dig(v, "error", "details", "key") != "mcp.server.enabled" {
			t.Errorf("%s /mcp gives %d %s", method, a.status, a.body)
		}
	}
	v := s.get("/api/mcp/status", 200)
	if v["enabled"] != false || v["connected"] != false || v["clients"] != 0.0 || v["url"] != s.url+"/mcp" {
		t.Errorf("status %v", v)
	}
	if h := s.get("/api/health", 200); h["mcp"] != false {
		t.Errorf("health %v", h)
	}
}

func TestBodyCap(t *testing.T) {
	s := serve(t, project(t, small))
	big := `{"x":"` + strings.Repeat("a", 1<<20) + `"}`
	if a := s.do("POST", "/api/scan", big); a.status != 413 || dig(object(t, a.body), "error", "code") != "payload-too-large" {
		t.Errorf("gives %d %.200s", a.status, a.body)
	}
}

func TestDevCORS(t *testing.T) {
	s := serve(t, project(t, small), func(o *options) { o.api.DevCORS = true })
	a := s.do("OPTIONS", "/api/scan", "", "Origin", "http://localhost:5173", "Access-Control-Request-Method", "POST")
	if a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "http://localhost:5173" {
		t.Errorf("preflight gives %d %v", a.status, a.header)
	}
	if a := s.do("GET", "/api/health", "", "Origin", "http://localhost:5173"); a.header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("headers %v", a.header)
	}
}

func readInfo(t *testing.T, p config.Project) (api.ServeInfo, bool) {
	t.Helper()
	text, err := os.ReadFile(p.Inside(config.ServeFile))
	if err != nil {
		return api.ServeInfo{}, false
	}
	var info api.ServeInfo
	if err := json.Unmarshal(text, &info); err != nil {
		t.Fatal(err)
	}
	return info, true
}

func TestServeInfo(t *testing.T) {
	p := project(t, small)
	s := serve(t, p)
	info, ok := readInfo(t, p)
	if !ok || info.URL() != s.url || info.PID != os.Getpid() || len(info.Token) != 64 || info.SchemaVersion != 1 {
		t.Errorf("serve.json %+v", info)
	}
	if stat, err := os.Stat(p.Inside(config.ServeFile)); err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", stat.Mode(), err)
	}
	if found, ok := api.Serving(context.Background(), p); !ok || found.URL() != s.url {
		t.Errorf("Serving gives %+v, %v", found, ok)
	}
	if err := s.stop(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
	if _, ok := readInfo(t, p); ok {
		t.Error("serve.json outlives the server")
	}
	if _, ok := api.Serving(context.Background(), p); ok {
		t.Error("a stopped server still serves")
	}
}

func TestSecondServerIsRefused(t *testing.T) {
	p := project(t, small)
	s := serve(t, p)
	second, err := api.NewServer(s.atlas, api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = second.Run(context.Background())
	if fault.Of(err) != fault.Invalid || fault.Code(err) != "already-serving" || !strings.Contains(fault.Text(err), s.url) {
		t.Errorf("the second server ends with %v", err)
	}
	if info, ok := readInfo(t, p); !ok || info.URL() != s.url {
		t.Errorf("serve.json is now %+v", info)
	}
}

func TestStaleServeInfoIsNoServer(t *testing.T) {
	p := project(t, small)
	other := serve(t, project(t, small)) // lives, but serves another project
	stale := `{"schemaVersion":1,"host":"127.0.0.1","port":` + other.url[strings.LastIndex(other.url, ":")+1:] + `,"pid":1,"scopeRoot":"` + p.Root + `","startedAt":"x","smVersion":"x","token":"` + strings.Repeat("0", 64) + `"}`
	for name, text := range map[string]string{
		"another project's": stale, "dead": strings.Replace(stale, other.url[strings.LastIndex(other.url, ":")+1:], "1", 1),
		"foreign host": strings.Replace(stale, "127.0.0.1", "example.com", 1), "broken": "{",
	} {
		t.Run(name, func(t *testing.T) {
			write(t, p.Inside(config.ServeFile), text)
			s := serve(t, p)
			if info, ok := readInfo(t, p); !ok || info.URL() != s.url {
				t.Errorf("serve.json is %+v", info)
			}
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOnlyTheOwnerRetracts(t *testing.T) {
	p := project(t, small)
	s := serve(t, p)
	foreign := `{"schemaVersion":1,"host":"127.0.0.1","port":1,"pid":1,"scopeRoot":"x","startedAt":"x","smVersion":"x","token":"` + strings.Repeat("f", 64) + `"}`
	write(t, p.Inside(config.ServeFile), foreign)
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if info, ok := readInfo(t, p); !ok || info.Port != 1 {
		t.Error("another server's serve.json was deleted")
	}
}

func TestForeignAddressIsRefused(t *testing.T) {
	p := project(t, small)
	a := atlas.Open(p, atlas.Options{})
	t.Cleanup(func() { _ = a.Close() })
	s, err := api.NewServer(a, api.Options{Host: "0.0.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); fault.Of(err) != fault.Invalid {
		t.Errorf("listening on all addresses ends with %v", err)
	}
	if _, ok := readInfo(t, p); ok {
		t.Error("a refused server left serve.json")
	}
}

func TestTwoLines(t *testing.T) {
	p := project(t, small)
	a := atlas.Open(p, atlas.Options{})
	t.Cleanup(func() { _ = a.Close() })
	for _, browse := range []func(string) error{nil, func(string) error { return nil }} {
		var out lines
		s, err := api.NewServer(a, api.Options{Err: &out, Browse: browse})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		out.second = cancel
		if err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		url, verb := s.Address().URL, "visit"
		if browse != nil {
			verb = "opening"
		}
		want := "sm serve: listening on " + url + " (db=" + a.Database() + ")\nsm serve: " + verb + " " + url + "/ in your browser. Press Ctrl+C to stop.\n"
		if out.text != want {
			t.Errorf("says %q, want %q", out.text, want)
		}
	}
}

// lines collects text and calls second once two lines are there.
type lines struct {
	text   string
	second func()
}

func (l *lines) Write(b []byte) (int, error) {
	l.text += string(b)
	if strings.Count(l.text, "\n") == 2 {
		l.second()
	}
	return len(b), nil
}

// TestPagePolicy holds for the map page and for the plain page a build without npm serves.
func TestPagePolicy(t *testing.T) {
	s := serve(t, project(t, small))
	a := s.do("GET", "/", "")
	policy := a.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %q", policy, want)
		}
	}
	page := string(a.body)
	if strings.Contains(policy, "unsafe") || regexp.MustCompile(`<script(?:\s[^>]*)?>[^<]`).MatchString(page) || strings.Contains(page, "style=") || strings.Contains(page, "<style") {
		t.Errorf("the page wants more than its policy %s: %s", policy, page)
	}
	parts := regexp.MustCompile(`<(?:script|link)[^>]*\s(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(parts) == 0 {
		t.Errorf("the page names no part of its own: %s", page)
	}
	for _, part := range parts {
		a := s.do("GET", part[1], "")
		if kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); a.status != 200 || kind == "text/html" {
			t.Errorf("%s gives %d %s", part[1], a.status, a.header.Get("Content-Type"))
		}
	}
}

func TestPictureMayNotAct(t *testing.T) {
	s := serve(t, project(t, small))
	a := s.do("GET", "/api/graph?format=svg", "")
	if policy := a.header.Get("Content-Security-Policy"); a.status != 200 || a.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(policy, "sandbox") {
		t.Errorf("gives %d %s under %q", a.status, a.header.Get("Content-Type"), policy)
	}
}

func TestRoutesDeclareScopes(t *testing.T) {
	if _, err := (httpd.Table{Routes: []httpd.Route{{Pattern: "GET /x", Handle: func(http.ResponseWriter, *http.Request) error { return nil }}}}).Handler(); err == nil {
		t.Error("a route without a scope starts")
	}
}
