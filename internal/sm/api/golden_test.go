package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// recorded is one answer of the reference over REST.
type recorded struct {
	Path    string
	Status  int
	Headers map[string]string
	Body    any
}

// wanted are the differences from the reference that are meant, by their place
// in the body. One that no recording shows any more fails the test. Lists that
// are empty on one side say nothing: contributions are, since cards are drawn
// from the node itself.
var wanted = map[string]string{
	"nodes[].contributions[]": "cards are drawn from the node itself",
	"nodes[].isFavorite":      "the map is the same here and over MCP (design: one payload)",
	"nodes[].tags":            "the same",
	"nodes[].contributions":   "the same",
	"value.activity":          "everything in force, not only what is settled",
	"value.ui":                "the same",
	"value.logLevel":          "the same",
	"items[].extensions[]":    "our own extensions",
	"dev":                     "a development build of the reference",
}

// opaque are members whose keys are data.
var opaque = []string{"frontmatter", "annotations", "root", "data", "contributionsRegistry", "kindRegistry", "providerRegistry", "plugins", "settingValues", "document"}

func TestRecordedREST(t *testing.T) {
	folder := shared(t, "wire", "rest")
	s := serve(t, copied(t, shared(t, "scan", "input", "fixtures__claude")))
	d := &differences{wanted, map[string]bool{}}
	for _, file := range list(t, folder) {
		var r recorded
		load(t, filepath.Join(folder, file), &r)
		if r.Path == "" {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			a := s.do("GET", r.Path, "")
			if a.status != r.Status {
				t.Fatalf("status %d, recorded %d: %.300s", a.status, r.Status, a.body)
			}
			for name, want := range r.Headers {
				switch name {
				case "connection", "date", "keep-alive", "content-length", "transfer-encoding":
					continue
				case "content-security-policy":
					if r.Path == "/" {
						continue // ours is stricter; TestPagePolicy looks at it
					}
				}
				if got := a.header.Get(name); !strings.EqualFold(got, want) {
					t.Errorf("header %s is %q, recorded %q", name, got, want)
				}
			}
			if text, ok := r.Body.(string); ok {
				if len(a.body) == 0 || strings.HasPrefix(text, "{") {
					t.Errorf("body %q, recorded %.80q", a.body, text)
				}
				return
			}
			var got any
			if err := json.Unmarshal(a.body, &got); err != nil {
				t.Fatal(err)
			}
			compareShapes(t, d, got, r.Body)
		})
	}
	d.stale(t)
}

func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "INDEX.json" && !strings.HasPrefix(e.Name(), "ws-") {
			names = append(names, e.Name())
		}
	}
	return names
}

func load(t testing.TB, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// compareShapes reports places that one body has and the other has not, and
// places whose types never meet.
func compareShapes(t *testing.T, d *differences, got, want any) {
	t.Helper()
	ours, theirs := shapes(got), shapes(want)
	for place, types := range theirs {
		switch {
		case ours[place] == nil && !emptied(ours, place) && !d.covers(place):
			t.Errorf("%s (%s) is missing", place, words(types))
		case ours[place] != nil && !meet(ours[place], types) && !d.covers(place):
			t.Errorf("%s is %s, recorded %s", place, words(ours[place]), words(types))
		}
	}
	for place, types := range ours {
		if theirs[place] == nil && !emptied(theirs, place) && !d.covers(place) {
			t.Errorf("%s (%s) is not recorded", place, words(types))
		}
	}
}

// differences are those that are meant, and which of them were met.
type differences struct {
	meant map[string]string
	met   map[string]bool
}

func (d *differences) covers(place string) bool {
	for known := range d.meant {
		if strings.HasPrefix(place, strings.TrimSuffix(known, "*")) {
			d.met[known] = true
			return true
		}
	}
	return false
}

// stale reports differences that are gone.
func (d *differences) stale(t *testing.T) {
	t.Helper()
	for known := range d.meant {
		if !d.met[known] {
			t.Errorf("nothing differs at %s any more; take it from the list", known)
		}
	}
}

// emptied reports whether place lies inside a list that is empty in shapes, or
// is an optional member of what is there, such as the body of a node.
func emptied(shapes map[string]map[string]bool, place string) bool {
	for i := strings.LastIndex(place, "[]"); i >= 0; i = strings.LastIndex(place[:i], "[]") {
		if shapes[place[:i]] != nil && shapes[place[:i+2]] == nil {
			return true
		}
	}
	for i := strings.LastIndexByte(place, '.'); i >= 0; i = strings.LastIndexByte(place[:i], '.') {
		if types := shapes[place[:i]]; types != nil && types["null"] && len(types) == 1 {
			return true
		}
	}
	return slices.ContainsFunc(optional, func(o string) bool { return strings.HasSuffix(place, o) })
}

// optional are members that the schemas do not require, present or not as the
// data has it.
var optional = []string{
	".detail", ".fix", ".fix.summary", ".data", ".linkIndices", ".linkIndices[]", ".trigger", ".location", ".raw", ".occurrences", ".context", ".resolvedTarget", ".location.column",
	".externalRefs", ".externalRefs[].line", ".externalRefs[].url", ".externalRefs[].originalTrigger", ".externalRefs[]", ".virtual", ".derivedFrom", ".derivedFrom[]", ".stability", ".locked", ".tokens", ".modifiedAtMs",
	".activeProviderMarkers", ".activeProviderMarkers[]", ".settings", ".settingValues", ".trigger.originalTrigger", ".trigger.normalizedTrigger",
}

func meet(a, b map[string]bool) bool {
	if a["null"] || b["null"] {
		return true
	}
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

func words(types map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(types)), "|")
}

