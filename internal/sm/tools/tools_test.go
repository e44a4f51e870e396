package tools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/tools"
)

var files = map[string]string{
	".claude/agents/editor.md":      "---\nname: editor\ndescription: Edits pages.\ntools: [Read]\n---\n\nFollow [the style](../../docs/style.md).\n",
	".claude/skills/check/SKILL.md": "---\nname: check\ndescription: Checks links.\n---\n\nNothing.\n",
	"docs/style.md":                 "# Style\n",
	"docs/a b%25.md":                "# Odd name\n",
	"AGENTS.md":                     "# Handbook\n\nBrief @editor. See [nothing](docs/none.md).\n",
}

// client talks to the door of one project over HTTP.
type client struct {
	t       testing.TB
	project config.Project
	atlas   *atlas.Atlas
	door    *tools.Door
	url     string
	session string
	id      atomic.Int64
}

// connect opens the door of a scanned project and shakes hands.
func connect(t testing.TB, files map[string]string) *client {
	t.Helper()
	c := &client{t: t, project: config.Project{Root: t.TempDir()}}
	c.write(".skill-map/settings.json", `{"schemaVersion":1,"activeProvider":"claude"}`)
	for name, text := range files {
		c.write(name, text)
	}
	c.atlas = atlas.Open(c.project, atlas.Options{Resident: true})
	t.Cleanup(func() { _ = c.atlas.Close() })
	c.scan()
	var err error
	if c.door, err = tools.New(c.atlas, tools.Options{}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(c.door)
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan struct{})
	follow := c.door.Follow(ctx)
	go func() { defer close(followed); follow() }()
	t.Cleanup(func() { cancel(); <-followed; c.door.Close(); web.Close() })
	c.url = web.URL
	c.open()
	return c
}

func (c *client) open() {
	res := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	c.session = res.Header.Get("Mcp-Session-Id")
	res.Body.Close()
}

func (c *client) write(name, text string) {
	c.t.Helper()
	path := c.project.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) scan() {
	c.t.Helper()
	if _, err := c.atlas.Scan(context.Background(), atlas.ScanOptions{Channel: sm.UI}); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) post(body string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequest("POST", c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send(req)
}

func (c *client) send(req *http.Request) *http.Response {
	c.t.Helper()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	return res
}

// rpc sends one request and returns its answer.
func (c *client) rpc(method, params string) answer {
	c.t.Helper()
	res := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id.Add(1), method, params))
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	_, data, _ := strings.Cut(string(body), "data: ")
	var a answer
	if err := json.Unmarshal([]byte(data), &a); err != nil {
		c.t.Fatalf("%s gives %d %s", method, res.StatusCode, body)
	}
	return a
}

