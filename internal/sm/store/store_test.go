package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/check"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/sm/store"
	"skillforge/internal/sqldb"
)

// pieces are texts as parts of a long value.
func pieces(texts ...string) (list []store.Piece) {
	for _, text := range texts {
		list = append(list, store.Piece{Sum: fmt.Sprintf("%x", sha256.Sum256([]byte(text))), Text: func() []byte { return []byte(text) }})
	}
	return list
}

func ptr[T any](v T) *T { return &v }

// world makes a map of n files, each with three links, every tenth with an
// issue, some with tags.
func world(n int) *skillmap.ScanResult {
	r := skillmap.Empty(1767225600000)
	r.ActiveProvider, r.Tokenizer, r.Providers = "claude", "cl100k_base", []string{"claude", "markdown"}
	r.ScannedBy = &skillmap.ScannedBy{Name: "skill-map", Version: "0.1.0", SpecVersion: "1.12.2"}
	for i := range n {
		r.Nodes = append(r.Nodes, file(i))
		for k := range 3 {
			r.Links = append(r.Links, reference(i, (i*7+k*131)%n))
		}
		if i%10 == 0 {
			r.Issues = append(r.Issues, skillmap.Issue{
				AnalyzerID: "reference-broken", Severity: skillmap.Error, NodeIDs: []string{pathOf(i)}, LinkIndices: []int{3 * i},
				Message: fmt.Sprintf("`gone-%d.md`:\nL3: nothing is there", i), Data: map[string]any{"target": fmt.Sprintf("gone-%d.md", i)},
			})
		}
	}
	r.Stats = skillmap.Stats{FilesWalked: n, NodesCount: n, LinksCount: len(r.Links), IssuesCount: len(r.Issues), DurationMs: 5}
	return r
}

func pathOf(i int) string { return fmt.Sprintf("docs/part-%02d/page-%05d.md", i%37, i) }

func file(i int) skillmap.Node {
	n := skillmap.Node{
		Path: pathOf(i), Kind: []string{"agent", "skill", "markdown"}[i%3], Provider: "claude",
		BodyHash: fmt.Sprintf("%064x", i+1), FrontmatterHash: fmt.Sprintf("%064x", i+1<<20),
		Bytes: skillmap.Parts{Frontmatter: 40, Body: 900, Total: 940}, Tokens: &skillmap.Parts{Frontmatter: 9, Body: 200, Total: 209},
		LinksOutCount: 3, LinksInCount: 3, ModifiedAtMs: ptr(int64(1767225600000 + i)),
		Frontmatter: map[string]any{"name": fmt.Sprintf("page-%d", i), "description": "Says what page this is & why.", "tools": []any{"Read", "Grep"}, "depth": float64(i)},
	}
	if i%50 == 0 {
		n.Sidecar = skillmap.Sidecar{Present: true, Status: ptr("fresh"), Annotations: map[string]any{"tags": []any{"core", "b"}, "version": 2.0, "stability": "stable"}}
		n.Sidecar.Root = map[string]any{"annotations": n.Sidecar.Annotations}
	}
	return n
}

func reference(from, to int) skillmap.Link {
	return skillmap.Link{
		Source: pathOf(from), Target: pathOf(to), Kind: skillmap.References, Confidence: 1, Sources: []string{"markdown-link"},
		Trigger:  &skillmap.Trigger{OriginalTrigger: "../" + pathOf(to), NormalizedTrigger: pathOf(to)},
		Location: &skillmap.Location{Line: 5, Offset: ptr(120)}, Raw: ptr("[page](../" + pathOf(to) + ")"), ResolvedTarget: pathOf(to),
		Occurrences: []skillmap.Occurrence{{Extractor: "markdown-link", OriginalTrigger: "../" + pathOf(to), Location: &skillmap.Location{Line: 5}}},
	}
}

func open(t testing.TB, path string, posture store.Posture) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, posture, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func save(t testing.TB, s *store.Store, m *store.Map) store.Saved {
	t.Helper()
	done, err := s.Save(context.Background(), m)
	if err != nil {
		t.Fatalf("Save: %v", err)
	}
	return done
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), ".skill-map", "map.db") }

