package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"skillforge/internal/git"
	"skillforge/internal/httpd"
	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/auth"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/search"
	"skillforge/internal/sigit/store"
	"skillforge/internal/sigit/storetest"
	"skillforge/internal/sigit/tools"
)

var (
	ctx      = context.Background()
	operator = sigit.Operator(sigit.User{})
)

// world is a forge on real SQLite and real git with alice, who owns ada/…
// things, bob and mallory, and the door for agents before it.
type world struct {
	t       testing.TB
	forge   *forge.Forge
	handler *mcp.Stateless
	dir     string
	log     *bytes.Buffer
	clock   atomic.Int64
	tokens  map[string]string
}

func newWorld(t testing.TB, env map[string]string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), log: &bytes.Buffer{}, tokens: map[string]string{}}
	w.clock.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	now := func() time.Time { return time.UnixMicro(w.clock.Add(1)) }
	g, err := git.New(git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.forge = forge.New(forge.Options{DB: storetest.Open(t, store.WithClock(now)), Git: g, Dir: w.dir, Site: "https://sigit.test", Log: log})
	door := auth.New(auth.Local(w.forge), w.forge.Site(), &httpd.Errors{}, log)
	w.handler, err = tools.Handler(tools.Options{
		Forge: w.forge, Admit: door.MCP, Log: log,
		Web: search.New(search.Options{Env: func(name string) string { return env[name] }, Log: log, Now: now}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.handler.Close)
	for _, name := range []string{"alice", "bob", "mallory"} {
		if _, err := w.forge.AddUser(ctx, operator, sigit.NewUser{Name: name, Email: name + "@example.org"}); err != nil {
			t.Fatal(err)
		}
		w.tokens[name] = w.token(name, sigit.NewToken{Label: "agent of " + name})
	}
	return w
}

func (w *world) token(user string, n sigit.NewToken) string {
	w.t.Helper()
	_, secret, err := w.forge.MintTokenFor(ctx, operator, user, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return secret.Reveal()
}

// actor is a user with everything the user may do.
func (w *world) actor(name string) sigit.Actor {
	w.t.Helper()
	u, err := w.forge.UserNamed(ctx, operator, name)
	if err != nil {
		w.t.Fatal(err)
	}
	return sigit.SignedIn(u)
}

// repo makes an empty repository.
func (w *world) repo(name string, private bool) *repo {
	w.t.Helper()
	parsed, err := sigit.ParseRepoName(name)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.forge.CreateRepo(ctx, operator, sigit.NewRepo{Name: parsed, Private: private})
	if err != nil {
		w.t.Fatal(err)
	}
	return &repo{w: w, name: name, parsed: parsed, dir: filepath.Join(w.dir, fmt.Sprintf("%d.git", r.ID))}
}

// repo is a repository that a test fills.
type repo struct {
	w         *world
	name, dir string
	parsed    sigit.RepoName
}

// file is what a commit puts at a path; nil data takes the path away.
type file struct {
	path, data string
	mode       string // "100644" when empty
	gone       bool
}

// commit puts files on a branch, from another one when that is named, and
// returns the commit.
func (r *repo) commit(branch, from string, files ...file) string {
	r.w.t.Helper()
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter A U Thor <a@example.org> %d +0000\ndata 1\nx\n", branch, 1_700_000_000+r.w.clock.Load()%1000)
	if from != "" {
		fmt.Fprintf(&in, "from refs/heads/%s^0\n", from)
	}
	for _, f := range files {
		mode := f.mode
		if mode == "" {
			mode = "100644"
		}
		switch {
		case f.gone:
			fmt.Fprintf(&in, "D %s\n", quote(f.path))
		case mode == "160000":
			fmt.Fprintf(&in, "M %s %s %s\n", mode, f.data, quote(f.path))
		default:
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, quote(f.path), len(f.data), f.data)
		}
	}
	r.git(&in, "fast-import", "--quiet", "--force")
	return strings.TrimSpace(r.git(nil, "rev-parse", "refs/heads/"+branch))
}

// quote writes a path as fast-import reads it.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

func (r *repo) git(in *bytes.Buffer, args ...string) string {
	r.w.t.Helper()
	cmd := exec.Command("git", append([]string{"--git-dir", r.dir}, args...)...)
	if in != nil {
		cmd.Stdin = in
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// reply is the answer of a tool.
type reply struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// call calls a tool as a user; arguments are JSON, or "" to leave them out.
func (w *world) call(user, tool, arguments string) reply {
	w.t.Helper()
	return w.bear(w.tokens[user], tool, arguments)
}

func (w *world) bear(token, tool, arguments string) reply {
	w.t.Helper()
	if arguments != "" {
		arguments = `,"arguments":` + arguments
	}
	got := w.post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`"`+arguments+`}}`)
	var answer struct {
		Result *reply
		Error  json.RawMessage
	}
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || got.Code != 200 || answer.Result == nil {
		w.t.Fatalf("%s %s gives %d %.500s (%v)\n%s", tool, arguments, got.Code, got.Body, err, w.log)
	}
	if len(answer.Result.Content) == 0 {
		w.t.Fatalf("%s %s answers without a text block", tool, arguments)
	}
	return *answer.Result
}

func (w *world) post(token, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, tools.Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "test-agent/1")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got := httptest.NewRecorder()
	w.handler.ServeHTTP(got, r)
	return got
}

// read calls a tool that must succeed and decodes the first text block, which
// must say what the structure says.
func read[T any](w *world, user, tool, arguments string) T {
	w.t.Helper()
	got := w.call(user, tool, arguments)
	if got.IsError {
		w.t.Fatalf("%s %s fails: %s", tool, arguments, got.Content[0].Text)
	}
	return decode[T](w, got)
}

func decode[T any](w *world, got reply) T {
	w.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(got.Content[0].Text), &v); err != nil {
		w.t.Fatalf("the text block is no such JSON: %v\n%.300s", err, got.Content[0].Text)
	}
	text, structured := []byte(got.Content[0].Text), got.Structured
	var list struct{ Items json.RawMessage }
	if text[0] == '[' && json.Unmarshal(structured, &list) == nil {
		structured = list.Items
	}
	if !bytes.Equal(text, structured) {
		w.t.Fatalf("text and structure differ:\n%.300s\n%.300s", text, structured)
	}
	return v
}

// refuses calls a tool that must fail in band with these words.
func (w *world) refuses(user, tool, arguments string, words ...string) reply {
	w.t.Helper()
	got := w.call(user, tool, arguments)
	if !got.IsError || got.Structured != nil {
		w.t.Errorf("%s %s: %.300s, want a refusal", tool, arguments, got.Content[0].Text)
		return got
	}
	all := ""
	for _, b := range got.Content {
		all += b.Text + "\n"
	}
	for _, word := range words {
		if !strings.Contains(all, word) {
			w.t.Errorf("%s %s refuses with %q, want %q", tool, arguments, all, word)
		}
	}
	return got
}

// says is refuses for a sentence that must come whole and first.
func (w *world) says(user, tool, arguments, sentence string) {
	w.t.Helper()
	if got := w.refuses(user, tool, arguments); got.Content[0].Text != sentence {
		w.t.Errorf("%s %s says %q, want %q", tool, arguments, got.Content[0].Text, sentence)
	}
}

func object(members ...any) string {
	m := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		m[members[i].(string)] = members[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func must[T any](w *world) func(T, error) T {
	return func(v T, err error) T {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
		return v
	}
}