type answer struct {
	Result struct {
		StructuredContent json.RawMessage
		Content           []struct{ Type, Text string }
		Contents          []struct{ URI, MIMEType, Text string }
	}
	Error *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// call calls a tool and decodes what it answers.
func (c *client) call(name, arguments string, into any) {
	c.t.Helper()
	a := c.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if a.Error != nil {
		c.t.Fatalf("%s %s: %+v", name, arguments, a.Error)
	}
	if a.Result.Content[0].Text != string(a.Result.StructuredContent) {
		c.t.Errorf("%s: the text is not the structured content", name)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, into); err != nil {
		c.t.Fatal(err)
	}
}

type node struct {
	Path string
	Body *string
}
type link struct{ Source, Target, ResolvedTarget string }
type issue struct {
	AnalyzerID string
	NodeIDs    []string
}

type graph struct {
	Nodes     []node
	Links     []link
	Issues    []issue
	Total     int
	Truncated bool
	Branch    struct {
		Total, Rendered, Cap    int
		Truncated, RootExcluded bool
	}
}

func (g *graph) paths() []string {
	var out []string
	for _, n := range g.Nodes {
		out = append(out, n.Path)
	}
	return out
}

func TestQueryGraph(t *testing.T) {
	c := connect(t, files)
	var all graph
	c.call("query_graph", `{}`, &all)
	if len(all.Nodes) != 5 || all.Total != 5 || all.Truncated {
		t.Errorf("everything is %v of %d, cut %v", all.paths(), all.Total, all.Truncated)
	}
	// A mention ends at the node it names, not at its own text.
	if !slices.ContainsFunc(all.Links, func(l link) bool {
		return l.Source == "AGENTS.md" && l.ResolvedTarget == ".claude/agents/editor.md"
	}) {
		t.Errorf("links %+v lack the mention of the editor", all.Links)
	}
	for arguments, want := range map[string][]string{
		`{"kind":"agent,skill"}`:                {".claude/agents/editor.md", ".claude/skills/check/SKILL.md"},
		`{"has":"issues"}`:                      {"AGENTS.md"},
		`{"path":"docs/**"}`:                    {"docs/a b%25.md", "docs/style.md"},
		`{"kind":"agent","path":"docs/**"}`:     nil,
		`{"kind":"agent","unknownArgument":[]}`: {".claude/agents/editor.md"},
	} {
		var g graph
		c.call("query_graph", arguments, &g)
		if got := g.paths(); !slices.Equal(got, want) {
			t.Errorf("query_graph %s gives %v, want %v", arguments, got, want)
		}
	}
	var cut graph
	c.call("query_graph", `{"limit":2}`, &cut)
	if len(cut.Nodes) != 2 || cut.Total != 5 || !cut.Truncated {
		t.Errorf("a cut gives %d of %d, truncated %v", len(cut.Nodes), cut.Total, cut.Truncated)
	}
	for _, l := range cut.Links {
		if got := cut.paths(); !slices.Contains(got, l.Source) {
			t.Errorf("link %+v leaves the graph %v", l, got)
		}
	}
}

func TestGetNode(t *testing.T) {
	c := connect(t, files)
	var n struct {
		Item  node
		Links struct{ Incoming, Outgoing []link }
	}
	c.call("get_node", `{"path":"docs/style.md"}`, &n)
	if n.Item.Path != "docs/style.md" || n.Item.Body != nil || len(n.Links.Incoming) != 1 || len(n.Links.Outgoing) != 0 {
		t.Errorf("get_node gives %+v", n)
	}
	c.call("get_node", `{"path":"docs/style.md","includeBody":true}`, &n)
	if n.Item.Body == nil || *n.Item.Body != "# Style\n" {
		t.Errorf("body is %v", n.Item.Body)
	}
	if err := os.Remove(c.project.Path("docs/style.md")); err != nil {
		t.Fatal(err)
	}
	var raw struct{ Item map[string]json.RawMessage }
	c.call("get_node", `{"path":"docs/style.md","includeBody":true}`, &raw)
	if string(raw.Item["body"]) != "null" {
		t.Errorf("the body of a file that is gone is %s", raw.Item["body"])
	}
}

func TestListIssues(t *testing.T) {
	c := connect(t, files)
	for arguments, want := range map[string]int{
		`{}`: 1, `{"severity":"error"}`: 1, `{"severity":"info"}`: 0, `{"severity":"terrible"}`: 0, `{"analyzerId":"core/reference-broken"}`: 1,
		`{"node":"AGENTS.md,docs/style.md"}`: 1, `{"node":"docs/style.md"}`: 0, `{"limit":100000}`: 1,
	} {
		var l struct {
			Items []issue
			Total int
		}
		c.call("list_issues", arguments, &l)
		if l.Total != want || len(l.Items) != want {
			t.Errorf("list_issues %s gives %d of %d, want %d", arguments, len(l.Items), l.Total, want)
		}
	}
	var l struct {
		Items []issue
		Total int
	}
	c.call("list_issues", `{"offset":1}`, &l)
	if l.Total != 1 || len(l.Items) != 0 {
		t.Errorf("the second page is %d of %d", len(l.Items), l.Total)
	}
}

func TestGetBranch(t *testing.T) {
	c := connect(t, files)
	var g graph
	c.call("get_branch", `{"path":["docs"]}`, &g)
	if got := g.paths(); !slices.Equal(got, []string{"docs/a b%25.md", "docs/style.md"}) || !g.Branch.RootExcluded || g.Branch.Total != 2 {
		t.Errorf("docs is %v, %+v", got, g.Branch)
	}
	c.call("get_branch", `{"path":["docs"],"limit":1}`, &g)
	if len(g.Nodes) != 1 || !g.Branch.Truncated || g.Branch.Cap != 1 {
		t.Errorf("cut to %v, %+v", g.paths(), g.Branch)
	}
	c.call("get_branch", `{"path":[],"exclude":["docs"],"excludeRoot":false}`, &g)
	if got := g.paths(); slices.Contains(got, "docs/style.md") || !slices.Contains(got, "AGENTS.md") {
		t.Errorf("without docs: %v", got)
	}
}

func TestRefusals(t *testing.T) {
	c := connect(t, files)
	for _, row := range []struct{ name, arguments, text string }{
		{"get_node", `{"path":"nope.md"}`, "Unknown node path: nope.md"},
		{"get_node", `{}`, "path: is required"},
		{"get_node", `{"path":7}`, "path: must be string"},
		{"query_graph", `{"has":"bogus"}`, "has="},
		{"query_graph", `{"limit":0}`, "limit: must be greater than 0"},
		{"query_graph", `{"limit":"many"}`, "limit: must be integer"},
		{"list_issues", `{"offset":-1}`, "offset: must be at least 0"},
		{"get_branch", `{"path":["docs"],"exclude":["docs"]}`, "docs"},
		{"get_branch", `{"path":"docs"}`, "path: must be array"},
	} {
		a := c.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, row.name, row.arguments))
		if a.Error == nil || a.Error.Code != -32602 || !strings.Contains(a.Error.Message, row.text) || a.Error.Data["code"] == nil {
			t.Errorf("%s %s gives %+v, want -32602 with %q", row.name, row.arguments, a.Error, row.text)
		}
	}
}