// same compares what was saved with what is read, in the form the contract
// knows: the JSON.
func same(t *testing.T, s *store.Store, want *skillmap.ScanResult) {
	t.Helper()
	got, _, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(want.AppendJSON(nil)) != string(got.AppendJSON(nil)) {
		t.Errorf("the map comes back otherwise (-want +got):\n%.3000s", cmp.Diff(want, got, cmpopts.EquateEmpty()))
	}
}

func TestSaveAndLoad(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	want := world(120)
	want.Nodes = append(want.Nodes, skillmap.Node{
		Path: "mcp://x", Kind: "mcp", Provider: "claude", BodyHash: skillmap.ZeroHash, FrontmatterHash: skillmap.ZeroHash, Virtual: true,
		DerivedFrom: []string{"a", "b"}, Frontmatter: map[string]any{}, ExternalRefs: []skillmap.ExternalRef{{URL: "https://x", Line: 2}}, ExternalRefsCount: 1,
	})
	want.Links = append(want.Links, skillmap.Link{Source: "a\x00b", Target: "@ü", Kind: skillmap.Mentions, Confidence: 1 - 0.9, Sources: []string{"x"}})
	want.Issues = append(want.Issues, skillmap.Issue{
		AnalyzerID: "x", Severity: skillmap.Info, NodeIDs: []string{"a", "b"}, Message: "", Detail: ptr(""), Fix: &skillmap.Fix{Summary: "s", Autofixable: ptr(true)},
	})
	want.OversizedFiles = []skillmap.SizedFile{{Path: "big.md", Bytes: 5 << 20}}
	want.Stats.NodesCount, want.Stats.LinksCount, want.Stats.IssuesCount = len(want.Nodes), len(want.Links), len(want.Issues)
	done := save(t, s, &store.Map{Result: want, Cache: pieces("c"), Record: []byte("r")})
	if rows := len(want.Nodes) + len(want.Links) + len(want.Issues); done.Written != rows || done.Unchanged {
		t.Errorf("Save says %+v, want %d rows written", done, rows)
	}
	same(t, s, want)
	if text, err := s.Record(t.Context()); err != nil || string(text) != "r" {
		t.Errorf("Record = %q, %v", text, err)
	}
}

func TestFileIsTheOwnersAlone(t *testing.T) {
	p := path(t)
	s := open(t, p, store.Scanning)
	save(t, s, &store.Map{Result: world(3)})
	info, err := os.Stat(p)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(p), ".map.db*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNothingKeptNothingFound(t *testing.T) {
	p := path(t)
	for _, posture := range []store.Posture{store.Reading, store.Writing} {
		if _, err := store.Open(t.Context(), p, posture, store.Options{}); fault.Code(err) != "db-missing" || fault.Of(err) != fault.NotFound {
			t.Errorf("posture %v: %v, want db-missing", posture, err)
		}
	}
	s := open(t, p, store.Scanning)
	if prior, err := s.Prior(t.Context()); prior != nil || err != nil {
		t.Errorf("Prior = %v, %v", prior, err)
	}
	if _, err := os.Stat(p); !os.IsNotExist(err) {
		t.Error("opening made a file")
	}
}

func TestUnchangedMapTouchesOnlyTheMeta(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	save(t, s, &store.Map{Result: world(50), Record: []byte("one")})
	before, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := world(50)
	again.ScannedAt += 1000
	again.Stats.DurationMs = 77
	done := save(t, s, &store.Map{Result: again, Record: []byte("two")})
	after, err := s.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !done.Unchanged || done.Written+done.Dropped != 0 || after.Rows != before.Rows || after.ScannedAt != before.ScannedAt+1000 {
		t.Errorf("got %+v, generation %+v after %+v", done, after, before)
	}
	same(t, s, again)
	if text, _ := s.Record(t.Context()); string(text) != "two" {
		t.Errorf("the record is %q", text)
	}
}

