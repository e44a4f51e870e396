package provider

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct{ provider, path, want string }{
		{"claude", ".claude/agents/x.md", "agent"},
		{"claude", ".claude/agents/team/x.md", "agent"},
		{"claude", ".Claude/Agents/X.md", "agent"},
		{"claude", ".claude/commands/team/deploy.md", "command"},
		{"claude", ".claude/skills/x/SKILL.md", "skill"},
		{"claude", ".claude/skills/x/y/SKILL.md", ""},
		{"claude", ".claude/skills/SKILL.md", ""},
		{"claude", ".claude/skills/x/notes.md", ""},
		{"claude", "docs/.claude/agents/x.md", ""},
		{"claude", ".agents/skills/x/SKILL.md", ""},
		{"antigravity", ".agent/workflows/x.md", "workflow"},
		{"antigravity", ".agent/workflows/sub/x.md", ""},
		{"antigravity", ".agents/skills/x/skill.md", "skill"},
		{"codex", ".codex/agents/crew/x.toml", "agent"},
		{"codex", ".codex/agents/x.md", ""},
		{"codex", ".agents/skills/x/SKILL.md", "skill"},
		{"opencode", ".opencode/agent/x.md", "agent"},
		{"opencode", ".opencode/agents/x.md", "agent"},
		{"opencode", ".opencode/command/x.md", "command"},
		{"opencode", ".opencode/commands/x.md", "command"},
		{"opencode", ".opencode/commands/sub/x.md", ""},
		{"opencode", ".opencode/skills/x/SKILL.md", "skill"},
		{"opencode", ".claude/skills/x/SKILL.md", "skill"},
		{"opencode", ".claude/agents/x.md", ""},
		{"agent-skills", ".agents/skills/x/SKILL.md", "skill"},
		{"agent-skills", "skills/x/SKILL.md", ""},
		{"markdown", "anything.md", "markdown"},
	} {
		kind, ok := ByID(c.provider).Classify(c.path)
		if kind != c.want || ok != (c.want != "") {
			t.Errorf("%s.Classify(%q) gives %q, %v; want %q", c.provider, c.path, kind, ok, c.want)
		}
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		exist []string
		want  []string
	}{
		{nil, nil},
		{[]string{".agents"}, []string{"agent-skills"}},
		{[]string{".agents", ".claude"}, []string{"claude"}},
		{[]string{".claude", ".codex"}, []string{"claude", "codex"}},
		{[]string{".claude", ".opencode"}, []string{"opencode"}},
		{[]string{".claude", ".opencode", ".agent/workflows", ".agents"}, []string{"antigravity", "opencode"}},
	} {
		got := Detect(func(path string) bool { return slices.Contains(c.exist, path) })
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("Detect with %q gives %q, want %q", c.exist, got, c.want)
		}
	}
	got := Markers(func(path string) bool { return path == ".claude" || path == ".agents" || path == ".opencode" })
	if want := []string{"claude", "opencode", "agent-skills"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Markers gives %q, want %q", got, want)
	}
}

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct {
		provider, kind, path, name string
		want                       []string
	}{
		{"claude", "agent", ".claude/agents/My-Agent.md", "Other_One", []string{"other one", "my agent"}},
		{"claude", "command", ".claude/commands/deploy.md", "", []string{"deploy"}},
		{"claude", "command", ".claude/commands/team/sub/Deploy-It.md", "ship", []string{"ship", "deploy it", "team:sub:deploy it"}},
		{"claude", "skill", ".claude/skills/tidy-up/SKILL.md", "tidy", []string{"tidy", "tidy up"}},
		{"claude", "mcp", "mcp://github", "github", []string{"github"}},
		{"opencode", "command", ".opencode/commands/x.y.md", "z", []string{"x.y"}},
		{"markdown", "markdown", "README.md", "", []string{"readme"}},
		{"codex", "mcp", "mcp://x", "x", nil},
		{"agent-skills", "skill", ".agents/skills/--/SKILL.md", "", nil},
	} {
		var got []string
		for _, id := range Identifiers(ByID(c.provider), c.kind, c.path, map[string]any{"name": c.name}) {
			got = append(got, id.Normalized)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("the %s %s at %s is called %q, want %q", c.provider, c.kind, c.path, got, c.want)
		}
	}
}

