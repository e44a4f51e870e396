package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
)

// project is an input over a new folder with these files.
func project(t testing.TB, files map[string]string) (Input, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		plantFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return Input{
		Roots:  []scan.Root{{Name: ".", Dir: dir}},
		Ignore: []Layer{{Name: "defaults", Lines: ignore.Defaults}},
		Scan:   scan.Options{Lens: "claude", Tokenize: true},
	}, dir
}

func run(t testing.TB, in Input, prior *Prior) *Outcome {
	t.Helper()
	out, err := Run(t.Context(), in, prior)
	must(t, err)
	return out
}

// ids lists the issues of one rule as severity and nodes.
func ids(r *skillmap.ScanResult, rule string) []string {
	var out []string
	for i := range r.Issues {
		if r.Issues[i].AnalyzerID == rule {
			out = append(out, fmt.Sprintf("%s %s", r.Issues[i].Severity, strings.Join(r.Issues[i].NodeIDs, ",")))
		}
	}
	return out
}

func TestSameTreeSameMap(t *testing.T) {
	files := map[string]string{}
	g := &garden{t: t, rnd: seeded(3)}
	for _, p := range plots {
		files[p] = g.text()
	}
	var told []string
	for i := range 4 {
		in, dir := project(t, nil)
		names := slices.Sorted(maps.Keys(files))
		seeded(uint64(i)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, n := range names {
			plantFile(t, filepath.Join(dir, filepath.FromSlash(n)), files[n])
		}
		settle(t, dir)
		in.Scan.Workers = 1 + i
		told = append(told, plain(t, run(t, in, nil).Result), plain(t, run(t, in, nil).Result))
	}
	for _, m := range told {
		if m != told[0] {
			t.Fatalf("one tree, two maps:\n%s", firstDifference(told[0], m))
		}
	}
}

// A tree behind fs.FS gives the map of the same tree on disk.
func TestTreeIsAsGoodAsDisk(t *testing.T) {
	files := map[string]string{".mcp.json": `{"mcpServers":{"hub":{"command":"x"}}}`, "data/x.json": "{}"}
	g := &garden{t: t, rnd: seeded(5)}
	for _, p := range plots {
		files[p] = g.text()
	}
	in, dir := project(t, files)
	settle(t, dir)
	want := plain(t, run(t, in, nil).Result)
	in.Roots = []scan.Root{{Name: ".", FS: os.DirFS(dir)}}
	if got := plain(t, run(t, in, nil).Result); got != want {
		t.Fatalf("behind fs.FS the map differs:\n%s", firstDifference(want, got))
	}
}

// A commit has no times; its blobs have ids, and the next commit reads only
// new ones.
func TestCommitsShareBlobs(t *testing.T) {
	tree := commit{fstest.MapFS{"a.md": file("[b](b.md)", "1"), "b.md": file("B", "2")}, map[string]int{}}
	in := Input{Roots: []scan.Root{{Name: "main", FS: tree}}}
	first := run(t, in, nil)
	if n := first.Result.Nodes[0]; n.ModifiedAtMs != nil {
		t.Errorf("a blob was modified at %d", *n.ModifiedAtMs)
	}
	next := commit{fstest.MapFS{"a.md": file("[b](b.md)", "1"), "b.md": file("New", "3")}, map[string]int{}}
	in.Roots[0].FS = next
	second := run(t, in, &Prior{Cache: first.Cache})
	if !slices.Equal(second.Read, []string{"b.md"}) || next.opened["a.md"] > 0 {
		t.Errorf("the second commit reads %v, opens %v", second.Read, next.opened)
	}
}

func file(text, id string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(text), Sys: blob(id)}
}

type blob string

func (b blob) ContentID() string { return string(b) }

// commit counts what is opened.
type commit struct {
	fstest.MapFS
	opened map[string]int
}

func (c commit) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.MapFS.Open(name)
}

// refusing is a tree in which one file cannot be opened.
type refusing struct {
	fs.FS
	name string
}

func (r refusing) Open(name string) (fs.File, error) {
	if name == r.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.FS.Open(name)
}

func (r refusing) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(r.FS, name) }
func (r refusing) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }

