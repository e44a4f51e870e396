package provider

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/frontmatter"
)

func TestReadManifest(t *testing.T) {
	m, err := ReadManifest("p/.claude-plugin/plugin.json", "\uFEFF{\n \"name\": \"pay\", \"author\": {\"name\": \"Us\", \"email\": \"a@b\"},\n"+
		" \"agents\": [\n  \"./a.md\",\n  {\"inline\": 1}],\n \"commands\": \"./extra/\",\n \"mcpServers\": {\"x\": {\"env\": {\"TOKEN\": \"secret\"}}}}")
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"name": "pay", "author": "Us"}; !reflect.DeepEqual(m.Head, want) {
		t.Errorf("the head is %v, want %v", m.Head, want)
	}
	want := []Part{{Field: "agents", Text: "./a.md", Path: "p/a.md", Line: 4}, {Field: "commands", Text: "./extra/", Path: "p/extra", Line: 6}}
	if !reflect.DeepEqual(m.Parts, want) || len(m.Faults) > 0 {
		t.Errorf("the parts are %+v with faults %+v, want %+v", m.Parts, m.Faults, want)
	}
}

func TestReadMarketplace(t *testing.T) {
	m, err := ReadManifest(".claude-plugin/marketplace.json", `{"name": "shop", "metadata": {"description": "All.", "pluginRoot": "./plugins"}, "plugins": [
{"name": "a", "source": "a", "skills": ["./one"]},
{"name": "b", "source": "./other/b"},
{"name": "c", "source": {"source": "github", "repo": "x/y"}},
{"name": "d", "source": {"source": "local", "path": "./d"}},
{"name": "a", "source": "../outside"},
"e", {"source": "https://example.com/x"}]}`)
	if err != nil || m.Head["description"] != "All." {
		t.Fatalf("the head is %v (%v)", m.Head, err)
	}
	want := []Part{
		{"plugins", "a", "plugins/a", "a", 2}, {"skills", "./one", "plugins/a/one", "", 2},
		{"plugins", "./other/b", "other/b", "b", 3}, {"plugins", "./d", "d", "d", 5},
	}
	if !reflect.DeepEqual(m.Parts, want) {
		t.Errorf("the parts are\n%+v, want\n%+v", m.Parts, want)
	}
	var faults []string
	for _, f := range m.Faults {
		faults = append(faults, f.Text)
	}
	if len(faults) != 3 || !strings.Contains(faults[0], "listed before, on line 2") || !strings.Contains(faults[1], "entry 6") || !strings.Contains(faults[2], "no name") {
		t.Errorf("the faults are %q", faults)
	}
}

// A35: a skill in a manifest is a folder.
func TestManifestOfSkillFile(t *testing.T) {
	m, err := ReadManifest("plugin.json", `{"name": "x", "skills": ["./SKILL.md"]}`)
	issues := DiagnoseManifest(ByID("markdown"), PluginKind, "plugin.json", "", m, err, false)
	if len(issues) != 1 || issues[0].AnalyzerID != ManifestInvalid || issues[0].Severity != skillmap.Error || !strings.Contains(issues[0].Message, "folder that holds SKILL.md") {
		t.Errorf("the issues are %+v", issues)
	}
	if len(m.Parts) != 1 || m.Parts[0].Path != "SKILL.md" {
		t.Errorf("the parts are %+v; the skill is mapped all the same", m.Parts)
	}
}

