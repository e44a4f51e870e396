package frontmatter

import (
	"reflect"
	"testing"
)

type splitCase struct {
	Tag, Provider, Kind, File string
	FrontmatterRaw            string
	Declared                  bool
	Frontmatter               map[string]any
	Body                      string
	BodyLineOffset            int
	BodyHash, FrontmatterHash string
	Bytes                     struct{ Frontmatter, Body, Total int }
}

func TestSplitGolden(t *testing.T) {
	for i, c := range golden[splitCase](t, "split.jsonl") {
		got := Split(c.File)
		want := Block{Declared: c.Declared, Raw: c.FrontmatterRaw, Body: c.Body, BodyLine: c.BodyLineOffset, RawLine: got.RawLine}
		if got != want {
			t.Errorf("%d %s: Split(%q) gives\n%#v, want\n%#v", i+1, c.Tag, c.File, got, want)
			continue
		}
		m, err := ParseYAML(got.Raw)
		if err != nil {
			m = map[string]any{}
		}
		if !reflect.DeepEqual(m, c.Frontmatter) {
			t.Errorf("%d %s: ParseYAML(%q) gives %v, want %v", i+1, c.Tag, got.Raw, m, c.Frontmatter)
		}
		if hash := Hash(m, got.Raw); hash != c.FrontmatterHash {
			t.Errorf("%d %s: Hash of %q gives %s, want %s", i+1, c.Tag, got.Raw, hash, c.FrontmatterHash)
		}
		if hash := sum([]byte(got.Body)); hash != c.BodyHash {
			t.Errorf("%d %s: body of %q hashes to %s, want %s", i+1, c.Tag, c.File, hash, c.BodyHash)
		}
	}
}