func TestUnreadableFileHidesNothing(t *testing.T) {
	tree := fstest.MapFS{"a.md": {Data: []byte("[b](b.md)")}, "b.md": {Data: []byte("secret")}, "c.md": {Data: []byte("[b](b.md)")}}
	in := Input{Roots: []scan.Root{{Name: ".", FS: refusing{tree, "b.md"}}}, Scan: scan.Options{Tokenize: true}}
	out := run(t, in, nil)
	if got := ids(out.Result, "file-unreadable"); !slices.Equal(got, []string{"warn b.md"}) {
		t.Errorf("issues of the unreadable file: %v", got)
	}
	if n := len(out.Result.Nodes); n != 3 || out.Result.Nodes[1].LinksInCount != 2 {
		t.Errorf("%d nodes, %+v", n, out.Result.Nodes)
	}
	in.Roots[0].FS = tree
	again := run(t, in, &Prior{Cache: out.Cache})
	if got := ids(again.Result, "file-unreadable"); got != nil || again.Result.Nodes[1].Bytes.Body != 6 {
		t.Errorf("once readable: %v, %+v", got, again.Result.Nodes[1])
	}
}

func TestHostileFiles(t *testing.T) {
	in, dir := project(t, map[string]string{
		"good.md":      "[d](deep.md)",
		"deep.md":      "---\nk: " + strings.Repeat("[", 5000) + "\n---\nBody",
		"nested.md":    "---\n" + nest(1000) + "---\nBody",
		"alias.md":     "---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n---\n",
		"latin.md":     "caf\xe9 [g](good.md)",
		"nul.md":       "a\x00b `\x00.md`",
		"ticks.md":     strings.Repeat("`", 200_000),
		"brackets.md":  strings.Repeat("[", 200_000),
		"fences.md":    strings.Repeat("```\n", 50_000),
		"ats.md":       strings.Repeat("@a/", 60_000),
		"many.md":      strings.Repeat("[a](x) ", 20_000),
		"different.md": links(5_000),
		"angles.md":    strings.Repeat("<a ", 60_000),
		"bad.sm":       strings.Repeat("{", 5000),
		"bad.md":       "",
	})
	huge := filepath.Join(dir, "huge.md")
	plantFile(t, huge, "")
	must(t, os.Truncate(huge, 200<<20))
	out := run(t, in, nil)
	if want := []skillmap.SizedFile{{Path: "huge.md", Bytes: 200 << 20}}; !reflect.DeepEqual(out.Result.OversizedFiles, want) {
		t.Errorf("oversized: %v", out.Result.OversizedFiles)
	}
	if n := len(out.Result.Nodes); n != 14 {
		t.Errorf("%d nodes", n)
	}
	for i := range out.Result.Nodes {
		if n := &out.Result.Nodes[i]; n.Path == "latin.md" && (n.Bytes.Body != len("caf\uFFFD [g](good.md)") || n.LinksOutCount != 1) {
			t.Errorf("latin.md is %+v", n)
		}
	}
	again := run(t, in, &Prior{Cache: throughBytes(t, out.Cache)})
	if plain(t, again.Result) != plain(t, out.Result) {
		t.Errorf("a second scan differs:\n%s", firstDifference(plain(t, out.Result), plain(t, again.Result)))
	}
}

func nest(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "k:\n")
	}
	return b.String()
}

func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[a](x%d.md) /run%d @ask%d\n", i, i, i)
	}
	return b.String()
}

func TestTwoRoots(t *testing.T) {
	in, dir := project(t, map[string]string{
		"one/a.md": "first [x](data.json)", "two/a.md": "second", "two/b.md": "[a](a.md) [y](other.json)", "one/data.json": "", "one/other.json": "",
	})
	in.Scan.Project = scan.Root{Dir: dir}
	in.Roots = []scan.Root{{Name: "one", Dir: filepath.Join(dir, "one")}, {Name: "two", Dir: filepath.Join(dir, "two")}}
	r := run(t, in, nil).Result
	if len(r.Nodes) != 2 || r.Nodes[0].Bytes.Body != len("first [x](data.json)") || !slices.Equal(r.Roots, []string{"one", "two"}) {
		t.Errorf("nodes %+v of roots %v", r.Nodes, r.Roots)
	}
	if got := ids(r, "reference-broken"); got != nil {
		t.Errorf("a file below another root is missed: %v", got)
	}
}

