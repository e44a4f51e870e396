package cli

import (
	stdflag "flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// spans are the commands that a page or a message names: `sm …` in code, and
// lines of a shell that begin with it.
var spans = regexp.MustCompile("`sm ([a-z][^`\n]*)`|(?m)^[$ ]*sm ([a-z].*)$")

// TestCommandsThatAreNamedExist reads every page and every message that tells
// somebody to run sm, and parses what it says.
func TestCommandsThatAreNamedExist(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	all := verbs()
	named := 0
	check := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range spans.FindAllStringSubmatch(string(text), -1) {
			line := m[1] + m[2]
			named++
			if err := known(all, line); err != nil {
				t.Errorf("%s: sm %s: %v", path, line, err)
			}
		}
	}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "changelog/*.md", "internal/sm/agent/skill/*", "internal/sm/*/*.go", "internal/skillmap/*/*.go", "internal/mcp/*.go", "web/src/*.ts"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("nothing is at %s: %v", pattern, err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				check(path)
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d commands are named", named)
	}
}

// known reports what is wrong with a command as people write it down: values
// may be placeholders, arguments may be left out, what a shell makes of the
// rest is its own.
func known(all []*verb, line string) error {
	line, _, _ = strings.Cut(line, " #")
	for _, sign := range []string{" | ", " > ", " && ", "; ", " <<", " …"} {
		line, _, _ = strings.Cut(line, sign)
	}
	var words []string
	for _, word := range strings.Fields(line) {
		words = append(words, strings.Trim(word, `'"[].,`))
	}
	var g globals
	v, rest, err := findVerb(all, &g, words)
	switch {
	case err != nil || v == nil:
		return err
	case v.group && len(rest) > 0 && !strings.ContainsAny(rest[0], "…|%") && rest[0] != strings.ToUpper(rest[0]):
		return usage("unknown command '%s'", rest[0])
	}
	flags := append(slices.Clone(v.flags), g.flags()...)
	for _, word := range rest {
		if f, _, _ := lookUp(flags, word); f == nil && isFlag(word) {
			return unknownOption(v, flags, word)
		}
	}
	return nil
}
