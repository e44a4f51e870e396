package git_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"skillforge/internal/git"
)

func newGit(t testing.TB) *git.Git {
	t.Helper()
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func newRepo(t testing.TB) (*git.Git, *git.Repo) {
	t.Helper()
	g := newGit(t)
	r, err := g.Init(t.Context(), filepath.Join(t.TempDir(), "r.git"), "main")
	if err != nil {
		t.Fatal(err)
	}
	return g, r
}

var when = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// commit puts files on a branch and returns the commit.
func commit(t testing.TB, r *git.Repo, branch string, files map[string]string, parents ...string) string {
	t.Helper()
	var list []git.TreeFile
	for path, data := range files {
		mode := git.ModeFile
		if to, ok := strings.CutPrefix(data, "-> "); ok {
			mode, data = git.ModeSymlink, to
		}
		list = append(list, git.TreeFile{Path: path, Mode: mode, Data: []byte(data)})
	}
	tree, err := r.WriteTree(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	who := git.Signature{Name: "Ada", Email: "ada@example.org", When: when}
	oid, err := r.Commit(t.Context(), tree, parents, who, who, "change\n\nwhy")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.UpdateRefs(t.Context(), git.Update{Ref: "refs/heads/" + branch, New: oid}); err != nil {
		t.Fatal(err)
	}
	return oid
}

func TestResolve(t *testing.T) {
	_, r := newRepo(t)
	if _, err := r.Resolve(t.Context(), ""); !errors.Is(err, git.ErrEmpty) {
		t.Fatalf("an empty repository resolves HEAD with %v, want ErrEmpty", err)
	}
	if _, err := r.Resolve(t.Context(), "main"); !errors.Is(err, git.ErrEmpty) {
		t.Fatalf("an empty repository resolves main with %v, want ErrEmpty", err)
	}
	first := commit(t, r, "main", map[string]string{"a": "1"})
	second := commit(t, r, "v1", map[string]string{"a": "2"}, first)
	if err := r.UpdateRefs(t.Context(), git.Update{Ref: "refs/tags/v1", New: first}, git.Update{Ref: "refs/tags/only", New: first}, git.Update{Ref: "refs/pull/3/head", New: second}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": first, "HEAD": first, "main": first, "refs/heads/main": first, "heads/main": first,
		"v1":           second, // the branch comes before the tag
		"refs/tags/v1": first, "tags/v1": first, "only": first, "refs/pull/3/head": second, "pull/3/head": second,
		first: first, strings.ToUpper(second): second, second[:9]: second,
	} {
		got, err := r.Resolve(t.Context(), name)
		if err != nil || got.OID != want {
			t.Errorf("Resolve(%q) = %v, %v, want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"nope", "main~1", "main^", "HEAD@{1}", "-main", "--help", "a..b", "x y", "main:a", "a\x00b", "a\nb", "refs/heads/", ":/x", strings.Repeat("x", 5000), "deadbeef", strings.Repeat("0", 40), "v1.lock", "/main", "main/"} {
		if got, err := r.Resolve(t.Context(), name); !errors.Is(err, git.ErrNoRef) && !errors.Is(err, git.ErrRefName) {
			t.Errorf("Resolve(%q) = %v, %v, want a refusal", name, got, err)
		}
	}
	// A branch that is called like an id: the commit comes first, then the branch.
	like := strings.Repeat("a", 40)
	if err := r.UpdateRefs(t.Context(), git.Update{Ref: "refs/heads/" + second, New: first}, git.Update{Ref: "refs/heads/" + like, New: first}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{second: second, "refs/heads/" + second: first, like: first, "refs/heads/" + like: first} {
		if got, err := r.Resolve(t.Context(), name); err != nil || got.OID != want {
			t.Errorf("Resolve(%q) = %v, %v, want %s", name, got, err, want)
		}
	}
	if _, err := newGit(t).Open(filepath.Join(t.TempDir(), "none")).Resolve(t.Context(), "main"); !errors.Is(err, git.ErrMissing) {
		t.Errorf("no repository gives %v, want ErrMissing", err)
	}
}

func TestLookupTakesPathsAsTheyAre(t *testing.T) {
	_, r := newRepo(t)
	odd := []string{"a:b.txt", "x:12:y.txt", "dir/né\nw.txt", "-rf", "50% of it.md", "日本/語.md", "sp ace", `back\slash`, "tab\there"}
	files := map[string]string{"link": "-> ../../etc/passwd", "dir/sub/deep": "x"}
	for _, p := range odd {
		files[p] = "content of " + p
	}
	c := commit(t, r, "main", files)
	for _, p := range odd {
		e, b, err := r.File(t.Context(), c, p, 1<<20)
		if err != nil || string(b.Data) != "content of "+p || !e.Mode.IsFile() {
			t.Errorf("File(%q) = %v %q %v", p, e, b.Data, err)
		}
	}
	if e, err := r.Lookup(t.Context(), c, "link"); err != nil || e.Mode != git.ModeSymlink {
		t.Errorf("Lookup(link) = %v, %v", e, err)
	}
	if e, err := r.Lookup(t.Context(), c, "dir/sub"); err != nil || !e.Mode.IsDir() {
		t.Errorf("Lookup(dir/sub) = %v, %v", e, err)
	}
	for _, p := range []string{"nope", "dir/", "/dir", "dir//sub", "a:b.txt/x", "../r.git", ".", "dir/..", "a\x00"} {
		if e, err := r.Lookup(t.Context(), c, p); !errors.Is(err, git.ErrNoPath) {
			t.Errorf("Lookup(%q) = %v, %v, want ErrNoPath", p, e, err)
		}
	}
}

func TestBlobKnowsItsBounds(t *testing.T) {
	_, r := newRepo(t)
	binary := string([]byte{0xff, 0xfe, 0, '\n', 'x'})
	c := commit(t, r, "main", map[string]string{"empty": "", "bin": binary, "ten": "0123456789"})
	if _, b, err := r.File(t.Context(), c, "empty", 10); err != nil || b.Size != 0 || len(b.Data) != 0 {
		t.Errorf("an empty file reads %v, %v", b, err)
	}
	if _, b, err := r.File(t.Context(), c, "bin", 10); err != nil || string(b.Data) != binary {
		t.Errorf("a binary file reads %q, %v", b.Data, err)
	}
	if _, b, err := r.File(t.Context(), c, "ten", 9); !errors.Is(err, git.ErrTooLarge) || b.Size != 10 || b.Data != nil {
		t.Errorf("a file over the limit reads %v, %v", b, err)
	}
	// The reader that refused is still in step.
	if _, b, err := r.File(t.Context(), c, "ten", 10); err != nil || string(b.Data) != "0123456789" {
		t.Errorf("after a refusal a file reads %q, %v", b.Data, err)
	}
}

func TestReadersAreSharedAndSafe(t *testing.T) {
	_, r := newRepo(t)
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("f%d", i)] = strings.Repeat(fmt.Sprint(i), 1000+i)
	}
	c := commit(t, r, "main", files)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 50 {
				p := fmt.Sprintf("f%d", (i*7+g)%50)
				ctx, cancel := context.WithCancel(t.Context())
				if i%10 == 9 {
					cancel()
				}
				_, b, err := r.File(ctx, c, p, 1<<20)
				cancel()
				if err == nil && string(b.Data) != files[p] {
					t.Errorf("%s reads another file's bytes", p)
				}
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", p, err)
				}
			}
		})
	}
	all.Wait()
}

