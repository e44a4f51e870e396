package sidecar

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
)

const (
	bodyHash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	headHash = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	identity = "identity:\n  path: a.md\n  bodyHash: " + bodyHash + "\n  frontmatterHash: " + headHash + "\n"
)

func TestPaths(t *testing.T) {
	for node, want := range map[string]string{
		".claude/agents/x.md":   ".claude/agents/x.sm",
		".codex/agents/x.toml":  ".codex/agents/x.toml.sm",
		"docs/a.b.md":           "docs/a.b.sm",
		".claude/skills/s/S.MD": ".claude/skills/s/S.MD.sm",
	} {
		got := PathFor(node)
		if got != want {
			t.Errorf("PathFor(%q) gives %q, want %q", node, got, want)
		}
		if !strings.Contains(strings.Join(NodesFor(got), "\n")+"\n", node+"\n") {
			t.Errorf("NodesFor(%q) gives %q, without %q", got, NodesFor(got), node)
		}
	}
	for _, no := range []string{"", "a.md", ".sm", "a/.sm", "a.sm.md"} {
		if got := NodesFor(no); got != nil {
			t.Errorf("NodesFor(%q) gives %q", no, got)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, fault string }{
		{"the least", identity, ""},
		{"everything", identity + "annotations:\n  version: 3\n  stability: stable\n  tags: [a]\n  source: https://example.org/x?y=1#z\n  own: {x: 1}\n  issueSuppressions:\n    - {analyzer: a, value: b, note: c}\nsettings: {}\naudit:\n  createdAt: 2026-02-20T09:00:00.000Z\n  createdBy: cli\nplugin: {x: 1}\n", ""},
		{"a byte-order mark", "\uFEFF" + identity, ""},
		{"nothing", "", "identity is missing"},
		{"a list", "- a", "identity is missing"},
		{"no YAML", "identity: a: b", "line 1"},
		{"no hash", "identity: {path: a.md, bodyHash: " + bodyHash + "}", "identity.frontmatterHash is missing"},
		{"an upper-case hash", strings.Replace(identity, "aa", "AA", 1), "identity.bodyHash must be"},
		{"version as text", identity + "annotations: {version: \"1\"}", "annotations.version must be"},
		{"version zero", identity + "annotations: {version: 0}", "annotations.version must be"},
		{"stability", identity + "annotations: {stability: old}", "annotations.stability must be"},
		{"an empty tag", identity + "annotations: {tags: [a, \"\"]}", "annotations.tags[1] must be"},
		{"a bare word for a URI", identity + "annotations: {source: somewhere}", "annotations.source must be"},
		{"an unknown key of a suppression", identity + "annotations: {suppressions: [{extension: a, who: b}]}", "annotations.suppressions[0].who is no key"},
		{"a suppression without value", identity + "annotations: {issueSuppressions: [{analyzer: a}]}", "annotations.issueSuppressions[0].value is missing"},
		{"no annotations", identity + "annotations:", "annotations must be a mapping"},
		{"a date without time", identity + "audit: {createdAt: 2026-02-20}", "audit.createdAt must be"},
		{"resolvedAs is closed", identity + "  resolvedAs: {provider: a, kind: b, c: d}", "identity.resolvedAs.c is no key"},
	} {
		root, err := Read([]byte(c.text))
		switch {
		case c.fault == "" && (err != nil || root == nil):
			t.Errorf("%s: Read gives %v, %v", c.name, root, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: Read gives %v, want a fault with %q", c.name, err, c.fault)
		}
	}
}

func TestFormats(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-02-20T09:00:00Z": true, "2026-02-20t09:00:00.123456z": true, "2026-02-20 09:00:00+02:00": true,
		"2026-02-20T09:00:00-0530": true, "2026-02-20T09:00:00+02": true, "2026-02-20T23:59:60Z": true,
		"2026-02-20T09:00:00": false, "2026-02-30T09:00:00Z": false, "2026-02-20T24:00:00Z": false,
		"2026-02-20T9:00:00Z": false, "2026-02-20T09:00:00.Z": false, "2026-02-20": false, "": false, "2026-02-20T": false,
		"2026-02-20T09:00:00+2:00": false, "2026-02-20T09:00:00Zx": false, "2026-02-20T09:00:00+": false,
	} {
		if got := isDateTime(s); got != want {
			t.Errorf("isDateTime(%q) gives %v", s, got)
		}
	}
	for s, want := range map[string]bool{
		"https://example.org": true, "mailto:a@b.c": true, "urn:x:y": true, "http://[::1]:80/a?b#c": true, "file:///x%20y": true,
		"": false, "example.org": false, "/x": false, "https://a b": false, "https://a/%zz": false, "1x:y": false,
		"https://a/b#c#d": false, "https://a/<b>": false, "https://ex\u00e4mple.org": false, ":x": false,
	} {
		if got := isURI(s); got != want {
			t.Errorf("isURI(%q) gives %v", s, got)
		}
	}
}

func TestOverlay(t *testing.T) {
	root, err := Read([]byte(identity + "annotations: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ body, head, want string }{
		{bodyHash, headHash, skillmap.Fresh},
		{"x", headHash, skillmap.StaleBody},
		{bodyHash, "x", skillmap.StaleFrontmatter},
		{"x", "x", skillmap.StaleBoth},
	} {
		got := Overlay(root, c.body, c.head)
		if !got.Present || got.Status == nil || *got.Status != c.want || got.Annotations != nil || !reflect.DeepEqual(got.Root, root) {
			t.Errorf("Overlay(%q, %q) gives %+v, want status %s", c.body, c.head, got, c.want)
		}
	}
	if got, want := Overlay(nil, bodyHash, headHash), (skillmap.Sidecar{Present: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("Overlay(nil) gives %+v", got)
	}
}

func TestPatch(t *testing.T) {
	parse := func(s string) map[string]any {
		var m map[string]any
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct{ current, patch, want string }{
		{`{"a":1,"b":{"c":2,"d":[1]}}`, `{"b":{"d":[2,3],"e":4}}`, `{"a":1,"b":{"c":2,"d":[2,3],"e":4}}`},
		{`{"a":1,"b":{"c":2}}`, `{"a":null,"b":{"c":null}}`, `{}`},
		{`{"a":{"x":[1]},"b":1}`, `{"a":{"x":[]}}`, `{"b":1}`},
		{`{"a":{"x":[1],"y":2}}`, `{"a":{"x":[]}}`, `{"a":{"y":2}}`},
		{`{"a":1}`, `{"a":{"b":{"c":null,"d":1}}}`, `{"a":{"b":{"d":1}}}`},
		{`{"a":{"b":1}}`, `{"a":"x","__proto__":{"y":1},"n":{"constructor":1,"z":2}}`, `{"a":"x","n":{"z":2}}`},
		{`{}`, `{"settings":{}}`, `{"settings":{}}`},
	} {
		current, patch := parse(c.current), parse(c.patch)
		if got := Patch(current, patch); !reflect.DeepEqual(got, parse(c.want)) {
			t.Errorf("Patch(%s, %s) gives %v, want %s", c.current, c.patch, got, c.want)
		}
		if !reflect.DeepEqual(current, parse(c.current)) || !reflect.DeepEqual(patch, parse(c.patch)) {
			t.Errorf("Patch(%s, %s) changed an argument", c.current, c.patch)
		}
	}
}

// What the scans of the golden projects say of each sidecar.
func TestOverlayGolden(t *testing.T) {
	dir := os.Getenv("SKILLFORGE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "data", "scan")
	files, _ := filepath.Glob(filepath.Join(dir, "golden", "*.json"))
	if files == nil {
		t.Skip("no golden data beside the repository")
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var result skillmap.ScanResult
		if err := json.Unmarshal(text, &result); err != nil {
			t.Fatal(err)
		}
		project := os.DirFS(filepath.Join(dir, "input", strings.TrimSuffix(filepath.Base(file), ".json")))
		for _, n := range result.Nodes {
			if n.Virtual {
				continue
			}
			got := skillmap.Sidecar{}
			if text, err := fs.ReadFile(project, PathFor(n.Path)); err == nil {
				root, err := Read(text)
				if err != nil {
					root = nil
				}
				got = Overlay(root, n.BodyHash, n.FrontmatterHash)
				seen++
			}
			if !reflect.DeepEqual(got, n.Sidecar) {
				t.Errorf("%s %s: the overlay is %+v, want %+v", filepath.Base(file), n.Path, got, n.Sidecar)
			}
		}
	}
	if seen == 0 {
		t.Error("the golden projects have no sidecar")
	}
}

func FuzzSidecarRead(f *testing.F) {
	f.Add(identity)
	f.Add(identity + "annotations:\n  tags: [a]\n  source: urn:a\naudit: {createdAt: 2026-01-01T00:00:00Z}\n")
	f.Add("identity: [")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Read([]byte(text))
		if err != nil {
			return
		}
		o := Overlay(root, bodyHash, headHash)
		if !o.Present || o.Status == nil || o.Root == nil {
			t.Errorf("Overlay of %q gives %+v", text, o)
		}
		if next := Patch(root, map[string]any{"annotations": map[string]any{"version": 1.0}}); Check(next) != nil {
			t.Errorf("a patched valid sidecar is not valid: %v", Check(next))
		}
	})
}
