package atlas_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	scanner "skillforge/internal/skillmap/scan"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/config"
	"skillforge/internal/sm/store"
)

// files is a small project of Claude's.
var files = map[string]string{
	".claude/agents/reviewer.md":    "---\nname: reviewer\ndescription: Reviews changes.\n---\nAsk @writer, then read [the style](../../docs/style.md).\n",
	".claude/agents/writer.md":      "---\nname: writer\ndescription: Writes texts.\n---\nUse /publish when done.\n",
	".claude/commands/publish.md":   "---\nname: publish\ndescription: Publishes.\n---\nRead [this](gone.md) first.\n",
	".claude/skills/links/SKILL.md": "---\nname: links\ndescription: Checks links.\n---\nbody\n",
	"docs/style.md":                 "# Style\n",
	"README.md":                     "See [style](docs/style.md).\n",
	".skill-map/settings.json":      "{\"schemaVersion\": 1}\n",
	"docs/picture.txt":              "no Markdown\n",
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// project makes the small project.
func project(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func open(t testing.TB, dir string, resident bool) *atlas.Atlas {
	t.Helper()
	a := atlas.Open(config.Project{Root: dir}, atlas.Options{Resident: resident})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func scan(t testing.TB, a *atlas.Atlas, opt atlas.ScanOptions) *atlas.Scanned {
	t.Helper()
	done, err := a.Scan(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func result(t testing.TB, a *atlas.Atlas) *skillmap.ScanResult {
	t.Helper()
	r, err := a.ScanResult(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func paths(nodes []*atlas.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Path)
	}
	return out
}

// both runs a test on an atlas that keeps the map and on one that does not.
func both(t *testing.T, dir string, run func(t *testing.T, a *atlas.Atlas)) {
	t.Helper()
	for name, resident := range map[string]bool{"server": true, "command": false} {
		t.Run(name, func(t *testing.T) { run(t, open(t, dir, resident)) })
	}
}

func TestReadsWithoutADatabase(t *testing.T) {
	both(t, project(t), func(t *testing.T, a *atlas.Atlas) {
		ctx := t.Context()
		if a.Exists() {
			t.Fatal("there is a database")
		}
		for name, got := range map[string]func() (string, error){
			`{"nodes":[],"links":[],"issues":[],"total":0,"truncated":false}`: func() (string, error) {
				g, err := a.QueryGraph(ctx, atlas.GraphQuery{})
				return string(g.AppendJSON(nil)), err
			},
			`{"items":[],"total":0}`: func() (string, error) {
				l, err := a.Issues(ctx, atlas.IssueFilter{})
				return string(l.AppendJSON(nil)), err
			},
			`{"branch":{"paths":["docs"],"excluded":[],"rootExcluded":true,"total":0,"rendered":0,"truncated":false,"cap":256},"nodes":[],"links":[],"issues":[]}`: func() (string, error) {
				b, err := a.Branch(ctx, skillmap.BranchRequest{Include: []string{"docs"}})
				return string(b.AppendJSON(nil)), err
			},
		} {
			if text, err := got(); err != nil || text != name {
				t.Errorf("got %s, %v; want %s", text, err, name)
			}
		}
		if _, err := a.Node(ctx, "README.md", atlas.NodeOptions{}); fault.Of(err) != fault.NotFound {
			t.Errorf("a node gives %v, want not found", err)
		}
		if l, err := a.Nodes(ctx, atlas.NodeFilter{}); err != nil || l.Total != 0 || l.Items == nil {
			t.Errorf("nodes give %+v, %v", l, err)
		}
		r := result(t, a)
		if r.SchemaVersion != 1 || r.ScanCeiling != 5000 || r.Nodes == nil || r.ScannedAt == 0 {
			t.Errorf("the map is %+v", r)
		}
		if err := a.Write(ctx, func(*store.Tx) error { return nil }); fault.Code(err) != "db-missing" {
			t.Errorf("a write gives %v, want db-missing", err)
		}
		if _, err := os.Stat(a.Database()); !os.IsNotExist(err) {
			t.Error("reading made a file")
		}
	})
}

func TestScanKeepsTheMap(t *testing.T) {
	dir := project(t)
	a := open(t, dir, false)
	done := scan(t, a, atlas.ScanOptions{})
	if done.Stats.NodesCount != 6 || !done.Kept || done.Unchanged || done.Lens.ID != "claude" {
		t.Errorf("got %+v", done)
	}
	fresh, err := done.Result(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept := result(t, open(t, dir, true))
	if diff := cmp.Diff(string(fresh.AppendJSON(nil)), string(kept.AppendJSON(nil))); diff != "" {
		t.Errorf("what is kept differs from what was found:\n%s", diff)
	}
	log, err := os.ReadFile(filepath.Join(dir, ".skill-map", "operations.log"))
	if err != nil || !strings.Contains(string(log), `"op":"scan","target":"*","channel":"cli","outcome":"ok"`) {
		t.Errorf("operations log: %s, %v", log, err)
	}
	ignore, err := os.ReadFile(filepath.Join(dir, ".skill-map", ".gitignore"))
	if err != nil || !strings.Contains(string(ignore), "map.db\n") {
		t.Errorf(".gitignore: %s, %v", ignore, err)
	}
	settings, err := os.ReadFile(filepath.Join(dir, ".skill-map", "settings.json"))
	if err != nil || !strings.Contains(string(settings), `"claude"`) {
		t.Errorf("the lens is not settled: %s, %v", settings, err)
	}
}

func TestScanAgain(t *testing.T) {
	dir := project(t)
	both(t, dir, func(t *testing.T, a *atlas.Atlas) {
		scan(t, a, atlas.ScanOptions{})
		age(t, dir)
		scan(t, a, atlas.ScanOptions{}) // learns that the times can be trusted now
		before := result(t, a)
		again := scan(t, a, atlas.ScanOptions{})
		if !again.Unchanged || again.Stats.NodesCount != 6 || again.Stats.LinksCount != before.Stats.LinksCount || again.Errors != 1 {
			t.Errorf("a scan of nothing new gives %+v", again)
		}
		r, err := again.Result(t.Context())
		if err != nil || len(r.Nodes) != 6 {
			t.Errorf("its result has %d nodes, %v", len(r.Nodes), err)
		}
		if now := result(t, a); now.ScannedAt < before.ScannedAt || len(now.Nodes) != 6 {
			t.Errorf("the map is of %d after %d", now.ScannedAt, before.ScannedAt)
		}
		write(t, dir, "docs/new.md", "new\n")
		if done := scan(t, a, atlas.ScanOptions{}); done.Unchanged || done.Stats.NodesCount != 7 {
			t.Errorf("with a new file: %+v", done)
		}
		if err := os.Remove(filepath.Join(dir, "docs", "new.md")); err != nil {
			t.Fatal(err)
		}
		if done := scan(t, a, atlas.ScanOptions{}); done.Stats.NodesCount != 6 {
			t.Errorf("without it: %+v", done)
		}
	})
}

// age makes all files look older than the scans that are to come, so that
// their times can be trusted.
func age(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || strings.Contains(name, ".skill-map") {
			return err
		}
		return os.Chtimes(name, someTime, someTime)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadsAgree(t *testing.T) {
	dir := project(t)
	scan(t, open(t, dir, false), atlas.ScanOptions{})
	server, command := open(t, dir, true), open(t, dir, false)
	ctx := t.Context()
	all, err := server.Paths(ctx)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d paths, %v", len(all), err)
	}
	for _, path := range append(all, "none") {
		got, err := server.Node(ctx, path, atlas.NodeOptions{Body: true, Raw: true})
		want, werr := command.Node(ctx, path, atlas.NodeOptions{Body: true, Raw: true})
		if fault.Code(err) != fault.Code(werr) {
			t.Errorf("%s: %v against %v", path, err, werr)
		}
		if err != nil {
			continue
		}
		if a, b := string(got.AppendJSON(nil)), string(want.AppendJSON(nil)); a != b {
			t.Errorf("%s:\n%s\nagainst\n%s", path, a, b)
		}
	}
	for _, f := range []atlas.IssueFilter{
		{}, {Severities: []string{"error"}}, {Severities: []string{"none"}}, {Analyzers: []string{"core/reference-broken"}},
		{Nodes: []string{".claude/commands/publish.md"}}, {Nodes: []string{"none", "README.md"}}, {Limit: 1, Offset: 1}, {Offset: 99},
	} {
		got, err := server.Issues(ctx, f)
		want, werr := command.Issues(ctx, f)
		if err != nil || werr != nil || string(got.AppendJSON(nil)) != string(want.AppendJSON(nil)) {
			t.Errorf("Issues(%+v): %s, %v against %s, %v", f, got.AppendJSON(nil), err, want.AppendJSON(nil), werr)
		}
	}
	for _, f := range []atlas.NodeFilter{
		{}, {SortBy: "kind"}, {SortBy: "links_in_count", Limit: 2}, {SortBy: "tokens_total", Offset: 3}, {Query: query(t, "kind=agent,skill")},
		{Query: query(t, "has=issues")}, {Tag: "none"}, {SortBy: "links_out_count"}, {SortBy: "external_refs_count"}, {Query: query(t, "path=docs/**")},
	} {
		got, err := server.Nodes(ctx, f)
		want, werr := command.Nodes(ctx, f)
		if err != nil || werr != nil || got.Total != want.Total {
			t.Fatalf("Nodes(%+v): %v, %v", f, err, werr)
		}
		if diff := cmp.Diff(paths(want.Items), paths(got.Items)); diff != "" {
			t.Errorf("Nodes(%+v):\n%s", f, diff)
		}
	}
	if _, err := server.Nodes(ctx, atlas.NodeFilter{SortBy: "colour"}); fault.Of(err) != fault.Invalid {
		t.Errorf("an unknown order gives %v", err)
	}
}

func query(t testing.TB, text string) skillmap.Query {
	t.Helper()
	q, err := skillmap.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestQueryGraphFindsWhoUsesASkill(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	g, err := a.QueryGraph(t.Context(), atlas.GraphQuery{Query: query(t, "kind=agent,command")})
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for _, l := range g.Links {
		links = append(links, l.Source+" "+l.Target)
	}
	want := []string{".claude/agents/reviewer.md @writer", ".claude/agents/writer.md /publish"}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if g.Total != 3 || g.Truncated || len(g.Issues) != 1 {
		t.Errorf("got %d of %d, truncated %v, %d issues", len(g.Nodes), g.Total, g.Truncated, len(g.Issues))
	}
}

func TestBodies(t *testing.T) {
	dir := project(t)
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	body := func(path string) *skillmap.Text {
		t.Helper()
		b, err := a.Node(t.Context(), path, atlas.NodeOptions{Body: true})
		if err != nil {
			t.Fatal(err)
		}
		return b.Body
	}
	if got := body(".claude/agents/writer.md"); got.Null || got.String != "Use /publish when done.\n" {
		t.Errorf("body is %+v", got)
	}
	b, err := a.Node(t.Context(), "README.md", atlas.NodeOptions{Raw: true})
	if err != nil || b.Raw.String != files["README.md"] || b.Body != nil {
		t.Errorf("raw is %+v, %v", b.Raw, err)
	}
	for name, make := range map[string]func(string) error{
		"gone":     os.Remove,
		"link out": func(p string) error { return swap(p, func() error { return os.Symlink(outside, p) }) },
		"link in":  func(p string) error { return swap(p, func() error { return os.Symlink("style.md", p) }) },
		"folder":   func(p string) error { return swap(p, func() error { return os.Mkdir(p, 0o755) }) },
		"folder link out": func(p string) error {
			return swap(filepath.Dir(p), func() error { return os.Symlink(filepath.Dir(outside), filepath.Dir(p)) })
		},
	} {
		write(t, dir, "docs/x/secret.md", "text")
		scan(t, a, atlas.ScanOptions{})
		if err := make(filepath.Join(dir, "docs", "x", "secret.md")); err != nil {
			t.Fatal(err)
		}
		if got := body("docs/x/secret.md"); !got.Null {
			t.Errorf("%s: body is %+v, want null", name, got)
		}
		if err := os.RemoveAll(filepath.Join(dir, "docs", "x")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBodyOfATOMLAgentIsItsInstructions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".codex/agents/helper.toml", "name = \"helper\"\ndeveloper_instructions = \"Help.\"\n")
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	b, err := a.Node(t.Context(), ".codex/agents/helper.toml", atlas.NodeOptions{Body: true})
	if err != nil || b.Body.String != "Help." {
		t.Errorf("body is %+v, %v", b, err)
	}
}

func swap(path string, make func() error) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return make()
}

func TestEmptiedProjectKeepsItsMap(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	write(t, dir, ".skillmapignore", "*\n")
	if _, err := a.Scan(t.Context(), atlas.ScanOptions{}); fault.Code(err) != "scan-emptied" || fault.Of(err) != fault.Conflict {
		t.Errorf("got %v, want scan-emptied", err)
	}
	if r := result(t, a); len(r.Nodes) != 6 {
		t.Errorf("the map has %d nodes", len(r.Nodes))
	}
	scan(t, a, atlas.ScanOptions{AllowEmpty: true})
	if r := result(t, a); len(r.Nodes) != 0 {
		t.Errorf("the map has %d nodes, want none", len(r.Nodes))
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "x")
	a := open(t, dir, false)
	done := scan(t, a, atlas.ScanOptions{DryRun: true, MaxScan: 9000})
	r, err := done.Result(t.Context())
	if err != nil || len(r.Nodes) != 1 || done.Kept {
		t.Errorf("got %+v, %v", done, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".skill-map")); !os.IsNotExist(err) {
		t.Error("a dry run made .skill-map")
	}
}

func TestCeilingIsRemembered(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		write(t, dir, fmt.Sprintf("n%d.md", i), "x")
	}
	write(t, dir, ".skill-map/settings.json", `{"schemaVersion": 1, "scan": {"maxScan": 2}}`)
	a := open(t, dir, true)
	if done := scan(t, a, atlas.ScanOptions{}); !done.Truncated || done.Stats.NodesCount != 2 {
		t.Errorf("got %+v", done)
	}
	if done := scan(t, a, atlas.ScanOptions{MaxScan: 10}); done.Truncated || done.Stats.NodesCount != 5 {
		t.Errorf("raised: %+v", done)
	}
	if done := scan(t, a, atlas.ScanOptions{}); done.Truncated || done.Stats.NodesCount != 5 || done.Ceiling != 10 {
		t.Errorf("the next plain scan: %+v", done)
	}
}

func TestNoBuiltInsIsAnEmptyMapThatIsNotKept(t *testing.T) {
	a := open(t, project(t), true)
	done := scan(t, a, atlas.ScanOptions{NoBuiltIns: true})
	r, err := done.Result(t.Context())
	if err != nil || len(r.Nodes)+len(r.Links)+len(r.Issues) != 0 || done.Kept || a.Exists() {
		t.Errorf("got %d nodes, %d issues, kept %v, %v", len(r.Nodes), len(r.Issues), done.Kept, err)
	}
}

func TestLensMustBeClear(t *testing.T) {
	dir := project(t)
	write(t, dir, ".codex/agents/a.toml", "name = \"a\"\n")
	a := open(t, dir, true)
	_, err := a.Scan(t.Context(), atlas.ScanOptions{})
	if fault.Code(err) != "ambiguous-provider" || a.Exists() {
		t.Errorf("got %v, want ambiguous-provider and no map", err)
	}
}

func TestExtensionsCanBeSwitchedOff(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	broken := func() int {
		l, err := a.Issues(t.Context(), atlas.IssueFilter{Analyzers: []string{"reference-broken"}})
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	scan(t, a, atlas.ScanOptions{})
	if broken() != 1 {
		t.Fatalf("%d broken links, want 1", broken())
	}
	for _, settings := range []string{
		`{"plugins": {"core": {"extensions": {"reference-broken": {"enabled": false}}}}}`,
		`{"plugins": {"core": {"extensions": {"markdown-link": {"enabled": false}}}}}`,
		`{"plugins": {"core": {"extensions": {"reference-broken": {"settings": {"ignored-references": [{"type": "literal", "value": ".claude/commands/gone.md"}]}}}}}}`,
	} {
		write(t, dir, ".skill-map/settings.json", settings)
		scan(t, a, atlas.ScanOptions{})
		if broken() != 0 {
			t.Errorf("with %s: %d broken links", settings, broken())
		}
	}
}

func TestAnotherProcessScans(t *testing.T) {
	dir := project(t)
	server, command := open(t, dir, true), open(t, dir, false)
	if r := result(t, server); len(r.Nodes) != 0 {
		t.Fatal("there is a map already")
	}
	scan(t, command, atlas.ScanOptions{})
	if r := result(t, server); len(r.Nodes) != 6 {
		t.Errorf("after the first scan of another process: %d nodes", len(r.Nodes))
	}
	write(t, dir, "docs/new.md", "new")
	scan(t, command, atlas.ScanOptions{})
	if _, err := server.Node(t.Context(), "docs/new.md", atlas.NodeOptions{}); err != nil {
		t.Errorf("the new node: %v", err)
	}
	if _, err := command.Reset(t.Context(), atlas.ResetHard, false); err != nil {
		t.Fatal(err)
	}
	if r := result(t, server); len(r.Nodes) != 0 {
		t.Errorf("after a hard reset: %d nodes", len(r.Nodes))
	}
	scan(t, command, atlas.ScanOptions{})
	if r := result(t, server); len(r.Nodes) != 7 {
		t.Errorf("after a new database: %d nodes", len(r.Nodes))
	}
	scan(t, server, atlas.ScanOptions{})
	if r := result(t, server); len(r.Nodes) != 7 {
		t.Errorf("after its own scan: %d nodes", len(r.Nodes))
	}
}

func TestWritesAreSeenAtOnce(t *testing.T) {
	a := open(t, project(t), true)
	scan(t, a, atlas.ScanOptions{})
	before := result(t, a)
	err := a.Write(t.Context(), func(tx *store.Tx) error {
		n, err := tx.DeleteIssues(t.Context(), ".claude/commands/publish.md", "reference-broken", ".claude/commands/gone.md")
		if n != 1 {
			t.Errorf("%d issues deleted", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if now := result(t, a); len(now.Issues) != len(before.Issues)-1 {
		t.Errorf("%d issues after %d", len(now.Issues), len(before.Issues))
	}
}

func TestEventsOfAScan(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	events, end := a.Events.Listen(1000)
	defer end()
	scan(t, a, atlas.ScanOptions{})
	kinds, last := drain(t, events)
	if kinds[sm.ScanStarted] != 1 || kinds[sm.ScanProgress] != 6 || kinds[sm.ScanCompleted] != 1 || kinds[sm.AnalyzerDone] == 0 || kinds[sm.ExtractorDone] == 0 {
		t.Errorf("events %v", kinds)
	}
	text, err := json.Marshal(last)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"type":"scan.completed","timestamp":`, `"runId":"r-scan-`, `"jobId":null`, `"nodes":6`, `"stats":{"filesWalked":`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
	write(t, dir, "docs/new.md", "Ask @nobody and read [x](nothing.md)")
	write(t, dir, "README.md", "Read [new](docs/new.md)")
	write(t, dir, ".claude/commands/publish.md", "---\nname: publish\ndescription: Publishes.\n---\nRead nothing.\n")
	if err := os.Remove(filepath.Join(dir, ".claude", "skills", "links", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	scan(t, a, atlas.ScanOptions{})
	kinds, last = drain(t, events)
	want := &sm.Change{Added: []string{"docs/new.md"}, Removed: []string{".claude/skills/links/SKILL.md"}, Changed: []string{".claude/commands/publish.md", "README.md", "docs/style.md"}}
	if diff := cmp.Diff(want, last.Change); diff != "" {
		t.Errorf("change (-want +got):\n%s", diff)
	}
	if kinds[sm.IssueAdded] == 0 || kinds[sm.IssueResolved] != 1 {
		t.Errorf("events %v", kinds)
	}
}

// drain counts the events that wait, and gives the last one.
func drain(t *testing.T, events <-chan sm.Event) (kinds map[string]int, last sm.Event) {
	t.Helper()
	kinds = map[string]int{}
	for {
		select {
		case e, open := <-events:
			if !open {
				t.Fatal("the subscription was cut")
			}
			kinds[e.Type]++
			last = e
		default:
			return kinds, last
		}
	}
}

func TestScansTakeTurns(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	hold, release := make(chan struct{}), make(chan struct{})
	go func() {
		first := true
		_, _ = a.Scan(context.Background(), atlas.ScanOptions{Progress: func(scanner.Progress) {
			if first {
				first = false
				close(hold)
				<-release
			}
		}})
	}()
	<-hold
	if _, err := a.Scan(t.Context(), atlas.ScanOptions{NoWait: true}); fault.Code(err) != "scan-busy" {
		t.Errorf("got %v, want scan-busy", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Scan(ctx, atlas.ScanOptions{}); err == nil {
		t.Error("a scan that is called off waits for its turn all the same")
	}
	close(release)
	scan(t, a, atlas.ScanOptions{})
}

func TestRenamedFileKeepsItsFavourite(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	if err := a.Write(t.Context(), func(tx *store.Tx) error { return tx.SetFavorite(t.Context(), "docs/style.md", true) }); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "docs", "style.md"), filepath.Join(dir, "docs", "tone.md")); err != nil {
		t.Fatal(err)
	}
	done := scan(t, a, atlas.ScanOptions{})
	if len(done.Renames) != 1 || done.Renames[0].To != "docs/tone.md" {
		t.Errorf("renames %+v", done.Renames)
	}
	err := a.Read(t.Context(), func(tx *store.Tx) error {
		marks, err := tx.Favorites(t.Context())
		if _, ok := marks["docs/tone.md"]; !ok || len(marks) != 1 {
			t.Errorf("favourites %v", marks)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCompare(t *testing.T) {
	dir := project(t)
	a := open(t, dir, true)
	scan(t, a, atlas.ScanOptions{})
	before := result(t, a)
	write(t, dir, "docs/style.md", "# Other\n")
	d, err := a.Compare(t.Context(), before, atlas.ScanOptions{})
	if err != nil || len(d.Nodes.Changed) != 1 || d.Nodes.Changed[0].Reason != "body" {
		t.Errorf("got %+v, %v", d.Nodes, err)
	}
	if r := result(t, a); r.Nodes[slices.IndexFunc(r.Nodes, func(n skillmap.Node) bool { return n.Path == "docs/style.md" })].BodyHash != d.Nodes.Changed[0].Before.BodyHash {
		t.Error("comparing changed the map")
	}
}

var someTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestReadsWhileScanning asks from many sides while the map changes under
// them: each answer must be of one moment.
// A first scan makes a folder for its database, which is no change of the
// project; one that fails leaves none.
func TestFirstScanIsFollowedByUnchanged(t *testing.T) {
	dir := project(t)
	if err := os.RemoveAll(filepath.Join(dir, ".skill-map")); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	if _, err := open(t, dir, false).Scan(t.Context(), atlas.ScanOptions{Roots: []string{"nowhere"}}); err == nil {
		t.Error("a folder that is not there can be scanned")
	}
	if _, err := os.Stat(filepath.Join(dir, ".skill-map")); err == nil {
		t.Error("a scan that failed leaves a folder")
	}
	scan(t, open(t, dir, false), atlas.ScanOptions{Once: true})
	if again := scan(t, open(t, dir, false), atlas.ScanOptions{Once: true}); !again.Unchanged || again.Change == nil {
		t.Errorf("the second scan finds a change: %+v", again)
	}
}

// What a scan says of errors is the same whether it made the map or found it
// unchanged, and whether another scan follows or not.
func TestFirstErrors(t *testing.T) {
	dir := project(t)
	write(t, dir, "docs/more.md", "[one](none-1.md) and [two](none-2.md)\n")
	age(t, dir)
	first := scan(t, open(t, dir, false), atlas.ScanOptions{Once: true})
	again := scan(t, open(t, dir, false), atlas.ScanOptions{})
	if !again.Unchanged || first.Errors < 3 {
		t.Fatalf("unchanged: %v, %d errors", again.Unchanged, first.Errors)
	}
	for most := range first.Errors + 2 {
		want, err := first.FirstErrors(t.Context(), max(1, most))
		if err != nil || len(want) != min(first.Errors, max(1, most)) {
			t.Fatalf("%d of %d errors, %v", len(want), first.Errors, err)
		}
		got, err := again.FirstErrors(t.Context(), max(1, most))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(issueTexts(want), issueTexts(got)); diff != "" {
			t.Errorf("the first %d errors of a map that did not change (-want +got):\n%s", most, diff)
		}
	}
}

func issueTexts(list []*atlas.Issue) (out []string) {
	for _, is := range list {
		out = append(out, string(is.JSON()))
	}
	return out
}

func TestReadsWhileScanning(t *testing.T) {
	dir := project(t)
	server, command := open(t, dir, true), open(t, dir, false)
	scan(t, server, atlas.ScanOptions{})
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				g, err := server.QueryGraph(ctx, atlas.GraphQuery{})
				if err != nil {
					if ctx.Err() == nil {
						t.Error(err)
					}
					return
				}
				if n := len(g.Nodes); n != 6 && n != 16 || g.Total != n {
					t.Errorf("%d nodes of %d, want 6 or 16", n, g.Total)
				}
				if b, err := server.Node(ctx, "README.md", atlas.NodeOptions{}); err != nil || len(b.Outgoing) != 1 && len(b.Outgoing) != 11 {
					t.Errorf("%v, %v", b, err)
				}
			}
		})
	}
	for round := range 6 {
		for i := range 10 {
			name := fmt.Sprintf("docs/extra%d.md", i)
			if round%2 == 0 {
				write(t, dir, name, "x")
			} else if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		text := files["README.md"]
		if round%2 == 0 {
			for i := range 10 {
				text += fmt.Sprintf("[x%d](docs/extra%d.md)\n", i, i)
			}
		}
		write(t, dir, "README.md", text)
		scan(t, []*atlas.Atlas{server, command}[round/2%2], atlas.ScanOptions{})
	}
	stop()
	readers.Wait()
}