func TestGrep(t *testing.T) {
	_, r := newRepo(t)
	long := strings.Repeat("x", 5000) + "Needle"
	c := commit(t, r, "main", map[string]string{
		"a:b.txt": "one\nA --flag here\r\nÀ la carte\n", "x:12:y.txt": "NEEDLE\n", "dir/né\nw.txt": "a needle\n",
		"bin": "needle\x00needle", "long": long + "\n", "nofinal": "needle", "many": strings.Repeat("needle\n", 100),
	})
	got, err := r.Grep(t.Context(), c, "needle", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 10 {
		t.Errorf("%d matches, want the limit of 10", len(got))
	}
	seen := map[string]git.Match{}
	all, err := r.Grep(t.Context(), c, "needle", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		seen[m.Path] = m
	}
	if len(all) != 104 || seen["x:12:y.txt"].Text != "NEEDLE" || seen["dir/né\nw.txt"].Line != 1 || seen["nofinal"].Text != "needle" || len(seen["long"].Text) != git.MaxMatchText {
		t.Errorf("%d matches: %v", len(all), seen)
	}
	if _, binary := seen["bin"]; binary {
		t.Error("a binary file is searched")
	}
	if m, err := r.Grep(t.Context(), c, "--flag", 5); err != nil || len(m) != 1 || m[0] != (git.Match{Path: "a:b.txt", Line: 2, Text: "A --flag here"}) {
		t.Errorf("--flag gives %v, %v", m, err)
	}
	if m, err := r.Grep(t.Context(), c, "à la", 5); err != nil || len(m) != 1 || m[0].Line != 3 {
		t.Errorf("à la gives %v, %v", m, err)
	}
	if m, err := r.Grep(t.Context(), c, "absent", 5); err != nil || len(m) != 0 {
		t.Errorf("absent gives %v, %v", m, err)
	}
	if m, err := r.Grep(t.Context(), c, ".*", 5); err != nil || len(m) != 0 {
		t.Errorf(".* is a fixed string, gives %v, %v", m, err)
	}
}

func TestDiff(t *testing.T) {
	_, r := newRepo(t)
	base := commit(t, r, "main", map[string]string{"keep": "1\n2\n3\n", "gone": "bye\n", "old name": strings.Repeat("same\n", 20), "bin": "\x00a"})
	head := commit(t, r, "topic", map[string]string{"keep": "1\nzwei\n3\n", "new": "hello\n", "new name": strings.Repeat("same\n", 20), "bin": "\x00b"}, base)
	ahead := commit(t, r, "main", map[string]string{"keep": "0\n1\n2\n3\n"}, base)
	d, err := r.Diff(t.Context(), ahead, head, git.DiffOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-2\n+zwei\n", "+++ b/new\n", "deleted file mode", "rename from old name", "Binary files a/bin and b/bin differ"} {
		if !strings.Contains(d.Patch, want) {
			t.Errorf("the diff lacks %q:\n%s", want, d.Patch)
		}
	}
	if d.Base != base || strings.Contains(d.Patch, "+0\n") {
		t.Errorf("the diff is not since the merge base: %s", d.Patch)
	}
	short, err := r.Diff(t.Context(), ahead, head, git.DiffOptions{Limit: 120})
	if err != nil || !short.Truncated || len(short.Patch) > 120 || !strings.HasSuffix(short.Patch, "\n") || !utf8.ValidString(short.Patch) {
		t.Errorf("a cut diff is %+v, %v", short, err)
	}
	changes, more, err := r.Changes(t.Context(), ahead, head, 0)
	if err != nil || more {
		t.Fatal(changes, more, err)
	}
	got := map[string]git.Change{}
	for _, c := range changes {
		got[c.Path] = c
	}
	if c := got["keep"]; c.Status != 'M' || c.Added != 1 || c.Deleted != 1 {
		t.Errorf("keep: %+v", c)
	}
	if c := got["new name"]; c.Status != 'R' || c.OldPath != "old name" {
		t.Errorf("new name: %+v", c)
	}
	if c := got["bin"]; c.Added != -1 {
		t.Errorf("bin: %+v", c)
	}
	apart := commit(t, r, "island", map[string]string{"x": "y"})
	if _, err := r.Diff(t.Context(), base, apart, git.DiffOptions{}); !errors.Is(err, git.ErrNoMergeBase) {
		t.Errorf("unrelated histories give %v, want ErrNoMergeBase", err)
	}
}

func TestMergeTree(t *testing.T) {
	_, r := newRepo(t)
	base := commit(t, r, "main", map[string]string{"a": "1\n", "b": "1\n"})
	left := commit(t, r, "main", map[string]string{"a": "2\n", "b": "1\n"}, base)
	right := commit(t, r, "topic", map[string]string{"a": "1\n", "b": "2\n"}, base)
	clash := commit(t, r, "clash", map[string]string{"a": "3\n", "b": "1\n"}, base)
	tree, err := r.MergeTree(t.Context(), left, right)
	if err != nil {
		t.Fatal(err)
	}
	who := git.Signature{Name: "A\nB <x>", Email: "a@b", When: when}
	merged, err := r.Commit(t.Context(), tree, []string{left, right}, who, who, "merge")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a": "2\n", "b": "2\n"} {
		if _, b, err := r.File(t.Context(), merged, path, 10); err != nil || string(b.Data) != want {
			t.Errorf("merged %s is %q, %v", path, b.Data, err)
		}
	}
	_, err = r.MergeTree(t.Context(), left, clash)
	if c, ok := errors.AsType[*git.Conflict](err); !ok || len(c.Paths) != 1 || c.Paths[0] != "a" {
		t.Errorf("a conflict gives %v", err)
	}
	log, err := r.Log(t.Context(), merged, []string{left}, "", 0, 10)
	if err != nil || len(log) != 2 || log[0].Author != "AB x" || len(log[0].Parents) != 2 {
		t.Errorf("log %+v, %v", log, err)
	}
	if n, err := r.CountCommits(t.Context(), merged, base); err != nil || n != 3 {
		t.Errorf("CountCommits = %d, %v, want 3", n, err)
	}
}

