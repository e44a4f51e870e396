package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"skillforge/internal/fault"
	"skillforge/internal/sm/config"
)

// The test binary is its own fake sm: it does what its first argument says.
func TestMain(m *testing.M) {
	if os.Getenv("SM_FAKE") == "1" {
		os.Exit(fake(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func fake(args []string) int {
	switch args[0] {
	case "say": // say STDOUT STDERR EXIT
		fmt.Print(args[1])
		fmt.Fprint(os.Stderr, args[2])
		code := 0
		fmt.Sscan(args[3], &code)
		return code
	case "scan":
		if len(args) > 1 {
			return 1
		}
		return 0
	case "once": // the first of two gets it
		f, err := os.OpenFile("taken", os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return 1
		}
		fmt.Println(`{"nonce":"n"}`)
		_ = f.Close()
		return 0
	case "env":
		fmt.Printf("{%q:%q,%q:%q}\n", "off", os.Getenv("SKILL_MAP_DISABLE_ALL_PROVIDERS"), "secret", os.Getenv("AWS_SECRET"))
		return 0
	case "get": // get URL
		answer, err := http.Get(args[1])
		if err != nil {
			return 1
		}
		defer answer.Body.Close()
		fmt.Printf("{\"status\":%d}\n", answer.StatusCode)
		return 0
	case "trusts":
		fmt.Printf("{\"trusted\":%v}\n", config.Project{Root: "."}.Trusts(args[1]))
		return 0
	case "ls":
		var names []string
		entries, _ := os.ReadDir(".")
		for _, e := range entries {
			names = append(names, e.Name())
		}
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"names": names})
		return 0
	case "serve":
		return fakeServe()
	}
	return 9
}

func fakeServe() int {
	server := &http.Server{Addr: "127.0.0.1:0", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"path":%q}`, r.URL.Path)
	})}
	return listen(server)
}

func listen(server *http.Server) int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 2
	}
	go func() { _ = server.Serve(l) }()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	_ = os.MkdirAll(config.Folder, 0o755)
	if err := os.WriteFile(filepath.Join(config.Folder, config.ServeFile), []byte(`{"host":"127.0.0.1","port":`+port+`}`), 0o600); err != nil {
		return 2
	}
	<-stop
	_ = os.WriteFile(os.Getenv("SM_STOPPED"), nil, 0o644)
	return 0
}

const wordSchema = `{"$id":"https://example.invalid/s.schema.json","type":"object","required":["a"],
	"properties":{"a":{"type":"integer"},"when":{"type":"string","format":"date-time"}},"$defs":{"word":{"type":"string"}}}`

// run plays one case text over a suite with these files and returns its
// failures.
func run(t *testing.T, text string, files map[string]string) []Failure {
	t.Helper()
	t.Setenv("SM_FAKE", "1")
	suite := fstest.MapFS{"spec/cases/c.json": {Data: []byte(text)}}
	for name, content := range files {
		suite[name] = &fstest.MapFile{Data: []byte(content)}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(context.Background(), Options{Suite: suite, Program: program})
	if err != nil {
		t.Fatal(err)
	}
	return report.Scopes[0].Cases[0].Failures
}

func TestEveryAssertionCanHoldAndCanFail(t *testing.T) {
	suite := fstest.MapFS{"schemas/s.schema.json": {Data: []byte(wordSchema)}, "spec/fixtures/want.txt": {Data: []byte("exactly \x01 this")}}
	known, err := loadSchemas(suite)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{suite: suite, schemas: known, group: "spec", dir: t.TempDir()}
	const doc = `{"a":1,"list":[{"n":"x"},{"n":"yy"}],"length":7}`
	for _, c := range []struct {
		assertion string
		stdout    string
		holds     bool
	}{
		{`{"type":"exit-code","value":3}`, "", true},
		{`{"type":"exit-code","value":0}`, "", false},
		{`{"type":"json-path","path":"$.a","equals":1}`, doc, true},
		{`{"type":"json-path","path":"$.a","equals":1.0}`, doc, true},
		{`{"type":"json-path","path":"$.a","equals":"1"}`, doc, false},
		{`{"type":"json-path","path":"$.list[1].n.length","equals":2}`, doc, true},
		{`{"type":"json-path","path":"$.list.length","greaterThan":2}`, doc, false},
		{`{"type":"json-path","path":"$.list.length","lessThan":3}`, doc, true},
		{`{"type":"json-path","path":"$.length","equals":7}`, doc, true},
		{`{"type":"json-path","path":"$[0]","matches":"^a+$"}`, `["aa"]`, true},
		{`{"type":"json-path","path":"$.list","matches":"\"n\":\\s*\"yy\""}`, doc, true},
		{`{"type":"json-path","path":"$.list[2].n","equals":"x"}`, doc, false},
		{`{"type":"json-path","path":"$.a"}`, doc, false},
		{`{"type":"json-path","path":"$.a","equals":null}`, `{"a":null}`, true},
		{`{"type":"json-path","path":"$.a","equals":1}`, "nonsense", false},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json"}`, `{"a":1,"when":"2026-01-02T03:04:05Z"}`, true},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json"}`, `{"a":1,"when":"soon"}`, false},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json","each":true}`, `[{"a":1},{"a":2}]`, true},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json","each":true}`, `[{"a":1},{}]`, false},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json","each":true}`, `[]`, false},
		{`{"type":"stdout-matches-schema","schema":"s.schema.json","schemaPointer":"/$defs/word"}`, `"w"`, true},
		{`{"type":"stdout-matches-schema","schema":"none.schema.json"}`, `{}`, false},
		{`{"type":"ndjson-line","match":{"t":"b"},"path":"$.n","matches":"2"}`, "{\"t\":\"a\"}\n{\"t\":\"b\",\"n\":2}\n", true},
		{`{"type":"ndjson-line","match":{"t":"b","d":{"x":1}}}`, "{\"t\":\"b\",\"d\":{\"x\":1,\"y\":2}}\n", true},
		{`{"type":"ndjson-line","match":{"t":"c"}}`, "{\"t\":\"a\"}\n", false},
		{`{"type":"stderr-matches","pattern":"[Uu]nknown option"}`, "", true},
		{`{"type":"stderr-matches","pattern":"fine"}`, "", false},
		{`{"type":"stderr-matches","pattern":"^[^\\u0000-\\u001f]+$"}`, "", true},
		{`{"type":"stderr-matches","pattern":"(?<=sm: )unknown(?! verb)"}`, "", true},
		{`{"type":"stdout-contains-verbatim","fixture":"want.txt"}`, "x exactly \x01 this y", true},
		{`{"type":"stdout-contains-verbatim","fixture":"want.txt"}`, "exactly this", false},
		{`{"type":"file-exists","path":"nope"}`, "", false},
		{`{"type":"file-matches-schema","path":"../c.json","schema":"s.schema.json"}`, "", false},
		{`{"type":"http-matches-schema","request":{"path":"/"},"schema":"s.schema.json"}`, "", false},
		{`{"type":"smells-right"}`, "", false},
	} {
		var a assertion
		if err := json.Unmarshal([]byte(c.assertion), &a); err != nil {
			t.Fatal(err)
		}
		err := s.held(t.Context(), &a, []outcome{{3, []byte(c.stdout), []byte("sm: unknown option '-g'")}})
		if (err == nil) != c.holds {
			t.Errorf("%s over %q: %v, want it to hold: %v", c.assertion, c.stdout, err, c.holds)
		}
	}
}

