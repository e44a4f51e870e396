package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// site is a running program with alice and her repository notes.
type site struct {
	t           testing.TB
	data, token string
	cmd         *exec.Cmd
	url         string
	log         bytes.Buffer
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{t: t, data: t.TempDir()}
	s.sigit("user", "add", "alice", "--email", "alice@example.org")
	s.token = strings.TrimSpace(s.sigit("token", "add", "alice", "--label", "test", "--scope", "repo,issue,user"))
	s.sigit("repo", "add", "alice/notes")
	s.start()
	t.Cleanup(func() { s.kill() })
	return s
}

func (s *site) sigit(args ...string) string {
	s.t.Helper()
	return s.output("", nil, "sigit", append([]string{"--data", s.data}, args...)...)
}

func (s *site) output(dir string, in io.Reader, name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %.300q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (s *site) start() {
	s.t.Helper()
	s.cmd = exec.Command("sigit", "--data", s.data, "serve", "--addr", "127.0.0.1:0")
	s.log.Reset()
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "sigit listens on ")
	if err != nil || !ok {
		s.kill()
		s.t.Fatalf("no server: %q, %v\n%s", line, err, &s.log)
	}
	s.url = address
}

// kill ends the server as a crash would.
func (s *site) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
}

func (s *site) repository() string { return filepath.Join(s.data, "repositories", "1.git") }

func (s *site) remote() string {
	return "http://alice:" + s.token + "@" + strings.TrimPrefix(s.url, "http://") + "/alice/notes.git"
}

// fill writes into the repository past every check.
func (s *site) fill(stream io.Reader) {
	s.t.Helper()
	s.output("", stream, "git", "-c", "core.compression=1", "-c", "core.fsync=none", "--git-dir="+s.repository(), "fast-import", "--quiet", "--force")
}

// memory is the most that the server has held, in MiB.
func (s *site) memory() int {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("this system does not tell how much memory a process took")
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return kib >> 10
}

// ask sends a request as alice and reads the answer, which must be no fault of
// the server's and, where it is text, sound UTF-8.
func (s *site) ask(method, path, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatalf("%s %.200q: %v", method, path, err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := client.Do(r)
	if err != nil {
		s.t.Fatalf("%s %.200q: %v\n%s", method, path, err, &s.log)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if answer.StatusCode >= 500 {
		s.t.Errorf("%s %.200q answers %d %.300s\n%s", method, path, answer.StatusCode, text, &s.log)
	}
	if kind := answer.Header.Get("Content-Type"); (strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "text/html")) && !utf8.Valid(text) {
		s.t.Errorf("%s %.200q answers with bytes that are no UTF-8", method, path)
	}
	return answer.StatusCode, string(text)
}

// tool calls a tool; the call must be answered in band.
func (s *site) tool(name string, arguments map[string]any) (text string, failed bool) {
	s.t.Helper()
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}})
	if err != nil {
		s.t.Fatal(err)
	}
	status, body := s.ask("POST", "/api/v1/mcp", string(message))
	var answer struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Result == nil || len(answer.Result.Content) == 0 {
		s.t.Errorf("%s %.200v answers %d %.300s", name, arguments, status, body)
		return "", true
	}
	return answer.Result.Content[0].Text, answer.Result.IsError
}

// tricks are names that mean something to some program on the way.
var tricks = []string{
	"-", "--", "-x", "--help", "--output=stolen", "--upload-pack=touch stolen", "--exec=touch stolen", "..", "../..", "../../../../etc/passwd", "/etc/passwd", "a/../../b", ".git/config", "refs/../config",
	"main\x00", "\x00", "main\n", "main\nls-tree HEAD", "\r\n", "main\t", "HEAD^{/x}", ":/first", ":main", "main:README.md", "main..main", "main...main", "^main", "@{-1}", "@{upstream}", "HEAD@{1}", "@", "main~1", "main^", "main^{tree}",
	"*", "[a]", "?", ":(glob)**", ":(exclude)x", ":!x", "$(touch stolen)", "`touch stolen`", "; touch stolen", "| touch stolen", "'", "\"", "\\", "%2e%2e%2f", "%00", "refs/pull/1/head^", "\u202e", "\ufeff", "e\u0301", strings.Repeat("a/", 3000), strings.Repeat("x", 100_000),
	"4b825dc642cb6eb9a060e54bf8d69288fbee4904", strings.Repeat("0", 40), strings.Repeat("f", 64), "dead",
}

