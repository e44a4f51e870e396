package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"skillforge/internal/sigit/storetest"
)

// noSleep goes to the programs that tests start: under the race detector each
// would sleep for a second before it ends, in case more is to be told.
const noSleep = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", noSleep); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"sigit": main})
}

// TestScripts runs the stories of testdata on each engine at hand.
//
// Beside testscript's own commands, and the conditions [sqlite] and [postgres],
// they have:
//
//	serve [flags]            start `sigit serve` on a free port; sets URL and HOST
//	halt                     interrupt the server and want it to end well
//	crash                    end it as a crash would
//	account NAME...          an account with the password "password of NAME"; sets its token as NAME in capitals
//	keep VARIABLE            keep what the last command printed
//	http METHOD PATH [-as TOKEN] [-basic TOKEN] [BODY]
//	                         prints the status and the body; fails from 400 on
//	mcp TOKEN METHOD [PARAMS]
//	                         one JSON-RPC request; prints the answer; fails for an error
//	tool TOKEN NAME [ARGUMENTS]
//	                         one tool call; prints its text; fails when the tool did
func TestScripts(t *testing.T) {
	storetest.EachEngine(t, func(t *testing.T, address func() string) {
		servers := &servers{}
		testscript.Run(t, testscript.Params{
			Dir: "testdata",
			Setup: func(env *testscript.Env) error {
				env.Vars = append(env.Vars, "GORACE="+noSleep,
					"SIGIT_DATA="+filepath.Join(env.WorkDir, "data"), "SIGIT_DATABASE="+address(), "SIGIT_LOG_LEVEL=debug",
					"HOME="+env.WorkDir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true",
					"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
					"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main", "GIT_CONFIG_KEY_1=advice.detachedHead", "GIT_CONFIG_VALUE_1=false")
				env.Defer(func() { servers.end(env.WorkDir) })
				return nil
			},
			Condition: func(name string) (bool, error) {
				if name != "sqlite" && name != "postgres" {
					return false, fmt.Errorf("unknown condition %s", name)
				}
				return strings.HasSuffix(t.Name(), name), nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"serve": servers.serve, "halt": servers.halt, "crash": servers.crash,
				"account": account, "keep": keep, "http": httpCmd, "mcp": mcpCmd, "tool": toolCmd,
			},
		})
	})
}

// servers are the servers of scripts that run at the same time, by folder.
type servers struct {
	mu   sync.Mutex // guards byDir
	dirs map[string]*server
}

type server struct {
	cmd  *exec.Cmd
	done chan error
	log  bytes.Buffer
}

func (s *servers) swap(dir string, next *server) *server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs == nil {
		s.dirs = map[string]*server{}
	}
	old := s.dirs[dir]
	s.dirs[dir] = next
	return old
}

func (s *servers) serve(ts *testscript.TestScript, neg bool, args []string) {
	work := ts.Getenv("WORK")
	if old := s.swap(work, nil); old != nil {
		ts.Fatalf("a server runs already")
	}
	program := lookUp(ts, "sigit")
	one := &server{cmd: exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...), done: make(chan error, 1)}
	one.cmd.Dir = ts.MkAbs(".")
	one.cmd.Env = environment(ts)
	one.cmd.Stderr = &one.log
	out, err := one.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(one.cmd.Start())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "sigit listens on ")
	if err != nil || !ok {
		one.cmd.Process.Kill()
		wait := one.cmd.Wait()
		if neg {
			fmt.Fprint(ts.Stderr(), one.log.String())
			return
		}
		ts.Fatalf("the server does not start (%v): %s%s", wait, first, &one.log)
	}
	s.swap(work, one)
	if neg {
		ts.Fatalf("the server starts")
	}
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- string(text)
		one.done <- one.cmd.Wait()
	}()
	ts.Setenv("URL", url)
	ts.Setenv("HOST", strings.TrimPrefix(url, "http://"))
	fmt.Fprint(ts.Stdout(), first)
}

func lookUp(ts *testscript.TestScript, name string) string {
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
		if path := filepath.Join(dir, name); isProgram(path) {
			return path
		}
	}
	ts.Fatalf("no program %s", name)
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// environment is that of the script.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SIGIT_DATA", "SIGIT_DATABASE", "SIGIT_LOG_LEVEL", "SIGITSI_URL", "SEARCH_PROVIDER", "BRAVE_SEARCH_API_KEY", "SIGIT_METRICS_TOKEN"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func (s *servers) halt(ts *testscript.TestScript, _ bool, _ []string) {
	one := s.swap(ts.Getenv("WORK"), nil)
	if one == nil {
		ts.Fatalf("no server runs")
	}
	ts.Check(one.cmd.Process.Signal(os.Interrupt))
	err := <-one.done
	fmt.Fprint(ts.Stderr(), one.log.String())
	if err != nil {
		ts.Fatalf("the server ended with %v: %s", err, &one.log)
	}
}

