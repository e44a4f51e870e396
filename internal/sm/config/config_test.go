package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/fault"
)

// project makes a project folder with these files.
func project(t *testing.T, files map[string]string) Project {
	t.Helper()
	p := Project{Root: t.TempDir()}
	for name, text := range files {
		path := p.Path(name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func read(t *testing.T, p Project, name string) string {
	t.Helper()
	text, err := os.ReadFile(p.Path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	shared = Folder + "/" + SharedFile
	local  = Folder + "/" + LocalFile
)

func TestDefaultsFillTheTypedView(t *testing.T) {
	s := Project{Root: t.TempDir()}.Load(nil)
	if len(s.Warnings) != 0 {
		t.Errorf("an empty project warns: %v", s.Warnings)
	}
	if s.Scan.MaxScan != 5000 || s.Scan.MaxNodes != 256 || s.Scan.MaxFileSizeBytes != 1<<20 || !s.Scan.Tokenize || s.Tokenizer != "cl100k_base" {
		t.Errorf("scan defaults are %+v, %s", s.Scan, s.Tokenizer)
	}
	if s.Server.Port != 4242 || s.Server.Host != "127.0.0.1" || s.MCP.Server.Enabled || !s.AllowSidecarWriters || !s.UI.LiveUpdates {
		t.Errorf("defaults are %+v %+v", s.Server, s.MCP)
	}
	if r := s.Jobs.Retention; r.Completed == nil || *r.Completed != 2592000 || r.Failed != nil {
		t.Errorf("retention is %+v", r)
	}
}

func TestLayersMergeAndArraysReplace(t *testing.T) {
	p := project(t, map[string]string{
		shared: `{"ignore":["a","b"],"scan":{"maxNodes":10,"strict":true},"tokenizer":"o200k_base"}`,
		local:  `{"ignore":["c"],"scan":{"maxNodes":20}}`,
	})
	s := p.Load(map[string]any{"scan.maxNodes": 30})
	if !slices.Equal(s.Ignore, []string{"c"}) || s.Scan.MaxNodes != 30 || !s.Scan.Strict || s.Tokenizer != "o200k_base" {
		t.Errorf("in force: %v %+v %s", s.Ignore, s.Scan, s.Tokenizer)
	}
	want := map[string]Layer{"ignore": Local, "scan.maxNodes": Override, "scan.strict": Shared, "scan.maxScan": Defaults}
	for _, r := range s.Rows() {
		if l, ok := want[r.Key]; ok && l != r.Layer {
			t.Errorf("%s comes from %s, want %s", r.Key, r.Layer, l)
		}
		delete(want, r.Key)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestWhatDoesNotBelongIsLeftOutAndSaid(t *testing.T) {
	p := project(t, map[string]string{
		shared: `{"colour":"grey","tokenizer":"p50k_base","scan":{"maxNodes":"many","strict":true},
			"allowEditSmFiles":true,"mcp":{"server":{"enabled":true}},"roots":"docs","server":7,
			"plugins":{"core":{"enabled":"yes","extensions":{"x":{"settings":{"n":1},"colour":2}}}}}`,
		local: `{"scan":{"followExternalSymlinks":true,"maxScan":9}}`,
	})
	s := p.Load(nil)
	var keys []string
	for _, w := range s.Warnings {
		keys = append(keys, w.Key)
	}
	want := []string{"colour", "tokenizer", "scan.maxNodes", "allowEditSmFiles", "mcp.server.enabled", "roots", "server",
		"plugins.core.enabled", "plugins.core.extensions.x.colour", "scan.followExternalSymlinks"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("warned keys (-want +got):\n%s", diff)
	}
	if !s.Scan.Strict || s.Scan.MaxNodes != 256 || s.Scan.MaxScan != 9 || s.AllowEditSmFiles || s.MCP.Server.Enabled || s.Scan.FollowExternalSymlinks || s.Server.Port != 4242 {
		t.Errorf("in force: %+v", s.Values)
	}
	if n := s.ExtensionSettings("core/x")["n"]; n != 1.0 {
		t.Errorf("the setting beside the fault is %v, want 1", n)
	}
	if err := s.Strict(); fault.Of(err) != fault.Invalid || !strings.Contains(fault.Text(err), "colour") {
		t.Errorf("Strict() = %v", err)
	}
}

func TestBrokenFileIsSaidWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"scan\": {\n \"strict\": tru }\n}": "line 3",
		"[1]":                                   "no JSON object",
		`{"a":1} x`:                             "line 1",
		`{"a":`:                                 "ends in the middle",
		strings.Repeat(`{"a":`, 100):            "levels",
	} {
		p := project(t, map[string]string{shared: text})
		s := p.Load(nil)
		if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Text, want) {
			t.Errorf("%q warns %v, want %q in it", text, s.Warnings, want)
		}
		if _, err := p.Set("scan.strict", true, SetOptions{}); fault.Of(err) != fault.Invalid {
			t.Errorf("Set over %q gives %v, want a refusal", text, err)
		}
		if got := read(t, p, shared); got != text {
			t.Errorf("Set over a broken file changed it to %q", got)
		}
	}
	p := project(t, map[string]string{shared: "", local: "\ufeff{\"scan\":{\"strict\":true}}"})
	if s := p.Load(nil); len(s.Warnings) != 0 || !s.Scan.Strict {
		t.Errorf("an empty file or a byte-order mark warns: %v", s.Warnings)
	}
}

func TestSetKeepsWhatIsThere(t *testing.T) {
	p := project(t, map[string]string{shared: `{"z":1,"scan":{"strict":true},"ignore":["<&>"]}`})
	if _, err := p.Set("scan.maxNodes", 12.0, SetOptions{}); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"schemaVersion\": 1,\n  \"z\": 1,\n  \"scan\": {\n    \"strict\": true,\n    \"maxNodes\": 12\n  },\n  \"ignore\": [\n    \"<&>\"\n  ]\n}\n"
	if got := read(t, p, shared); got != want {
		t.Errorf("settings.json is\n%s\nwant\n%s", got, want)
	}
	done, err := p.Reset("scan.maxNodes", SetOptions{})
	if err != nil || !done.Changed {
		t.Errorf("Reset = %+v, %v", done, err)
	}
	if strings.Contains(read(t, p, shared), "maxNodes") {
		t.Error("the value is still there after Reset")
	}
	if done, err := p.Reset("scan.maxNodes", SetOptions{}); err != nil || done.Changed {
		t.Errorf("a second Reset = %+v, %v", done, err)
	}
	left, err := filepath.Glob(p.Inside(".settings*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestSetRefuses(t *testing.T) {
	p := project(t, nil)
	for _, c := range []struct {
		key   string
		value any
		code  string
	}{
		{"scan.maxnodes", 1, "unknown-key"},
		{"scan", map[string]any{}, "unknown-key"},
		{"scan.maxNodes", 0, "invalid-value"},
		{"scan.maxNodes", 1.5, "invalid-value"},
		{"scan.maxNodes", nil, "invalid-value"},
		{"server.port", 65536, "invalid-value"},
		{"tokenizer", "gpt2", "invalid-value"},
		{"ignore", "drafts", "invalid-value"},
		{"scan.referencePaths", []any{"../x"}, "confirm-required"},
		{"scan.followExternalSymlinks", true, "confirm-required"},
	} {
		_, err := p.Set(c.key, c.value, SetOptions{})
		if fault.Of(err) != fault.Invalid || fault.Code(err) != c.code {
			t.Errorf("Set(%s, %v) = %v (%s), want %s", c.key, c.value, err, fault.Code(err), c.code)
		}
	}
	if _, err := os.Stat(p.Inside("")); err == nil {
		t.Error("a refused write made the folder")
	}
	if _, err := p.Load(nil).Get("nope"); fault.Of(err) != fault.NotFound {
		t.Errorf("Get(nope) = %v, want not found", err)
	}
	if _, err := p.Set("scan.maxnodes", 1, SetOptions{}); !strings.Contains(fault.Text(err), "scan.maxNodes") {
		t.Errorf("no hint at the near key: %v", err)
	}
}

func TestParseValue(t *testing.T) {
	for _, c := range []struct {
		key, text string
		want      any
	}{
		{"scan.maxNodes", "12", 12.0},
		{"server.host", "127", "127"},
		{"activeProvider", "claude", "claude"},
		{"activeProvider", `"claude"`, "claude"},
		{"jobs.retention.failed", "null", nil},
		{"ignore", `["a"]`, []any{"a"}},
		{"scan.strict", "yes", "yes"},
	} {
		if got := ParseValue(c.key, c.text); !cmp.Equal(got, c.want) {
			t.Errorf("ParseValue(%s, %s) = %#v, want %#v", c.key, c.text, got, c.want)
		}
	}
}

func TestLocalKeyNeedsItsGrant(t *testing.T) {
	p := project(t, nil)
	if _, err := p.Set("mcp.server.enabled", true, SetOptions{}); err != nil {
		t.Fatal(err)
	}
	if !p.Load(nil).MCP.Server.Enabled {
		t.Fatal("a granted key does not count")
	}
	if !strings.Contains(read(t, p, Folder+"/.gitignore"), LockFile) {
		t.Error("the grants are not kept out of the repository")
	}
	info, err := os.Stat(p.Inside(LockFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the grants are readable by others: %v %v", info.Mode(), err)
	}

	// The whole folder copied elsewhere brings the values, not the rights.
	other := project(t, map[string]string{local: read(t, p, local), Folder + "/" + LockFile: read(t, p, Folder+"/"+LockFile)})
	s := other.Load(nil)
	if s.MCP.Server.Enabled || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0].Text, "sm config set mcp.server.enabled") {
		t.Errorf("a copied grant counts: %v %v", s.MCP, s.Warnings)
	}

	// A value changed by hand is not the one that was granted.
	if _, err := p.Set("activity.captureLevel", "reads", SetOptions{}); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(read(t, p, local), `"reads"`, `"shell"`, 1)
	if err := os.WriteFile(p.Path(local), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := p.Load(nil).Activity.CaptureLevel; got != "mcp" {
		t.Errorf("captureLevel changed by hand is %q, want the default", got)
	}
	if _, err := p.Reset("mcp.server.enabled", SetOptions{}); err != nil {
		t.Fatal(err)
	}
	if p.Load(nil).MCP.Server.Enabled || strings.Contains(read(t, p, Folder+"/"+LockFile), "mcp.server") {
		t.Error("Reset leaves the grant")
	}
}

func TestWidenedReadingAsksOnce(t *testing.T) {
	p := project(t, nil)
	if _, err := p.Set("scan.referencePaths", []any{"../x"}, SetOptions{Yes: true}); err != nil {
		t.Fatal(err)
	}
	if got := p.Load(nil).Scan.ReferencePaths; !slices.Equal(got, []string{"../x"}) {
		t.Errorf("referencePaths = %v", got)
	}
	if _, err := p.Set("scan.referencePaths", []any{}, SetOptions{}); err != nil {
		t.Errorf("narrowing asks too: %v", err)
	}
}

// The lock file is shared with other tools: its bytes are a format.
func TestSealIsTheAgreedHash(t *testing.T) {
	const want = "1dad2be8d948ef32ce4bb530f3f643146c3ae74fc6e1853e89f4828a2a83a4b0" // of "24:skill-map/scope-grant/v112:plugin-trust5:12345…"
	if got := Seal(12345, 1767225600000000001, "plugin-trust", "demo", "true"); got != want {
		t.Errorf("Seal = %s, want %s", got, want)
	}
}

func TestPluginTrustWrittenByAnotherTool(t *testing.T) {
	p := project(t, map[string]string{Folder + "/plugins/demo/plugin.json": "{}"})
	inode, born, err := anchor(p.Inside(""))
	if err != nil {
		t.Skipf("this file system has no birth times: %v", err)
	}
	lock, err := json.Marshal(map[string]any{"v": 1, "namespaces": map[string]any{"plugin-trust": map[string]any{
		"demo": map[string]any{"grant": Seal(inode, born, "plugin-trust", "demo", "true"), "grantedAt": 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Inside(LockFile), lock, 0o600); err != nil {
		t.Fatal(err)
	}
	if !p.Trusts("demo") || p.Trusts("other") {
		t.Errorf("Trusts(demo) = %v, Trusts(other) = %v", p.Trusts("demo"), p.Trusts("other"))
	}
	if err := p.TrustPlugin("other"); err != nil || !p.Trusts("demo") || !p.Trusts("other") {
		t.Errorf("a second trust loses the first: %v", err)
	}
	if was, err := p.DistrustPlugin("demo"); !was || err != nil || p.Trusts("demo") {
		t.Errorf("DistrustPlugin = %v, %v", was, err)
	}
}

func TestGitignoreIsToppedUpOnceAndNeverFought(t *testing.T) {
	p := project(t, map[string]string{Folder + "/.gitignore": "# ours\r\n!map.db\r\nplugins/cache"})
	if changed, err := p.TopUpGitignore(); err != nil || !changed {
		t.Fatalf("TopUpGitignore = %v, %v", changed, err)
	}
	got := read(t, p, Folder+"/.gitignore")
	if strings.Contains(got, "\nmap.db\n") || !strings.Contains(got, "map.db-wal\n") || !strings.HasPrefix(got, "# ours\r\n!map.db\r\nplugins/cache\n") {
		t.Errorf(".gitignore is now\n%s", got)
	}
	if changed, err := p.TopUpGitignore(); err != nil || changed {
		t.Errorf("a second TopUpGitignore = %v, %v", changed, err)
	}
}

func TestCeilingIsRememberedUpwardsOnly(t *testing.T) {
	p := project(t, map[string]string{shared: `{"scan":{"maxScan":100}}`})
	for _, n := range []int{50, 100} {
		if err := p.RememberCeiling(n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(p.Path(local)); err == nil {
		t.Error("a ceiling that raises nothing was stored")
	}
	if err := p.RememberCeiling(50000); err != nil {
		t.Fatal(err)
	}
	if got := p.Load(nil).Scan.MaxScan; got != 50000 {
		t.Errorf("maxScan = %d, want 50000", got)
	}
	if strings.Contains(read(t, p, shared), "50000") {
		t.Error("the ceiling went into the committed file")
	}
}

func TestSecretsAreMasked(t *testing.T) {
	p := project(t, map[string]string{shared: `{"plugins":{"acme":{"extensions":{"tracker":{"settings":{"apiToken":"hunter2","url":"https://x"}}}}}}`})
	s := p.Load(nil)
	text, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.Get("plugins.acme.extensions.tracker.settings.apiToken")
	if err != nil || row.Value != Mask || !row.Secret {
		t.Errorf("Get shows %v, %v", row, err)
	}
	if strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "https://x") {
		t.Errorf("JSON shows the secret or hides too much:\n%s", text)
	}
	if got := s.ExtensionSettings("acme/tracker")["apiToken"]; got != "hunter2" {
		t.Errorf("the extension itself reads %v", got)
	}
}

func TestExtensionSwitches(t *testing.T) {
	p := project(t, map[string]string{shared: `{"plugins":{"core":{"enabled":false,"extensions":{"a":{"enabled":true}}},"codex/codex":{"enabled":false}}}`})
	s := p.Load(nil)
	for id, want := range map[string]bool{"core/a": true, "core/b": false, "codex/codex": false, "claude/claude": true} {
		if got := s.ExtensionEnabled(id, true); got != want {
			t.Errorf("ExtensionEnabled(%s) = %v, want %v", id, got, want)
		}
	}
}

func TestIgnorePatternsKeepComments(t *testing.T) {
	p := project(t, map[string]string{IgnoreFile: "# drafts are private\ndrafts/\n\nold/\n"})
	if got := p.IgnorePatterns(); !slices.Equal(got, []string{"drafts/", "old/"}) {
		t.Errorf("IgnorePatterns = %v", got)
	}
	if err := p.SetIgnorePatterns([]string{"drafts/", " new/ "}); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, p, IgnoreFile), "# drafts are private\ndrafts/\nnew/\n"; got != want {
		t.Errorf("%s is %q, want %q", IgnoreFile, got, want)
	}
	for _, bad := range [][]string{{""}, {"a\nb"}, {"a", "a"}} {
		if err := p.SetIgnorePatterns(bad); fault.Of(err) != fault.Invalid {
			t.Errorf("SetIgnorePatterns(%q) = %v, want a refusal", bad, err)
		}
	}
}

func TestSetUpLeavesWhatIsThere(t *testing.T) {
	p := project(t, map[string]string{shared: `{"activeProvider":"codex"}`})
	made, err := p.SetUp("# nothing\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{local, IgnoreFile, Folder + "/.gitignore"}; !slices.Equal(made, want) {
		t.Errorf("SetUp made %v, want %v", made, want)
	}
	if again, err := p.SetUp(""); err != nil || len(again) != 0 {
		t.Errorf("a second SetUp made %v, %v", again, err)
	}
}

func TestReadOnlyFolderIsSaid(t *testing.T) {
	p := project(t, map[string]string{shared: "{}"})
	if err := errors.Join(os.Chmod(filepath.Dir(p.Root), 0o755), os.Chmod(p.Root, 0o755), os.Chmod(p.Inside(""), 0o555)); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		if _, err := os.ReadDir(p.Inside("")); err != nil {
			t.Errorf("the folder cannot even be read: %v", err)
		}
		if _, err := p.Set("scan.strict", true, SetOptions{}); fault.Code(err) != "not-writable" {
			t.Errorf("Set in a read-only folder = %v", err)
		}
	})
}

func FuzzSettings(f *testing.F) {
	for _, seed := range []string{`{}`, `{"scan":{"maxNodes":"x"}}`, `{"plugins":{"a":{"extensions":{"b":{"settings":{"k":[1,{"z":null}]}}}}}}`, `{"a.b":1,"":{}}`, `[`, `{"jobs":{"retention":{"failed":1e99}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := project(t, map[string]string{shared: text, local: text})
		s := p.Load(nil) // must not panic: every leaf fits its type
		if _, err := s.JSON(); err != nil {
			t.Errorf("settings that loaded have no JSON: %v", err)
		}
		for _, r := range s.Rows() {
			if _, err := s.Get(r.Key); err != nil {
				t.Errorf("a listed key cannot be got: %v", err)
			}
		}
	})
}