func TestRootsThatAreNone(t *testing.T) {
	in, dir := project(t, map[string]string{"a.md": ""})
	for name, roots := range map[string][]scan.Root{
		"none": {}, "absent": {{Name: "x", Dir: filepath.Join(dir, "x")}}, "file": {{Name: "a.md", Dir: filepath.Join(dir, "a.md")}}, "empty": {{Name: "."}},
	} {
		in.Roots = roots
		if _, err := Run(t.Context(), in, nil); fault.Of(err) != fault.Invalid || fault.Text(err) == "internal error" {
			t.Errorf("%s: %v, want an Invalid fault", name, err)
		}
	}
	in.Roots = []scan.Root{{Name: ".", Dir: dir}}
	in.Scan.Lens = "cursor"
	if _, err := Run(t.Context(), in, nil); fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), "claude") {
		t.Errorf("unknown lens: %v, want a fault that names the known ones", err)
	}
	in.Scan.Lens, in.Scan.Tokenizer = "", "gpt2"
	if _, err := Run(t.Context(), in, nil); fault.Of(err) != fault.Invalid {
		t.Errorf("unknown tokenizer: %v", err)
	}
}

func TestRenamesAndOrphans(t *testing.T) {
	head := func(name string) string { return "---\nname: " + name + "\n---\n" }
	in, dir := project(t, map[string]string{
		"same.md": "a body", "head.md": head("h") + "old", "twin1.md": head("t") + "1", "twin2.md": head("t") + "2",
		"plain.md": "no head", "lost.md": "lost", "drafts/hidden.md": "hidden", "empty.md": "", "kept.md": "kept",
	})
	before := run(t, in, nil)
	for _, n := range []string{"same.md", "head.md", "twin1.md", "twin2.md", "plain.md", "lost.md", "empty.md"} {
		must(t, os.Remove(filepath.Join(dir, n)))
	}
	for n, text := range map[string]string{
		"moved/same.md": "a body", "head2.md": head("h") + "new", "twin.md": head("t") + "3", "plain2.md": "other", "empty2.md": "",
	} {
		plantFile(t, filepath.Join(dir, filepath.FromSlash(n)), text)
	}
	in.Ignore = append(in.Ignore, Layer{Name: "x", Lines: []string{"drafts/"}})
	out := run(t, in, &Prior{Cache: before.Cache})
	want := []Rename{{"empty.md", "empty2.md", 0.9}, {"same.md", "moved/same.md", 0.9}, {"head.md", "head2.md", 0.6}}
	if !slices.Equal(out.Renames, want) {
		t.Errorf("renames %v, want %v", out.Renames, want)
	}
	for rule, want := range map[string][]string{
		"auto-rename-medium": {"warn head2.md"}, "auto-rename-ambiguous": {"warn twin.md"},
		"orphan": {"info lost.md", "info plain.md", "info twin1.md", "info twin2.md"},
	} {
		if got := ids(out.Result, rule); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rule, got, want)
		}
	}
	if out.Record != nil {
		t.Error("a map that tells of renames passes for the next one")
	}
	after := run(t, in, &Prior{Cache: out.Cache})
	if len(after.Renames) > 0 || ids(after.Result, "orphan") != nil || after.Record == nil {
		t.Errorf("one scan later: renames %v, orphans %v", after.Renames, ids(after.Result, "orphan"))
	}
}

// A write that leaves size and time as they were, right after a scan, is seen.
func TestRacyWriteIsSeen(t *testing.T) {
	in, dir := project(t, map[string]string{"a.md": "[b](b.md)", "b.md": "B", "c.md": "C"})
	at := filepath.Join(dir, "a.md")
	info, err := os.Stat(at)
	must(t, err)
	before := run(t, in, nil)
	must(t, os.WriteFile(at, []byte("[c](c.md)"), 0o644))
	must(t, os.Chtimes(at, info.ModTime(), info.ModTime()))
	if same, err := Unchanged(t.Context(), in, before.Record); err != nil || same {
		t.Errorf("Unchanged = %v, %v after a write", same, err)
	}
	out := run(t, in, &Prior{Cache: before.Cache})
	if out.Result.Links[0].Target != "c.md" || !slices.Equal(out.Read, []string{"a.md"}) {
		t.Errorf("links %v, read %v", out.Result.Links, out.Read)
	}
}

