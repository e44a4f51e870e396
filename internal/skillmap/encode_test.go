package skillmap_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"skillforge/internal/skillmap"
)

// plain is what encoding/json gives with HTML left as it is.
func plain(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func ptr[T any](v T) *T { return &v }

// rich is a map that uses every field.
func rich() *skillmap.ScanResult {
	r := skillmap.Empty(1767225600000)
	r.ScannedBy = &skillmap.ScannedBy{Name: "n", Version: "v", SpecVersion: "s"}
	r.Tokenizer, r.ActiveProvider = "cl100k_base", "claude"
	r.OversizedFiles = []skillmap.SizedFile{{Path: "big.md", Bytes: 1 << 40}}
	r.Nodes = []skillmap.Node{
		{Path: "a & b <c>.md", Kind: "agent", Frontmatter: map[string]any{}},
		{
			Path: "ü/\u2028.md", Bytes: skillmap.Parts{Frontmatter: 1, Body: 2, Total: 3}, LinksOutCount: 1, LinksInCount: 2, ExternalRefsCount: 2,
			Frontmatter: map[string]any{"b": []any{nil, true, -0.5, "x\x00\n\"\\"}, "a": map[string]any{"z": 1e21, "y": 1e-7}, "empty": []any{}},
			Tokens:      &skillmap.Parts{Total: 9}, ModifiedAtMs: ptr(int64(5)),
			ExternalRefs: []skillmap.ExternalRef{{URL: "https://x/?a=1&b=2"}, {URL: "u", Line: 3, OriginalTrigger: "t"}},
			Sidecar:      skillmap.Sidecar{Present: true, Status: ptr("fresh"), Annotations: map[string]any{"tags": []any{"t"}}, Root: map[string]any{"k": nil}},
		},
		{Path: "mcp://x", Virtual: true, DerivedFrom: []string{"a", "b"}, Body: &skillmap.Text{Null: true}},
		{Path: "body", Body: &skillmap.Text{String: "text\xff"}},
	}
	r.Links = []skillmap.Link{
		{Source: "a", Target: "b", Kind: skillmap.Points, Confidence: 0.09999999999999998, Sources: []string{"x", "y"}},
		{
			Source: "a", Target: "@b", Kind: skillmap.Mentions, Confidence: 1, Trigger: &skillmap.Trigger{OriginalTrigger: "@B", NormalizedTrigger: "@b"},
			Location: &skillmap.Location{Line: 3, Column: ptr(0), Offset: ptr(7)}, Raw: ptr(""), ResolvedTarget: "b",
			Occurrences: []skillmap.Occurrence{{Extractor: "e", OriginalTrigger: "@B", Location: &skillmap.Location{Line: 1}, Context: "escaped"}, {}},
		},
	}
	r.Issues = []skillmap.Issue{
		{AnalyzerID: "x", Severity: skillmap.Warn, NodeIDs: []string{"a"}, Message: "m"},
		{
			AnalyzerID: "y", Severity: skillmap.Error, NodeIDs: []string{"a", "b"}, LinkIndices: []int{0, 12}, Message: "`x`:\nL1: no", Detail: ptr("d"),
			Fix: &skillmap.Fix{Summary: "s", Autofixable: ptr(false)}, Data: map[string]any{"target": "t", "n": 3, "list": []string{"a"}, "big": int64(1) << 50},
		},
		{NodeIDs: []string{}, Fix: &skillmap.Fix{}, Data: map[string]any{}},
	}
	r.Stats = skillmap.Stats{FilesWalked: 1, FilesSkipped: 2, FilesOversized: 3, NodesCount: 4, LinksCount: 5, IssuesCount: 6, DurationMs: 7}
	return r
}

func TestAppendJSONIsEncodingJSON(t *testing.T) {
	for _, r := range []*skillmap.ScanResult{rich(), skillmap.Empty(0), {}} {
		if got, want := string(r.AppendJSON(nil)), plain(t, r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func FuzzAppendValue(f *testing.F) {
	f.Add(`{"a":[1,2.5,"x",null,true],"b":{"c":-0}}`)
	f.Add(`[1e21,1e-7,123456789012345678,0.1]`)
	f.Add(`"\u2028\ud800\u0000"`)
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			v = text
		}
		if got, want := string(skillmap.AppendValue(nil, v)), plain(t, v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestAppendFloat(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1 - 0.9, 1e15, 1e20, 1e21, 1e22, 1e-6, 1e-7, 1.5e-9, 1e-10, -1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, 123456789.5, math.Copysign(0, -1)} {
		if got, want := string(skillmap.AppendFloat(nil, f)), plain(t, f); got != want {
			t.Errorf("AppendFloat(%g) = %s, want %s", f, got, want)
		}
	}
	if got := string(skillmap.AppendFloat(nil, math.Inf(1))); got != "null" {
		t.Errorf("infinity is %s, want null", got)
	}
}

func BenchmarkNodeJSON(b *testing.B) {
	n := &rich().Nodes[1]
	buf := make([]byte, 0, 4096)
	for b.Loop() {
		buf = n.AppendJSON(buf[:0])
	}
}
