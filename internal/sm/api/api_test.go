package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"skillforge/internal/sm"
	"skillforge/internal/sm/api"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/tools"
	"skillforge/internal/sm/web"
)

// shared is the folder of golden data; the test is skipped without it.
func shared(t testing.TB, path ...string) string {
	t.Helper()
	root := os.Getenv("SKILLFORGE_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			if dir == filepath.Dir(dir) {
				t.Fatal("no module root above the test")
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(filepath.Dir(dir), "shared")
	}
	root = filepath.Join(append([]string{root, "data"}, path...)...)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("golden data is not at hand (%s); SKILLFORGE_SHARED says where", filepath.Join(path...))
	}
	return root
}

// small is a project with one of each thing that the routes speak of.
var small = map[string]string{
	".claude/agents/editor.md":      "---\nname: editor\ndescription: Edits pages.\ntools: [Read]\n---\n\nFollow [the style](../../docs/style.md).\n",
	".claude/skills/check/SKILL.md": "---\nname: check\ndescription: Checks links.\n---\n\nSee https://example.com/a.\n",
	"docs/style.md":                 "# Style\n\nShort sentences.\n",
	"docs/a b.md":                   "# Spaces\n",
	"AGENTS.md":                     "# Handbook\n\nBrief @editor. See [nothing](docs/none.md).\n",
}

// project writes files into a new folder and settles its lens.
func project(t testing.TB, files map[string]string) config.Project {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	write(t, filepath.Join(dir, ".skill-map", "settings.json"), `{"schemaVersion":1,"activeProvider":"claude"}`)
	return config.Project{Root: dir}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// copied is a project with the files of a folder.
func copied(t testing.TB, from string) config.Project {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		text, err := os.ReadFile(path)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return project(t, files)
}

// site is a running server and a client of it.
type site struct {
	t      testing.TB
	atlas  *atlas.Atlas
	server *api.Server
	url    string
	err    *bytes.Buffer // valid after stop
	stop   func() error  // ends the server and waits
}

// options of the tests; each may change them.
type options struct {
	mcp   bool
	api   api.Options
	tools tools.Options
}

// serve scans a project and serves it on a free port.
func serve(t testing.TB, p config.Project, change ...func(*options)) *site {
	t.Helper()
	a := atlas.Open(p, atlas.Options{Resident: true})
	t.Cleanup(func() { _ = a.Close() })
	if _, err := a.Scan(context.Background(), atlas.ScanOptions{Channel: sm.CLI}); err != nil {
		t.Fatalf("scan: %v", err)
	}
	return start(t, a, change...)
}

// start serves an atlas as it is.
func start(t testing.TB, a *atlas.Atlas, change ...func(*options)) *site {
	t.Helper()
	o := options{mcp: true}
	for _, c := range change {
		c(&o)
	}
	s := &site{t: t, atlas: a, err: &bytes.Buffer{}}
	o.api.Err = s.err
	o.api.Page = web.Handler(a, web.Options{Project: a.Project().Root, MCP: o.mcp})
	if o.mcp {
		door, err := tools.New(a, o.tools)
		if err != nil {
			t.Fatal(err)
		}
		o.api.MCP = door.Server
		o.api.Follow = append(o.api.Follow, door.Follow)
	}
	up := make(chan struct{})
	o.api.Banner = func(w io.Writer, at api.Address) {
		s.url = at.URL
		close(up)
	}
	var err error
	if s.server, err = api.NewServer(a, o.api); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Run(ctx) }()
	select {
	case <-up:
	case err := <-ended:
		t.Fatalf("the server does not come up: %v", err)
	}
	var stopped bool
	s.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() { _ = s.stop() })
	return s
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (s *site) do(method, path, body string, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{res.StatusCode, res.Header, text}
}

// get decodes a JSON answer with the status wanted.
func (s *site) get(path string, status int) map[string]any {
	s.t.Helper()
	a := s.do("GET", path, "")
	if a.status != status || a.header.Get("Content-Type") != "application/json" {
		s.t.Fatalf("GET %s gives %d %s %s, want %d", path, a.status, a.header.Get("Content-Type"), a.body, status)
	}
	return object(s.t, a.body)
}

func object(t testing.TB, body []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// dig follows keys into nested objects, and numbers into lists.
func dig(v any, keys ...string) any {
	for _, k := range keys {
		switch at := v.(type) {
		case map[string]any:
			v = at[k]
		case []any:
			i, err := strconv.Atoi(k)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// items are the paths of listed nodes.
func paths(v any) []string {
	list, _ := v.([]any)
	out := []string{}
	for _, item := range list {
		if s, ok := dig(item, "path").(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// soon is long enough for anything that is going to happen.
const soon = 20 * time.Second
