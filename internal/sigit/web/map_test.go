package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

var crew = map[string]string{
	"CLAUDE.md":               "# Harbour\n\nAsk @bosun. See [it](docs/gone.md).\n",
	".claude/agents/bosun.md": "---\nname: bosun\ndescription: " + "'<script>alert(1)</script>'" + "\n---\n\nNobody. See [<img src=x onerror=alert(1)>](<../../docs/\"><img src=x onerror=alert(2)>.md>).\n",
}

func TestMapTab(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/harbour", false)
	b := w.stranger()
	if got := b.get("/alice/harbour/map"); got.status != http.StatusOK || !strings.Contains(got.body, "nothing to map") {
		t.Errorf("the map of an empty repository is %d", got.status)
	}
	first := w.commit(w.alice, repo, "main", "crew", nil, crew)
	early := b.get("/alice/harbour/map")
	if early.status != http.StatusOK || !strings.Contains(early.body, "are being read") || strings.Contains(early.body, "docs/gone.md") {
		t.Errorf("the tab waits for the map (%d)", early.status)
	}
	waited := b.get("/alice/harbour/map/main?wait=1")
	for _, want := range []string{"docs/gone.md", `href="/alice/harbour/blob/main/CLAUDE.md?source=1#L3"`, "reference-broken", "<dt>agent</dt><dd>1</dd>"} {
		if !strings.Contains(waited.body, want) {
			t.Errorf("the list lacks %s", want)
		}
	}
	if strings.Contains(waited.body, "<img src=x") {
		t.Error("a path became markup")
	}
	if got := b.get("/alice/harbour/map"); !strings.Contains(got.body, "docs/gone.md") {
		t.Error("a map that is known is not on the page at once")
	}
	part := b.get("/alice/harbour/map?facts=1&severity=info")
	if strings.Contains(part.body, "<html") || !strings.Contains(part.body, `id="facts"`) || strings.Contains(part.body, "CLAUDE.md?source") {
		t.Errorf("the part is %.200s", part.body)
	}
	// Another commit has another map.
	w.commit(w.alice, repo, "main", "mend", []string{first}, map[string]string{"CLAUDE.md": "# Harbour\n"})
	if got := b.get("/alice/harbour/map?wait=1"); strings.Contains(got.body, "docs/gone.md") {
		t.Error("the map of an old commit is shown after a push")
	}
	if got := b.get("/alice/harbour/map?lens=nobody&wait=1"); got.status != http.StatusBadRequest {
		t.Errorf("a lens nobody knows gives %d", got.status)
	}
	if got := b.get("/alice/harbour/map/none"); got.status != http.StatusNotFound {
		t.Errorf("a branch that is not there gives %d", got.status)
	}
}

func TestMapDataHasTheShapesOfTheMapPage(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/harbour", false)
	id := w.commit(w.alice, repo, "main", "crew", nil, crew)
	b := w.stranger()
	got := b.get("/alice/harbour/map-data/" + id)
	var scan struct {
		SchemaVersion  int
		ActiveProvider string
		Nodes          []struct{ Path, Kind string }
		Links, Issues  []any
		Stats          struct{ NodesCount int }
	}
	if err := json.Unmarshal([]byte(got.body), &scan); err != nil || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("the map is %s %.100s (%v)", got.header.Get("Content-Type"), got.body, err)
	}
	if scan.SchemaVersion != 1 || scan.ActiveProvider != "claude" || len(scan.Nodes) != 2 || scan.Stats.NodesCount != 2 || len(scan.Links) == 0 || len(scan.Issues) == 0 {
		t.Errorf("the map is %+v", scan)
	}
	if same := b.send("GET", "/alice/harbour/map-data/main", nil, http.Header{"If-None-Match": {got.header.Get("ETag")}}); same.status != http.StatusNotModified {
		t.Errorf("the same map gives %d, want that it did not change", same.status)
	}
	node := b.get("/alice/harbour/map-data/" + id + "?node=.claude%2Fagents%2Fbosun.md")
	var bundle struct {
		Item struct {
			Path string
			Body *string
		}
		Links  struct{ Incoming, Outgoing []any }
		Issues []any
	}
	if err := json.Unmarshal([]byte(node.body), &bundle); err != nil || bundle.Item.Body == nil || !strings.Contains(*bundle.Item.Body, "Nobody.") || len(bundle.Links.Incoming) != 1 {
		t.Errorf("the node is %.300s (%v)", node.body, err)
	}
	absent := b.get("/alice/harbour/map-data/" + id + "?node=none.md")
	if absent.status != http.StatusNotFound || !strings.Contains(absent.body, `{"error":{"code":"`) {
		t.Errorf("a node that is not there gives %d %s", absent.status, absent.body)
	}
}