func TestCaseThatMakesNoSenseFails(t *testing.T) {
	for _, text := range []string{
		`{`,
		`{"id":"other","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`,
		`{"id":"c","invoke":{"verb":"scan"},"assertions":[]}`,
		`{"id":"c","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}],"weather":"fine"}`,
		`{"id":"c","invoke":{"verb":"scan","parallel":2},"assertions":[{"type":"exit-code","value":0}]}`,
		`{"id":"c","invoke":{"verb":"scan"},"assertions":[{"type":"parallel-exit-codes","sorted":[0,0]}]}`,
		`{"id":"c","fixture":"none","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`,
		`{"id":"c","invoke":{"verb":"say","args":["{{lost}}"]},"assertions":[{"type":"exit-code","value":0}]}`,
		`{"id":"c","setup":{"priorInvokes":[{"verb":"say","args":["","","1"]}]},"invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`,
		`{"id":"c","setup":{"priorScans":[{"fixture":"f","flags":["--broken"]}]},"invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`,
	} {
		if failures := run(t, text, map[string]string{"spec/fixtures/f/a.md": ""}); len(failures) == 0 {
			t.Errorf("%s passes", text)
		}
	}
}

func TestStagesFollowTheSetup(t *testing.T) {
	t.Setenv("AWS_SECRET", "hunter2")
	stopped := filepath.Join(t.TempDir(), "stopped")
	t.Setenv("SM_STOPPED", stopped)
	for name, c := range map[string]struct {
		text  string
		files map[string]string
	}{
		"the main fixture replaces the prior one": {`{"id":"c","description":"d","fixture":"after","setup":{"priorScans":[{"fixture":"before"}]},"invoke":{"verb":"ls"},
			"assertions":[{"type":"json-path","path":"$.names.length","equals":2},{"type":"json-path","path":"$.names[1]","equals":"b.md"},{"type":"file-exists","path":".skill-map/kept"}]}`,
			map[string]string{"spec/fixtures/before/a.md": "", "spec/fixtures/before/.skill-map/kept": "", "spec/fixtures/after/b.md": ""}},
		"captures fill later lines": {`{"id":"c","description":"d","setup":{"priorInvokes":[{"verb":"say","args":["{\"id\":7}","","1"],"expectExit":1,"capture":{"job":"$.id"},"sleepAfterMs":1}]},
			"invoke":{"verb":"say","args":["\"{{job}}\"","","0"]},"assertions":[{"type":"json-path","path":"$","equals":"7"}]}`, nil},
		"the environment is short": {`{"id":"c","description":"d","setup":{"disableAllProviders":true},"invoke":{"verb":"env"},
			"assertions":[{"type":"json-path","path":"$.off","equals":"1"},{"type":"json-path","path":"$.secret","equals":""}]}`, nil},
		"plugins are trusted": {`{"id":"c","description":"d","fixture":"f","invoke":{"verb":"trusts","args":["demo"]},"assertions":[{"type":"json-path","path":"$.trusted","equals":true}]}`,
			map[string]string{"spec/fixtures/f/.skill-map/plugins/demo/plugin.json": "{}"}},
		"files are served": {`{"id":"c","description":"d","setup":{"staticServe":{"fixture":"web"}},"invoke":{"verb":"get","args":["{{staticServeUrl}}/deep/file"]},"assertions":[{"type":"json-path","path":"$.status","equals":200}]}`,
			map[string]string{"spec/fixtures/web/deep/file": "x"}},
		"two run at once": {`{"id":"c","description":"d","invoke":{"verb":"once","parallel":2},
			"assertions":[{"type":"parallel-exit-codes","sorted":[0,1]},{"type":"parallel-json-path-count","path":"$.nonce","matches":".+","count":1}]}`, nil},
		"a server answers": {`{"id":"c","description":"d","setup":{"serve":true},"invoke":{"verb":"ls"},
			"assertions":[{"type":"http-matches-schema","request":{"path":"/api/x"},"schema":"p.schema.json"},{"type":"file-matches-schema","path":".skill-map/serve.json","schema":"p.schema.json"}]}`,
			map[string]string{"schemas/p.schema.json": `{"type":"object"}`}},
	} {
		if failures := run(t, c.text, c.files); len(failures) > 0 {
			t.Errorf("%s: %v", name, failures)
		}
	}
	if _, err := os.Stat(stopped); err != nil {
		t.Error("the server was not asked to stop")
	}
}

