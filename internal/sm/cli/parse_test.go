package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"skillforge/internal/fault"
)

// tiny is a command line of some verbs that show what they were given.
type tiny struct {
	ran        string
	dry        bool
	limit      int
	sort, path string
	roots, ids []string
}

func (o *tiny) verbs() []*verb {
	note := func(name string) func(context.Context, *session) error {
		return func(context.Context, *session) error { o.ran = name; return nil }
	}
	return []*verb{
		{name: "scan", args: []arg{rest(&o.roots, "FOLDER", "what")}, flags: []flag{
			toggle(&o.dry, "dry-run", "n", ""), number(&o.limit, "limit", "", "N", 1, ""), choice(&o.sort, "sort-by", "", "KEY", "", "path", "kind"), commaList(&o.ids, "ids", "", "IDS", ""),
		}, run: note("scan")},
		{name: "scan compare-with", args: []arg{one(&o.path, "DUMP", "a file")}, run: note("scan compare-with")},
		{name: "show", args: []arg{ofNode(one(&o.path, "PATH", "a node"))}, flags: []flag{nodeFlag(&o.sort, "node", "n", "")}, run: note("show")},
		{name: "db", group: true},
		{name: "db reset", run: note("db reset")},
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line  string
		verb  string
		check func(*tiny, *globals) bool
	}{
		{"scan", "scan", nil},
		{"scan a b", "scan", func(o *tiny, _ *globals) bool { return slices.Equal(o.roots, []string{"a", "b"}) }},
		{"scan a -n b", "scan", func(o *tiny, _ *globals) bool { return o.dry && len(o.roots) == 2 }},
		{"--json scan", "scan", func(_ *tiny, g *globals) bool { return g.json }},
		{"scan --json", "scan", func(_ *tiny, g *globals) bool { return g.json }},
		{"scan a --json b", "scan", func(o *tiny, g *globals) bool { return g.json && len(o.roots) == 2 }},
		{"--db x scan", "scan", func(_ *tiny, g *globals) bool { return g.db == "x" }},
		{"--db=x db --quiet reset", "db reset", func(_ *tiny, g *globals) bool { return g.db == "x" && g.quiet }},
		{"scan compare-with d.json", "scan compare-with", func(o *tiny, _ *globals) bool { return o.path == "d.json" }},
		{"scan compare-with - -q", "scan compare-with", func(o *tiny, g *globals) bool { return o.path == "-" && g.quiet }},
		{"scan -- --json -n", "scan", func(o *tiny, g *globals) bool { return !g.json && slices.Equal(o.roots, []string{"--json", "-n"}) }},
		{"scan --limit=5 --sort-by kind --ids a,,b", "scan", func(o *tiny, _ *globals) bool {
			return o.limit == 5 && o.sort == "kind" && slices.Equal(o.ids, []string{"a", "b"})
		}},
		{"scan --log debug", "scan", func(_ *tiny, g *globals) bool { return g.logLevel == "debug" }},
		{"scan --log-level debug", "scan", func(_ *tiny, g *globals) bool { return g.logLevel == "debug" }},
		{"scan compare-with --help", "scan compare-with", func(_ *tiny, g *globals) bool { return g.help }},
		{"db --help", "db", func(_ *tiny, g *globals) bool { return g.help }},
		{"show a.md", "show", func(o *tiny, _ *globals) bool { return o.path == "a.md" }},
		{"show ./a.md -n ././docs//b.md", "show", func(o *tiny, _ *globals) bool { return o.path == "a.md" && o.sort == "docs/b.md" }},
		{"show /p/docs/a.md --node=/p/b.md", "show", func(o *tiny, _ *globals) bool { return o.path == "docs/a.md" && o.sort == "b.md" }},
		{"show /q/a.md -n mcp://github", "show", func(o *tiny, _ *globals) bool { return o.path == "/q/a.md" && o.sort == "mcp://github" }},
		{"show .claude/a.md", "show", func(o *tiny, _ *globals) bool { return o.path == ".claude/a.md" }},
		{"scan compare-with -1", "scan compare-with", func(o *tiny, _ *globals) bool { return o.path == "-1" }},
		{"scan compare-with ./a", "scan compare-with", func(o *tiny, _ *globals) bool { return o.path == "./a" }},
		{"", "", nil},
		{"-v", "", func(_ *tiny, g *globals) bool { return g.version }},
	} {
		var o tiny
		g := globals{dir: "/p"}
		v, err := parse(o.verbs(), &g, strings.Fields(c.line))
		name := ""
		if v != nil {
			name = v.name
		}
		if err != nil || name != c.verb || c.check != nil && !c.check(&o, &g) {
			t.Errorf("sm %s: verb %q, %v, %+v %+v", c.line, name, err, o, g)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"scan -g":               "unknown option '-g'",
		"scan --globl":          "unknown option '--globl'",
		"scan --dry-rnu=1":      "Did you mean --dry-run",
		"-g scan":               "unknown option '-g'",
		"scna":                  "Did you mean `sm scan`",
		"xyzzy":                 "`sm help` lists them all",
		"scan --limit":          "needs a value: N",
		"scan --limit --json":   "needs a value: N",
		"scan --limit -1":       "at least 1",
		"scan --dry-run=yes":    "takes no value",
		"scan --sort-by size":   "one of path, kind",
		"scan compare-with":     "DUMP is missing",
		"scan compare-with a b": "unexpected argument 'b'",
		"db":                    "say which: reset",
		"db drop":               "unknown command 'drop'",
		"db drop --help":        "unknown command 'drop'",
		"scan --port 3":         "unknown option '--port'\n`sm help scan`",
		"scan --ids ,":          "needs a list",
		"--db":                  "needs a value: PATH",
	} {
		var o tiny
		_, err := parse(o.verbs(), &globals{}, strings.Fields(line))
		if fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), want) {
			t.Errorf("sm %s gives %v, want %q in it", line, err, want)
		}
		if exitCode(err) != 2 {
			t.Errorf("sm %s exits %d, want 2", line, exitCode(err))
		}
	}
}