func TestChangedMapTouchesOnlyChangedRows(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(300)
	save(t, s, &store.Map{Result: r})
	for _, step := range []struct {
		name   string
		change func(r *skillmap.ScanResult)
		most   int // rows touched
	}{
		{"a node", func(r *skillmap.ScanResult) { r.Nodes[7].BodyHash = "x" }, 2},
		{"a link more", func(r *skillmap.ScanResult) {
			r.Links = append(r.Links[:30:30], append([]skillmap.Link{reference(9, 9)}, r.Links[30:]...)...)
		}, 1},
		{"many links at one place", func(r *skillmap.ScanResult) {
			more := []skillmap.Link{}
			for i := range 60 {
				more = append(more, reference(i, i+1))
			}
			r.Links = append(r.Links[:100:100], append(more, r.Links[100:]...)...)
		}, 60},
		{"a node less", func(r *skillmap.ScanResult) { r.Nodes = append(r.Nodes[:3:3], r.Nodes[4:]...) }, 1},
		{"a node to the front", func(r *skillmap.ScanResult) {
			r.Nodes = append([]skillmap.Node{r.Nodes[200]}, append(r.Nodes[:200:200], r.Nodes[201:]...)...)
		}, 2},
		{"two nodes change places", func(r *skillmap.ScanResult) { r.Nodes[10], r.Nodes[11] = r.Nodes[11], r.Nodes[10] }, 2},
		{"an issue goes", func(r *skillmap.ScanResult) { r.Issues = r.Issues[1:] }, 1},
		{"all goes", func(r *skillmap.ScanResult) { r.Nodes, r.Links, r.Issues = r.Nodes[:0], r.Links[:0], r.Issues[:0] }, 2000},
		{"all is back", func(r *skillmap.ScanResult) { *r = *world(300) }, 2000},
	} {
		step.change(r)
		r.Stats.NodesCount, r.Stats.LinksCount, r.Stats.IssuesCount = len(r.Nodes), len(r.Links), len(r.Issues)
		done := save(t, s, &store.Map{Result: r})
		if touched := done.Written + done.Dropped; touched > step.most || touched == 0 || done.Unchanged {
			t.Errorf("%s: %+v touches %d rows, want at most %d", step.name, done, touched, step.most)
		}
		same(t, s, r)
	}
}

func TestRoomBetweenRowsRunsOut(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(20)
	save(t, s, &store.Map{Result: r})
	for i := range 300 { // always at the same place
		r.Links = append(r.Links[:5:5], append([]skillmap.Link{reference(1, i)}, r.Links[5:]...)...)
		if i%20 == 0 {
			save(t, s, &store.Map{Result: r})
		}
	}
	r.Stats.LinksCount = len(r.Links)
	save(t, s, &store.Map{Result: r})
	same(t, s, r)
}

func TestAnewWritesEveryRow(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(40)
	save(t, s, &store.Map{Result: r})
	run(t, s, `DELETE FROM scan_nodes`) // behind our back
	if done := save(t, s, &store.Map{Result: r, Anew: true}); done.Unchanged {
		t.Error("a full scan trusts the notes")
	}
	same(t, s, r)
}

