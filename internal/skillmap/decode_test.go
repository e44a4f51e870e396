package skillmap_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillforge/internal/skillmap"
)

// FuzzDecodeValue holds the reader against encoding/json: both take the same
// texts and read the same values.
func FuzzDecodeValue(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e-3,"x",null,true,false],"b":{}}`, ` [ ] `, `"\u00e9\ud83d\ude00\ud800x\n\/"`, `01`, `1.`, `-`, `1e5`, `tru`, `"a`, "\"\xff\"", `{"a":1,}`, `[1 2]`, `"\u+123"`, `1e999`, "\"\x01\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want any
		err := json.Unmarshal([]byte(text), &want)
		got, gotErr := skillmap.DecodeValue(text)
		if (err == nil) != (gotErr == nil) {
			t.Fatalf("DecodeValue(%q): %v, encoding/json: %v", text, gotErr, err)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("DecodeValue(%q) (-want +got):\n%s", text, diff)
		}
	})
}

func TestDecodeReadsWhatWasWritten(t *testing.T) {
	r := rich()
	for i := range r.Links {
		want := r.Links[i].Occurrences
		got, err := skillmap.DecodeOccurrences(string(skillmap.AppendOccurrences(nil, want)))
		if diff := cmp.Diff(want, got); err != nil || diff != "" && len(want) > 0 {
			t.Errorf("occurrences: %v\n%s", err, diff)
		}
	}
	refs, err := skillmap.DecodeRefs(string(skillmap.AppendRefs(nil, r.Nodes[1].ExternalRefs)))
	if diff := cmp.Diff(r.Nodes[1].ExternalRefs, refs); err != nil || diff != "" {
		t.Errorf("references: %v\n%s", err, diff)
	}
	front, err := skillmap.DecodeObject(string(skillmap.AppendObject(nil, r.Nodes[1].Frontmatter)))
	if diff := cmp.Diff(r.Nodes[1].Frontmatter, front); err != nil || diff != "" {
		t.Errorf("frontmatter: %v\n%s", err, diff)
	}
	texts, err := skillmap.DecodeStrings(`["a","ü\"",""]`)
	if diff := cmp.Diff([]string{"a", "ü\"", ""}, texts); err != nil || diff != "" {
		t.Errorf("strings: %v\n%s", err, diff)
	}
	ints, err := skillmap.DecodeInts(` [0, -12 ,3] `)
	if diff := cmp.Diff([]int{0, -12, 3}, ints); err != nil || diff != "" {
		t.Errorf("integers: %v\n%s", err, diff)
	}
}

func TestDecodeRefusesOtherShapes(t *testing.T) {
	for _, text := range []string{`{}`, `["a",1]`, `["a"`, `"a"`, ``, `[1]x`} {
		if v, err := skillmap.DecodeStrings(text); err == nil {
			t.Errorf("DecodeStrings(%q) = %v, want an error", text, v)
		}
	}
	for _, text := range []string{`[]`, `1`, `{"a"}`, `{"a":}`} {
		if v, err := skillmap.DecodeObject(text); err == nil {
			t.Errorf("DecodeObject(%q) = %v, want an error", text, v)
		}
	}
	if v, err := skillmap.DecodeStrings(`null`); v != nil || err != nil {
		t.Errorf("null is %v, %v", v, err)
	}
	if v, err := skillmap.DecodeInts(`[1.5]`); err == nil {
		t.Errorf("a fraction is %v", v)
	}
}
