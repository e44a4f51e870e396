package smart_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/smart"
	"skillforge/internal/sigit/storetest"
)

// town is a forge with alice, bob and mallory, served over HTTP. A request
// says who asks in its user name; the password is the same word.
type town struct {
	t     testing.TB
	forge *forge.Forge
	url   string
	git   *git.Git

	mu  sync.Mutex // guards who, which a test adds to while requests end
	who map[string]sigit.Actor
}

func (c *town) add(name string, by sigit.Actor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who[name] = by
}

func newTown(t testing.TB, adjust func(*smart.Options)) *town {
	t.Helper()
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	f := forge.New(forge.Options{DB: storetest.Open(t), Git: g, Dir: t.TempDir(), Site: sigit.NewSite("http://sigit.test")})
	town := &town{t: t, forge: f, who: map[string]sigit.Actor{}, git: g}
	for _, name := range []string{"alice", "bob", "mallory"} {
		u, err := f.AddUser(t.Context(), sigit.Operator(sigit.User{}), sigit.NewUser{Name: name, Email: name + "@example.org"})
		if err != nil {
			t.Fatal(err)
		}
		town.add(name, sigit.SignedIn(u))
	}
	o := smart.Options{Forge: f, Caller: town.caller}
	if adjust != nil {
		adjust(&o)
	}
	mux := http.NewServeMux()
	for _, r := range smart.New(o).Routes() {
		mux.HandleFunc(r.Pattern, r.Serve)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	town.url = server.URL
	return town
}

func (c *town) caller(r *http.Request) (sigit.Actor, error) {
	name, password, ok := r.BasicAuth()
	if !ok {
		return sigit.Anonymous(), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if by, known := c.who[name]; known && password == name {
		return by, nil
	}
	return sigit.Actor{}, fault.Coded(fault.Denied, "bad-credentials", "wrong name or token")
}

func (c *town) repo(owner, name string, private bool) {
	c.t.Helper()
	_, err := c.forge.CreateRepo(context.Background(), c.who[owner], sigit.NewRepo{Name: sigit.RepoName{Owner: owner, Name: name}, Private: private})
	if err != nil {
		c.t.Fatal(err)
	}
}

// as is the clone address with somebody's credentials, none for "".
func (c *town) as(who, repo string) string {
	host := strings.TrimPrefix(c.url, "http://")
	if who != "" {
		host = who + ":" + who + "@" + host
	}
	return "http://" + host + "/" + repo + ".git"
}

// run runs git as a user would, and returns what it printed.
func run(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.version=2"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func must(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// work makes a checkout with one commit.
func work(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	must(t, dir, "init", "-q")
	write(t, dir, "README.md", "# hello\n")
	must(t, dir, "add", ".")
	must(t, dir, "commit", "-qm", "first")
	return dir
}

func write(t testing.TB, dir, name, data string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCloneAndPush(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main")
	repo, code, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"})
	if err != nil || repo.DefaultBranch != "main" {
		t.Fatal(repo, err)
	}
	head, err := code.Resolve(t.Context(), "main")
	if want := strings.TrimSpace(must(t, dir, "rev-parse", "HEAD")); err != nil || head.OID != want {
		t.Errorf("main is %v, %v, want %s", head, err, want)
	}
	// Everybody may clone what is public, whole, shallow and partially.
	for _, how := range [][]string{{}, {"--depth=1"}, {"--filter=blob:none"}, {"--bare"}, {"-c", "protocol.version=0"}} {
		to := filepath.Join(t.TempDir(), "copy")
		must(t, t.TempDir(), append(append([]string{"clone", "-q"}, how...), c.as("", "alice/notes"), to)...)
		if got := strings.TrimSpace(must(t, to, "rev-parse", "HEAD")); got != head.OID {
			t.Errorf("clone %v has %s, want %s", how, got, head.OID)
		}
	}
	must(t, dir, "push", "-o", "ci.skip", c.as("alice", "alice/notes"), "HEAD:refs/heads/other", "HEAD:refs/tags/v1")
	must(t, dir, "push", c.as("alice", "alice/notes"), ":other")
	if refs, err := code.Refs(t.Context(), "refs/", "", 0); err != nil || len(refs) != 2 {
		t.Errorf("refs after pushing and deleting: %v, %v", refs, err)
	}
	must(t, dir, "push", c.as("alice", "alice/notes"), "main") // nothing to do
}

// TestWhatAStrangerHears compares, word for word, a repository that is hidden
// with one that does not exist.
func TestWhatAStrangerHears(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "secret", true)
	must(t, work(t), "push", c.as("alice", "alice/secret"), "main")
	paths := []string{"/info/refs?service=git-upload-pack", "/info/refs?service=git-receive-pack", "/git-upload-pack", "/git-receive-pack"}
	ask := func(who, repo, path string) string {
		method, kind := "GET", ""
		if strings.HasPrefix(path, "/git-") {
			method, kind = "POST", "application/x-"+path[1:]+"-request"
		}
		r, err := http.NewRequest(method, c.url+"/"+repo+".git"+path, strings.NewReader("0000"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		if who != "" {
			r.SetBasicAuth(who, who)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(answer.StatusCode, answer.Header.Get("Www-Authenticate"), string(body))
	}
	for _, who := range []string{"", "mallory"} {
		for _, path := range paths {
			hidden, absent := ask(who, "alice/secret", path), ask(who, "alice/nothing", path)
			if hidden != absent {
				t.Errorf("%q at %s hears %q of what is hidden and %q of what is not there", who, path, hidden, absent)
			}
			want := "404" + sigit.Hidden
			if who == "" {
				want = "401"
			}
			if !strings.HasPrefix(hidden, want) {
				t.Errorf("%q at %s hears %q, want %s", who, path, hidden, want)
			}
		}
	}
	if odd := ask("mallory", "al ice/..", paths[0]); !strings.HasPrefix(odd, "404") {
		t.Errorf("an impossible name gives %q", odd)
	}
	if bad := ask("eve", "alice/secret", paths[0]); !strings.HasPrefix(bad, "401Basic") {
		t.Errorf("wrong credentials give %q", bad)
	}
}

func TestWhoMayPush(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	for _, who := range []string{"", "mallory"} {
		if out, err := run(t, dir, "push", c.as(who, "alice/notes"), "main"); err == nil {
			t.Errorf("%q pushes to alice's repository: %s", who, out)
		}
	}
	if err := c.forge.SetCollaborator(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"}, "bob", sigit.RoleWrite); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "push", c.as("bob", "alice/notes"), "main")
}

func TestPushToCreate(t *testing.T) {
	c := newTown(t, nil)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/fresh"), "main:trunk")
	repo, _, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "fresh"})
	if err != nil || !repo.Private || repo.DefaultBranch != "trunk" {
		t.Errorf("the pushed repository is %+v, %v", repo, err)
	}
	if out, err := run(t, dir, "push", c.as("mallory", "alice/other"), "main"); err == nil {
		t.Errorf("mallory makes a repository of alice's: %s", out)
	}
}

func TestRefRules(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main")
	agent := c.who["alice"]
	agent.Grant.AllRefs, agent.Grant.Refs, agent.Grant.NoForce = false, []sigit.RefRule{"agent/*"}, true
	c.add("agent", agent)
	must(t, dir, "push", c.as("agent", "alice/notes"), "main:agent/1")
	out, err := run(t, dir, "push", c.as("agent", "alice/notes"), "main:main2", "main:agent/2")
	if err == nil || !strings.Contains(out, "this token may not push refs/heads/main2") || !strings.Contains(out, "another ref of this push was refused") {
		t.Errorf("a token confined to agent/* pushes main2: %v %s", err, out)
	}
	write(t, dir, "README.md", "# other\n")
	must(t, dir, "commit", "-qam", "x", "--amend")
	if out, err := run(t, dir, "push", "-f", c.as("agent", "alice/notes"), "main:agent/1"); err == nil {
		t.Errorf("a token that may not force does: %s", out)
	}
	if out, err := run(t, dir, "push", c.as("agent", "alice/notes"), ":agent/1"); err == nil {
		t.Errorf("a token that may not delete does: %s", out)
	}
	must(t, dir, "push", "-f", c.as("alice", "alice/notes"), "main:agent/1")
	for _, ref := range []string{"refs/pull/1/head", "refs/pull/x"} {
		if out, err := run(t, dir, "push", c.as("alice", "alice/notes"), "main:"+ref); err == nil {
			t.Errorf("%s can be pushed: %s", ref, out)
		}
	}
}

// TestRefsLikeCommits: nobody may make a name that could be taken for another
// commit, and one that an import brought can go.
func TestRefsLikeCommits(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main")
	id := strings.Repeat("0123456789", 4)
	for _, ref := range []string{"refs/heads/" + id, "refs/tags/" + strings.Repeat("AB", 32)} {
		out, err := run(t, dir, "push", c.as("alice", "alice/notes"), "main:"+ref)
		if err == nil || !strings.Contains(out, "could be the id of a commit") {
			t.Errorf("%s is pushed: %v %s", ref, err, out)
		}
	}
	must(t, dir, "push", c.as("alice", "alice/notes"), "main:refs/heads/agent/"+id, "main:refs/heads/"+id[1:])
	_, code, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	tip, err := code.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := code.UpdateRefs(t.Context(), git.Update{Ref: "refs/heads/" + id, New: tip.OID}); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "push", c.as("alice", "alice/notes"), ":refs/heads/"+id)
}

func TestLimits(t *testing.T) {
	c := newTown(t, func(o *smart.Options) { o.MaxPush = 64 << 10 })
	c.repo("alice", "notes", false)
	dir := work(t)
	noise := make([]byte, 256<<10)
	random := rand.NewChaCha8([32]byte{1})
	random.Read(noise)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main")
	write(t, dir, "big.bin", string(noise))
	must(t, dir, "add", ".")
	must(t, dir, "commit", "-qm", "big")
	if out, err := run(t, dir, "push", c.as("alice", "alice/notes"), "main"); err == nil {
		t.Errorf("a push over the limit passes: %s", out)
	}
	_, code, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	if size, err := code.Size(); err != nil || size > 128<<10 {
		t.Errorf("the refused objects stay: %d bytes, %v", size, err)
	}
	// A repository at its limit takes deletions and nothing else.
	full := newTown(t, func(o *smart.Options) { o.MaxRepo = 1 })
	full.repo("alice", "notes", false)
	if out, err := run(t, dir, "push", full.as("alice", "alice/notes"), "main"); err == nil || !strings.Contains(out, "reached its limit") {
		t.Errorf("a full repository grows: %v %s", err, out)
	}
}

func TestBrokenObjectsAreRefused(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	// A tree with an entry called ".git" would write into a clone's settings.
	blob := strings.TrimSpace(must(t, dir, "rev-parse", "HEAD:README.md"))
	cmd := exec.Command("git", "mktree", "--missing")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("100644 blob "+blob+"\t.git\n")
	tree, err := cmd.Output()
	if err != nil {
		t.Skipf("this git does not make such a tree: %v", err)
	}
	commit := strings.TrimSpace(must(t, dir, "commit-tree", "-m", "evil", strings.TrimSpace(string(tree))))
	out, err := run(t, dir, "push", c.as("alice", "alice/notes"), commit+":refs/heads/evil")
	if err == nil {
		t.Errorf("a tree with .git in it passes: %s", out)
	}
}

func TestPullRequestsFollowPushes(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main", "main:topic")
	write(t, dir, "new.md", "new\n")
	must(t, dir, "add", ".")
	must(t, dir, "commit", "-qm", "second")
	must(t, dir, "push", c.as("alice", "alice/notes"), "main:topic")
	name := sigit.RepoName{Owner: "alice", Name: "notes"}
	if _, err := c.forge.OpenPull(t.Context(), c.who["alice"], sigit.NewPull{Repo: name, Title: "t", Head: "topic", Base: "main"}); err != nil {
		t.Fatal(err)
	}
	// The head is kept by a hidden ref, which can be fetched and survives the branch.
	write(t, dir, "new.md", "newer\n")
	must(t, dir, "commit", "-qam", "third")
	must(t, dir, "push", c.as("alice", "alice/notes"), "main:topic")
	want := strings.TrimSpace(must(t, dir, "rev-parse", "HEAD"))
	must(t, dir, "push", c.as("alice", "alice/notes"), ":topic")
	if got := must(t, dir, "ls-remote", c.as("", "alice/notes"), "refs/pull/*"); !strings.Contains(got, want) {
		t.Errorf("no hidden ref keeps %s:\n%s", want, got)
	}
}

func TestRequestsThatAreNotGits(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	for _, row := range []struct {
		method, path, kind, encoding, body string
		want                               int
	}{
		{"GET", "/info/refs", "", "", "", 403},
		{"GET", "/info/refs?service=git-upload-archive", "", "", "", 403},
		{"POST", "/git-upload-pack", "text/plain", "", "0000", 415},
		{"POST", "/git-upload-pack", "application/x-git-upload-pack-request", "br", "0000", 415},
		{"POST", "/git-upload-pack", "application/x-git-upload-pack-request", "gzip", "not gzip", 400},
		{"POST", "/git-receive-pack", "application/x-git-receive-pack-request", "", "zzzz", 400},
		{"POST", "/git-receive-pack", "application/x-git-receive-pack-request", "", "0009x", 400},
		{"GET", "/git-upload-pack", "", "", "", 405},
	} {
		r, err := http.NewRequest(row.method, c.url+"/alice/notes.git"+row.path, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("alice", "alice")
		r.Header.Set("Content-Type", row.kind)
		if row.encoding != "" {
			r.Header.Set("Content-Encoding", row.encoding)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != row.want {
			t.Errorf("%s %s (%s, %s) gives %d, want %d", row.method, row.path, row.kind, row.encoding, answer.StatusCode, row.want)
		}
	}
}

// TestClientLeavesDuringPush ends the connection in the middle of a pack and sees that
// the repository is as before.
func TestClientLeavesDuringPush(t *testing.T) {
	c := newTown(t, nil)
	c.repo("alice", "notes", false)
	dir := work(t)
	must(t, dir, "push", c.as("alice", "alice/notes"), "main")
	_, code, err := c.forge.Fetch(t.Context(), c.who["alice"], sigit.RepoName{Owner: "alice", Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := code.Resolve(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body, send := io.Pipe()
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/alice/notes.git/git-receive-pack", body)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("alice", "alice")
	r.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	var done sync.WaitGroup
	done.Go(func() {
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
	})
	line := before.OID + " " + strings.Repeat("1", 40) + " refs/heads/main\x00report-status\n"
	fmt.Fprintf(send, "%04x%s0000PACK\x00\x00\x00\x02\x00\x00\x00\x09", len(line)+4, line)
	cancel()
	send.CloseWithError(io.ErrUnexpectedEOF)
	done.Wait()
	if after, err := code.Resolve(t.Context(), "main"); err != nil || after.OID != before.OID {
		t.Errorf("main is %v, %v after a broken push, want %s", after, err, before.OID)
	}
	if out, err := exec.Command("git", "--git-dir="+code.Dir(), "fsck", "--strict").CombinedOutput(); err != nil {
		t.Errorf("the repository is damaged: %v %s", err, out)
	}
}

func TestBusyServerSaysSo(t *testing.T) {
	c := newTown(t, func(o *smart.Options) { o.AtOnce, o.Wait = 1, time.Nanosecond })
	c.repo("alice", "notes", false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body, send := io.Pipe()
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/alice/notes.git/git-receive-pack", body)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("alice", "alice")
	r.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	var done sync.WaitGroup
	done.Go(func() {
		if answer, err := http.DefaultClient.Do(r); err == nil {
			answer.Body.Close()
		}
	})
	line := git.Zero + " " + strings.Repeat("1", 40) + " refs/heads/x\x00report-status\n"
	fmt.Fprintf(send, "%04x", len(line)+4) // the push waits for the rest
	status, text := 0, ""
	for range 10_000 { // until the push has come as far as its place
		answer, err := http.Get(c.url + "/alice/notes.git/info/refs?service=git-upload-pack")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if status, text = answer.StatusCode, string(body); status == 503 {
			if answer.Header.Get("Retry-After") == "" || !strings.Contains(text, "try again") {
				t.Errorf("a full server says %q, with headers %v", text, answer.Header)
			}
			break
		}
	}
	if status != 503 {
		t.Errorf("a full server answers %d %q", status, text)
	}
	cancel()
	send.Close()
	done.Wait()
}
