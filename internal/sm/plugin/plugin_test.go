package plugin_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skillforge/internal/fault"
	"skillforge/internal/sm/job"
	"skillforge/internal/sm/plugin"
)

// shelf writes files below a folder of plugins.
func shelf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(dir string) []plugin.Plugin {
	return plugin.Load(plugin.Host{
		Folder: dir, SpecVersion: "1.12.2", BuiltIn: []string{"core"},
		Trusts:  func(string) bool { return true },
		On:      func(string) bool { return true },
		Enabled: func(_ string, fallback bool) bool { return fallback },
	})
}

const (
	good     = `{"version":"1.0.0","specCompat":"^1.0.0","catalogCompat":"*","description":"d"}`
	ext      = `{"version":"1.0.0","description":"d"}`
	findings = `{"allOf":[{"$ref":"https://skill-map.ai/spec/v1/findings/report.schema.json"}]}`
	plain    = `{"allOf":[{"$ref":"https://skill-map.ai/spec/v1/report-base.schema.json"}]}`
)

// finder is a whole plugin with one file replaced; "" takes it away.
func finder(changes map[string]string) map[string]string {
	files := map[string]string{
		"p/plugin.json": good, "p/analyzers/a/extension.json": ext, "p/analyzers/a/prompt.md": "judge {{userContent}}", "p/analyzers/a/report.schema.json": findings,
	}
	for name, text := range changes {
		files[name] = text
		if text == "" {
			delete(files, name)
		}
	}
	return files
}

func TestLoad(t *testing.T) {
	for _, row := range []struct {
		name    string
		changes map[string]string
		status  plugin.Status
		reason  string
		jobs    int
	}{
		{"whole", nil, plugin.Enabled, "", 1},
		{"no JSON", map[string]string{"p/plugin.json": "{"}, plugin.InvalidManifest, "no JSON", 0},
		{"an id", map[string]string{"p/plugin.json": strings.Replace(good, "{", `{"id":"p",`, 1)}, plugin.InvalidManifest, "id", 0},
		{"no description", map[string]string{"p/plugin.json": `{"version":"1.0.0","specCompat":"*","catalogCompat":"*"}`}, plugin.InvalidManifest, "must have required property 'description'", 0},
		{"no version", map[string]string{"p/plugin.json": strings.Replace(good, "1.0.0", "one", 1)}, plugin.InvalidManifest, "no version", 0},
		{"a range", map[string]string{"p/plugin.json": strings.Replace(good, "^1.0.0", "soon", 1)}, plugin.InvalidManifest, "specCompat", 0},
		{"another contract", map[string]string{"p/plugin.json": strings.Replace(good, "^1.0.0", ">=2.0.0", 1)}, plugin.IncompatibleSpec, "2.0.0", 0},
		{"another catalogue", map[string]string{"p/plugin.json": strings.Replace(good, `"*"`, `"<1.0.0"`, 1)}, plugin.IncompatibleCatalog, "catalogue", 0},
		{"a kind without looks", map[string]string{"p/kinds/k/kind.json": `{}`}, plugin.InvalidManifest, "kinds/k/kind.json must have required property 'ui'", 0},
		{"a placeholder", map[string]string{"p/analyzers/a/prompt.md": "judge"}, plugin.LoadError, "userContent", 0},
		{"no finder's report", map[string]string{"p/analyzers/a/report.schema.json": plain}, plugin.LoadError, "findings/report.schema.json", 0},
		{"a foreign reference", map[string]string{"p/analyzers/a/report.schema.json": `{"$ref":"https://example.org/x.json"}`}, plugin.LoadError, "report.schema.json", 0},
		{"no extension.json", map[string]string{"p/analyzers/a/extension.json": ""}, plugin.InvalidManifest, "extension.json", 0},
		{"a stability", map[string]string{"p/analyzers/a/extension.json": `{"version":"1","description":"d","stability":"old"}`}, plugin.InvalidManifest, "stability", 0},
		{"experimental", map[string]string{"p/analyzers/a/extension.json": `{"version":"1","description":"d","stability":"experimental"}`}, plugin.Enabled, "", 0},
		{"off", map[string]string{"p/analyzers/a/extension.json": `{"version":"1","description":"d","defaultEnabled":false}`}, plugin.Enabled, "", 0},
		{"code", map[string]string{"p/analyzers/a/index.js": "export default {}"}, plugin.LoadError, "JavaScript", 0},
		{"code with a job.json", map[string]string{"p/analyzers/a/index.js": "export default {}", "p/analyzers/a/job.json": "{}"}, plugin.Enabled, "", 1},
		{"code beside", map[string]string{"p/hooks/h/extension.json": ext}, plugin.Enabled, "", 1},
		{"an unknown key", map[string]string{"p/analyzers/a/job.json": `{"x":1}`}, plugin.LoadError, "job.json", 0},
		{"a finder that mends", map[string]string{"p/analyzers/a/job.json": `{"precondition":{"analyzerIds":["core/x"]}}`}, plugin.LoadError, "actions only", 0},
	} {
		list := load(shelf(t, finder(row.changes)))
		if len(list) != 1 {
			t.Errorf("%s: %d plugins", row.name, len(list))
			continue
		}
		p := list[0]
		reason := ""
		if p.Reason != nil {
			reason = *p.Reason
		}
		if p.Status != row.status || !strings.Contains(reason, row.reason) || (row.reason == "") != (reason == "") || len(p.Jobs) != row.jobs {
			t.Errorf("%s: %s (%s) with %d jobs, want %s (%s) with %d", row.name, p.Status, reason, len(p.Jobs), row.status, row.reason, row.jobs)
		}
	}
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	dir := shelf(t, finder(map[string]string{"p/hooks/h/extension.json": ext, "p/analyzers/b/extension.json": `{"version":"2","description":"d","stability":"experimental"}`}))
	p := load(dir)[0]
	want := []plugin.Unloaded{{ID: "b", Kind: "analyzer", Version: "2", Stability: "experimental", Reason: plugin.SwitchedOff}, {ID: "h", Kind: "hook", Version: "1.0.0", Stability: "stable", Reason: plugin.NeedsCode}}
	if len(p.Unloaded) != 2 || p.Unloaded[0] != want[0] || p.Unloaded[1].Reason != plugin.NeedsCode || p.Unloaded[1].Detail == "" {
		t.Errorf("left out: %+v", p.Unloaded)
	}
	untrusted := plugin.Load(plugin.Host{Folder: dir, SpecVersion: "1.12.2", Trusts: func(string) bool { return false }, On: func(string) bool { return true }, Enabled: func(_ string, f bool) bool { return f }})[0]
	if untrusted.Status != plugin.Disabled || untrusted.Jobs != nil || len(untrusted.Extensions) != 0 || !strings.Contains(*untrusted.Reason, "sm plugins trust p") {
		t.Errorf("an untrusted plugin: %+v", untrusted)
	}
	if none := load(shelf(t, map[string]string{"README.md": "", "x/notes.md": ""})); len(none) != 0 {
		t.Errorf("folders that are no plugin: %v", none)
	}
	if taken := load(shelf(t, map[string]string{"core/plugin.json": good})); taken[0].Status != plugin.IDCollision {
		t.Errorf("a plugin called core: %s", taken[0].Status)
	}
}

