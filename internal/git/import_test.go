package git_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skillforge/internal/git"
)

func TestImportFromStopsAtItsBound(t *testing.T) {
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx := context.Background()
	// A source that says who it is and then never ends: what is there already
	// (an empty repository) is over the bound.
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			w.Write([]byte("001e# service=git-upload-pack\n0000"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}))
	defer source.Close()
	dir := filepath.Join(t.TempDir(), "copy.git")
	_, err = g.ImportFrom(ctx, dir, source.URL+"/r", git.ImportOptions{MaxBytes: 1, Watch: time.Millisecond})
	if !errors.Is(err, git.ErrTooLarge) {
		t.Errorf("an endless import gives %v, want ErrTooLarge", err)
	}
	if g.Open(dir).Exists() {
		t.Error("half an import is there")
	}
}

func TestImportFromTakesBranchesAndTags(t *testing.T) {
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx := context.Background()
	from, err := g.Init(ctx, filepath.Join(t.TempDir(), "from.git"), "trunk")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := from.WriteTree(ctx, []git.TreeFile{{Path: "a", Mode: git.ModeFile, Data: []byte("1")}})
	if err != nil {
		t.Fatal(err)
	}
	who := git.Signature{Name: "A", Email: "a@example.org", When: time.Unix(1700000000, 0)}
	id, err := from.Commit(ctx, tree, nil, who, who, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := from.UpdateRefs(ctx, git.Update{Ref: "refs/heads/trunk", New: id}, git.Update{Ref: "refs/tags/v1", New: id}, git.Update{Ref: "refs/pull/1/head", New: id}); err != nil {
		t.Fatal(err)
	}
	to, err := g.ImportFrom(ctx, filepath.Join(t.TempDir(), "to.git"), from.Dir(), git.ImportOptions{MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := to.Refs(ctx, "refs/", "", 0)
	if err != nil || len(refs) != 2 || refs[0].Ref != "refs/heads/trunk" || refs[1].Ref != "refs/tags/v1" || refs[0].OID != id {
		t.Errorf("refs of the copy are %+v, %v", refs, err)
	}
	if head, err := to.Head(); err != nil || head != "refs/heads/trunk" {
		t.Errorf("its HEAD is %s, %v", head, err)
	}
	for _, bad := range []string{"-x", "a\nb", "ext::sh -c id", ""} {
		if _, err := g.ImportFrom(ctx, filepath.Join(t.TempDir(), "x.git"), bad, git.ImportOptions{}); err == nil {
			t.Errorf("ImportFrom(%q) succeeds", bad)
		}
	}
}
