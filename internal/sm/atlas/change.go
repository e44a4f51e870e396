package atlas

import (
	"reflect"
	"slices"
	"sort"

	"skillforge/internal/skillmap"
	"skillforge/internal/sm"
)

// compare tells which nodes came, went, or are otherwise than before: their
// own text or sidecar, a link from or to them, an issue about them.
func compare(before, after *skillmap.ScanResult) *sm.Change {
	c := &sm.Change{}
	old := make(map[string]*skillmap.Node, len(before.Nodes))
	for i := range before.Nodes {
		old[before.Nodes[i].Path] = &before.Nodes[i]
	}
	touched := map[string]bool{}
	for i := range after.Nodes {
		n := &after.Nodes[i]
		was := old[n.Path]
		switch {
		case was == nil:
			c.Added = append(c.Added, n.Path)
		case !sameNode(was, n):
			touched[n.Path] = true
		}
		delete(old, n.Path)
	}
	for path := range old {
		c.Removed = append(c.Removed, path)
	}
	compareLinks(before.Links, after.Links, touched)
	compareIssues(before.Issues, after.Issues, touched)
	for _, path := range c.Added {
		delete(touched, path)
	}
	for _, path := range c.Removed {
		delete(touched, path)
	}
	c.Changed = kept(touched, after.Nodes)
	sort.Strings(c.Added)
	sort.Strings(c.Removed)
	return c
}

// kept lists the touched paths that are nodes, sorted.
func kept(touched map[string]bool, nodes []skillmap.Node) []string {
	var out []string
	if len(touched) == 0 {
		return nil
	}
	for i := range nodes {
		if touched[nodes[i].Path] {
			out = append(out, nodes[i].Path)
		}
	}
	sort.Strings(out)
	return out
}

// sameNode reports whether two nodes of one path are alike. Equal hashes mean
// equal heads and bodies.
func sameNode(a, b *skillmap.Node) bool {
	return a.Kind == b.Kind && a.Provider == b.Provider && a.BodyHash == b.BodyHash && a.FrontmatterHash == b.FrontmatterHash &&
		a.Bytes == b.Bytes && a.LinksOutCount == b.LinksOutCount && a.LinksInCount == b.LinksInCount && a.ExternalRefsCount == b.ExternalRefsCount &&
		equal(a.Tokens, b.Tokens) && equal(a.ModifiedAtMs, b.ModifiedAtMs) && slices.Equal(a.ExternalRefs, b.ExternalRefs) &&
		a.Virtual == b.Virtual && slices.Equal(a.DerivedFrom, b.DerivedFrom) && sameSidecar(&a.Sidecar, &b.Sidecar) &&
		(!a.Virtual || reflect.DeepEqual(a.Frontmatter, b.Frontmatter))
}

func sameSidecar(a, b *skillmap.Sidecar) bool {
	if !a.Present && !b.Present {
		return true
	}
	return a.Present == b.Present && equal(a.Status, b.Status) && reflect.DeepEqual(a.Root, b.Root) && reflect.DeepEqual(a.Annotations, b.Annotations)
}

func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// compareLinks touches both ends of links that only one map has. Where the
// lists begin and end alike nothing is looked up.
func compareLinks(before, after []skillmap.Link, touched map[string]bool) {
	before, after = middle(before, after, sameLink)
	touch := func(l *skillmap.Link) { touched[l.Source], touched[l.End()] = true, true }
	left := make(map[string][]*skillmap.Link, len(before))
	for i := range before {
		left[before[i].Identity()] = append(left[before[i].Identity()], &before[i])
	}
	for i := range after {
		l := &after[i]
		was := left[l.Identity()]
		if len(was) == 0 {
			touch(l)
			continue
		}
		if !sameLink(was[0], l) {
			touch(l)
			touch(was[0])
		}
		left[l.Identity()] = was[1:]
	}
	for _, gone := range left {
		for _, l := range gone {
			touch(l)
		}
	}
}

func sameLink(a, b *skillmap.Link) bool {
	return a.Source == b.Source && a.Target == b.Target && a.Kind == b.Kind && a.Confidence == b.Confidence && a.ResolvedTarget == b.ResolvedTarget &&
		equal(a.Trigger, b.Trigger) && equal(a.Raw, b.Raw) && sameLocation(a.Location, b.Location) && slices.Equal(a.Sources, b.Sources) &&
		slices.EqualFunc(a.Occurrences, b.Occurrences, func(x, y skillmap.Occurrence) bool {
			return x.Extractor == y.Extractor && x.OriginalTrigger == y.OriginalTrigger && x.Context == y.Context && sameLocation(x.Location, y.Location)
		})
}

func sameLocation(a, b *skillmap.Location) bool {
	return a == b || a != nil && b != nil && a.Line == b.Line && equal(a.Column, b.Column) && equal(a.Offset, b.Offset)
}

// compareIssues touches the nodes of issues that only one map has.
func compareIssues(before, after []skillmap.Issue, touched map[string]bool) {
	added, resolved := issueDelta(before, after)
	for _, i := range slices.Concat(added, resolved) {
		for _, id := range i.NodeIDs {
			touched[id] = true
		}
	}
}

// issueDelta lists the issues that only the later map has, and those that only
// the earlier had.
func issueDelta(before, after []skillmap.Issue) (added, resolved []*skillmap.Issue) {
	before, after = middle(before, after, func(a, b *skillmap.Issue) bool { return a.Identity() == b.Identity() })
	left := make(map[string][]*skillmap.Issue, len(before))
	for i := range before {
		id := before[i].Identity()
		left[id] = append(left[id], &before[i])
	}
	for i := range after {
		id := after[i].Identity()
		if len(left[id]) == 0 {
			added = append(added, &after[i])
			continue
		}
		left[id] = left[id][1:]
	}
	for i := range before {
		id := before[i].Identity()
		if len(left[id]) > 0 {
			resolved = append(resolved, left[id]...)
			left[id] = nil
		}
	}
	return added, resolved
}

// middle cuts off what two lists begin and end with alike.
func middle[T any](a, b []T, same func(*T, *T) bool) ([]T, []T) {
	for len(a) > 0 && len(b) > 0 && same(&a[0], &b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && same(&a[len(a)-1], &b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}