func TestReportIsTheContracts(t *testing.T) {
	t.Setenv("SM_FAKE", "1")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	suite := fstest.MapFS{
		"spec/cases/good.json":   {Data: []byte(`{"id":"good","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`)},
		"spec/cases/bad.json":    {Data: []byte(`{"id":"bad","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":4}]}`)},
		"claude/cases/good.json": {Data: []byte(`{"id":"good","invoke":{"verb":"scan"},"assertions":[{"type":"exit-code","value":0}]}`)},
	}
	heard := 0
	report, err := Run(context.Background(), Options{Suite: suite, Program: program, Jobs: 3, Each: func(string, CaseResult) { heard++ }})
	if err != nil {
		t.Fatal(err)
	}
	if report.Totals != (Totals{2, 3, 2, 1}) || heard != 3 || report.Scopes[0].Label != "spec" || report.Scopes[1].Label != "provider:claude" {
		t.Errorf("report %+v, heard %d", report, heard)
	}
	for scope, want := range map[string]int{"spec": 2, "provider:claude": 1, "all": 3} {
		got, err := Run(context.Background(), Options{Suite: suite, Program: program, Scope: scope})
		if err != nil || got.Totals.Cases != want {
			t.Errorf("scope %s: %v cases, %v; want %d", scope, got, err, want)
		}
	}
	if _, err := Run(context.Background(), Options{Suite: suite, Program: program, Scope: "provider:spec"}); fault.Of(err) != fault.Invalid {
		t.Errorf("an unknown scope gives %v", err)
	}
	if _, err := Run(context.Background(), Options{Suite: suite, Program: program, Case: "none"}); fault.Of(err) != fault.NotFound {
		t.Errorf("an unknown case gives %v", err)
	}
	if _, err := Open(t.TempDir()); fault.Of(err) != fault.NotFound {
		t.Errorf("an empty folder gives %v", err)
	}
	if data := shared(t); data != "" {
		known, err := loadSchemas(os.DirFS(filepath.Join(data, "conformance")))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if err := known.check(text, "conformance-result.schema.json", ""); err != nil {
			t.Error(err)
		}
	}
}

func TestEveryCaseOfTheSuitesIsUnderstood(t *testing.T) {
	suites := map[string]fs.FS{"built in": BuiltIn()}
	if data := shared(t); data != "" {
		suites["shared"] = os.DirFS(filepath.Join(data, "conformance"))
	}
	for name, suite := range suites {
		known, err := loadSchemas(suite)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := groupsOf(suite, "all")
		if err != nil {
			t.Fatal(err)
		}
		cases, err := load(suite, groups, "", known)
		if err != nil || len(cases) == 0 {
			t.Fatalf("%s: %d cases, %v", name, len(cases), err)
		}
		for file := range known.id { // a schema that does not compile would fail its case only
			if _, err := known.compile(file, ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, c := range cases {
			if c.unread != "" {
				t.Errorf("%s: %s/%s: %s", name, c.group, c.ID, c.unread)
			}
		}
	}
}

// shared is the folder of shared data beside the repository, empty without one.
func shared(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("SKILLFORGE_SHARED"); dir != "" {
		return filepath.Join(dir, "data")
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			data := filepath.Join(filepath.Dir(dir), "shared", "data")
			if _, err := os.Stat(data); err != nil {
				return ""
			}
			return data
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
