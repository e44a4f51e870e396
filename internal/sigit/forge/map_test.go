package forge_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/skillmap"
)

var harness = map[string]string{
	"CLAUDE.md":                    "# Notes\n\nAsk @reviewer. See [the plan](docs/plan.md) and [more](docs/lost.md).\n",
	"docs/plan.md":                 "# Plan\n",
	".claude/agents/reviewer.md":   "---\nname: reviewer\ndescription: Reads changes.\n---\n\nFollow [the plan](../../docs/plan.md).\n",
	"drafts/idea.md":               "[nowhere](gone.md)\n",
	".skillmapignore":              "drafts/\n",
	"docs/link.md":                 "-> plan.md",
	".skill-map/settings.json":     `{"activeProvider":"claude"}`,
	".codex/agents/other.toml":     "name = \"other\"\n",
	".mcp.json":                    `{"mcpServers":{"ledger":{"command":"ledger-mcp","env":{"TOKEN":"hush-hush"}}}}`,
	"src/main.go":                  "package main\n",
	".claude/skills/mend/SKILL.md": "---\nname: mend\ndescription: Mends.\n---\n\nBody.\n",
}

func (w *world) place(by sigit.Actor, name sigit.RepoName, rest string) forge.Place {
	w.t.Helper()
	p, err := w.Place(ctx, by, name, rest)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestMapOfACommit(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", true)
	w.commit(w.alice, repo, "main", nil, harness)
	p := w.place(w.alice, repo.Name, "main")
	if _, ok := w.MapKnown(p, ""); ok {
		t.Error("a map is known before it was made")
	}
	m, err := w.MapAt(ctx, p, "")
	if err != nil {
		t.Fatal(err)
	}
	if m.Lens != "claude" || m.Commit != p.Commit || len(m.Lenses) != 2 {
		t.Errorf("the lens is %q of %v at %s, want claude of two", m.Lens, m.Lenses, m.Commit)
	}
	if _, ok := m.Node("drafts/idea.md"); ok {
		t.Error("what the committed rules ignore is on the map")
	}
	k, ok := m.Node(".claude/agents/reviewer.md")
	if !ok || k.Node.Kind != "agent" || len(k.In) != 1 || len(k.Out) != 1 || k.Node.Tokens == nil {
		t.Errorf("the agent is %+v (%v)", k, ok)
	}
	top, _ := m.Node("CLAUDE.md")
	if len(top.Issues) != 1 || !strings.Contains(top.Issues[0].Message, "docs/lost.md") {
		t.Errorf("CLAUDE.md has the issues %+v, want the broken reference", top.Issues)
	}
	if body, err := w.Body(ctx, p, k.Node); err != nil || !strings.HasPrefix(strings.TrimSpace(body.String), "Follow") {
		t.Errorf("the body is %q (%v)", body.String, err)
	}
	if server, ok := m.Node("mcp://ledger"); ok {
		if body, err := w.Body(ctx, p, server.Node); err != nil || !body.Null {
			t.Errorf("a server that is no file has the body %+v (%v)", body, err)
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(m.JSON))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var r skillmap.ScanResult
	if err := json.Unmarshal(text, &r); err != nil || len(r.Nodes) != len(m.Result.Nodes) {
		t.Errorf("the JSON has %d nodes (%v), want %d", len(r.Nodes), err, len(m.Result.Nodes))
	}
	if bytes.Contains(text, []byte("hush-hush")) {
		t.Error("the map tells a secret of a settings file")
	}
}

func TestMapIsMadeOnceForACommit(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", true)
	first := w.commit(w.alice, repo, "main", nil, harness)
	m, err := w.MapAt(ctx, w.place(w.alice, repo.Name, "main"), "")
	if err != nil {
		t.Fatal(err)
	}
	if again, ok := w.MapKnown(w.place(w.alice, repo.Name, first[:10]), ""); !ok || again != m {
		t.Error("the same commit by another name is mapped anew")
	}
	if other, err := w.MapAt(ctx, w.place(w.alice, repo.Name, "main"), "codex"); err != nil || other.Lens != "codex" {
		t.Errorf("read as codex it is %+v (%v)", other, err)
	}
	w.commit(w.alice, repo, "main", []string{first}, map[string]string{"CLAUDE.md": "alone\n"})
	next, err := w.MapAt(ctx, w.place(w.alice, repo.Name, "main"), "")
	if err != nil || len(next.Result.Issues) != 0 {
		t.Errorf("after a push the map has the issues %v (%v), want none", next.Result.Issues, err)
	}
	if _, err := w.MapAt(ctx, w.place(w.alice, repo.Name, "main"), "nobody's"); fault.Code(err) != "unknown-lens" {
		t.Errorf("a lens nobody knows gives %v", err)
	}
}

func TestMapThatIsTooLargeIsTold(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/huge", true)
	files, text := map[string]string{}, strings.Repeat("word ", 200_000)
	for i := range 70 {
		files["docs/"+strings.Repeat("x", i+1)+".md"] = text
	}
	w.commit(w.alice, repo, "main", nil, files)
	p := w.place(w.alice, repo.Name, "main")
	for range 2 { // the second is told from memory
		if _, err := w.MapAt(ctx, p, ""); fault.Of(err) != fault.TooLarge || !strings.Contains(fault.Text(err), "sm scan") {
			t.Errorf("70 MB give %v, want that it is too large and what to do", err)
		}
	}
	if _, ok := w.MapKnown(p, ""); ok {
		t.Error("what could not be mapped is known")
	}
}

func TestMapStopsWithWhoAsked(t *testing.T) {
	w := newWorld(t)
	repo := w.repo(w.alice, "alice/notes", true)
	w.commit(w.alice, repo, "main", nil, harness)
	p := w.place(w.alice, repo.Name, "main")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.MapAt(gone, p, ""); err == nil {
		t.Error("who went away gets a map")
	}
	if _, err := w.MapAt(ctx, p, ""); err != nil {
		t.Errorf("the next one gets %v", err)
	}
}
