package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sm": func() { os.Exit(run()) }})
}

// TestStories plays testdata/*.txtar: whole programs in whole projects. Beside
// the usual commands a story has
//
//	json FILE PATH WANT   the JSON in FILE (or stdout, stderr) has WANT at PATH, in gjson's grammar
//	exits CODE COMMAND…   the command ends with this code
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json":  checkJSON,
			"exits": checkExit,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Condition: func(cond string) (bool, error) { return cond == "root" && os.Geteuid() == 0, nil },
	})
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH WANT")
	}
	text := ts.ReadFile(args[0])
	if !gjson.Valid(text) {
		ts.Fatalf("%s is no JSON: %q", args[0], text)
	}
	got := gjson.Get(text, args[1])
	same := got.Raw == args[2] || got.Type == gjson.String && got.Str == args[2]
	if same == neg {
		ts.Fatalf("%s of %s is %s, want %s (negated: %v)", args[1], args[0], got.Raw, args[2], neg)
	}
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
