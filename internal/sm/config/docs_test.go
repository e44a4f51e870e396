package config

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated pages")

func TestDocsAreCurrent(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "config.md")
	if *update {
		if err := os.WriteFile(path, Docs(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(Docs()), string(have)); diff != "" {
		t.Errorf("docs/config.md is stale; run `make docs` (-want +have):\n%s", diff)
	}
}
