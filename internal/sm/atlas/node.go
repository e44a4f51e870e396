package atlas

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sort"

	"skillforge/internal/fault"
	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/sm/store"
)

// NodeBundle is one node with everything that touches it.
type NodeBundle struct {
	Item               *Node
	Body               *skillmap.Text // nil unless asked for; null when unreadable
	Raw                *skillmap.Text // the file as it is, the same way
	Incoming, Outgoing []*Link
	Issues             []*Issue
}

// AppendJSON writes {"item","links":{"incoming","outgoing"},"issues"}, with
// the body and the raw text inside the item when they were asked for.
func (b *NodeBundle) AppendJSON(dst []byte) []byte {
	item := b.Item.JSON()
	dst = slices.Grow(dst, 128+len(item)+sizeOf(b.Incoming)+sizeOf(b.Outgoing)+sizeOf(b.Issues))
	dst = append(append(dst, `{"item":`...), item[:len(item)-1]...)
	if b.Body != nil {
		dst = b.Body.AppendJSON(append(dst, `,"body":`...))
	}
	if b.Raw != nil {
		dst = b.Raw.AppendJSON(append(dst, `,"raw":`...))
	}
	dst = appendItems(append(dst, `},"links":{"incoming":`...), b.Incoming)
	dst = appendItems(append(dst, `,"outgoing":`...), b.Outgoing)
	dst = appendItems(append(dst, `},"issues":`...), b.Issues)
	return append(dst, '}')
}

// NodeOptions say what to read beside the map.
type NodeOptions struct{ Body, Raw bool }

// Node answers one node. The fault is NotFound for a path that is none.
func (a *Atlas) Node(ctx context.Context, path string, opt NodeOptions) (*NodeBundle, error) {
	b, roots, err := a.bundle(ctx, path)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, fault.New(fault.NotFound, "No node has the path %q.", path)
	}
	if opt.Body || opt.Raw {
		text := a.read(b.Item.Node, roots)
		if opt.Raw {
			b.Raw = &text
		}
		if opt.Body {
			b.Body = &skillmap.Text{Null: text.Null, String: text.String}
			if !text.Null {
				b.Body.String = scan.Body(b.Item.Provider, path, text.String)
			}
		}
	}
	return b, nil
}

// bundle finds a node, nil for a path that is none, and the roots its path may
// be relative to.
func (a *Atlas) bundle(ctx context.Context, path string) (*NodeBundle, []string, error) {
	if a.resident {
		s, err := a.Snapshot(ctx)
		if err != nil {
			return nil, nil, err
		}
		return s.Bundle(path), s.result.Roots, nil
	}
	var found *store.Bundle
	var roots []string
	err := a.Read(ctx, func(tx *store.Tx) error {
		meta, err := tx.Meta(ctx)
		if err != nil {
			return err
		}
		roots = meta.Roots
		found, err = tx.Bundle(ctx, path)
		return err
	})
	if fault.Code(err) == "db-missing" || err == nil && found == nil {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &NodeBundle{
		Item: &Node{Node: &found.Node}, Incoming: linkItems(found.Incoming), Outgoing: linkItems(found.Outgoing), Issues: issueItems(found.Issues),
	}, roots, nil
}

// Bundle is a node of this map with everything that touches it, nil for a path
// that is none.
func (s *Snapshot) Bundle(path string) *NodeBundle {
	n := s.at32(path)
	if n < 0 {
		return nil
	}
	in := s.in.of(n)
	if more := s.extra[path]; more != nil { // links that name the path and lead elsewhere
		in = slices.Concat(in, more)
		slices.Sort(in)
		in = slices.Compact(in)
	}
	return &NodeBundle{Item: &s.nodes[n], Incoming: pick(s.links, in), Outgoing: pick(s.links, s.out.of(n)), Issues: pick(s.issues, s.about.of(n))}
}

// readMax bounds the text of a file that is read for an answer.
const readMax = 16 << 20

// read gives the text of a node's file as it is now. It is null for what
// cannot be read: no file, a link, something outside its root.
func (a *Atlas) read(n *skillmap.Node, roots []string) skillmap.Text {
	if !n.Virtual {
		for _, r := range a.roots(roots) {
			if text, err := readInside(r.Dir, n.Path); err == nil {
				return skillmap.Text{String: text}
			}
		}
	}
	return skillmap.Text{Null: true}
}

func readInside(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // it was only read
	info, err := root.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > readMax {
		return "", errors.New("not a file of text")
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, readMax))
	return string(text), err
}

// NodeFilter selects and orders nodes.
type NodeFilter struct {
	Query skillmap.Query
	Tag   string
	// SortBy is "path" (also when empty) or "kind", upwards, or
	// "tokens_total", "links_out_count", "links_in_count" or
	// "external_refs_count", downwards; ties by path.
	SortBy        string
	Offset, Limit int // Limit 0: all
}

// NodeList is a page of nodes; Total counts them before paging.
type NodeList struct {
	Items []*Node
	Total int
}