func TestResources(t *testing.T) {
	c := connect(t, files)
	read := func(uri string) string {
		t.Helper()
		a := c.rpc("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if a.Error != nil {
			t.Fatalf("%s: %+v", uri, a.Error)
		}
		if one := a.Result.Contents[0]; one.URI != uri || one.MIMEType != "application/json" || !json.Valid([]byte(one.Text)) {
			t.Errorf("%s gives %+v", uri, one)
		}
		return a.Result.Contents[0].Text
	}
	whole, err := c.atlas.ScanJSON(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := read("skillmap://graph"); got != string(whole) {
		t.Errorf("the graph is %.200s, want the map", got)
	}
	if got := read("skillmap://issues"); !strings.Contains(got, `"total":1`) {
		t.Errorf("issues %s", got)
	}
	if got := read("skillmap://activity"); !strings.Contains(got, `"nodes":{},"pairs":{}}`) {
		t.Errorf("activity %s", got)
	}
	for _, spelling := range []string{"docs/style.md", "docs%2Fstyle.md", "docs/%73tyle.md"} {
		if got := read("skillmap://node/" + spelling); !strings.Contains(got, `"path":"docs/style.md"`) {
			t.Errorf("%s gives %.100s", spelling, got)
		}
	}
	// A name with a percent sign is found as it is written, and encoded.
	for _, spelling := range []string{"docs/a b%25.md", "docs/a%20b%2525.md"} {
		if got := read("skillmap://node/" + spelling); !strings.Contains(got, `a b%25.md`) {
			t.Errorf("%s gives %.100s", spelling, got)
		}
	}
	for _, uri := range []string{"skillmap://node/nope.md", "skillmap://node/", "skillmap://nope", "file:///etc/passwd"} {
		if a := c.rpc("resources/read", fmt.Sprintf(`{"uri":%q}`, uri)); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("%s gives %+v", uri, a)
		}
		if a := c.rpc("resources/subscribe", fmt.Sprintf(`{"uri":%q}`, uri)); a.Error == nil || a.Error.Code != -32602 {
			t.Errorf("subscribing to %s gives %+v", uri, a)
		}
	}
}

// listen opens the client's stream and tells what is notified on it.
func (c *client) listen() <-chan string {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", c.url, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	res := c.send(req)
	heard := make(chan string, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var m struct {
				Method string
				Params struct{ URI string }
			}
			if ok && json.Unmarshal([]byte(data), &m) == nil {
				heard <- strings.TrimPrefix(m.Method, "notifications/resources/") + " " + m.Params.URI
			}
		}
	}()
	c.t.Cleanup(func() { cancel(); <-done })
	return heard
}