func TestMapOfAHiddenRepositoryIsHidden(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/secret", true)
	id := w.commit(w.alice, repo, "main", "crew", nil, crew)
	if got := w.as("alice").get("/alice/secret/map-data/" + id); got.status != http.StatusOK {
		t.Fatalf("alice gets %d", got.status)
	}
	for _, b := range []*browser{w.stranger(), w.as("mallory")} {
		for _, path := range []string{"/map", "/map/main", "/map/main?wait=1", "/map?facts=1", "/map-view/main", "/map-data/" + id, "/map-data/" + id + "?node=CLAUDE.md"} {
			got, none := b.get("/alice/secret"+path), b.get("/alice/nothing"+path)
			if got.status != http.StatusNotFound || none.status != http.StatusNotFound || strings.ReplaceAll(got.body, "secret", "nothing") != none.body {
				t.Errorf("%s is %d, what is not there is %d, or they differ", path, got.status, none.status)
			}
		}
	}
}

func TestMapThatIsTooLargeIsTold(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/huge", false)
	files, text := map[string]string{}, strings.Repeat("word ", 200_000)
	for i := range 70 {
		files["docs/"+strings.Repeat("x", i+1)+".md"] = text
	}
	w.commit(w.alice, repo, "main", "much", nil, files)
	b := w.stranger()
	for _, path := range []string{"/alice/huge/map?wait=1", "/alice/huge/map?facts=1"} {
		if got := b.get(path); got.status != http.StatusOK || !strings.Contains(got.body, "sm scan") {
			t.Errorf("%s gives %d, want that the commit is too large and what to do", path, got.status)
		}
	}
	if got := b.get("/alice/huge/map-data/main"); got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "sm scan") {
		t.Errorf("the data gives %d %.200s", got.status, got.body)
	}
}

func TestMapPageMayBeFramedHereOnly(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/harbour", false)
	w.commit(w.alice, repo, "main", "crew", nil, crew)
	b := w.stranger()
	tab := b.get("/alice/harbour/map")
	view := b.get("/alice/harbour/map-view/main")
	if view.status == http.StatusNotFound { // built without the page
		if strings.Contains(tab.body, "data-frame") {
			t.Error("the tab frames a page that is not there")
		}
		t.Skip("the map page is not built, so its headers cannot be seen; run `make web` first")
	}
	for name, want := range map[string]string{"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "frame-ancestors 'self'"} {
		if got := view.header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := tab.header.Get("Content-Security-Policy"); !strings.Contains(got, "frame-src 'self'") || !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("the policy of the tab is %s", got)
	}
	for _, want := range []string{`name="skill-map-mode" content="forge"`, `name="skill-map-scope" content="alice/harbour"`, `content="/alice/harbour/map-data/`, `content="/assets/kinds.json?v=`} {
		if !strings.Contains(view.body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	at := strings.Index(view.body, `src="/assets/`)
	script, _, _ := strings.Cut(view.body[at+len(`src="`):], `"`)
	if got := b.get(script); got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s gives %d %s", script, got.status, got.header.Get("Content-Type"))
	}
}