func TestUpdateRefsAllOrNone(t *testing.T) {
	_, r := newRepo(t)
	a := commit(t, r, "main", map[string]string{"a": "1"})
	b := commit(t, r, "other", map[string]string{"a": "2"}, a)
	err := r.UpdateRefs(t.Context(), git.Update{Ref: "refs/heads/fresh", New: a, Old: git.Zero}, git.Update{Ref: "refs/heads/main", New: b, Old: b})
	if !errors.Is(err, git.ErrStale) {
		t.Errorf("a moved ref gives %v, want ErrStale", err)
	}
	if refs, err := r.Refs(t.Context(), "refs/heads/", "", 0); err != nil || len(refs) != 2 || refs[0].OID != a || refs[1].Ref != "refs/heads/other" || refs[0].Subject != "change" {
		t.Errorf("refs are %v, %v", refs, err)
	}
	for _, bad := range []string{"heads/x", "refs/heads/-x y", "refs/heads/../x", ""} {
		if err := r.UpdateRefs(t.Context(), git.Update{Ref: bad, New: a}); !errors.Is(err, git.ErrRefName) {
			t.Errorf("updating %q gives %v", bad, err)
		}
	}
}

func TestWriteTreeRefusesEscapes(t *testing.T) {
	_, r := newRepo(t)
	for _, p := range []string{"", "/a", "a/", "../a", "a/../b", ".git/config", "a/.GIT/x", "a\x00b", "a//b"} {
		if _, err := r.WriteTree(t.Context(), []git.TreeFile{{Path: p, Mode: git.ModeFile}}); !errors.Is(err, git.ErrNoPath) {
			t.Errorf("WriteTree(%q) gives %v", p, err)
		}
	}
}