func TestBadManifests(t *testing.T) {
	for name, c := range map[string]struct {
		text, reason string
		line         int
	}{
		"empty":     {"", "ends before", 1},
		"open":      {"{\"name\":\n\"x\"", "ends before", 2},
		"trailing":  {"{}\n}", "", 2},
		"two":       {"{} {}", "behind the end", 1},
		"comma":     {"{\"skills\": [\"a\",\n]}", "", 2},
		"list":      {"[1]", "is an object", 1},
		"deep":      {strings.Repeat("[", 100_000), "in each other", 1},
		"deep maps": {strings.Repeat(`{"a":`, 100_000), "in each other", 1},
		"many":      {"{\"a\": [" + strings.Repeat("1,", 300_000) + "1]}", "more than", 1},
	} {
		m, err := ReadManifest("plugin.json", c.text)
		at, ok := err.(*frontmatter.SyntaxError)
		if !ok || at.Line != c.line || !strings.Contains(at.Reason, c.reason) {
			t.Errorf("%s: the error is %v, want line %d and %q", name, err, c.line, c.reason)
		}
		if m.Head == nil || len(m.Parts) > 0 {
			t.Errorf("%s: the manifest is %+v, want an empty one", name, m)
		}
		issues := DiagnoseManifest(ByID("markdown"), PluginKind, "plugin.json", c.text, m, err, false)
		if len(issues) != 1 || issues[0].AnalyzerID != ParseError || len(issues[0].Message) > 500 {
			t.Errorf("%s: the issues are %.300v", name, issues)
		}
	}
	m, err := ReadManifest(".claude-plugin/marketplace.json", `{"name": 7, "plugins": {}, "description": "x"}`)
	if issues := DiagnoseManifest(ByID("markdown"), MarketplaceKind, ".claude-plugin/marketplace.json", "", m, err, false); len(issues) != 3 {
		t.Errorf("wrong types give %+v", issues)
	}
	if issues := DiagnoseManifest(ByID("markdown"), MarketplaceKind, ".kimi-plugin/marketplace.json", "", m, err, false); len(issues) > 0 {
		t.Errorf("the form of another host is judged: %+v", issues)
	}
}

func TestManifestRoot(t *testing.T) {
	for name, want := range map[string]string{
		".claude-plugin/plugin.json": ".", "a/.codex-plugin/plugin.json": "a", "a/plugin.json": "a", "plugin.json": ".",
		".agents/plugins/marketplace.json": ".", ".github/plugin/marketplace.json": ".", "a/.agents/plugins/x/plugin.json": "a/.agents/plugins/x",
	} {
		if got := ManifestRoot(name); got != want {
			t.Errorf("ManifestRoot(%q) = %q, want %q", name, got, want)
		}
	}
}

// Whatever a stranger writes, reading ends, and what is read is text inside
// the scan, on a line that the file has.
func FuzzReadManifest(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"name":"x","skills":["./a","../b",1,null,{}],"agents":"./c.md","commands":{"x":{"source":"./d.md"}}}`,
		`{"plugins":[{"name":"a","source":"./a"},{"source":{"source":"local","path":"../../x"}},[],"x"],"metadata":{"pluginRoot":"../.."}}`,
		"\uFEFF{\"name\":\n\"\\ud800\"}", "[[[[", `{"a":1e999}`, "{\"name\":\"\xff\"}",
	} {
		f.Add("a/.claude-plugin/plugin.json", s)
		f.Add(".claude-plugin/marketplace.json", s)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		name = "x/" + strings.ReplaceAll(name, "..", "") // the walk gives clean paths
		m, err := ReadManifest(name, text)
		lines := 1 + strings.Count(text, "\n")
		if m.Head == nil || err != nil && len(m.Parts) > 0 {
			t.Fatalf("ReadManifest(%q) gives %+v, %v", text, m, err)
		}
		for _, p := range m.Parts {
			if p.Line < 1 || p.Line > lines || p.Path == "" || strings.HasPrefix(p.Path, "/") || utf8.ValidString(text) && !utf8.ValidString(p.Text) {
				t.Errorf("the part of %q is %+v", text, p)
			}
		}
		for _, is := range DiagnoseManifest(ByID("markdown"), ManifestKind(name), name, text, m, err, true) {
			if is.Severity != skillmap.Error || is.Message == "" || strings.ContainsAny(is.Message, "\n\x1b") {
				t.Errorf("the issue of %q is %+v", text, is)
			}
		}
	})
}