// Nodes lists nodes. The fault is Invalid for an unknown SortBy.
func (a *Atlas) Nodes(ctx context.Context, f NodeFilter) (*NodeList, error) {
	if _, ok := store.Orders[f.SortBy]; !ok {
		return nil, fault.New(fault.Invalid, "Nodes cannot be sorted by %q; they can by path, kind, tokens_total, links_out_count, links_in_count and external_refs_count.", f.SortBy)
	}
	if a.resident || len(f.Query.Paths) > 0 {
		s, err := a.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		return s.list(f), nil
	}
	var nodes []skillmap.Node
	err := a.Read(ctx, func(tx *store.Tx) (err error) {
		nodes, err = tx.Nodes(ctx, store.NodeFilter{Kinds: f.Query.Kinds, HasIssues: f.Query.HasIssues, Tag: f.Tag, SortBy: f.SortBy})
		return err
	})
	if err != nil && fault.Code(err) != "db-missing" {
		return nil, err
	}
	items := make([]*Node, len(nodes))
	for i := range nodes {
		items[i] = &Node{Node: &nodes[i]}
	}
	return &NodeList{Items: page(items, f.Offset, f.Limit), Total: len(items)}, nil
}

// page is a part of a list; limit 0 is the rest of it.
func page[T any](all []T, offset, limit int) []T {
	all = all[min(max(0, offset), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

func (s *Snapshot) list(f NodeFilter) *NodeList {
	found := s.sorted
	if !f.Query.IsZero() || f.Tag != "" {
		found = s.among(s.sorted, f.Query)
	}
	if f.Tag != "" {
		found = slices.DeleteFunc(slices.Clone(found), func(n int32) bool { return !slices.Contains(store.TagsOf(&s.result.Nodes[n]), f.Tag) })
	}
	if less := s.order(f.SortBy); less != nil {
		found = slices.Clone(found)
		sort.SliceStable(found, func(a, b int) bool { return less(&s.result.Nodes[found[a]], &s.result.Nodes[found[b]]) })
	}
	return &NodeList{Items: pick(s.nodes, page(found, f.Offset, f.Limit)), Total: len(found)}
}

// order compares nodes that are in order of paths; nil leaves them so.
func (s *Snapshot) order(by string) func(a, b *skillmap.Node) bool {
	switch by {
	case "kind":
		return func(a, b *skillmap.Node) bool { return a.Kind < b.Kind }
	case "tokens_total":
		return func(a, b *skillmap.Node) bool { return tokens(a) > tokens(b) }
	case "links_out_count":
		return func(a, b *skillmap.Node) bool { return a.LinksOutCount > b.LinksOutCount }
	case "links_in_count":
		return func(a, b *skillmap.Node) bool { return a.LinksInCount > b.LinksInCount }
	case "external_refs_count":
		return func(a, b *skillmap.Node) bool { return a.ExternalRefsCount > b.ExternalRefsCount }
	}
	return nil
}

func tokens(n *skillmap.Node) int {
	if n.Tokens == nil {
		return 0
	}
	return n.Tokens.Total
}

// FolderRow is one node in the tree of folders.
type FolderRow struct {
	Path          string  `json:"path"`
	Kind          string  `json:"kind"`
	LinksInCount  int     `json:"linksInCount"`
	LinksOutCount int     `json:"linksOutCount"`
	TokensTotal   *int    `json:"tokensTotal"`
	ModifiedAtMs  *int64  `json:"modifiedAtMs"`
	ErrorCount    int     `json:"errorCount"` // issues, and open findings
	WarnCount     int     `json:"warnCount"`
	SidecarStatus *string `json:"sidecarStatus"`
}

// Folders lists every node for the tree, in order of paths.
func (a *Atlas) Folders(ctx context.Context) ([]FolderRow, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]FolderRow, 0, len(s.sorted))
	found, err := a.FindingCounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range s.sorted {
		row := s.folderRow(n)
		row.ErrorCount += found[row.Path].Errors
		row.WarnCount += found[row.Path].Warns
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *Snapshot) folderRow(at int32) FolderRow {
	n := &s.result.Nodes[at]
	row := FolderRow{
		Path: n.Path, Kind: n.Kind, LinksInCount: n.LinksInCount, LinksOutCount: n.LinksOutCount,
		ModifiedAtMs: n.ModifiedAtMs, SidecarStatus: n.Sidecar.Status,
	}
	if n.Tokens != nil {
		row.TokensTotal = &n.Tokens.Total
	}
	for _, i := range s.about.of(at) {
		switch s.result.Issues[i].Severity {
		case skillmap.Error:
			row.ErrorCount++
		case skillmap.Warn:
			row.WarnCount++
		}
	}
	return row
}

// Paths lists the paths of all nodes in byte order.
func (a *Atlas) Paths(ctx context.Context) ([]string, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(s.sorted))
	for i, n := range s.sorted {
		paths[i] = s.path(n)
	}
	return paths, nil
}

// Tags lists the tags of each node that has some.
func (a *Atlas) Tags(ctx context.Context) (map[string][]string, error) {
	s, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for i := range s.result.Nodes {
		if tags := store.TagsOf(&s.result.Nodes[i]); tags != nil {
			out[s.result.Nodes[i].Path] = tags
		}
	}
	return out, nil
}
