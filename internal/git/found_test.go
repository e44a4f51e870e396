package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/git"
)

// TestGrepRemembers: a question that was answered costs no search, whatever
// part of the answer is asked for, and answers as a search would.
func TestGrepRemembers(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("f%02d", i)] = strings.Repeat("needle\nhay\n", 10)
	}
	_, r := newRepo(t)
	c := commit(t, r, "main", files)
	grep := func(query string, limit int) []git.Match {
		t.Helper()
		list, err := r.Grep(t.Context(), c, query, limit)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	whole := grep("needle", 1000)
	few := grep("NEEDLE", 21)
	nothing := grep("pin", 5)
	if len(whole) != 300 || !slices.Equal(few, whole[:21]) || len(nothing) != 0 {
		t.Fatalf("finds %d, %d and %d", len(whole), len(few), len(nothing))
	}
	few[0].Path = "changed by the caller"
	// What is answered from now on is answered from memory.
	if err := os.Rename(filepath.Join(r.Dir(), "objects"), filepath.Join(r.Dir(), "gone")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Grep(t.Context(), c, "hay", 5); err == nil {
		t.Fatal("a repository without objects is searched")
	}
	for _, limit := range []int{1, 21, 299, 300, 301, 5000} {
		if got := grep("needle", limit); !slices.Equal(got, whole[:min(limit, 300)]) {
			t.Errorf("limit %d gives %d matches", limit, len(got))
		}
	}
	if got := grep("NEEDLE", 42); !slices.Equal(got, whole[:42]) {
		t.Errorf("the next part differs: %v", got[:2])
	}
	if _, err := r.Grep(t.Context(), c, "NEEDLE", 43); err == nil {
		t.Error("what was never looked for comes from memory")
	}
	if got := grep("pin", 500); len(got) != 0 {
		t.Errorf("nothing became %v", got)
	}
}

// TestGrepForgets: memory is bounded, and what was asked for last stays.
func TestGrepForgets(t *testing.T) {
	g, err := git.New(git.Options{Remember: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	r, err := g.Init(t.Context(), filepath.Join(t.TempDir(), "r.git"), "main")
	if err != nil {
		t.Fatal(err)
	}
	c := commit(t, r, "main", map[string]string{"f": strings.Repeat("needle "+strings.Repeat("x", 300)+"\n", 100)})
	ask := func(query string, limit int) error {
		_, err := r.Grep(t.Context(), c, query, limit)
		return err
	}
	for i := range 5 { // each takes some 4 kB
		if err := ask(fmt.Sprintf("needle%s", strings.Repeat(" x", min(i, 1))+strings.Repeat("x", i)), 5); err != nil {
			t.Fatal(err)
		}
	}
	if err := ask("large", 1); err != nil {
		t.Fatal(err)
	}
	if err := ask("x", 100); err != nil { // too large to be kept
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.Dir(), "objects"), filepath.Join(r.Dir(), "gone")); err != nil {
		t.Fatal(err)
	}
	if err := ask("large", 1); err != nil {
		t.Errorf("what was asked for lately is forgotten: %v", err)
	}
	if ask("x", 100) == nil || ask("needle", 5) == nil {
		t.Error("more is kept than may be")
	}
}