// TestTricksAtEveryDoor gives names of that kind as refs, paths and branches
// to MCP, REST and the pages. None may be a fault of the server's, reach
// outside the repository or leave anything behind.
func TestTricksAtEveryDoor(t *testing.T) {
	s := newSite(t)
	s.fill(strings.NewReader("commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\nM 100644 inline README.md\ndata 2\nhi\n"))
	before := s.listing()
	const repo = "alice/notes"
	for _, trick := range tricks {
		for tool, arguments := range map[string]map[string]any{
			"get_file_contents":   {"repo": repo, "path": "README.md", "ref": trick},
			"search_code":         {"repo": repo, "query": "no such text", "ref": trick},
			"create_pull_request": {"repo": repo, "title": "t", "head": trick, "base": "main"},
			"get_issue":           {"repo": trick, "number": 1},
		} {
			if text, failed := s.tool(tool, arguments); !failed {
				t.Errorf("%s with %.60q succeeds: %.200s", tool, trick, text)
			}
		}
		if text, failed := s.tool("get_file_contents", map[string]any{"repo": repo, "path": trick}); !failed {
			t.Errorf("the path %.60q is read: %.200s", trick, text)
		}
		s.tool("search_code", map[string]any{"repo": repo, "query": trick})
		if len(trick) > 8000 {
			continue // no client sends such addresses
		}
		q, p := url.QueryEscape(trick), url.PathEscape(trick)
		api := "/api/v1/repositories/" + repo
		for _, path := range []string{
			api + "/contents?path=README.md&ref=" + q, api + "/contents?path=" + q, api + "/search?query=no+such+text&ref=" + q, api + "/search?query=" + q, api + "/branches?after=" + q,
			"/alice/notes/blob/" + p + "/README.md", "/alice/notes/blob/main/" + p, "/alice/notes/tree/" + p, "/alice/notes/tree/main/" + p, "/alice/notes/raw/main/" + p, "/alice/notes/raw/" + p + "/README.md",
			"/alice/notes/blame/main/" + p, "/alice/notes/commits/" + p, "/alice/notes/commit/" + p, "/alice/notes/compare/main..." + p, "/alice/notes/compare/" + p, "/alice/notes/search?q=" + q, "/alice/" + p, "/" + p,
			"/" + p + "/x.git/info/refs?service=git-upload-pack",
		} {
			if status, text := s.ask("GET", path, ""); strings.Contains(text, "root:x:0") {
				t.Errorf("%.200s gives a file of the machine (%d)", path, status)
			}
		}
		body, err := json.Marshal(map[string]any{"title": "t", "head": trick, "base": trick})
		if err != nil {
			t.Fatal(err)
		}
		if status, _ := s.ask("POST", api+"/pulls", string(body)); status < 400 {
			t.Errorf("a pull request from %.60q answers %d", trick, status)
		}
		body, _ = json.Marshal(map[string]any{"default_branch": trick})
		if status, _ := s.ask("PATCH", api, string(body)); status < 400 {
			t.Errorf("the default branch %.60q answers %d", trick, status)
		}
	}
	if after := s.listing(); after != before {
		t.Errorf("the repository is\n%s\nand was\n%s", after, before)
	}
	if _, err := os.Stat("stolen"); err == nil {
		t.Error("a command was run")
	}
	huge := strings.Repeat("x", 10<<20)
	for _, path := range []string{"/api/v1/mcp", "/api/v1/repositories/alice/notes/issues"} {
		if status, text := s.ask("POST", path, `{"jsonrpc":"2.0","id":1,"method":"ping","title":"`+huge+`"}`); status != http.StatusRequestEntityTooLarge {
			t.Errorf("10 MB at %s answer %d %.200s", path, status, text)
		}
	}
}

