package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// noSleep goes to the programs that tests start: under the race detector each
// would sleep for a second before it ends, in case more is to be told.
const noSleep = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", noSleep); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"sm": func() { os.Exit(run()) }})
}

// TestStories plays testdata/*.txtar: whole programs in whole projects. Beside
// the usual commands a story has
//
//	json FILE PATH WANT   the JSON in FILE (or stdout, stderr) has WANT at PATH, in gjson's grammar;
//	                      of stderr the first line counts
//	keep NAME FILE PATH   sets a variable to what the JSON in FILE has at PATH
//	exits CODE COMMAND…   the command ends with this code
//	until FILE [PATTERN]  waits for the file to be there, and to match
//	get PATH CODE FILE    asks the server of the project and keeps its answer
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json":  checkJSON,
			"keep":  keep,
			"exits": checkExit,
			"until": waitFor,
			"get":   get,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("BAD", "\xff\xfe.md") // no text
			env.Setenv("GORACE", noSleep)
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
	})
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH WANT")
	}
	text := ts.ReadFile(args[0])
	if args[0] == "stderr" { // the elapsed line follows
		text, _, _ = strings.Cut(text, "\n")
	}
	if !gjson.Valid(text) {
		ts.Fatalf("%s is no JSON: %q", args[0], text)
	}
	got := gjson.Get(text, args[1])
	same := got.Raw == args[2] || got.Type == gjson.String && got.Str == args[2]
	if same == neg {
		ts.Fatalf("%s of %s is %s, want %s (negated: %v)", args[1], args[0], got.Raw, args[2], neg)
	}
}

func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: keep NAME FILE PATH")
	}
	got := gjson.Get(ts.ReadFile(args[1]), args[2])
	if !got.Exists() {
		ts.Fatalf("%s has nothing at %s", args[1], args[2])
	}
	ts.Setenv(args[0], got.String())
}

func checkExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s exits %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// patience is how long a story waits for a program that is starting or working.
const patience = time.Minute

func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: until FILE [PATTERN]")
	}
	pattern := regexp.MustCompile(strings.Join(args[1:], ""))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("%s does not come", strings.Join(args, " with "))
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: get PATH CODE FILE")
	}
	info := ts.ReadFile(".skill-map/serve.json")
	answer, err := http.Get("http://127.0.0.1:" + gjson.Get(info, "port").Raw + args[0])
	ts.Check(err)
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(answer.Body.Close())
	if got := strconv.Itoa(answer.StatusCode); got != args[1] {
		ts.Fatalf("GET %s answers %s, want %s: %s", args[0], got, args[1], body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), body, 0o644))
}