// shapes maps each place of a JSON value to the types found there. Elements of
// a list share one place.
func shapes(v any) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	var walk func(place string, v any)
	walk = func(place string, v any) {
		note := func(kind string) {
			if out[place] == nil {
				out[place] = map[string]bool{}
			}
			out[place][kind] = true
		}
		switch v := v.(type) {
		case map[string]any:
			note("object")
			if slices.ContainsFunc(opaque, func(o string) bool { return place == o || strings.HasSuffix(place, "."+o) }) {
				return
			}
			for k, e := range v {
				walk(strings.TrimPrefix(place+"."+k, "."), e)
			}
		case []any:
			note("array")
			for _, e := range v {
				walk(place+"[]", e)
			}
		case nil:
			note("null")
		default:
			note(strings.TrimSuffix(fmt.Sprintf("%T", v), "64"))
		}
	}
	walk("", v)
	return out
}

// schemas compiles a schema of the contract.
func schemas(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	folder := shared(t, "conformance", "schemas")
	c := jsonschema.NewCompiler()
	c.UseLoader(loader{folder})
	s, err := c.Compile("https://skill-map.ai/spec/v1/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loader finds the schemas of the contract in a folder, nothing elsewhere.
type loader struct{ folder string }

func (l loader) Load(url string) (any, error) {
	name, ok := strings.CutPrefix(url, "https://skill-map.ai/spec/v1/")
	if !ok {
		return nil, fmt.Errorf("%s is no schema of the contract", url)
	}
	f, err := os.Open(filepath.Join(l.folder, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonschema.UnmarshalJSON(f)
}

func check(t *testing.T, s *jsonschema.Schema, what string, body []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(body)))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func TestSchemas(t *testing.T) {
	envelope, scan, info := schemas(t, "api/rest-envelope.schema.json"), schemas(t, "scan-result.schema.json"), schemas(t, "serve-info.schema.json")
	p := copied(t, shared(t, "scan", "input", "fixtures__claude"))
	s := serve(t, p)
	for _, path := range []string{
		"/api/nodes", "/api/nodes?kind=agent&limit=1", "/api/nodes/QUdFTlRTLm1k", "/api/nodes/QUdFTlRTLm1k?include=body", "/api/links", "/api/issues", "/api/plugins",
		"/api/config", "/api/config/resolution", "/api/annotations/registered", "/api/contributions/registered",
	} {
		check(t, envelope, path, s.do("GET", path, "").body)
	}
	for _, path := range []string{"/api/scan", "/api/scan?meta=1", "/api/scan?fresh=1"} {
		check(t, scan, path, s.do("GET", path, "").body)
	}
	text, err := os.ReadFile(p.Inside("serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, info, "serve.json", text)
}
