package scan

import (
	"context"
	"testing"
	"testing/fstest"
)

// What Take says of a file is what a scan says of it.
func TestTakeIsWhatAScanReads(t *testing.T) {
	files := map[string]string{
		".codex/agents/a.toml": "name = \"a\"\ndescription = \"d\"\ndeveloper_instructions = \"Do it.\"\n",
		"docs/plain.md":        "no head\n",
		"docs/head.md":         "---\nname: x\n---\nbody\r\n",
		"docs/broken.md":       "---\nname: a: b\n---\nbody\n",
		"docs/bom.md":          "\ufeff---\nname: x\n---\nbody\n",
		"docs/bytes.md":        "a\xffb\n",
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	g, _, err := Run(context.Background(), []Root{{Name: ".", FS: fsys}}, Options{Lens: "codex"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) != len(files) {
		t.Fatalf("%d nodes, want %d", len(g.Nodes), len(files))
	}
	for _, n := range g.Nodes {
		got := Take(n.Provider, n.Path, []byte(files[n.Path]))
		if got.BodyHash != n.BodyHash || got.FrontmatterHash != n.FrontmatterHash || len(got.Frontmatter) != len(n.Frontmatter) {
			t.Errorf("%s: Take gives %s %s, the scan %s %s", n.Path, got.BodyHash, got.FrontmatterHash, n.BodyHash, n.FrontmatterHash)
		}
	}
}