func TestReserved(t *testing.T) {
	for _, c := range []struct {
		provider, kind, name string
		want                 bool
	}{
		{"claude", "command", "Review", true},
		{"claude", "skill", "pr_comments", true},
		{"claude", "agent", "review", false},
		{"claude", "agent", "General Purpose", true},
		{"antigravity", "workflow", "tasks", true},
		{"antigravity", "skill", "help", true},
		{"opencode", "command", "undo", true},
		{"opencode", "agent", "undo", false},
		{"codex", "skill", "help", false},
	} {
		p := ByID(c.provider)
		id, got := Reserved(p, c.kind, []Identifier{{Source: Name, Text: c.name, Normalized: skillmap.Normalize(c.name)}})
		if got != c.want || got && id.Text != c.name {
			t.Errorf("%s %s %q: reserved %v, want %v", c.provider, c.kind, c.name, got, c.want)
		}
	}
}

func TestSchemas(t *testing.T) {
	long := strings.Repeat("a", 1025)
	for _, c := range []struct {
		provider, kind, frontmatter string
		want                        []string
	}{
		{"claude", "agent", `{"name":"a","description":"b","tools":"Read, Grep"}`, nil},
		{"claude", "agent", `{"name":"a","description":"b","tools":["Read",2],"maxTurns":0,"color":"mauve"}`, []string{"/tools/1", "/maxTurns", "/color"}},
		{"claude", "agent", `{"name":"a","description":"b","tools":3}`, []string{"/tools"}},
		{"claude", "agent", `{"description":"","mcpServers":["a",{},3],"maxTurns":1.5}`, []string{"/description", "(root)", "/maxTurns", "/mcpServers/2"}},
		{"claude", "command", `{"metadata":{"a/b":1,"c":"d"},"arguments":[1],"shell":"zsh","context":"fork"}`, []string{"/arguments/0", "/shell", "/metadata/a~1b"}},
		{"claude", "skill", `{"anything":1}`, nil},
		{"agent-skills", "skill", `{"name":"Bad_Name","description":"` + long + `","allowed-tools":["Read"]}`, []string{"/name", "/description", "/allowed-tools"}},
		{"agent-skills", "skill", `{"name":"good-name-2","description":"` + long[1:] + `"}`, nil}, // A10: 1,024 pass
		{"opencode", "agent", `{"description":"d","mode":"main","permission":{"edit":"ask","bash":{"git *":"maybe"},"webfetch":1}}`,
			[]string{"/mode", "/permission/bash/git *", "/permission/webfetch"}},
		{"opencode", "agent", `{"description":"d","permission":{"bash":"never"}}`, []string{"/permission/bash"}},
		{"codex", "agent", `{"name":"a","description":"b","developer_instructions":"c","model_reasoning_effort":"wild","skills":{"config":[{"path":1,"enabled":true}]},"mcp_servers":{"x":1}}`,
			[]string{"/model_reasoning_effort", "/mcp_servers/x", "/skills/config/0/path"}},
		{"antigravity", "workflow", `{}`, []string{"(root)"}},
		{"markdown", "markdown", `{"name":5,"description":""}`, []string{"/name", "/description"}},
	} {
		var m map[string]any
		if err := json.Unmarshal([]byte(c.frontmatter), &m); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range ByID(c.provider).Kind(c.kind).schema.check(m) {
			if !slices.Contains(got, f.At) {
				got = append(got, f.At)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s %.60s: faults at %q, want %q", c.provider, c.kind, c.frontmatter, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) { // A36
	m := map[string]any{"name": "r", "description": "x", "developer_instructions": "y", "short-description": "z", "model": "m"}
	if got, want := ByID("codex").Kind("agent").Unknown(m), []string{"short-description"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Codex does not know %q, want %q", got, want)
	}
	if got := ByID("claude").Kind("agent").Unknown(m); got != nil {
		t.Errorf("Claude refuses %q", got)
	}
}

// A04, A11: the issue shows the quoted form that mends the line.
func TestMended(t *testing.T) {
	for raw, want := range map[string]string{
		"paths: {src,lib}/**/*.ts": `paths: "{src,lib}/**/*.ts"`,
		"paths: **/*.ts":           `paths: "**/*.ts"`,
		"name: x\r\ndescription: Make: \"safe\" \\ forms.\r\nmodel: y": `description: "Make: \"safe\" \\ forms."`,
		"name: [a":              "",
		"a:\n\t- b":             "",
		"x: y\n<example>\nz: 1": "",
	} {
		_, err := frontmatter.ParseYAML(raw)
		issues := Diagnose(ByID("claude"), "agent", frontmatter.Whole(raw), nil, err, false)
		if len(issues) != 1 {
			t.Fatalf("%q has the issues %+v", raw, issues)
		}
		got := ""
		if f := issues[0].Fix; f != nil {
			got = f.Summary
		}
		if want != "" {
			want = "Quote the value: write `" + want + "`."
		}
		if got != want {
			t.Errorf("%q: the fix is %q, want %q", raw, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	p := ByID("claude")
	diagnose := func(file string) skillmap.Issue {
		t.Helper()
		block := frontmatter.Split(file)
		parsed, err := frontmatter.ParseYAML(block.Raw)
		issues := Diagnose(p, "agent", block, parsed, err, true)
		if len(issues) != 1 || issues[0].Severity != skillmap.Error {
			t.Fatalf("Diagnose(%q) gives %+v", file, issues)
		}
		return issues[0]
	}
	for file, want := range map[string]string{
		"---\nname: harden\ndescription: Make forms safe: empty states.\n---\n": "L3: the frontmatter does not parse at column 29",
		"---\nname: a\ndescription: b\n---\ndescription: c\n---\n":              "L5: the frontmatter is closed before its end, and description stands",
		"\uFEFF---\nname: tidy\n---\nBody":                                      "byte-order mark",
		"  ---\nname: a\n---\n":                                                 "indented",
		"\n---\nname: a\n---\n":                                                 "empty line",
		"---\nname: a\n":                                                        "never closed",
		"---\nname: a\ncolor: mauve\n---\n":                                     "does not fit the kind agent; (root) must have description; /color must be one of red",
		"---\nname: mapper\ndescription: x\n\nExamples:\n<example>\nuser: \"draw it\"\n---": "L6: the frontmatter does not parse at column 1", // A05
	} {
		if got := diagnose(file).Message; !strings.Contains(got, want) {
			t.Errorf("the message for %q is\n%s, want it to say %q", file, got, want)
		}
	}
	if got := diagnose("---\na: b: c\n---\n"); got.Detail == nil || *got.Detail != "a: b: c" || got.Data != nil {
		t.Errorf("the issue is %+v, want the line as its detail", got)
	}
	toml := frontmatter.Whole("prompt = \"\"\"\ndo\n\"\"\"'\n")
	_, err := frontmatter.ParseTOML(toml.Raw)
	if got := Diagnose(ByID("codex"), "agent", toml, nil, err, false); len(got) != 1 || !strings.HasPrefix(got[0].Message, "L3: ") {
		t.Errorf("a broken TOML file gives %+v", got)
	}
}

// What the REST registries of the reference hold, drawings apart.
func TestRegistryGolden(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(goldenDir(), "wire", "rest", "api_nodes_kind_agent_limit_1.json"))
	if err != nil {
		t.Skipf("no golden data: %v", err)
	}
	var want struct {
		Body struct{ KindRegistry, ProviderRegistry any }
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	undraw(want.Body.KindRegistry)
	for name, pair := range map[string][2]any{
		"kinds":     {KindRegistry(), want.Body.KindRegistry},
		"providers": {Registry(), want.Body.ProviderRegistry},
	} {
		var got any
		text, err := json.Marshal(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		undraw(got)
		if !reflect.DeepEqual(got, pair[1]) {
			t.Errorf("the %s are\n%v, want\n%v", name, got, pair[1])
		}
	}
}

func undraw(v any) {
	m, _ := v.(map[string]any)
	if m["kind"] == "svg" {
		delete(m, "path")
	}
	for _, child := range m {
		undraw(child)
	}
}