func run(t *testing.T, s *store.Store, query string, args ...any) {
	t.Helper()
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), query, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func ask[T any](t *testing.T, s *store.Store, query string, args ...any) (v T) {
	t.Helper()
	err := s.Read(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRowContext(t.Context(), query, args...).Scan(&v)
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestTagsAndScores(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(101)
	save(t, s, &store.Map{Result: r, Scores: []check.Adjustment{{Analyzer: "core/reference-broken", Link: 4, Op: "delta", Value: -0.75, Result: 0.25}}})
	if got := ask[string](t, s, `SELECT group_concat(tag) FROM (SELECT tag FROM scan_node_tags WHERE node_path = $1 ORDER BY rowid)`, pathOf(50)); got != "core,b" {
		t.Errorf("tags are %q, want core,b", got)
	}
	if got := ask[string](t, s, `SELECT plugin_id || ' ' || extension_id || ' ' || source_path || ' ' || op_kind FROM scan_link_scores`); got != "core reference-broken "+pathOf(1)+" delta" {
		t.Errorf("the score is kept as %q", got)
	}
	r.Nodes[50].Sidecar.Annotations = map[string]any{"tags": []any{"new", "new", "", 3.0}}
	save(t, s, &store.Map{Result: r})
	if got := ask[string](t, s, `SELECT group_concat(tag) FROM (SELECT tag FROM scan_node_tags WHERE node_path = $1 ORDER BY rowid)`, pathOf(50)); got != "new" {
		t.Errorf("tags are %q, want new", got)
	}
	if n := ask[int](t, s, `SELECT count(*) FROM scan_link_scores`); n != 0 {
		t.Errorf("%d scores are left", n)
	}
}

func TestTouch(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	if _, _, ok, err := s.Touch(t.Context(), 1, 1); ok || err != nil {
		t.Errorf("nothing to touch gives %v, %v", ok, err)
	}
	save(t, s, &store.Map{Result: world(20)})
	s = open(t, s.Path(), store.Scanning)
	r, sum, ok, err := s.Touch(t.Context(), 1800000000000, 3)
	if err != nil || !ok {
		t.Fatalf("Touch: %v, %v", ok, err)
	}
	if r.ScannedAt != 1800000000000 || r.Stats.DurationMs != 3 || r.Stats.NodesCount != 20 || sum.Errors != 2 || sum.Links != 60 {
		t.Errorf("got %+v, %+v", r, sum)
	}
	run(t, s, `INSERT INTO state_node_favorites VALUES ('gone.md', 1)`)
	if _, _, ok, err = s.Touch(t.Context(), 2, 3); ok || err != nil {
		t.Errorf("with something stranded: %v, %v; want a whole scan", ok, err)
	}
}

func TestRenamesAreFollowed(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	save(t, s, &store.Map{Result: world(10)})
	a, b, c := pathOf(1), pathOf(2), "new.md"
	for _, q := range []string{
		`INSERT INTO state_node_favorites VALUES ('` + a + `', 1), ('` + b + `', 2)`,
		`INSERT INTO state_summaries VALUES ('` + a + `', 's', 'k', '1', 'h', 1, NULL, 'of a'), ('` + b + `', 's', 'k', '1', 'h', 1, NULL, 'of b'), ('` + c + `', 's', 'k', '1', 'h', 1, NULL, 'of c')`,
		`INSERT INTO state_findings (node_id, extension_id, extension_version, origin, type, severity, message, confidence, body_hash_at_generation, generated_at)
			VALUES ('` + a + `', 'e', '1', 'extension', 't', 'warn', 'about a', 1, 'h', 1)`,
		`INSERT INTO state_executions (id, kind, extension_id, extension_version, node_ids_json, status, started_at, finished_at)
			VALUES ('x', 'action', 'e', '1', '["` + a + `","other","` + b + `"]', 'completed', 1, 1)`,
	} {
		run(t, s, q)
	}
	r := world(10)
	r.Nodes[2].Path, r.Nodes[1].Path = c, b // b became c, and a took the place of b
	done := save(t, s, &store.Map{Result: r, Renames: []survey.Rename{{From: a, To: b}, {From: b, To: c}}})
	if done.Collisions != 1 {
		t.Errorf("%d collisions, want 1: something was kept about %s already", done.Collisions, c)
	}
	for _, row := range [][2]string{
		{`SELECT group_concat(node_path || favorited_at, ' ') FROM (SELECT * FROM state_node_favorites ORDER BY favorited_at)`, b + "1 " + c + "2"},
		{`SELECT summary_json FROM state_summaries WHERE node_id = '` + b + `'`, "of a"},
		{`SELECT summary_json FROM state_summaries WHERE node_id = '` + c + `'`, "of c"},
		{`SELECT node_id FROM state_findings`, b},
		{`SELECT node_ids_json FROM state_executions`, `["` + b + `","other","` + c + `"]`},
	} {
		if got := ask[string](t, s, row[0]); got != row[1] {
			t.Errorf("%s gives %q, want %q", row[0], got, row[1])
		}
	}
}

func TestStrandedStateIsAnIssue(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	save(t, s, &store.Map{Result: world(5)})
	run(t, s, `INSERT INTO state_node_favorites VALUES ('gone.md', 1), ('sm://ping', 1), ('said.md', 1), ('`+pathOf(1)+`', 1)`)
	r := world(5)
	r.Issues = append(r.Issues, skillmap.Issue{AnalyzerID: "orphan", Severity: skillmap.Info, NodeIDs: []string{"said.md"}, Message: "said"})
	done := save(t, s, &store.Map{Result: r})
	if done.Stranded != 1 || r.Issues[len(r.Issues)-1].NodeIDs[0] != "gone.md" || r.Stats.IssuesCount != len(r.Issues) {
		t.Errorf("got %+v and %+v", done, r.Issues)
	}
	same(t, s, r)
	run(t, s, `DELETE FROM state_node_favorites`)
	r = world(5)
	save(t, s, &store.Map{Result: r})
	same(t, s, r)
}

func TestCurationIsSeenAtOnceAndMendedByTheNextScan(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(60)
	save(t, s, &store.Map{Result: r})
	before, _ := s.Generation(t.Context())
	var deleted int
	err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
		if deleted, err = tx.DeleteIssues(t.Context(), pathOf(10), "core/reference-broken", "gone-10.md"); err != nil {
			return err
		}
		ok, err := tx.SetSidecar(t.Context(), pathOf(3), skillmap.Sidecar{Present: true, Annotations: map[string]any{"tags": []any{"x"}}})
		if !ok {
			t.Error("no node of that path")
		}
		return err
	})
	if err != nil || deleted != 1 {
		t.Fatalf("%d issues deleted, %v", deleted, err)
	}
	after, _ := s.Generation(t.Context())
	if after.Rows == before.Rows {
		t.Error("readers are not told")
	}
	got, _, err := s.Load(t.Context())
	if err != nil || len(got.Issues) != len(r.Issues)-1 || got.Nodes[3].Sidecar.Annotations == nil || got.Stats.IssuesCount != len(got.Issues) {
		t.Errorf("%d issues, %+v, %v", len(got.Issues), got.Nodes[3].Sidecar, err)
	}
	if done := save(t, s, &store.Map{Result: r}); done.Written != 2 || done.Dropped != 1 {
		t.Errorf("the next scan touches %+v, want the issue back and the node mended", done)
	}
	same(t, s, r)
}

