package extract

import (
	"slices"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
)

// around gives the setting of the first token in a body, found where it stands.
func around(t *testing.T, body, token string, kind skillmap.LinkKind) Setting {
	t.Helper()
	before, _, ok := strings.Cut(body, token)
	if !ok {
		t.Fatalf("%q is not in %q", token, body)
	}
	return Surroundings(body, 0, []skillmap.Link{{
		Kind: kind, Trigger: &skillmap.Trigger{OriginalTrigger: token}, Location: &skillmap.Location{Line: 1 + strings.Count(before, "\n")},
	}})[0]
}

func TestSurroundings(t *testing.T) {
	for _, c := range []struct {
		name, body, token string
		has, hasNot       Around
	}{
		{"a tree in a fence", "```\ndocs/\n├── plan.md\n```\n", "plan.md", InFence | InTree, InTable},
		{"a tree of dashes", "|-- docs\n|   `-- plan.md\n", "plan.md", InTree, InFence},
		{"a listing without a drawing", "```\ndocs/\nplan.md\n```\n", "plan.md", InFence | InTree, 0},
		{"a fence in a fence", "````\n```sh\nx\n```\ncat a/b.md\n````\n`c/d.md`\n", "a/b.md", InFence, InTree},
		{"after the fences", "````\n```sh\nx\n```\ny\n````\n`c/d.md`\n", "c/d.md", 0, InFence},
		{"a row of a table", "| file | what |\n|--|--|\n| `plan.md` | the plan |\n", "plan.md", InTable | Leads, InItem},
		{"an item of a list", "- `plan.md`: how\n", "plan.md", InItem | Leads | Alone, InTable},
		{"an item in a quotation", "> 2. `plan.md`\n", "plan.md", InItem | Leads, 0},
		{"later in an item", "- how: `plan.md`\n", "plan.md", InItem, Leads},
		{"an example before", "Names such as `a/day.md`.\n", "a/day.md", InExample | IsSample | Sampled, 0},
		{"an example after", "`a/day.md`, for instance.\n", "a/day.md", InExample | IsSample, Sampled},
		{"the sentence before", "For example,\n`a/day.md` holds it.\n", "a/day.md", InExample, Sampled},
		{"the sentence before, ended by a blank line", "For example,\n\n`a/day.md` holds it.\n", "a/day.md", 0, InExample},
		{"the lead of a list", "Writes these files:\n\n- `a/day.md`\n", "a/day.md", IsOutput, IsRead},
		{"the lead of a table", "Outputs:\n\n| a | b |\n|--|--|\n| `a/day.md` | x |\n", "a/day.md", IsOutput, 0},
		{"a list of what to read", "For details, consult:\n\n- `a/day.md` - patterns\n", "a/day.md", IsRead | InExample, 0},
		{"the heading", "## Example\n\n`a/day.md`\n", "a/day.md", InExample | IsSample, Sampled},
		{"the heading above the heading", "## Examples\n\n### Two\n\n`a/day.md`\n", "a/day.md", InExample, 0},
		{"a title ends the search", "# Examples\n\n# Two\n\n`a/day.md`\n", "a/day.md", 0, InExample},
		{"an instruction", "Read `a/day.md` first.\n", "a/day.md", IsRead, InExample | IsOutput},
		{"history", "`a/day.md` was removed.\n", "a/day.md", IsHistory, 0},
		{"optional", "Read `a/day.md` if present.\n", "a/day.md", IsOptional | IsOutput | IsRead, 0},
		{"of another project", "See `a/day.md` in the upstream repository.\n", "a/day.md", IsForeign, 0},
		{"a blank in the line", "[Title of it](docs/x.md) by [Author]\n", "docs/x.md", Placeholder, 0},
		{"a link is no blank", "[Title of it](docs/guide.md)\n", "docs/guide.md", 0, Placeholder},
		{"a blank before", "`{dir}/guide.md`\n", "guide.md", Placeholder, 0},
		{"a blank behind", "`docs/guide.md{n}`\n", "docs/guide.md", Placeholder, 0},
		{"at home", "`~/notes/guide.md`\n", "notes/guide.md", AtHome, 0},
		{"behind a variable", "`$HOME/notes/guide.md`\n", "notes/guide.md", AtHome, 0},
		{"on a drive", "`C:\\notes/guide.md`\n", "notes/guide.md", AtHome, 0},
		{"absolute", "`/srv/notes/guide.md`\n", "notes/guide.md", AtHome, 0},
		{"in a URL", "`https://example.org/guide.md`\n", "guide.md", IsForeign, 0},
		{"behind an owner", "`me@host:guide.md`\n", "guide.md", IsForeign, 0},
		{"explicit", "`./guide.md`\n", "./guide.md", Explicit, Alone | FromTop},
		{"upwards", "`../guide.md`\n", "../guide.md", Explicit, Alone | FromTop},
		{"from the top", "[x](/en/guide)\n", "/en/guide", FromTop, Explicit | Alone},
		{"in quotation marks", "Say \"see guide.md\" to it.\n", "guide.md", Quoted, 0},
		{"in curled quotation marks", "Say “see guide.md” to it.\n", "guide.md", Quoted, 0},
		{"after quotation marks", "The \"old\" guide.md here.\n", "guide.md", 0, Quoted},
		{"of somebody", "the package's `guide.md`\n", "guide.md", Possessed, Made},
		{"an example in Spanish", "una carpeta (como `docs/plan.md`)\n", "docs/plan.md", InExample, IsSample},
		{"an example in French", "un dossier (comme `docs/plan.md`)\n", "docs/plan.md", InExample, IsSample},
		{"as described, in French", "comme décrit dans `docs/plan.md`\n", "docs/plan.md", 0, InExample},
		{"an example in Russian", "(например, `docs/plan.md`)\n", "docs/plan.md", InExample | Sampled, 0},
		{"an example in Chinese", "目录（如 `docs/plan.md`）\n", "docs/plan.md", InExample | Sampled, 0},
		{"to be made", "then create `guide.md`\n", "guide.md", Made | IsOutput, Possessed},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := around(t, c.body, c.token, skillmap.Points).Around
			if got&c.has != c.has || got.Has(c.hasNot) {
				t.Errorf("%q in %q has %v, want %v and not %v", c.token, c.body, got.Names(), c.has.Names(), c.hasNot.Names())
			}
		})
	}
}