// listing is every file of the repository but the locks that reads come and go with.
func (s *site) listing() string {
	s.t.Helper()
	var names []string
	err := filepath.WalkDir(s.repository(), func(path string, d os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

// TestBytesThatAreNoText has a repository in which no text is UTF-8.
func TestBytesThatAreNoText(t *testing.T) {
	s := newSite(t)
	const bad = "caf\xe9 \xff\xfe \xed\xa0\x80"
	var in bytes.Buffer
	for _, branch := range []string{"main", "br\xe9nch"} {
		fmt.Fprintf(&in, "commit refs/heads/%s\nauthor %s <%s@x> 1700000000 +0000\ncommitter %s <%s@x> 1700000000 +0000\ndata %d\n%s\n", branch, bad, "b\xe9", bad, "b\xe9", len(bad), bad)
		for _, name := range []string{"d\xe9r/\xff.txt", "n\xe9edle.txt", "README.md", "AGENTS.md", ".claude/agents/\xe9.md"} {
			data := "---\nname: " + bad + "\n---\n# needle " + bad + " " + branch + "\n"
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(data), data)
		}
	}
	s.fill(&in)
	const repo = "alice/notes"
	text, failed := s.tool("get_file_contents", map[string]any{"repo": repo, "path": "README.md"})
	if failed || !strings.Contains(text, `"encoding":"base64"`) {
		t.Errorf("bytes come as %.300s", text)
	}
	text, failed = s.tool("get_file_contents", map[string]any{"repo": repo, "path": ""})
	if !failed || !strings.Contains(text, "directory") {
		t.Errorf("the root is %.300s", text)
	}
	if text, failed := s.tool("search_code", map[string]any{"repo": repo, "query": "needle", "limit": 100}); failed {
		t.Errorf("search: %.300s", text)
	}
	pull, failed := s.tool("create_pull_request", map[string]any{"repo": repo, "title": "t", "head": "br\ufffdnch", "base": "main"})
	if !failed {
		t.Errorf("a branch is found by a name that it has not: %s", pull)
	}
	s.fill(strings.NewReader("reset refs/heads/topic\nfrom refs/heads/br\xe9nch\n\n"))
	if pull, failed = s.tool("create_pull_request", map[string]any{"repo": repo, "title": "t", "head": "topic", "base": "main"}); failed {
		t.Errorf("a pull request: %s", pull)
	}
	s.tool("get_pull_request", map[string]any{"repo": repo, "number": 1})
	head := strings.TrimSpace(s.output("", nil, "git", "--git-dir="+s.repository(), "rev-parse", "main"))
	api := "/api/v1/repositories/" + repo
	for _, path := range []string{
		api + "/branches", api + "/contents?path=README.md", api + "/contents?path=n%E9edle.txt", api + "/search?query=needle", api + "/search?query=%E9", api + "/issues?query=%FF", api + "/contents?path=%FF&ref=%FE", api + "/pulls/1", api + "/pulls/1/diff",
		"/alice/notes", "/alice/notes/tree/main", "/alice/notes/tree/main/d%E9r", "/alice/notes/blob/main/README.md", "/alice/notes/blob/main/n%E9edle.txt", "/alice/notes/blame/main/README.md", "/alice/notes/raw/main/README.md",
		"/alice/notes/commits", "/alice/notes/commits/br%E9nch", "/alice/notes/commit/" + head, "/alice/notes/branches", "/alice/notes/compare/main...topic", "/alice/notes/pulls/1", "/alice/notes/pulls/1/commits", "/alice/notes/pulls/1/changes",
		"/alice/notes/search?q=needle", "/alice/notes/search?q=%E9", "/%FF", "/alice/%FF",
	} {
		s.ask("GET", path, "")
	}
	status, _ := s.ask("POST", "/api/v1/mcp", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")
	if status >= 500 {
		t.Errorf("a request that is no UTF-8 answers %d", status)
	}
	s.output("", nil, "git", "clone", "-q", "--bare", s.remote(), filepath.Join(t.TempDir(), "copy"))
}

// TestLargeThings asks about a folder of 100,000 names, 5,000 branches and
// files of 100 MB, and looks at what the server held meanwhile.
func TestLargeThings(t *testing.T) {
	s := newSite(t)
	const mb, entries, branches = 100, 100_000, 5_000
	head := func(ref string) string {
		return "commit refs/heads/" + ref + "\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n"
	}
	zeros := make([]byte, mb<<20)
	text := bytes.Repeat([]byte("one line of a long text\n"), mb<<20/24)
	s.fill(io.MultiReader(
		strings.NewReader(head("main")+"M 100644 inline README.md\ndata 2\nhi\nM 100644 inline zeros.bin\ndata "+strconv.Itoa(mb<<20)+"\n"), bytes.NewReader(zeros),
		strings.NewReader("\nM 100644 inline long.txt\ndata "+strconv.Itoa(len(text))+"\n"), bytes.NewReader(text), strings.NewReader("\n")))
	s.widen(entries, branches)
	before := s.memory()
	const repo = "alice/notes"
	for _, path := range []string{"zeros.bin", "long.txt"} {
		for _, lines := range []map[string]any{{}, {"start_line": 1, "end_line": 2}} {
			lines["repo"], lines["path"] = repo, path
			if text, failed := s.tool("get_file_contents", lines); !failed || !strings.Contains(text, "bytes") {
				t.Errorf("%s: %.200s", path, text)
			}
		}
	}
	if text, failed := s.tool("get_file_contents", map[string]any{"repo": repo, "path": "wide", "ref": "wide"}); !failed || !strings.Contains(text, "100000 entries") || len(text) > 20_000 {
		t.Errorf("a wide folder: %.200s (%d bytes)", text, len(text))
	}
	if text, failed := s.tool("get_file_contents", map[string]any{"repo": repo, "path": "wide/entry-099999", "ref": "many/branch-4999"}); failed {
		t.Errorf("a file in a wide folder: %.200s", text)
	}
	if text, failed := s.tool("search_code", map[string]any{"repo": repo, "query": "hi"}); failed || !strings.Contains(text, "README.md") {
		t.Errorf("search beside large files: %.200s", text)
	}
	s.fill(strings.NewReader("reset refs/heads/fat\nfrom refs/heads/main\n\n" + head("thin") + "from refs/heads/main^0\nD long.txt\nM 100644 inline README.md\ndata 2\nho\n"))
	if text, failed := s.tool("create_pull_request", map[string]any{"repo": repo, "title": "t", "head": "thin", "base": "fat"}); failed {
		t.Errorf("a pull request that drops 100 MB: %.200s", text)
	}
	if text, failed := s.tool("get_pull_request", map[string]any{"repo": repo, "number": 1}); failed || len(text) > 1<<20 {
		t.Errorf("the diff of it: %.200s (%d bytes)", text, len(text))
	}
	api := "/api/v1/repositories/" + repo
	for _, path := range []string{
		api + "/branches", api + "/branches?limit=100&after=many/branch-4000", api + "/contents?path=zeros.bin", api + "/contents?path=wide&ref=wide", api + "/pulls/1/diff",
		"/alice/notes", "/alice/notes/tree/wide/wide", "/alice/notes/branches", "/alice/notes/blob/main/zeros.bin", "/alice/notes/blob/main/long.txt", "/alice/notes/blame/main/long.txt", "/alice/notes/pulls/1/changes", "/alice/notes/search?q=hi",
	} {
		if _, text := s.ask("GET", path, ""); len(text) > 32<<20 {
			t.Errorf("%s answers with %d bytes", path, len(text))
		}
	}
	s.output("", nil, "git", "clone", "-q", "--bare", s.remote(), filepath.Join(t.TempDir(), "copy"))
	room := mb * 9 / 10
	if underRace() {
		room *= 3 // the detector keeps notes on all memory
	}
	if after := s.memory(); after-before > room {
		t.Errorf("the server held %d MiB more (%d, %d before)", after-before, after, before)
	}
}

// underRace says whether the race detector is in this program.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, setting := range info.Settings {
		if setting.Key == "-race" {
			return setting.Value == "true"
		}
	}
	return false
}

// widen makes a branch with a folder of so many names, and so many branches of
// the same. fast-import takes minutes for such a folder.
func (s *site) widen(entries, branches int) {
	s.t.Helper()
	git := func(in io.Reader, args ...string) string {
		return strings.TrimSpace(s.output("", in, "git", append([]string{"--git-dir=" + s.repository()}, args...)...))
	}
	blob := git(strings.NewReader("x"), "hash-object", "-w", "--stdin")
	var names bytes.Buffer
	for i := range entries {
		fmt.Fprintf(&names, "100644 blob %s\tentry-%06d\n", blob, i)
	}
	tree := git(&names, "mktree")
	tree = git(strings.NewReader("040000 tree "+tree+"\twide\n"), "mktree")
	commit := git(nil, "commit-tree", "-m", "x", tree)
	refs := "# pack-refs with: peeled fully-peeled sorted \n" // git takes a minute to write so many
	for i := range branches {
		refs += fmt.Sprintf("%s refs/heads/many/branch-%04d\n", commit, i)
	}
	refs += commit + " refs/heads/wide\n"
	if err := os.WriteFile(filepath.Join(s.repository(), "packed-refs"), []byte(refs), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// TestKilledDuringPush kills the server at several points of a push, some of
// them as the machine would die. The repository is whole each time, has the
// old commit or the new one, and takes the next push.
func TestKilledDuringPush(t *testing.T) {
	s := newSite(t)
	work := filepath.Join(t.TempDir(), "work")
	git := func(args ...string) string {
		return strings.TrimSpace(s.output(work, nil, "git", args...))
	}
	s.output("", nil, "git", "init", "-q", "-b", "main", work)
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("push", "-q", s.remote(), "main")
	noise := rand.NewChaCha8([32]byte{9})
	for round, part := range []float64{0.001, 0.3, 0.7, 0.99, 1, 1} {
		old := git("rev-parse", "HEAD")
		for i := range 150 { // more than git unpacks one by one
			data := make([]byte, 2000)
			noise.Read(data)
			if err := os.WriteFile(filepath.Join(work, fmt.Sprintf("%d.bin", i)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", ".")
		git("commit", "-q", "-m", fmt.Sprint("round ", round))
		id := git("rev-parse", "HEAD")
		pack := s.output(work, strings.NewReader(id+"\n^"+old+"\n"), "git", "pack-objects", "--quiet", "--revs", "--stdout")
		s.breakOff(old, id, pack[:int(part*float64(len(pack)))], round%2 == 1)
		s.start()
		s.output("", nil, "git", "--git-dir="+s.repository(), "fsck", "--strict", "--no-dangling")
		if now := s.output("", nil, "git", "--git-dir="+s.repository(), "rev-parse", "main"); strings.TrimSpace(now) != old && strings.TrimSpace(now) != id {
			t.Errorf("round %d: main is %s, want %s or %s", round, now, old, id)
		}
		git("push", "-q", s.remote(), "main")
		if now := strings.Fields(git("ls-remote", s.remote(), "refs/heads/main"))[0]; now != id {
			t.Errorf("round %d: after the next push main is %s, want %s", round, now, id)
		}
	}
	if out := s.sigit("doctor"); out == "" {
		t.Error("the doctor says nothing")
	}
}

// breakOff sends the beginning of a push, waits until git is at it, and kills
// the server; with all, git too.
func (s *site) breakOff(old, id, pack string, all bool) {
	s.t.Helper()
	body, send := io.Pipe()
	r, err := http.NewRequest("POST", s.url+"/alice/notes.git/git-receive-pack", body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth("alice", s.token)
	r.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, err := client.Do(r); err == nil {
			answer.Body.Close()
		}
	}()
	line := old + " " + id + " refs/heads/main\x00report-status\n"
	if _, err := fmt.Fprintf(send, "%04x%s0000%s", len(line)+4, line, pack); err != nil {
		s.t.Fatal(err)
	}
	var children []int
	for len(children) == 0 { // until git is there; it stays, as the request does not end
		children = childrenOf(s.t, s.cmd.Process.Pid, "receive-pack")
	}
	s.kill()
	if all {
		for _, pid := range children {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill() // it may have ended by itself
			}
		}
	}
	send.Close()
	<-ended
}

// childrenOf lists the children of a process whose command line holds a word.
func childrenOf(t testing.TB, pid int, word string) (list []int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		t.Skip("this system does not tell of processes")
	}
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) && strings.Contains(string(line), word) {
			if child, err := strconv.Atoi(filepath.Base(dir)); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
