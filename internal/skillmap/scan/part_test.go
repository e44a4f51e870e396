package scan

import (
	"bytes"
	"fmt"
	"testing"
)

func manyEntries(n int) []*entry {
	var list []*entry
	for i := range n {
		list = append(list, &entry{path: fmt.Sprintf("docs/%d.md", i), settled: true, said: &said{text: sampleFacts().encode()}})
	}
	return list
}

// What changes in a cache changes few of its parts.
func TestPartsChangeInPlace(t *testing.T) {
	c := &Cache{key: "k", entries: manyEntries(3000)}
	known := map[string]bool{}
	for _, p := range c.Parts() {
		known[p.Sum] = true
	}
	if len(known) < 30 {
		t.Errorf("3000 files are in %d parts", len(known))
	}
	for _, row := range []struct {
		name string
		edit func(list []*entry) []*entry
		most int
	}{
		{"nothing", func(list []*entry) []*entry { return list }, 0},
		{"another text", func(list []*entry) []*entry {
			e := *list[1000]
			e.sum[0]++
			list[1000] = &e
			return list
		}, 1},
		{"a file less", func(list []*entry) []*entry { return append(list[:1500], list[1501:]...) }, 1},
		{"a file more", func(list []*entry) []*entry { return append(manyEntries(3001)[3000:], list...) }, 2},
	} {
		next := &Cache{key: "k", entries: row.edit(append([]*entry(nil), c.entries...)), parts: c.lastParts()}
		changed := 0
		for _, p := range next.Parts() {
			if !known[p.Sum] {
				changed++
			}
		}
		if changed > row.most || changed == 0 && row.most > 0 {
			t.Errorf("%s: %d parts changed, want at most %d", row.name, changed, row.most)
		}
	}
}

func TestReadPartsRefuses(t *testing.T) {
	one, other := (&Cache{key: "k", entries: manyEntries(1)}).Parts(), (&Cache{key: "l", entries: manyEntries(1)}).Parts()
	for name, texts := range map[string][][]byte{
		"another key": {one[0].Text(), other[0].Text()},
		"a piece":     {one[0].Text()[:9]},
		"nothing":     {{}},
	} {
		if c, err := ReadParts([]string{"a", "b"}, texts); err == nil {
			t.Errorf("%s: gives a cache of %d files", name, c.Len())
		}
	}
	back, err := ReadParts([]string{one[0].Sum}, [][]byte{one[0].Text()})
	if err != nil || back.Len() != 1 || back.Parts()[0].Sum != one[0].Sum || !bytes.Equal(back.Parts()[0].Text(), one[0].Text()) {
		t.Errorf("a part does not come back: %v", err)
	}
}

func TestCutRecord(t *testing.T) {
	w := writer{}
	w.byte(form)
	w.string("config")
	w.uint(2)
	w.string("one")
	w.string("two")
	pieces := CutRecord(w.b)
	if len(pieces) != 3 || !bytes.Equal(bytes.Join(pieces, nil), w.b) {
		t.Errorf("a record of two chunks is cut into %q", pieces)
	}
	for _, text := range []string{"x", string(w.b) + "more", string(w.b[:12])} {
		if pieces := CutRecord([]byte(text)); len(pieces) != 1 || string(pieces[0]) != text {
			t.Errorf("%q is cut into %q", text, pieces)
		}
	}
	if pieces := CutRecord(nil); pieces != nil {
		t.Errorf("no record is cut into %q", pieces)
	}
}
