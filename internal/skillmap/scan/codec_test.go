package scan

import (
	"math"
	"reflect"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
	"skillforge/internal/skillmap/provider"
)

func sampleFacts() *facts {
	raw := func(s string) *string { return &s }
	at := func(line, offset int) *skillmap.Location { return &skillmap.Location{Line: line, Offset: &offset} }
	detail := "`open"
	lost := extract.Signal{Extractor: "at-file", Kind: skillmap.References, Target: "x.md", Confidence: 0.85, Original: "@x.md", Normalized: "x.md", Raw: "@x.md", Range: extract.Range{Start: 1, End: 6, Line: 3, From: 1, To: 6}}
	return &facts{
		bodyHash: "b", headHash: "h", bytes: parts(10, 20), tokens: &skillmap.Parts{Frontmatter: 1, Body: 2, Total: 3},
		head: map[string]any{
			"name": "x", "n": 3.0, "f": 1.5, "z": math.Copysign(0, -1), "big": 1e300, "nil": nil, "yes": true, "no": false,
			"list": []any{"a", 1.0, map[string]any{"k": []any{}}}, "": "",
		},
		issues:   []skillmap.Issue{{AnalyzerID: "backtick-unbalanced", Severity: skillmap.Warn, NodeIDs: []string{"p"}, Message: "m", Detail: &detail, Data: map[string]any{"line": 3.0}}},
		ids:      []provider.Identifier{{Source: provider.Name, Text: "My-X", Normalized: "my x"}, {Source: provider.Basename, Text: "x", Normalized: "x"}},
		reserved: true,
		links: []skillmap.Link{
			{Source: "p", Target: "/x", Kind: skillmap.Invokes, Sources: []string{"slash-command"}, Trigger: &skillmap.Trigger{OriginalTrigger: "/x", NormalizedTrigger: "/x"}, Raw: raw("/x"), Location: at(4, 12),
				Occurrences: []skillmap.Occurrence{{Extractor: "slash-command", OriginalTrigger: "/x", Location: &skillmap.Location{Line: 4}}}},
			{Source: "p", Target: "d/y.md", Kind: skillmap.Points, Sources: []string{"backtick-path", "other"}, Trigger: &skillmap.Trigger{OriginalTrigger: "y.md", NormalizedTrigger: "d/y.md"}, Raw: raw("[y](y.md)"), Location: at(1, 0),
				Occurrences: []skillmap.Occurrence{{Extractor: "backtick-path", OriginalTrigger: "y.md", Context: "inline-code", Location: &skillmap.Location{Line: 1}}, {Extractor: "other", OriginalTrigger: "./y.md"}}},
			{Source: "p", Target: "mcp://a", Kind: skillmap.References, Sources: []string{"mcp-tools"}, Trigger: &skillmap.Trigger{OriginalTrigger: "mcp__a__*", NormalizedTrigger: "mcp://a"}, Raw: raw("mcp__a__*"),
				Occurrences: []skillmap.Occurrence{{Extractor: "mcp-tools", OriginalTrigger: "mcp__a__*"}}},
			{Source: "p", Target: "z", Kind: skillmap.Mentions, Sources: []string{"backtick-mention"}, Trigger: &skillmap.Trigger{OriginalTrigger: "@Z", NormalizedTrigger: "@z"}, Raw: raw("@Z"), Location: at(2, 5),
				Occurrences: []skillmap.Occurrence{{Extractor: "backtick-mention", OriginalTrigger: "@Z", Context: "code-block", Location: &skillmap.Location{Line: 2}}}},
		},
		refs:    []skillmap.ExternalRef{{URL: "https://x.y/", Line: 3, OriginalTrigger: "https://x.y"}, {URL: "https://z/", Line: 4, OriginalTrigger: "https://z/"}},
		lost:    []extract.Rejected{{Signal: lost, By: lost, Reason: extract.LongerRange}},
		virtual: []skillmap.Node{{Path: "mcp://a", Kind: "mcp", Provider: "claude", Frontmatter: map[string]any{"name": "a"}, DerivedFrom: []string{"p"}}},
	}
}

func TestFactsReadBack(t *testing.T) {
	for _, f := range []*facts{sampleFacts(), {bodyHash: "b", headHash: "h", head: map[string]any{}}} {
		text := f.encode()
		got, err := decodeFacts("p", text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("facts read back as\n%+v, want\n%+v", got, f)
		}
		if again := got.encode(); again != text {
			t.Errorf("the same facts are encoded differently a second time")
		}
		for i := range text {
			if _, err := decodeFacts("p", text[:i]); err == nil {
				t.Fatalf("%d of %d bytes pass for a whole", i, len(text))
			}
		}
	}
}

func TestNegativeZeroSurvives(t *testing.T) {
	w := writer{}
	w.value(math.Copysign(0, -1))
	r := reader{s: string(w.b)}
	if v, _ := r.value().(float64); !math.Signbit(v) {
		t.Errorf("-0 reads back as %v", v)
	}
}

// Whatever the bytes, decoding ends, with an error or with something that can
// be encoded.
func FuzzCache(f *testing.F) {
	c := Cache{key: "k", entries: []*entry{
		{path: "a/b.md", stamp: stamp{kind: regular, size: 3, mtime: 5, ctime: 6, inode: 7}, settled: true, provider: "claude", kind: "agent", tokenizer: "cl100k_base",
			said: &said{text: sampleFacts().encode()}, note: &note{stamp: stamp{kind: regular}, root: map[string]any{"identity": map[string]any{}}}},
		{path: "c.md", said: &said{text: ""}, unread: true, stamp: stamp{kind: regular, mtime: noTime, id: "blob"}},
	}}
	b, err := c.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{form})
	f.Fuzz(func(t *testing.T, b []byte) {
		var c Cache
		if c.UnmarshalBinary(b) != nil {
			return
		}
		again, err := c.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var d Cache
		if err := d.UnmarshalBinary(again); err != nil {
			t.Fatalf("what was just written does not read back: %v", err)
		}
		for _, e := range c.entries {
			if f, err := e.say(); err == nil {
				if _, err := decodeFacts(e.path, f.encode()); err != nil {
					t.Fatalf("facts that were read do not read back: %v", err)
				}
			}
		}
	})
}

func TestCacheReadsBack(t *testing.T) {
	c := Cache{key: "k", entries: []*entry{{
		path: "a/b.md", root: 1, stamp: stamp{kind: regular, size: 3, mtime: -5, ctime: 6, inode: 1 << 60}, settled: true,
		sum: sum{1, 2}, provider: "claude", kind: "agent", tokenizer: "cl100k_base", said: &said{text: sampleFacts().encode()},
		note: &note{stamp: stamp{kind: regular, mtime: noTime, id: "x"}, fault: "no"},
	}}}
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Cache
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	a, e := got.entries[0], c.entries[0]
	if a.said.text != e.said.text || !reflect.DeepEqual(a.note, e.note) {
		t.Errorf("entry reads back as %+v", a)
	}
	e2, a2 := *e, *a
	e2.said, a2.said, e2.note, a2.note = nil, nil, nil, nil
	if e2 != a2 {
		t.Errorf("entry reads back as %+v, want %+v", a2, e2)
	}
	for i := range b {
		if new(Cache).UnmarshalBinary(b[:i]) == nil {
			t.Fatalf("%d of %d bytes pass for a cache", i, len(b))
		}
	}
}