func TestTagsAndRoutes(t *testing.T) {
	for _, c := range []struct {
		body, token string
		want        Around
	}{
		{"ends in </rules>\n", "/rules", IsTag},
		{"`/rules>` ends it\n", "/rules", IsTag},
		{"one/two\n", "/two", 0},
		{"call /one/two\n", "/one", IsRoute},
		{"a/ /b\n", "/b", 0},
		{"run /deploy now\n", "/deploy", 0},
	} {
		if got := around(t, c.body, c.token, skillmap.Invokes).Around & (IsTag | IsRoute); got != c.want {
			t.Errorf("%q in %q is %v, want %v", c.token, c.body, got.Names(), c.want.Names())
		}
	}
	if got := around(t, "ends in </rules>\n", "/rules", skillmap.Points).Around; got.Has(IsTag) {
		t.Error("only an invocation can be the end of a tag")
	}
}

func TestBase(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"the heading", "## Files in `docs/guides/`\n\nSee `plan.md`.\n", "docs/guides"},
		{"the lead of the list", "## In `docs/`\n\nUnder skills/tidy/:\n\n- `plan.md`\n", "skills/tidy"},
		{"neither", "## Files\n\nSee `plan.md`.\n", ""},
		{"not in a fence", "## In docs/\n\n```\nplan.md\n```\n", ""},
		{"not at home", "## In ~/docs/\n\nSee `plan.md`.\n", ""},
		{"not from the root of a disk", "## In /docs/\n\nSee `plan.md`.\n", ""},
		{"no blank", "## In {docs}/\n\nSee `plan.md`.\n", ""},
		{"no URL", "## In https://example.org/\n\nSee `plan.md`.\n", ""},
	} {
		if got := around(t, c.body, "plan.md", skillmap.Points).Base; got != c.want {
			t.Errorf("%s: base of %q is %q, want %q", c.name, c.body, got, c.want)
		}
	}
	if got := around(t, "## In docs/\n\nrun /plan.md\n", "/plan.md", skillmap.Invokes).Base; got != "" {
		t.Errorf("an invocation has the base %q", got)
	}
}

