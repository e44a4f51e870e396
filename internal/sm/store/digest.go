package store

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"skillforge/internal/skillmap"
)

// digester takes short fingerprints of what rows hold: 64 bits, compared only
// with those of the map before. They are taken of the nouns themselves, since
// spreading a noun over columns costs several times as much. Whoever changes
// what goes into a column raises notesForm.
type digester struct{ b []byte }

func (d *digester) sum() uint64 {
	sum := sha256.Sum256(d.b)
	d.b = d.b[:0]
	return binary.LittleEndian.Uint64(sum[:])
}

func (d *digester) text(s string) {
	d.b = append(binary.LittleEndian.AppendUint32(d.b, uint32(len(s))), s...)
}

func (d *digester) texts(list []string) {
	d.b = binary.LittleEndian.AppendUint32(d.b, uint32(len(list)))
	for _, s := range list {
		d.text(s)
	}
}

func (d *digester) ints(list ...int) {
	for _, n := range list {
		d.b = binary.LittleEndian.AppendUint64(d.b, uint64(n))
	}
}

func (d *digester) flag(b bool) {
	if b {
		d.b = append(d.b, 1)
	} else {
		d.b = append(d.b, 0)
	}
}

// maybe tells an absent value from a zero one.
func (d *digester) maybe(there bool) bool {
	d.flag(there)
	return there
}

func (d *digester) pointer(s *string) {
	if d.maybe(s != nil) {
		d.text(*s)
	}
}

func (d *digester) place(l *skillmap.Location) {
	if !d.maybe(l != nil) {
		return
	}
	d.ints(l.Line)
	if d.maybe(l.Column != nil) {
		d.ints(*l.Column)
	}
	if d.maybe(l.Offset != nil) {
		d.ints(*l.Offset)
	}
}

func (d *digester) object(m map[string]any) {
	if d.maybe(m != nil) {
		d.b = skillmap.AppendObject(d.b, m)
	}
}

// node leaves the metadata of a file to its hash.
func (d *digester) node(n *skillmap.Node) uint64 {
	for _, s := range [...]string{n.Path, n.Kind, n.Provider, n.BodyHash, n.FrontmatterHash} {
		d.text(s)
	}
	d.ints(n.Bytes.Frontmatter, n.Bytes.Body, n.Bytes.Total, n.LinksOutCount, n.LinksInCount, n.ExternalRefsCount, len(n.ExternalRefs))
	if d.maybe(n.Tokens != nil) {
		d.ints(n.Tokens.Frontmatter, n.Tokens.Body, n.Tokens.Total)
	}
	for i := range n.ExternalRefs {
		d.text(n.ExternalRefs[i].URL)
		d.ints(n.ExternalRefs[i].Line)
		d.text(n.ExternalRefs[i].OriginalTrigger)
	}
	if d.maybe(n.ModifiedAtMs != nil) {
		d.ints(int(*n.ModifiedAtMs))
	}
	if d.maybe(n.Virtual) {
		d.object(n.Frontmatter)
	}
	d.texts(n.DerivedFrom)
	if d.maybe(n.Sidecar.Present) {
		d.pointer(n.Sidecar.Status)
		d.object(n.Sidecar.Annotations)
		d.object(n.Sidecar.Root)
	}
	return d.sum()
}

func (d *digester) link(l *skillmap.Link) uint64 {
	for _, s := range [...]string{l.Source, l.Target, string(l.Kind), l.ResolvedTarget} {
		d.text(s)
	}
	d.b = binary.LittleEndian.AppendUint64(d.b, math.Float64bits(l.Confidence))
	d.texts(l.Sources)
	if d.maybe(l.Trigger != nil) {
		d.text(l.Trigger.OriginalTrigger)
		d.text(l.Trigger.NormalizedTrigger)
	}
	d.place(l.Location)
	d.pointer(l.Raw)
	for i := range l.Occurrences {
		o := &l.Occurrences[i]
		d.text(o.Extractor)
		d.text(o.OriginalTrigger)
		d.text(o.Context)
		d.place(o.Location)
	}
	return d.sum()
}

func (d *digester) issue(i *skillmap.Issue) uint64 {
	d.b = i.AppendJSON(d.b)
	return d.sum()
}

// Digests are those of the rows of a map. Given to the Save of the next map in
// this process, they spare it the rows that did not change.
type Digests struct {
	result *skillmap.ScanResult
	lists  [3][]uint64
}

// digestLike is digestFrom the first row, with known digests where a row is as
// it was: at the same place, or at the same place seen from the end.
func (v *saver) digestLike(which int, known *Digests) []uint64 {
	alike := v.alike(which, known.result)
	old := known.lists[which]
	out := make([]uint64, v.len(which))
	shift := len(old) - len(out)
	var d digester
	for i := range out {
		switch {
		case i < len(old) && alike(i, i):
			out[i] = old[i]
		case shift != 0 && i+shift >= 0 && alike(i, i+shift):
			out[i] = old[i+shift]
		default:
			out[i] = v.digestOf(&d, which, i)
		}
	}
	return out
}

// alike compares a noun of the map with one of the map before. It is quick and
// errs on the side of unlike: what both hold must be the same in memory, as it
// is when a file was not read again.
func (v *saver) alike(which int, before *skillmap.ScanResult) func(i, old int) bool {
	switch which {
	case nodes:
		return func(i, old int) bool { return alikeNodes(&v.m.Result.Nodes[i], &before.Nodes[old]) }
	case links:
		return func(i, old int) bool { return alikeLinks(&v.m.Result.Links[i], &before.Links[old]) }
	}
	return func(int, int) bool { return false }
}

func alikeNodes(a, b *skillmap.Node) bool {
	plain := func(n *skillmap.Node) bool { return !n.Virtual && !n.Sidecar.Present && len(n.DerivedFrom) == 0 }
	return a.Path == b.Path && a.Kind == b.Kind && a.Provider == b.Provider && a.BodyHash == b.BodyHash && a.FrontmatterHash == b.FrontmatterHash &&
		a.Bytes == b.Bytes && a.LinksOutCount == b.LinksOutCount && a.LinksInCount == b.LinksInCount && a.ExternalRefsCount == b.ExternalRefsCount &&
		a.Tokens == b.Tokens && sameSlice(a.ExternalRefs, b.ExternalRefs) && plain(a) && plain(b) &&
		(a.ModifiedAtMs == b.ModifiedAtMs || a.ModifiedAtMs != nil && b.ModifiedAtMs != nil && *a.ModifiedAtMs == *b.ModifiedAtMs)
}

func alikeLinks(a, b *skillmap.Link) bool {
	return a.Source == b.Source && a.Target == b.Target && a.Kind == b.Kind && a.ResolvedTarget == b.ResolvedTarget && a.Confidence == b.Confidence &&
		a.Trigger == b.Trigger && a.Location == b.Location && a.Raw == b.Raw && sameSlice(a.Sources, b.Sources) && sameSlice(a.Occurrences, b.Occurrences)
}

// sameSlice reports whether two slices are one.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