func TestFixerIsPaired(t *testing.T) {
	p := load(shelf(t, map[string]string{
		"p/plugin.json": good, "p/actions/f/extension.json": ext, "p/actions/f/prompt.md": "mend {{userContent}}", "p/actions/f/report.schema.json": plain,
		"p/actions/f/job.json": `{"precondition":{"analyzerIds":["core/name-mismatch"],"kind":["claude/skill","nope"]},"defaultPriority":3,"probExpectedDurationSeconds":9}`,
	}))[0]
	if len(p.Jobs) != 1 {
		t.Fatalf("%+v", p)
	}
	e := p.Jobs[0]
	if e.ID != "p/f" || e.Role() != job.Fixer || !e.Fixes("name-mismatch") || e.DefaultPriority != 3 || e.ExpectedSeconds != 9 {
		t.Errorf("the fixer is %+v", e)
	}
	if odd := plugin.UnknownKinds(p); len(odd) != 1 || odd[0].Kind != "nope" {
		t.Errorf("unknown kinds: %v", odd)
	}
}

func TestCreate(t *testing.T) {
	for _, shape := range plugin.Shapes {
		dir := t.TempDir()
		files, err := plugin.Create(dir, "mine", shape)
		if err != nil || len(files) != 5 || !slices.Contains(files, "mine/plugin.json") {
			t.Errorf("Create a %s: %v, %v", shape, files, err)
		}
		p := load(dir)[0]
		if p.Status != plugin.Enabled || len(p.Jobs) != 1 || map[string]job.Role{"finder": job.Finder, "fixer": job.Fixer, "action": job.Standalone}[shape] != p.Jobs[0].Role() {
			t.Errorf("a new %s is %s: %v", shape, p.Status, p.Reason)
		}
		if _, err := plugin.Create(dir, "mine", shape); fault.Of(err) != fault.Conflict {
			t.Errorf("Create over it: %v", err)
		}
	}
	for _, bad := range [][2]string{{"Up", "finder"}, {"../x", "finder"}, {"x", "poem"}} {
		if _, err := plugin.Create(t.TempDir(), bad[0], bad[1]); fault.Of(err) != fault.Invalid {
			t.Errorf("Create(%v): %v", bad, err)
		}
	}
}

func TestLinksOutAreNotFollowed(t *testing.T) {
	outside := shelf(t, map[string]string{"prompt.md": "{{userContent}}"})
	dir := shelf(t, finder(map[string]string{"p/analyzers/a/prompt.md": ""}))
	if err := os.Symlink(filepath.Join(outside, "prompt.md"), filepath.Join(dir, "p/analyzers/a/prompt.md")); err != nil {
		t.Skip("no symbolic links here")
	}
	if p := load(dir)[0]; len(p.Jobs) != 0 {
		t.Errorf("a prompt outside the plugin is read: %+v", p)
	}
}