func (s *servers) crash(ts *testscript.TestScript, _ bool, _ []string) {
	one := s.swap(ts.Getenv("WORK"), nil)
	if one == nil {
		ts.Fatalf("no server runs")
	}
	ts.Check(one.cmd.Process.Signal(syscall.SIGKILL))
	<-one.done
}

func (s *servers) end(dir string) {
	if one := s.swap(dir, nil); one != nil {
		one.cmd.Process.Kill()
		<-one.done
	}
}

func account(ts *testscript.TestScript, _ bool, names []string) {
	program := lookUp(ts, "sigit")
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Stdin = environment(ts), strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			ts.Fatalf("sigit %v: %v: %s", args, err, err.(*exec.ExitError).Stderr)
		}
		return strings.TrimSpace(string(out))
	}
	for _, name := range names {
		run("password of "+name+"\n", "user", "add", name, "--email", name+"@example.org", "--password-stdin")
		ts.Setenv(strings.ToUpper(name), run("", "token", "add", name, "--label", "script", "--scope", "repo,issue,user"))
	}
}

func keep(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: keep VARIABLE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

var client = &http.Client{Timeout: time.Minute}

func send(ts *testscript.TestScript, method, path, header, body string) (int, string) {
	req, err := http.NewRequest(method, ts.Getenv("URL")+path, strings.NewReader(body))
	ts.Check(err)
	if header != "" {
		req.Header.Set("Authorization", header)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "script/1")
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if c := resp.Header.Get("WWW-Authenticate"); c != "" {
		fmt.Fprintf(ts.Stderr(), "WWW-Authenticate: %s\n", c)
	}
	return resp.StatusCode, string(text)
}

func httpCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: http METHOD PATH [-as TOKEN] [-basic TOKEN] [BODY]")
	}
	method, path, header, body := args[0], args[1], "", ""
	for args = args[2:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-as" && len(args) > 1:
			header, args = "Bearer "+args[1], args[1:]
		case args[0] == "-basic" && len(args) > 1:
			r := &http.Request{Header: http.Header{}}
			r.SetBasicAuth("anybody", args[1])
			header, args = r.Header.Get("Authorization"), args[1:]
		default:
			body = args[0]
		}
	}
	status, text := send(ts, method, path, header, body)
	fmt.Fprintf(ts.Stdout(), "%d\n%s\n", status, text)
	if status >= 500 || (status >= 400) != neg {
		ts.Fatalf("%s %s answers %d: %s", method, path, status, text)
	}
}

func rpc(ts *testscript.TestScript, token, method string, params json.RawMessage) (status int, text string, answer struct {
	Result json.RawMessage
	Error  json.RawMessage
}) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	ts.Check(err)
	header := ""
	if token != "-" {
		header = "Bearer " + token
	}
	status, text = send(ts, "POST", "/api/v1/mcp", header, string(body))
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		ts.Fatalf("%s answers %d %s", method, status, text)
	}
	return status, text, answer
}

func mcpCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: mcp TOKEN METHOD [PARAMS]")
	}
	params := json.RawMessage("{}")
	if len(args) == 3 {
		params = json.RawMessage(args[2])
	}
	status, text, answer := rpc(ts, args[0], args[1], params)
	fmt.Fprintf(ts.Stdout(), "%d\n%s\n", status, text)
	if (answer.Error != nil) != neg {
		ts.Fatalf("%s answers %d %s", args[1], status, text)
	}
}

func toolCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: tool TOKEN NAME [ARGUMENTS]")
	}
	arguments := json.RawMessage("{}")
	if len(args) == 3 {
		arguments = json.RawMessage(args[2])
	}
	params, err := json.Marshal(map[string]any{"name": args[1], "arguments": arguments})
	ts.Check(err)
	_, text, answer := rpc(ts, args[0], "tools/call", params)
	var result struct {
		IsError bool
		Content []struct{ Type, Text string }
	}
	if answer.Error != nil || json.Unmarshal(answer.Result, &result) != nil {
		ts.Fatalf("%s answers %s", args[1], text)
	}
	for _, c := range result.Content {
		fmt.Fprintln(ts.Stdout(), c.Text)
	}
	if result.IsError != neg {
		ts.Fatalf("%s answers %s", args[1], text)
	}
}