func TestNotifications(t *testing.T) {
	c := connect(t, files)
	for _, uri := range []string{"skillmap://graph", "skillmap://node/AGENTS.md", "skillmap://node/docs%2Fstyle.md", "skillmap://activity"} {
		if a := c.rpc("resources/subscribe", fmt.Sprintf(`{"uri":%q}`, uri)); a.Error != nil {
			t.Fatalf("%s: %+v", uri, a.Error)
		}
	}
	heard := c.listen()
	other := &client{t: t, url: c.url}
	other.open()
	strange := other.listen()
	expect := func(what string, want ...string) {
		t.Helper()
		slices.Sort(want)
		var got []string
		for range want {
			got = append(got, <-heard)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: hears %q, want %q", what, got, want)
		}
	}
	c.write("AGENTS.md", files["AGENTS.md"]+"\nMore.\n")
	c.scan()
	expect("an edit", "updated skillmap://graph", "updated skillmap://node/AGENTS.md")
	c.write("docs/new.md", "# New\n")
	c.scan()
	expect("a new file", "updated skillmap://graph", "list_changed ")
	c.atlas.Events.Publish(sm.Event{Type: "node.activity"})
	expect("activity", "updated skillmap://activity")
	if err := os.Remove(c.project.Path("docs/style.md")); err != nil {
		t.Fatal(err)
	}
	c.scan()
	expect("a file that goes", "updated skillmap://graph", "updated skillmap://node/docs%2Fstyle.md", "list_changed ")
	for range 2 {
		if got := <-strange; got != "list_changed " {
			t.Errorf("who subscribed to nothing hears %q", got)
		}
	}
}

// BenchmarkTools measures the two tools that agents call most, over HTTP.
func BenchmarkTools(b *testing.B) {
	many := map[string]string{}
	for i := range 1000 {
		many[fmt.Sprintf(".claude/agents/agent-%d.md", i)] = fmt.Sprintf("---\nname: agent-%d\ndescription: Does the work of kind %d, carefully.\n---\n\nAsk @agent-%d and @agent-%d, then see [the other](agent-%d.md).\n", i, i, (i+1)%1000, (i+7)%1000, (i+13)%1000)
	}
	c := connect(b, many)
	for name, arguments := range map[string]func(int64) string{
		"get_node":    func(i int64) string { return fmt.Sprintf(`{"path":".claude/agents/agent-%d.md"}`, i%1000) },
		"query_graph": func(int64) string { return `{}` },
	} {
		for _, clients := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/clients=%d", name, clients), func(b *testing.B) {
				http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
				b.SetParallelism(clients)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						n := c.id.Add(1)
						res := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, n, name, arguments(n)))
						size, err := io.Copy(io.Discard, res.Body)
						res.Body.Close()
						if err != nil || res.StatusCode != 200 {
							b.Fatal(res.StatusCode, err)
						}
						if n%1000 == 0 {
							b.SetBytes(size)
						}
					}
				})
			})
		}
	}
}

func TestWithoutMap(t *testing.T) {
	a := atlas.Open(config.Project{Root: t.TempDir()}, atlas.Options{Resident: true})
	t.Cleanup(func() { _ = a.Close() })
	door, err := tools.New(a, tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(door)
	t.Cleanup(func() { door.Close(); web.Close() })
	c := &client{t: t, url: web.URL}
	c.open()
	for _, row := range [][3]string{
		{"query_graph", `{}`, `{"nodes":[],"links":[],"issues":[],"total":0,"truncated":false}`},
		{"list_issues", `{}`, `{"items":[],"total":0}`},
		{"get_branch", `{"path":["docs"]}`, `{"branch":{"paths":["docs"],"excluded":[],"rootExcluded":true,"total":0,"rendered":0,"truncated":false,"cap":256},"nodes":[],"links":[],"issues":[]}`},
	} {
		var got json.RawMessage
		c.call(row[0], row[1], &got)
		if string(got) != row[2] {
			t.Errorf("%s gives %s, want %s", row[0], got, row[2])
		}
	}
	if a := c.rpc("tools/call", `{"name":"get_node","arguments":{"path":"a.md"}}`); a.Error == nil || a.Error.Code != -32602 {
		t.Errorf("get_node gives %+v", a)
	}
	if a := c.rpc("resources/read", `{"uri":"skillmap://graph"}`); !strings.Contains(a.Result.Contents[0].Text, `"scanCeiling":5000`) {
		t.Errorf("graph %+v", a)
	}
}