func TestFS(t *testing.T) {
	_, r := newRepo(t)
	c := commit(t, r, "main", map[string]string{"SKILL.md": "# s", "a/b/c.md": "c", "a/d.md": "d", "link": "-> a/d.md"})
	f, err := r.FS(t.Context(), c, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(f, "SKILL.md", "a/b/c.md", "a/d.md"); err != nil && !strings.Contains(err.Error(), "link") {
		t.Error(err)
	}
	if to, err := f.ReadLink("link"); err != nil || to != "a/d.md" {
		t.Errorf("ReadLink = %q, %v", to, err)
	}
	if _, err := f.ReadFile("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("an escape reads %v", err)
	}
}

// TestNothingInARepositoryRuns plants hooks and attributes that would run a
// program, and sees that none of it happens.
func TestNothingInARepositoryRuns(t *testing.T) {
	_, r := newRepo(t)
	mark := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch " + mark + "\n"
	if err := os.MkdirAll(filepath.Join(r.Dir(), "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-receive", "update", "post-receive", "reference-transaction", "post-update"} {
		if err := os.WriteFile(filepath.Join(r.Dir(), "hooks", hook), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a := commit(t, r, "main", map[string]string{"a": "1", ".gitattributes": "* diff=evil\n"})
	b := commit(t, r, "main", map[string]string{"a": "2", ".gitattributes": "* diff=evil\n"}, a)
	if _, err := r.Diff(t.Context(), a, b, git.DiffOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Grep(t.Context(), b, "2", 5); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook of the repository ran")
	}
}

func TestImportAndBundle(t *testing.T) {
	g, r := newRepo(t)
	c := commit(t, r, "main", map[string]string{"a": "1"})
	if err := r.UpdateRefs(t.Context(), git.Update{Ref: "refs/pull/1/head", New: c}); err != nil {
		t.Fatal(err)
	}
	copied, err := g.Import(t.Context(), filepath.Join(t.TempDir(), "copy.git"), r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := copied.Resolve(t.Context(), "main"); err != nil || got.OID != c {
		t.Errorf("the copy's main is %v, %v", got, err)
	}
	bundle := filepath.Join(t.TempDir(), "b")
	if err := r.Bundle(t.Context(), bundle); err != nil {
		t.Fatal(err)
	}
	back, err := g.Restore(t.Context(), filepath.Join(t.TempDir(), "back.git"), bundle, "main")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := back.Resolve(t.Context(), "refs/pull/1/head"); err != nil || got.OID != c {
		t.Errorf("the restored hidden ref is %v, %v", got, err)
	}
	if _, err := g.Import(t.Context(), filepath.Join(t.TempDir(), "no.git"), "--upload-pack=touch x"); err == nil {
		t.Error("an option passes as a source")
	}
	if _, err := g.Init(t.Context(), r.Dir(), "main"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second init gives %v", err)
	}
	if err := r.Remove(); err != nil || r.Exists() {
		t.Errorf("Remove gives %v", err)
	}
}

func TestReadPush(t *testing.T) {
	pkt := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	zero, one := git.Zero, strings.Repeat("1", 40)
	in := pkt(zero+" "+one+" refs/heads/a\x00report-status side-band-64k push-options agent=git/2\n") + pkt(one+" "+zero+" refs/heads/b") + "0000" + pkt("ci.skip") + "0000" + "PACKrest"
	r := bufio.NewReader(strings.NewReader(in))
	p, raw, err := git.ReadPush(r)
	if err != nil {
		t.Fatal(err)
	}
	rest := new(bytes.Buffer)
	if _, err := rest.ReadFrom(r); err != nil || rest.String() != "PACKrest" || string(raw)+"PACKrest" != in {
		t.Errorf("raw %q, rest %q", raw, rest)
	}
	if len(p.Commands) != 2 || p.Commands[1] != (git.Update{Ref: "refs/heads/b", Old: one, New: zero}) || len(p.Options) != 1 || !p.Has("report-status") {
		t.Errorf("push %+v", p)
	}
	for _, bad := range []string{"", "zzzz", "0003", "0004", "0000x", "fff1", "0010short", pkt("x y z") + "0000", pkt(zero + " " + one)} {
		if p, _, err := git.ReadPush(bufio.NewReader(strings.NewReader(bad))); err == nil && len(p.Commands) > 0 {
			t.Errorf("%q is a push: %+v", bad, p)
		}
	}
}

func FuzzReadPush(f *testing.F) {
	f.Add([]byte("0000"))
	f.Add([]byte("006a0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 refs/heads/main\x00 a0000PACK"))
	f.Fuzz(func(t *testing.T, in []byte) {
		p, raw, err := git.ReadPush(bufio.NewReader(bytes.NewReader(in)))
		if err == nil && !strings.EqualFold(string(in[:len(raw)]), string(raw)) {
			t.Errorf("what was read is not the start of the request: %q of %q", raw, in)
		}
		for _, c := range p.Commands {
			if len(c.Old) != len(git.Zero) && len(c.Old) != 64 {
				t.Errorf("an id of %d digits", len(c.Old))
			}
		}
	})
}

func FuzzValidRef(f *testing.F) {
	for _, s := range []string{"main", "a/b", "-x", "a..b", "x.lock", "@", "@{", "é", "\x7f"} {
		f.Add(s)
	}
	check := exec.Command("git", "version")
	if check.Run() != nil {
		f.Skip("git is not installed")
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !git.ValidRef(name) || strings.ContainsRune(name, 0) {
			return
		}
		if err := exec.Command("git", "check-ref-format", "refs/heads/"+name).Run(); err != nil {
			t.Errorf("%q passes here and not with git", name)
		}
	})
}

func BenchmarkFile(b *testing.B) {
	_, r := newRepo(b)
	c := commit(b, r, "main", map[string]string{"a/b/c.txt": strings.Repeat("line\n", 200)})
	b.Run("one", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := r.File(b.Context(), c, "a/b/c.txt", 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sixteen", func(b *testing.B) {
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, _, err := r.File(b.Context(), c, "a/b/c.txt", 1<<20); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}