func TestUnchangedSeesWhatRunWould(t *testing.T) {
	files := map[string]string{
		"a.md": "[x](x.json) [y](sub/y.json)", "sub/b.md": "B", ".mcp.json": "{}", "a.sm": "annotations: {}", "big.md": strings.Repeat("x", 100),
	}
	for name, change := range map[string]func(dir string, in *Input) error{
		"nothing":          nil,
		"a new file":       func(dir string, _ *Input) error { return os.WriteFile(filepath.Join(dir, "sub", "c.md"), nil, 0o644) },
		"a target appears": func(dir string, _ *Input) error { return os.WriteFile(filepath.Join(dir, "x.json"), nil, 0o644) },
		"a file goes":      func(dir string, _ *Input) error { return os.Remove(filepath.Join(dir, "sub", "b.md")) },
		"the sidecar changes": func(dir string, _ *Input) error {
			return os.WriteFile(filepath.Join(dir, "a.sm"), []byte("x: y"), 0o644)
		},
		"the servers change": func(dir string, _ *Input) error {
			return os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers":{"x":{}}}`), 0o644)
		},
		"a large file grows": func(dir string, _ *Input) error {
			return os.WriteFile(filepath.Join(dir, "big.md"), make([]byte, 200), 0o644)
		},
		"a touch": func(dir string, _ *Input) error {
			return os.Chtimes(filepath.Join(dir, "a.md"), time.Unix(1, 0), time.Unix(1, 0))
		},
		"other rules":  func(_ string, in *Input) error { in.Ignore[0].Lines = []string{"sub/"}; return nil },
		"another lens": func(_ string, in *Input) error { in.Scan.Lens = "opencode"; return nil },
		"other ignored references": func(_ string, in *Input) error {
			in.IgnoredReferences = []Match{{Type: "literal", Value: "x.json"}}
			return nil
		},
		"more nodes drawn": func(_ string, in *Input) error { in.MaxNodes = 9; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			in, dir := project(t, files)
			in.Scan.MaxFileBytes = 60
			record := run(t, in, nil).Record
			if change != nil {
				must(t, change(dir, &in))
			}
			if same, err := Unchanged(t.Context(), in, record); err != nil || same != (change == nil) {
				t.Errorf("Unchanged = %v, %v", same, err)
			}
		})
	}
}

func TestUnchangedRefusesOtherRecords(t *testing.T) {
	in, _ := project(t, map[string]string{"a.md": "A"})
	record := run(t, in, nil).Record
	for i := range record {
		if same, err := Unchanged(t.Context(), in, record[:i]); err != nil || same {
			t.Fatalf("%d of %d bytes: %v, %v", i, len(record), same, err)
		}
	}
}

func TestCancelledSurveyStops(t *testing.T) {
	in, _ := project(t, map[string]string{"a.md": "A"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, in, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Run gives %v", err)
	}
}

// One cache may serve several surveys at once.
func TestCacheServesMany(t *testing.T) {
	files := map[string]string{}
	g := &garden{t: t, rnd: seeded(9)}
	for _, p := range plots {
		files[p] = g.text()
	}
	in, dir := project(t, files)
	prior := &Prior{Cache: run(t, in, nil).Cache}
	plantFile(t, filepath.Join(dir, "CLAUDE.md"), "See @ada.")
	want := plain(t, run(t, in, prior).Result)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			var out *Outcome
			var err error
			if i%2 == 0 {
				out, err = Run(context.Background(), in, prior)
			} else {
				out, err = RunChanged(context.Background(), in, prior, []string{"CLAUDE.md"})
			}
			if err != nil || plain(t, out.Result) != want {
				t.Errorf("survey %d differs (%v)", i, err)
			}
		})
	}
	wait.Wait()
}

func TestEventsComeInOrder(t *testing.T) {
	in, _ := project(t, map[string]string{"a.md": "A", "b.md": "B"})
	var got []string
	in.On = func(e Event) {
		switch e.Type {
		case "scan.progress":
			got = append(got, fmt.Sprintf("%s %d/%d %s", e.Type, e.Progress.Index, e.Progress.Total, e.Progress.Path))
		case "analyzer.completed":
			if e.Analyzer == "core/name-reserved" || e.Analyzer == "core/issue-counter" {
				got = append(got, e.Analyzer)
			}
		default:
			got = append(got, e.Type+" "+e.Mode)
		}
	}
	run(t, in, nil)
	want := []string{
		"scan.started full", "scan.progress 1/2 a.md", "scan.progress 2/2 b.md", "core/name-reserved", "core/issue-counter", "scan.completed ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}
