package skillmap

import (
	"sort"
	"strings"
)

// Delta is what became of one map in another. Its lists are never nil: nodes
// in order of their paths, links and issues in order of their identities.
type Delta struct {
	Nodes  NodeDelta     `json:"nodes"`
	Links  Change[Link]  `json:"links"`
	Issues Change[Issue] `json:"issues"`
}

// Change lists what only the later map has, and what only the earlier had.
type Change[T any] struct {
	Added   []T `json:"added"`
	Removed []T `json:"removed"`
}

// NodeDelta is a Change of nodes and the nodes whose text changed.
type NodeDelta struct {
	Added   []Node       `json:"added"`
	Removed []Node       `json:"removed"`
	Changed []NodeChange `json:"changed"`
}

// NodeChange is a node before and after its text changed. Reason is "body",
// "frontmatter" or "both".
type NodeChange struct {
	Before Node   `json:"before"`
	After  Node   `json:"after"`
	Reason string `json:"reason"`
}

// IsEmpty reports whether the two maps say the same.
func (d *Delta) IsEmpty() bool {
	return len(d.Nodes.Added)+len(d.Nodes.Removed)+len(d.Nodes.Changed)+
		len(d.Links.Added)+len(d.Links.Removed)+len(d.Issues.Added)+len(d.Issues.Removed) == 0
}

// Compare tells what changed from one map to the next. A node is known by its
// path, a link and an issue by their Identity.
func Compare(before, after *ScanResult) Delta {
	d := Delta{Nodes: compareNodes(before.Nodes, after.Nodes)}
	d.Links = compare(before.Links, after.Links, (*Link).Identity)
	d.Issues = compare(before.Issues, after.Issues, (*Issue).Identity)
	return d
}

func compareNodes(before, after []Node) NodeDelta {
	change := compare(before, after, func(n *Node) string { return n.Path })
	d := NodeDelta{Added: change.Added, Removed: change.Removed, Changed: []NodeChange{}}
	old := make(map[string]*Node, len(before))
	for i := range before {
		old[before[i].Path] = &before[i]
	}
	for i := range after {
		was := old[after[i].Path]
		if was == nil {
			continue
		}
		if reason := changeReason(was, &after[i]); reason != "" {
			d.Changed = append(d.Changed, NodeChange{Before: *was, After: after[i], Reason: reason})
		}
	}
	sort.Slice(d.Changed, func(a, b int) bool { return d.Changed[a].After.Path < d.Changed[b].After.Path })
	return d
}

func changeReason(before, after *Node) string {
	body := before.BodyHash != after.BodyHash
	head := before.FrontmatterHash != after.FrontmatterHash
	switch {
	case body && head:
		return "both"
	case body:
		return "body"
	case head:
		return "frontmatter"
	}
	return ""
}

// Identity is what makes two links the same one: source, target, kind and
// normalised trigger.
func (l *Link) Identity() string {
	return l.Source + "\x00" + l.Target + "\x00" + string(l.Kind) + "\x00" + l.Normalized()
}

// Identity is what makes two issues the same one: the rule, the nodes in any
// order, and the message.
func (i *Issue) Identity() string {
	ids := i.NodeIDs
	if len(ids) > 1 {
		ids = append([]string(nil), ids...)
		sort.Strings(ids)
	}
	return i.AnalyzerID + "\x00" + strings.Join(ids, ",") + "\x00" + i.Message
}

// compare pairs two lists by identity. Equal identities pair up one by one,
// so a second copy counts as added.
func compare[T any](before, after []T, identity func(*T) string) Change[T] {
	left := make(map[string][]int, len(before))
	for i := range before {
		id := identity(&before[i])
		left[id] = append(left[id], i)
	}
	var added, removed keyed[T]
	for i := range after {
		id := identity(&after[i])
		if rest := left[id]; len(rest) > 0 {
			left[id] = rest[1:]
			continue
		}
		added.put(id, after[i])
	}
	for id, rest := range left {
		for _, i := range rest {
			removed.put(id, before[i])
		}
	}
	return Change[T]{Added: added.sorted(), Removed: removed.sorted()}
}

// keyed gathers values to be sorted by their identities.
type keyed[T any] struct {
	keys   []string
	values []T
}

func (k *keyed[T]) put(key string, value T) {
	k.keys = append(k.keys, key)
	k.values = append(k.values, value)
}

func (k *keyed[T]) sorted() []T {
	sort.Stable(k)
	if k.values == nil {
		return []T{}
	}
	return k.values
}

func (k *keyed[T]) Len() int           { return len(k.keys) }
func (k *keyed[T]) Less(i, j int) bool { return k.keys[i] < k.keys[j] }
func (k *keyed[T]) Swap(i, j int) {
	k.keys[i], k.keys[j] = k.keys[j], k.keys[i]
	k.values[i], k.values[j] = k.values[j], k.values[i]
}
