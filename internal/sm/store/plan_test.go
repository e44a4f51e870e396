package store

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlanKeepsTheOrder carries out plans on lists and looks at what is left.
func TestPlanKeepsTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 3000 {
		old := rows{ids: fresh(r.IntN(40))}
		for range old.ids {
			old.digests = append(old.digests, uint64(r.IntN(30)))
		}
		want := edited(r, old.digests)
		ids, holes, ok := plan(old, want)
		if !ok {
			continue
		}
		got := carryOut(old, ids, want, holes)
		if !slices.Equal(got.digests, want) || !slices.Equal(got.ids, ids) || !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Fatalf("round %d: %v becomes %v with ids %v, want %v", round, old.digests, got.digests, got.ids, want)
		}
	}
}

// edited is a list after a few edits like those of files.
func edited(r *rand.Rand, list []uint64) []uint64 {
	out := slices.Clone(list)
	for range r.IntN(5) {
		at := r.IntN(len(out) + 1)
		switch r.IntN(4) {
		case 0:
			out = slices.Insert(out, at, uint64(r.IntN(40)))
		case 1:
			out = slices.Delete(out, at, min(len(out), at+r.IntN(5)))
		case 2:
			if at < len(out) {
				out[at] = uint64(r.IntN(40))
			}
		case 3:
			block := slices.Clone(out[at:min(len(out), at+4)])
			out = slices.Delete(out, at, at+len(block))
			out = slices.Insert(out, r.IntN(len(out)+1), block...)
		}
	}
	return out
}

// carryOut does what a plan says: what lies in a hole goes, what is new comes.
func carryOut(old rows, ids []int64, digests []uint64, holes []hole) rows {
	table := map[int64]uint64{}
	for i, id := range old.ids {
		table[id] = old.digests[i]
	}
	for _, h := range holes {
		for id := range table {
			if id > h.low && id < h.high {
				delete(table, id)
			}
		}
	}
	for _, h := range holes {
		for i := h.from; i < h.to; i++ {
			table[ids[i]] = digests[i]
		}
	}
	var out rows
	for id := range table {
		out.ids = append(out.ids, id)
	}
	slices.Sort(out.ids)
	for _, id := range out.ids {
		out.digests = append(out.digests, table[id])
	}
	return out
}

func TestPlanTouchesLittle(t *testing.T) {
	old := rows{ids: fresh(1000)}
	for i := range old.ids {
		old.digests = append(old.digests, uint64(i))
	}
	// The last hundred come first: only they move.
	moved := slices.Concat(old.digests[900:], old.digests[:900])
	_, holes, ok := plan(old, moved)
	touched := 0
	for _, h := range holes {
		touched += h.dropped + h.to - h.from
	}
	if !ok || touched != 200 {
		t.Errorf("a block that moved touches %d rows (ok %v), want 200", touched, ok)
	}
}

func (n *notes) encoded() (text []byte) {
	for _, p := range n.pieces() {
		text = append(text, p.Text()...)
	}
	return text
}

// A row that is put in or taken out changes few pieces of the notes.
func TestNotesChangeInPlace(t *testing.T) {
	const n = 20_000
	var n1 notes
	r := rand.New(rand.NewPCG(4, 5))
	for which := range lists {
		n1.lists[which] = rows{ids: fresh(n), digests: make([]uint64, n)}
		for i := range n {
			n1.lists[which].digests[i] = r.Uint64()
		}
	}
	known := map[string]bool{}
	for _, p := range n1.pieces() {
		known[p.Sum] = true
	}
	if len(known) < 30 {
		t.Errorf("notes on %d rows are in %d pieces", 3*n, len(known))
	}
	n1.lists[1].remove(fresh(n)[n/2])
	again := n1.pieces()
	changed := 0
	for _, p := range again {
		if !known[p.Sum] {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d of %d pieces changed with one row, want 1", changed, len(again))
	}
	back, err := readNotes(n1.encoded())
	if err != nil || !slices.Equal(back.lists[1].ids, n1.lists[1].ids) || !slices.Equal(back.lists[2].digests, n1.lists[2].digests) {
		t.Errorf("the notes do not read back: %v", err)
	}
}

func FuzzNotes(f *testing.F) {
	f.Add((&notes{lists: [3]rows{{ids: fresh(3), digests: []uint64{1, 2, 3}}}, tags: 5, scores: 6}).encoded())
	f.Add([]byte{notesForm, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := readNotes(text)
		if err != nil {
			return
		}
		again, err := readNotes(n.encoded())
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.lists {
			if !slices.Equal(n.lists[i].ids, again.lists[i].ids) || !slices.Equal(n.lists[i].digests, again.lists[i].digests) {
				t.Errorf("notes read twice differ: %v, %v", n, again)
			}
		}
	})
}