func TestReads(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	r := world(90)
	r.Links = append(r.Links, skillmap.Link{Source: pathOf(4), Target: "@page", Kind: skillmap.Mentions, Confidence: 1, Sources: []string{"at"}, ResolvedTarget: pathOf(9)})
	save(t, s, &store.Map{Result: r})
	err := s.Read(t.Context(), func(tx *store.Tx) error {
		b, err := tx.Bundle(t.Context(), pathOf(9))
		if err != nil {
			return err
		}
		if len(b.Outgoing) != 3 || b.Incoming[len(b.Incoming)-1].Target != "@page" {
			t.Errorf("bundle has %d out, in %+v", len(b.Outgoing), b.Incoming)
		}
		if b, err := tx.Bundle(t.Context(), "none"); b != nil || err != nil {
			t.Errorf("unknown path gives %v, %v", b, err)
		}
		for _, row := range []struct {
			f           store.IssueFilter
			total, page int
		}{
			{store.IssueFilter{}, 9, 9},
			{store.IssueFilter{Limit: 4, Offset: 7}, 9, 2},
			{store.IssueFilter{Severities: []string{"error", "warn"}}, 9, 9},
			{store.IssueFilter{Severities: []string{"bogus"}}, 0, 0},
			{store.IssueFilter{Analyzers: []string{"core/reference-broken"}}, 9, 9},
			{store.IssueFilter{Analyzers: []string{"reference-broken:x", "other"}}, 9, 9},
			{store.IssueFilter{Analyzers: []string{"other"}}, 0, 0},
			{store.IssueFilter{Nodes: []string{pathOf(10), pathOf(20), "none"}, Severities: []string{"error"}, Limit: 1}, 2, 1},
		} {
			page, total, err := tx.Issues(t.Context(), row.f)
			if err != nil || total != row.total || len(page) != row.page {
				t.Errorf("Issues(%+v) = %d of %d, %v; want %d of %d", row.f, len(page), total, err, row.page, row.total)
			}
		}
		for _, row := range []struct {
			f    store.NodeFilter
			want int
		}{
			{store.NodeFilter{}, 90},
			{store.NodeFilter{Kinds: []string{"agent"}, Limit: 7}, 7},
			{store.NodeFilter{HasIssues: true}, 9},
			{store.NodeFilter{Tag: "core"}, 2},
			{store.NodeFilter{Kinds: []string{"agent"}, HasIssues: true, SortBy: "tokens_total"}, 3},
		} {
			got, err := tx.Nodes(t.Context(), row.f)
			if err != nil || len(got) != row.want {
				t.Errorf("Nodes(%+v) = %d, %v; want %d", row.f, len(got), err, row.want)
			}
		}
		if _, err := tx.Nodes(t.Context(), store.NodeFilter{SortBy: "1; DROP TABLE"}); err == nil {
			t.Error("an unknown order is taken")
		}
		tags, err := tx.Tags(t.Context())
		if strings.Join(tags[pathOf(50)], " ") != "core b" {
			t.Errorf("tags %v", tags)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTwoProcessesSaveAtOnce(t *testing.T) {
	p := path(t)
	a, b := open(t, p, store.Scanning), open(t, p, store.Scanning)
	first, second := world(30), world(40)
	save(t, a, &store.Map{Result: first})
	save(t, b, &store.Map{Result: second}) // thought there was none
	same(t, a, second)
	save(t, a, &store.Map{Result: first})
	same(t, b, first)
}

func TestFavoritesAndPreferences(t *testing.T) {
	s := open(t, path(t), store.Scanning)
	save(t, s, &store.Map{Result: world(3)})
	err := s.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.SetFavorite(t.Context(), "a", true); err != nil {
			return err
		}
		if err := tx.SetFavorite(t.Context(), "a", true); err != nil {
			return err
		}
		if f, err := tx.Favorites(t.Context()); err != nil || len(f) != 1 || f["a"] != tx.Now {
			t.Errorf("favourites %v, %v", f, err)
		}
		if err := tx.SetFavorite(t.Context(), "a", false); err != nil {
			return err
		}
		if err := tx.SetPreference(t.Context(), "k", []any{"x", 1.0}); err != nil {
			return err
		}
		var v []any
		ok, err := tx.Preference(t.Context(), "k", &v)
		if !ok || len(v) != 2 {
			t.Errorf("preference %v, %v", v, ok)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := ask[int](t, s, `SELECT count(*) FROM state_node_favorites`); n != 0 {
		t.Errorf("%d favourites are left", n)
	}
}

// raw opens the file as SQLite sees it.
func raw(t *testing.T, p string, do func(*sqldb.Tx) error) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+p, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), do); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// kept makes a database with a map and a favourite in it.
func kept(t *testing.T) string {
	t.Helper()
	p := path(t)
	s := open(t, p, store.Scanning)
	save(t, s, &store.Map{Result: world(12), Cache: pieces("c"), Record: []byte("r")})
	alter(t, p, `INSERT INTO state_node_favorites VALUES ('`+pathOf(1)+`', 7)`)
	return p
}

// alter changes the file behind our back.
func alter(t *testing.T, p string, queries ...string) {
	t.Helper()
	raw(t, p, func(tx *sqldb.Tx) error {
		for _, q := range queries {
			if _, err := tx.Exec(q); err != nil {
				return fmt.Errorf("%s: %w", q, err)
			}
		}
		return nil
	})
}