// A global flag means the same wherever it stands.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"scan --json", "--db= x", "-- -", "scan compare-with\x00a --limit=", "-", "--", "scan -n=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var o tiny
		v, err := parse(o.verbs(), &globals{}, strings.Fields(line))
		if err != nil && fault.Of(err) != fault.Invalid {
			t.Errorf("%q gives a fault of kind %v", line, fault.Of(err))
		}
		if err == nil && v != nil && v.group {
			t.Errorf("%q runs a group", line)
		}
	})
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errNotClean, 1},
		{fmt.Errorf("around: %w", errNotClean), 1},
		{errors.New("disk on fire"), 2},
		{fault.New(fault.Invalid, "x"), 2},
		{fault.New(fault.Denied, "x"), 2},
		{fault.New(fault.Busy, "x"), 2},
		{fault.New(fault.Conflict, "x"), 3},
		{fault.Coded(fault.Conflict, "db-newer", "x"), 2},
		{fault.Coded(fault.Denied, "nonce-mismatch", "x"), 4},
		{fmt.Errorf("around: %w", fault.New(fault.NotFound, "x")), 5},
		{context.Canceled, 130},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("exitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0ms", 999 * time.Millisecond: "999ms", time.Second: "1.0s", 59960 * time.Millisecond: "59.9s", time.Minute: "1m 0s", 125 * time.Second: "2m 5s",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%v) = %q, want %q", d, got, want)
		}
	}
}

// Every verb can be found, helped and completed.
func TestVerbsAreWellFormed(t *testing.T) {
	all := verbs()
	seen := map[string]bool{}
	for _, v := range all {
		switch {
		case seen[v.name]:
			t.Errorf("two verbs are called %q", v.name)
		case v.brief == "" || strings.HasSuffix(v.brief, "."):
			t.Errorf("%s: the brief %q is no line without a full stop", v.name, v.brief)
		case !slices.Contains(categories, v.category):
			t.Errorf("%s: category %q is none", v.name, v.category)
		case v.group != (v.run == nil) || v.group && len(children(all, v.name)) == 0:
			t.Errorf("%s: a group has no run of its own, and verbs below it", v.name)
		}
		seen[v.name] = true
		if parent, _, nested := strings.Cut(v.name, " "); nested && find(all, parent) == nil {
			t.Errorf("%s: there is no verb %s", v.name, parent)
		}
		names := map[string]bool{}
		for _, f := range slices.Concat(v.flags, (&globals{}).flags()) {
			if f.name == "" || names["--"+f.name] || f.short != "" && names["-"+f.short] {
				t.Errorf("%s: the flag %s (%s) is there twice", v.name, f.name, f.short)
			}
			names["--"+f.name], names["-"+f.short] = true, true
			if f.help == "" || !strings.HasSuffix(f.help, ".") {
				t.Errorf("%s: the help of --%s is no sentence: %q", v.name, f.name, f.help)
			}
		}
	}
	if len(helpJSON(all).Verbs) < 20 || len(helpMarkdown(all)) == 0 || bashCompletion(all) == "" || fishCompletion(all) == "" {
		t.Error("help or completion is empty")
	}
}
