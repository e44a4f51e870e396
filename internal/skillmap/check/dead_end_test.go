package check

import (
	"strings"
	"testing"
	"testing/fstest"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
)

// files is a small project: paths and texts by turns.
func files(pathsAndTexts ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for i := 0; i < len(pathsAndTexts); i += 2 {
		fsys[pathsAndTexts[i]] = &fstest.MapFile{Data: []byte(pathsAndTexts[i+1])}
	}
	return fsys
}

func scanned(t testing.TB, fsys fstest.MapFS) *scan.Graph {
	t.Helper()
	g, _, err := scan.Run(t.Context(), []scan.Root{{Name: ".", FS: fsys}}, scan.Options{Lens: "claude"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// verdictOn is the verdict on the link of a project that a token made, "ok"
// when it leads somewhere, and "none" when the token made none.
func verdictOn(t *testing.T, fsys fstest.MapFS, token string) (string, Verdict) {
	t.Helper()
	g := scanned(t, fsys)
	for i := range g.Links {
		if g.Links[i].Trigger == nil || g.Links[i].Trigger.OriginalTrigger != token {
			continue
		}
		for _, b := range g.Broken {
			if b == i {
				v := Explain(g, Options{}, i)
				return string(v.Severity) + "/" + string(v.Class), v
			}
		}
		return "ok", Verdict{}
	}
	return "none", Verdict{}
}

type shape struct {
	name  string
	files fstest.MapFS
	token string
	want  string // severity and class
	near  string
}

func (s shape) check(t *testing.T) {
	t.Run(s.name, func(t *testing.T) {
		got, v := verdictOn(t, s.files, s.token)
		if got != s.want || v.Near != s.near {
			t.Errorf("%s is %s near %q (%s; marks %v), want %s near %q", s.token, got, v.Near, v.Why, v.Marks, s.want, s.near)
		}
	})
}

const (
	guide = "# Guide\n"
	skill = "---\nname: tidy\ndescription: Tidies.\n---\n"
)

// TestShapes has a row or more for each shape in which paths and names were
// called broken that are not: see docs/precision.md.
func TestShapes(t *testing.T) {
	for _, s := range []shape{
		// A path in code whose exact tail exists elsewhere.
		{"a tail in a tree", files("docs/a.md", "```\nplugin/\n└── parts/guide.md\n```\n", "x/parts/guide.md", guide), "parts/guide.md", "info/example", "x/parts/guide.md"},
		{"a tail in a fence", files("docs/a.md", "```sh\ncat parts/guide.md\n```\n", "x/parts/guide.md", guide), "parts/guide.md", "info/example", "x/parts/guide.md"},
		{"a list under a heading that names the folder", files("a.md", "## In `x/parts/`\n\n- `guide.md`\n", "x/parts/guide.md", guide), "guide.md", "ok", ""},
		{"a table under a lead that names the folder", files("a.md", "The files of x/:\n\n| file |\n|--|\n| `parts/guide.md` |\n", "x/parts/guide.md", guide), "parts/guide.md", "ok", ""},
		{"a tail in prose", files("docs/a.md", "Read `parts/guide.md`.\n", "x/parts/guide.md", guide), "parts/guide.md", "warn/file", "x/parts/guide.md"},
		{"a tail that two files have", files("docs/a.md", "Read `parts/guide.md`.\n", "x/parts/guide.md", guide, "y/parts/guide.md", guide), "parts/guide.md", "info/foreign", ""},
		{"a translated copy", files("docs/ja/skills/a.md", "Read `parts/guide.md`.\n", "skills/parts/guide.md", guide), "parts/guide.md", "warn/file", "skills/parts/guide.md"},

		// A bare name in code that is nowhere.
		{"a bare name", files("a.md", "Keep `findings.md` short.\n"), "findings.md", "info/concept", ""},
		{"a bare name that is written", files("a.md", "Write it to `findings.md`.\n"), "findings.md", "info/concept", ""},
		{"a bare name in a list of files that are there", files("a.md", "- `b.md`\n- `c.md`\n- `d.md`\n- `lost.md`\n", "b.md", guide, "c.md", guide, "d.md", guide), "lost.md", "error/file", ""},
		{"a bare name in a list of files that are not", files("a.md", "- `lost.md`\n- `gone.md`\n- `b.md`\n", "b.md", guide), "lost.md", "info/concept", ""},

		// A path in code that is nowhere.
		{"an output", files("a.md", "It writes `report/summary.md`.\n"), "report/summary.md", "info/output", ""},
		{"an example", files("a.md", "Paths such as `notes/monday.md`.\n"), "notes/monday.md", "info/example", ""},
		{"history", files("a.md", "We dropped `notes/monday.md`.\n"), "notes/monday.md", "info/output", ""},
		{"a plan", files("docs/plans/a.md", "Read `notes/monday.md`.\n"), "notes/monday.md", "info/output", ""},
		{"a template", files("templates/a.md", "Read `notes/monday.md`.\n"), "notes/monday.md", "info/example", ""},
		{"another project", files("a.md", "Read `notes/monday.md` of the upstream repository.\n"), "notes/monday.md", "info/foreign", ""},
		{"a folder nobody has", files("a.md", "Read `notes/monday.md`.\n"), "notes/monday.md", "info/foreign", ""},
		{"a dead end", files("a.md", "Read `notes/monday.md`.\n", "notes/sunday.md", guide), "notes/monday.md", "error/file", ""},
		{"a blank", files("a.md", "Read `notes/{day}.md`.\n", "notes/sunday.md", guide), "notes/{day}.md", "none", ""},
		{"at home", files("a.md", "Read `$HOME/notes/monday.md`.\n", "notes/sunday.md", guide), "HOME/notes/monday.md", "info/home", ""},

		// A path that exists from an ancestor.
		{"from the skill", files("skills/tidy/SKILL.md", skill, "skills/tidy/steps/one.md", "Read `parts/guide.md`.\n", "skills/tidy/parts/guide.md", guide), "parts/guide.md", "ok", ""},
		{"from the root", files("docs/a.md", "Read `x/parts/guide.md`.\n", "x/parts/guide.md", guide), "x/parts/guide.md", "ok", ""},
		{"what a skill should bring", files("skills/tidy/SKILL.md", skill+"Read `references/guide.md`.\n"), "references/guide.md", "error/file", ""},
		{"what the plugin has and the skill has not", files("p/skills/tidy/SKILL.md", skill+"Read `references/guide.md`.\n", "p/references/guide.md", guide), "references/guide.md", "warn/file", "p/references/guide.md"},
		{"what a skill says to consult", files("skills/tidy/SKILL.md", skill+"For advanced patterns, consult:\n\n- `references/guide.md` - common patterns\n"), "references/guide.md", "error/file", ""},
		{"what a skill may have", files("skills/tidy/SKILL.md", skill+"Read `references/guide.md` if present.\n"), "references/guide.md", "info/output", ""},
		{"what a skill about skills shows", files("skills/skill-creator/SKILL.md", skill+"Read `references/guide.md`.\n"), "references/guide.md", "info/foreign", ""},

		// Names of kinds of files.
		{"SKILL.md", files("a.md", "Each has a `SKILL.md`.\n"), "SKILL.md", "info/concept", ""},
		{"AGENTS.md", files("docs/a.md", "Read `AGENTS.md`.\n"), "AGENTS.md", "info/concept", ""},
		{"a README of a folder", files("a.md", "Read `web/README.md`.\n", "web/b.md", guide), "web/README.md", "info/concept", ""},

		// A file of the name in another folder.
		{"moved", files("docs/a.md", "`parts/guide.md` was moved.\n", "web/guide.md", guide, "docs/parts/x.md", guide), "parts/guide.md", "info/output", "web/guide.md"},
		{"moved, and nothing speaks of it", files("docs/a.md", "Read `first/guide.md`.\n", "new/guide.md", guide, "docs/first/x.md", guide), "first/guide.md", "error/file", "new/guide.md"},

		// A link of Markdown to nowhere.
		{"a dead link", files("a.md", "[x](lost.md)\n"), "lost.md", "error/file", ""},
		{"a route", files("a.md", "[x](/en/guide)\n"), "/en/guide", "info/site", ""},
		{"a route with an ending", files("a.md", "[x](/en/guide.md)\n"), "/en/guide.md", "info/site", ""},
		{"a page", files("a.md", "[x](guide.html)\n"), "guide.html", "info/site", ""},
		{"a folder that a README names", files("README.md", "[x](./guides/)\n"), "./guides/", "error/file", ""},
		{"a route beside a page", files("docs/a.md", "[x](./guides/)\n"), "./guides/", "info/site", ""},
		{"the page of the project", files("README.md", "[star it](../../)\n"), "../../", "info/site", ""},
		{"a page beside the project", files("README.md", "[talk](../../discussions)\n"), "../../discussions", "info/site", ""},
		{"a template for a link", files("templates/a.md", "[x](lost.md)\n"), "lost.md", "info/placeholder", ""},
		{"a blank in a link", files("a.md", "[x](docs/your-guide.md)\n"), "docs/your-guide.md", "info/placeholder", ""},
		{"an example of a link", files("a.md", "For example [x](lost.md)\n"), "lost.md", "info/example", ""},
		{"an example behind a link", files("a.md", "[x](lost.md) has an example\n"), "lost.md", "error/file", ""},
		{"a link in test data", files("tests/a.md", "[x](lost.md)\n"), "lost.md", "info/example", ""},
		{"a page taken from elsewhere", files("a.md", "[a](api/cat.md) [b](api/dog.md) [c](api/hen.md) [d](api/cow.md)\n"), "api/dog.md", "info/foreign", ""},
		{"somebody's own machine", files("a.md", "[x](/Users/ada/plan.md)\n"), "/Users/ada/plan.md", "error/file", ""},

		// A link of Markdown that exists elsewhere.
		{"a moved link", files("a.md", "[x](docs/guide.md)\n", "web/guide.md", guide), "docs/guide.md", "error/file", "web/guide.md"},
		{"a link from an ancestor", files("docs/a.md", "[x](docs/guide.md)\n", "docs/guide.md", guide), "docs/guide.md", "error/file", "docs/guide.md"},
		{"a link with %20", files("a.md", "[x](my%20notes.md)\n", "my notes.md", guide), "my%20notes.md", "ok", ""},

		// Where only the case of letters differs.
		{"a path in other case", files("a.md", "Read `Docs/guide.md`.\n", "docs/guide.md", guide), "Docs/guide.md", "warn/file", "docs/guide.md"},
		{"a bare name in other case", files("docs/a.md", "Read `guide.md`.\n", "docs/Guide.md", guide), "guide.md", "warn/file", "docs/Guide.md"},
		{"a name in capitals is another", files("docs/a.md", "Keep `rules.md` short.\n", "RULES.md", guide), "rules.md", "info/concept", ""},
		{"the file itself", files("docs/warp.md", "`Warp.md` is a file of the host.\n"), "Warp.md", "info/concept", ""},
		{"a link in other case", files("a.md", "[x](Docs/guide.md)\n", "docs/guide.md", guide, "web/guide.md", guide), "Docs/guide.md", "error/file", "docs/guide.md"},

		// What a thing is called says nothing of where it stands.
		{"a skill about releases", files("skills/release-notes/SKILL.md", skill+"[x](lost.md)\n"), "lost.md", "error/file", ""},
		{"a skill about tests", files("skills/golden-tests/SKILL.md", skill+"Read `references/lost.md`.\n"), "references/lost.md", "error/file", ""},
		{"a skill that is kept as history", files("archive/tidy/SKILL.md", skill+"[x](lost.md)\n"), "lost.md", "info/output", ""},
		{"a test of a skill", files("skills/tidy/SKILL.md", skill, "skills/tidy/tests/one.md", "[x](lost.md)\n"), "lost.md", "info/example", ""},
		{"a command about plans", files(".claude/commands/plan.md", "[x](lost.md)\n"), "lost.md", "error/file", ""},
		{"a plan", files("docs/plan.md", "[x](lost.md)\n"), "lost.md", "info/output", ""},

		// Files of hosts and of people.
		{"./CLAUDE.md", files("docs/a.md", "Hosts read `./CLAUDE.md`.\n"), "./CLAUDE.md", "info/concept", ""},
		{"a file beside it", files("docs/a.md", "Read `./rules.md`.\n"), "./rules.md", "error/file", ""},
		{"a link to a home folder", files("a.md", "[x](~/.config/host/notes.md)\n"), "~/.config/host/notes.md", "info/home", ""},

		// Words behind a slash.
		{"the end of a tag", files(".claude/commands/a.md", "ends in </house_rules>\n"), "/house_rules", "info/tag", ""},
		{"a route in prose", files(".claude/commands/a.md", "Call /api/users now.\n"), "/api", "none", ""},
		{"a command of the host", files(".claude/commands/a.md", "Type /clear now.\n"), "/clear", "info/concept", ""},
		{"a command nobody has", files(".claude/commands/a.md", "Type /polish now.\n"), "/polish", "info/foreign", ""},
		{"a command of a prefix", files(".claude/commands/a.md", "Type /team:polish now.\n", ".claude/commands/team/ship.md", guide), "/team:polish", "error/file", ""},
		{"a command of another prefix", files(".claude/commands/a.md", "Type /web:ship now.\n", ".claude/commands/team/ship.md", guide), "/web:ship", "warn/file", ""},
		{"a renamed command", files(".claude/commands/a.md", "Type /team:polish, which was renamed.\n", ".claude/commands/team/ship.md", guide), "/team:polish", "info/output", ""},

		// Words behind an "@".
		{"a person", files(".claude/commands/a.md", "Ask @alice.\n"), "@alice", "info/foreign", ""},
		{"a package", files(".claude/commands/a.md", "Uses @scope/pkg here.\n"), "@scope/pkg", "info/foreign", ""},
		{"a decorator", files(".claude/commands/a.md", "Put @Injectable on it.\n"), "@Injectable", "info/foreign", ""},
		{"mail", files(".claude/commands/a.md", "Mail to bot@example.org.\n"), "@example", "none", ""},
		{"a file in a command template", files(".claude/commands/a.md", "Read @notes/{day}.md.\n"), "@notes/{day}.md", "none", ""},
		{"a file that a command takes from the root", files(".claude/commands/a.md", "Use @notes/monday.md here.\n", "notes/monday.md", guide), "@notes/monday.md", "info/file", "notes/monday.md"},
		{"a file that CLAUDE.md does not take from the root", files("web/CLAUDE.md", "Use @notes/monday.md here.\n", "notes/monday.md", guide), "@notes/monday.md", "warn/file", "notes/monday.md"},
		{"a file that is imported", files("CLAUDE.md", "Read @notes/monday.md.\n", "notes/sunday.md", guide), "@notes/monday.md", "error/file", ""},
	} {
		s.check(t)
	}
}

// FuzzJudge: any text in a small project is judged without a crash; only a
// File is more than a note, and what is near is on the map.
func FuzzJudge(f *testing.F) {
	for _, body := range []string{
		"Read `references/x.md`, [y](../y.md) and [z](/z).\n", "- `a.md`\n- `b.md`\n", "/team:x $y @z @a/b.md </c>\n", "[x](#) [y](%2e%2e/a.md) [z](~/a.md)\n",
		"## In docs/\n\n| `guide.md` |\n", "`../../../x.md` `./CLAUDE.md` `/x.md`\n", "[x](Docs/Guide.md)\n", "\xff`\xffa.md`",
	} {
		f.Add(body, "skills/tidy/SKILL.md")
		f.Add(body, "docs/plans/a.md")
	}
	f.Fuzz(func(t *testing.T, body, source string) {
		if !strings.HasSuffix(source, ".md") || strings.ContainsAny(source, "\\:\x00\n") || len(source) > 80 {
			t.Skip("no name of a Markdown file")
		}
		fsys := files("docs/guide.md", guide, ".claude/commands/team/ship.md", guide, "skills/tidy/references/guide.md", guide)
		if _, err := fsys.Stat(source); err == nil {
			t.Skip("the name of a file that the project has")
		}
		fsys[source] = &fstest.MapFile{Data: []byte(body)}
		if fstest.TestFS(fsys) != nil {
			t.Skip("no path that a file system takes")
		}
		g := scanned(t, fsys)
		for _, i := range g.Broken {
			v := Explain(g, Options{}, i)
			if v.Why == "" || v.Class == "" {
				t.Fatalf("%s has the verdict %+v", g.Links[i].Target, v)
			}
			if v.Severity != skillmap.Info && v.Class != File {
				t.Fatalf("%s is %s, class %s", g.Links[i].Target, v.Severity, v.Class)
			}
			if v.Near != "" && g.Links[i].Kind != skillmap.Invokes && g.Index(v.Near) < 0 {
				t.Fatalf("%s is near %s, which is not on the map", g.Links[i].Target, v.Near)
			}
			if again := Explain(g, Options{}, i); again.Why != v.Why || again.Near != v.Near {
				t.Fatalf("%s is judged %+v, then %+v", g.Links[i].Target, v, again)
			}
		}
	})
}
