package cli

import (
	stdflag "flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test . -run TestDocsAreCurrent -update

var update = stdflag.Bool("update", false, "write the generated pages")

func TestDocsAreCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "cli.md")
	want := helpMarkdown(verbs())
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("docs/cli.md is stale; run `make docs` (-want +have):\n%s", diff)
	}
}