func TestSettingOfWhatIsNotThere(t *testing.T) {
	links := []skillmap.Link{
		{},
		{Trigger: &skillmap.Trigger{OriginalTrigger: "a.md"}, Location: &skillmap.Location{Line: 99}},
		{Trigger: &skillmap.Trigger{OriginalTrigger: "a.md"}, Location: &skillmap.Location{Line: 0}},
	}
	for i, got := range Surroundings("see `a.md`", 0, links) {
		if got != (Setting{}) {
			t.Errorf("link %d has %v", i, got)
		}
	}
	if got := Surroundings("x", 0, nil); got != nil {
		t.Errorf("no links have %v", got)
	}
	if got := Surroundings("see `a.md`", 4, []skillmap.Link{{Trigger: links[1].Trigger, Location: &skillmap.Location{Line: 5}}})[0].Around; !got.Has(IsRead) {
		t.Errorf("lines count from the start of the file: %v", got.Names())
	}
}

func TestIsBlank(t *testing.T) {
	for token, want := range map[string]bool{
		"{name}.md": true, "docs/<slug>.md": true, "docs/*.md": true, "a/.../b.md": true, "[name].md": true, "a…b.md": true,
		"foo/bar.md": true, "docs/your-guide.md": true, "my_notes.md": true, "agent-name/SKILL.md": true, "skills/some_name/a.md": true,
		"log-yyyy-mm.md": true, "adr-xx-choice.md": true, "SKILL_DIR/a.md": true, "file.md": true, "docs/name.md": true, "x/y.md": true, "other/thing.md": true,
		"docs/guide.md": false, "file/guide.md": false, "topic/a-plan.md": false, "myth.md": false, "A_B/guide.md": false, "README.md": false,
		"fool/bark.md": false, ".hidden/guide.md": false, "": false,
	} {
		if got := isBlank(token); got != want {
			t.Errorf("isBlank(%q) = %v, want %v", token, got, want)
		}
	}
}

func TestMarkNames(t *testing.T) {
	var all Around
	for i := range markNames {
		all |= 1 << i
	}
	if got := all.Names(); !slices.Equal(got, markNames) {
		t.Errorf("the names of all marks are %v", got)
	}
	if all != Sampled<<1-1 {
		t.Errorf("%d names for marks up to %b", len(markNames), Sampled)
	}
	if got := Around(0).Names(); got != nil {
		t.Errorf("no mark is named %v", got)
	}
}

// FuzzSurroundings: every link has a setting, whatever line and token it
// claims, and nothing that it says of one token hangs on the others.
func FuzzSurroundings(f *testing.F) {
	for _, s := range []string{
		"## In docs/\n\nFor example:\n- `a/b.md`\n", "```\na/\n├── b.md\n```\n", "| `a.md` | b |\n", "\"a.md\" “b.md", "[Blank] </tag>\n~/x/y.md",
		"````\n```\n`a\n", "#\n#\n", "\xff`a.md`\xff", "1. 2) - * +", "例：`a.md` → `b.md`", "",
	} {
		f.Add(s, "a.md", 3)
	}
	f.Fuzz(func(t *testing.T, body, token string, line int) {
		link := func(line int, kind skillmap.LinkKind) skillmap.Link {
			return skillmap.Link{Kind: kind, Trigger: &skillmap.Trigger{OriginalTrigger: token}, Location: &skillmap.Location{Line: line}}
		}
		links := []skillmap.Link{link(line, skillmap.Points), link(line, skillmap.Invokes)}
		for n := range min(8, 1+strings.Count(body, "\n")) {
			links = append(links, link(n+1, skillmap.References))
		}
		got := Surroundings(body, 0, links)
		if len(got) != len(links) {
			t.Fatalf("%d settings for %d links", len(got), len(links))
		}
		for i, s := range got {
			if strings.HasSuffix(s.Base, "/") || strings.ContainsAny(s.Base, "\n ") {
				t.Fatalf("base %q", s.Base)
			}
			if alone := Surroundings(body, 0, links[i:i+1])[0]; alone != s {
				t.Fatalf("link %d has %v among others and %v alone", i, s, alone)
			}
		}
	})
}
