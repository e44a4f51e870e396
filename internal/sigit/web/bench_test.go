package web_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
	"skillforge/internal/sigit/web"
)

// Sizes of the forge that BenchmarkPages looks at.
const (
	manyRepos  = 1000
	manyIssues = 100_000
)

// BenchmarkPages measures whole pages on a forge with 1,000 repositories and
// 100,000 issues, and a repository with one of each thing that is too large:
// a folder of 5,000 files, a file of 20,000 lines, a difference of 3 MB. It
// reports how many bytes a page has when it is compressed, and when the first
// of them came.
func BenchmarkPages(b *testing.B) {
	ctx := context.Background()
	db := storetest.Open(b)
	g, err := git.New(git.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(g.Close)
	f := forge.New(forge.Options{DB: db, Git: g, Dir: b.TempDir(), Site: "http://sigit.test", Hashing: forge.Hashing{Memory: 8, Iterations: 1, Threads: 1, AtOnce: 8}})
	u, err := f.AddUser(ctx, operator, sigit.NewUser{Name: "alice", Email: "alice@example.org", Password: "password of alice", Admin: true})
	if err != nil {
		b.Fatal(err)
	}
	by := sigit.SignedIn(u)
	fillRows(b, db, u)
	fillHuge(b, f, by)
	_, secret, err := f.SignIn(ctx, "192.0.2.1", "", "alice@example.org", "password of alice")
	if err != nil {
		b.Fatal(err)
	}
	h, err := web.Handler(web.Options{Forge: f})
	if err != nil {
		b.Fatal(err)
	}
	pull, err := f.OpenPull(ctx, by, sigit.NewPull{Repo: name("alice/huge"), Title: "All of it", Head: "more", Base: "main"})
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range []struct{ name, path string }{
		{"repositories", "/"}, {"repositories-search", "/?q=repo-77"}, {"home", "/alice/huge"}, {"tree-5000", "/alice/huge/tree/main/many"},
		{"file-20000-lines", "/alice/huge/blob/main/long.go"}, {"file-part-20", "/alice/huge/blob/main/long.go?page=20"}, {"file", "/alice/huge/blob/main/small.go"},
		{"issues", "/alice/repo-0/issues"}, {"issues-search", "/alice/repo-0/issues?state=all&q=report+9"}, {"issue", "/alice/repo-0/issues/777"},
		{"pulls", "/alice/huge/pulls"}, {"pull", fmt.Sprintf("/alice/huge/pulls/%d", pull.Number)},
		{"diff-3MB", fmt.Sprintf("/alice/huge/pulls/%d/changes", pull.Number)}, {"diff-3MB-split", fmt.Sprintf("/alice/huge/pulls/%d/changes?view=split", pull.Number)},
		{"diff-3MB-first-look", fmt.Sprintf("/alice/huge/pulls/%d/changes?from=0", pull.Number)}, {"compare-first-look", "/alice/huge/compare/main...more?from=0"},
		{"diff-one-file", fmt.Sprintf("/alice/huge/pulls/%d/changes?path=long.go&line=15000", pull.Number)},
		{"commits", "/alice/huge/commits/main"}, {"branches", "/alice/huge/branches"}, {"search", "/alice/huge/search?q=step1999"}, {"tokens", "/settings/tokens"}, {"admin-repositories", "/admin/repositories"},
	} {
		b.Run(p.name, func(b *testing.B) {
			var size int
			first := time.Hour
			look := 0
			for b.Loop() {
				// A part from the first file on, written differently each time: no
				// look at it is remembered.
				path := strings.Replace(p.path, "from=0", "from=0"+strings.Repeat("0", look), 1)
				look++
				r := httptest.NewRequest("GET", "http://sigit.test"+path, nil)
				r.Header.Set("Cookie", "sigit="+secret.Reveal())
				r.Header.Set("Accept-Encoding", "gzip")
				w := &timedRecorder{ResponseRecorder: httptest.NewRecorder(), begun: time.Now()}
				h.ServeHTTP(w, r)
				first = min(first, w.first)
				if w.Code != 200 {
					b.Fatalf("%s gives %d: %s", p.path, w.Code, w.Body)
				}
				size = w.Body.Len()
				if w.Header().Get("Content-Encoding") != "gzip" {
					size = zipped(b, w.Body.Bytes())
				}
			}
			b.ReportMetric(float64(size), "gzip-B")
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
			if size > 50_000 {
				b.Errorf("%s has %d bytes compressed, more than 50,000", p.path, size)
			}
		})
	}
}

// timedRecorder notes when the first byte of a page came. The least of several
// is the page's own; the others are the machine's.
type timedRecorder struct {
	*httptest.ResponseRecorder
	begun time.Time
	first time.Duration
}

func (w *timedRecorder) Write(p []byte) (int, error) {
	if w.first == 0 {
		w.first = time.Since(w.begun)
	}
	return w.ResponseRecorder.Write(p)
}

func zipped(b *testing.B, text []byte) int {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.Copy(z, bytes.NewReader(text)); err != nil {
		b.Fatal(err)
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Len()
}

// fillRows makes repositories without code, and issues in the first hundred.
func fillRows(b *testing.B, db *store.DB, u sigit.User) {
	b.Helper()
	ctx := context.Background()
	by := sigit.SignedIn(u)
	var repos []sigit.Repo
	err := db.Write(ctx, func(tx *store.Tx) error {
		for i := range manyRepos {
			r, err := tx.AddRepo(ctx, u, sigit.NewRepo{Name: sigit.RepoName{Owner: u.Name, Name: fmt.Sprintf("repo-%d", i)}, Description: fmt.Sprintf("Keeps part %d of the harbour", i), DefaultBranch: "main", Private: i%2 == 0})
			if err != nil {
				return err
			}
			repos = append(repos, r)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for start := 0; start < manyIssues; start += 5000 {
		err := db.Write(ctx, func(tx *store.Tx) error {
			for i := start; i < start+5000; i++ {
				repo := repos[i%100]
				if i%2 == 0 {
					repo = repos[0]
				}
				body := fmt.Sprintf("Report %d of the week: the rope of part %x is worn, see the log.", i, i*7919)
				issue, err := tx.AddIssue(ctx, repo, by, sigit.NewIssue{Repo: repo.Name, Title: fmt.Sprintf("Rope %d is worn", i), Body: body})
				if err != nil {
					return err
				}
				if i%3 == 0 {
					if _, err := tx.SetIssueState(ctx, issue, u, sigit.Closed); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func fillHuge(b *testing.B, f *forge.Forge, by sigit.Actor) {
	b.Helper()
	ctx := context.Background()
	repo, err := f.CreateRepo(ctx, by, sigit.NewRepo{Name: name("alice/huge")})
	if err != nil {
		b.Fatal(err)
	}
	_, code, err := f.Fetch(ctx, by, repo.Name)
	if err != nil {
		b.Fatal(err)
	}
	lines := func(from, n, salt int) string {
		var s strings.Builder
		for i := from; i < from+n; i++ {
			fmt.Fprintf(&s, "func step%d(n int) (string, int) { return \"part %x\", n*%d + %d } // step %d of the way\n", i, i*2654435761%65536, i*7919%1000, salt, i)
		}
		return s.String()
	}
	var stream bytes.Buffer
	for i, branch := range []string{"main", "more"} {
		fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter alice <alice@example.org> %d +0000\ndata 11\nChange much\n", branch, 1_700_000_000+i)
		if i > 0 {
			stream.WriteString("from refs/heads/main\n")
		}
		put := func(path, text string) {
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
		}
		put("README.md", "# Huge\n\n"+strings.Repeat("Words about *it* and `more`.\n\n", 40))
		put("long.go", "package long\n\n"+lines(0, 19_998, i))
		put("small.go", "package long\n\n"+lines(0, 120, i))
		for k := range 30 {
			put(fmt.Sprintf("src/file%d.go", k), lines(k*500, 150+40*k, i))
		}
		for k := range 5000 {
			put(fmt.Sprintf("many/part-%04d-%x.txt", k, k*2654435761%65536), fmt.Sprintf("part %d\n", k))
		}
	}
	cmd := exec.Command("git", "--git-dir="+code.Dir(), "fast-import", "--quiet")
	cmd.Stdin = &stream
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}
