package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skillforge/internal/skillmap/provider"
)

// plant writes files into a new folder. A name that ends in "/" is a folder;
// text that starts with "-> " makes a symbolic link.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, text)
	}
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if to, ok := strings.CutPrefix(text, "-> "); ok {
		err = os.Symlink(to, at)
	} else {
		err = os.WriteFile(at, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var markdown = passes([]*provider.Provider{provider.ByID("markdown")})

// walkOf lists what a walk of the folder finds: files, and warnings as
// "code path".
func walkOf(t testing.TB, opt Options, dirs ...string) (files, warnings []string) {
	t.Helper()
	var roots []Root
	var trees []tree
	for _, d := range dirs {
		r := Root{Name: ".", Dir: d}
		tr, err := r.open()
		if err != nil {
			t.Fatal(err)
		}
		roots, trees = append(roots, r), append(trees, tr)
	}
	if opt.Ignore == nil {
		opt.Ignore = nothing{}
	}
	f, err := walk(context.Background(), roots, trees, &opt, markdown)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range f.files {
		files = append(files, file.path)
	}
	for _, w := range f.warnings {
		warnings = append(warnings, w.Code+" "+w.Path)
	}
	return files, warnings
}

func TestWalkGoesInByteOrder(t *testing.T) {
	dir := plant(t, map[string]string{
		"b.md": "", "a.md": "", "a/z.md": "", "a-b.md": "", "B.md": "", "a/README.MD": "", "x.txt": "", "é.md": "",
	})
	got, _ := walkOf(t, Options{}, dir)
	want := []string{"B.md", "a/z.md", "a-b.md", "a.md", "b.md", "é.md"}
	if !slices.Equal(got, want) {
		t.Errorf("walk = %v, want %v", got, want)
	}
}

func TestWalkFollowsLinks(t *testing.T) {
	outside := plant(t, map[string]string{"secret.md": ""})
	dir := plant(t, map[string]string{
		"shared/src/SKILL.md": "",
		".claude/skills/src":  "-> ../../shared/src",
		"CLAUDE.md":           "-> AGENTS.md",
		"AGENTS.md":           "",
		"skills/foo/SKILL.md": "",
		"skills/foo/foo":      "-> ../foo",
		"skills/self":         "-> self",
		"dangling.md":         "-> nowhere.md",
		"out":                 "-> " + outside,
		"out.md":              "-> " + outside + "/secret.md",
		"pipe.txt":            "",
		"deep/er/up":          "-> ../../deep",
		"deep/er/a.md":        "",
	})
	got, warnings := walkOf(t, Options{}, dir)
	want := []string{
		".claude/skills/src/SKILL.md", "AGENTS.md", "CLAUDE.md", "deep/er/a.md", "shared/src/SKILL.md", "skills/foo/SKILL.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("walk = %v, want %v", got, want)
	}
	if want := []string{"link-loop deep/er/up", "link-loop skills/foo/foo"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings = %v, want %v", warnings, want)
	}
	got, _ = walkOf(t, Options{FollowExternalSymlinks: true}, dir)
	for _, name := range []string{"out/secret.md", "out.md"} {
		if !slices.Contains(got, name) {
			t.Errorf("with external links allowed the walk misses %s: %v", name, got)
		}
	}
}

// Folders that link to each other could be entered in factorially many ways.
func TestWalkOfManyLinksEnds(t *testing.T) {
	files := map[string]string{}
	for i := range 9 {
		files[fmt.Sprintf("d%d/x.md", i)] = ""
		for j := range 9 {
			files[fmt.Sprintf("d%d/to%d", i, j)] = fmt.Sprintf("-> ../d%d", j)
		}
	}
	got, warnings := walkOf(t, Options{}, plant(t, files))
	if n := len(got); n != 9+maxLinks {
		t.Errorf("the walk finds %d files, want %d", n, 9+maxLinks)
	}
	many := 0
	for _, w := range warnings {
		if strings.HasPrefix(w, "too-many-links") {
			many++
		}
	}
	if many != 1 {
		t.Errorf("%d warnings of too many links, want 1", many)
	}
}

func TestWalkLeavesOutWorkingCopies(t *testing.T) { // A21
	dir := plant(t, map[string]string{
		".git/HEAD":                "",
		".git/worktrees/t/HEAD":    "",
		".claude/rules/a.md":       "",
		".claude/worktrees/t/.git": "gitdir: ../../../.git/worktrees/t\n",
		".claude/worktrees/t/a.md": "",
		"vendor/sub/.git":          "gitdir: ../../.git/modules/sub\n",
		"vendor/sub/b.md":          "",
		"other/.git":               "gitdir: /elsewhere/.git/worktrees/x\n",
		"other/c.md":               "",
	})
	got, warnings := walkOf(t, Options{Ignore: only{".git"}}, dir)
	if want := []string{".claude/rules/a.md", "other/c.md", "vendor/sub/b.md"}; !slices.Equal(got, want) {
		t.Errorf("walk = %v, want %v", got, want)
	}
	if want := []string{"worktree-skipped .claude/worktrees/t"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings = %v, want %v", warnings, want)
	}
	inside, _ := walkOf(t, Options{}, filepath.Join(dir, ".claude", "worktrees", "t"))
	if want := []string{"a.md"}; !slices.Equal(inside, want) {
		t.Errorf("scanned itself, the copy holds %v, want %v", inside, want)
	}
}

// only ignores one name at the root.
type only struct{ name string }

func (o only) Match(path string) bool    { return path == o.name || strings.HasPrefix(path, o.name+"/") }
func (o only) MatchDir(path string) bool { return o.Match(path) }

func TestWalkOfOddNames(t *testing.T) {
	dir := plant(t, map[string]string{"ok.md": "", "b\\a.md": "", "new\nline.md": ""})
	if err := os.WriteFile(filepath.Join(dir, "bad\xff.md"), nil, 0o644); err != nil {
		t.Skip("the file system keeps no such names")
	}
	got, warnings := walkOf(t, Options{}, dir)
	if want := []string{"b\\a.md", "new\nline.md", "ok.md"}; !slices.Equal(got, want) {
		t.Errorf("walk = %q, want %q", got, want)
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "name-not-utf8") {
		t.Errorf("warnings = %q", warnings)
	}
}

func TestWalkOfATree(t *testing.T) {
	fsys := fstest.MapFS{"b/x.md": {}, "a.md": {}, "a.txt": {}, "b.sm": {}}
	roots := []Root{{Name: "commit", FS: fsys}}
	f, err := walk(context.Background(), roots, []tree{fsTree{fsys}}, &Options{Ignore: nothing{}}, markdown)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.files) != 2 || f.files[0].path != "a.md" || f.files[1].path != "b/x.md" {
		t.Errorf("files = %+v", f.files)
	}
	if !slices.Equal(f.orphans, []string{"b.sm"}) {
		t.Errorf("orphans = %v", f.orphans)
	}
}
