package atlas

import (
	"context"

	"skillforge/internal/skillmap"
)

// Node, Link and Issue are parts of the map with their JSON ready. They are
// shared: do not change what they point to.
type (
	Node  struct{ *skillmap.Node }
	Link  struct{ *skillmap.Link }
	Issue struct{ *skillmap.Issue }
)

// JSON is the node as the contract writes it. The caller must not change it.
func (n *Node) JSON() []byte { return nil }

// JSON is the link as the contract writes it. The caller must not change it.
func (l *Link) JSON() []byte { return nil }

// JSON is the issue as the contract writes it. The caller must not change it.
func (i *Issue) JSON() []byte { return nil }

// GraphQuery asks for a part of the map.
type GraphQuery struct {
	Query skillmap.Query
	Limit int // 0: 100; never more than the map's own cap
}

// Graph is a closed part of the map. Total counts the nodes that the query
// selects before the cut.
type Graph struct {
	Nodes     []*Node
	Links     []*Link
	Issues    []*Issue
	Total     int
	Truncated bool
}

// AppendJSON writes {"nodes","links","issues","total","truncated"}.
func (g *Graph) AppendJSON(dst []byte) []byte { return dst }

// QueryGraph answers which nodes a query selects, with the links among them
// and the issues about them.
func (a *Atlas) QueryGraph(ctx context.Context, q GraphQuery) (*Graph, error) { return nil, nil }

// NodeBundle is one node with everything that touches it.
type NodeBundle struct {
	Item               *Node
	Body               *skillmap.Text // nil unless asked for; null when unreadable
	Raw                *skillmap.Text // the file as it is, the same way
	Incoming, Outgoing []*Link
	Issues             []*Issue
}

// AppendJSON writes {"item","links":{"incoming","outgoing"},"issues"}, with
// the body inside the item when there is one.
func (b *NodeBundle) AppendJSON(dst []byte) []byte { return dst }

// NodeOptions say what to read beside the map.
type NodeOptions struct{ Body, Raw bool }

// Node answers one node. The fault is NotFound for a path that is none.
func (a *Atlas) Node(ctx context.Context, path string, opt NodeOptions) (*NodeBundle, error) {
	return nil, nil
}

// IssueFilter selects issues; an empty list admits everything. An unknown
// severity matches nothing. Analyzers are short ids or qualified ones.
type IssueFilter struct {
	Severities, Analyzers, Nodes []string
	Offset, Limit                int // Limit 0: all
}

// IssueList is a page of issues; Total counts them before paging.
type IssueList struct {
	Items []*Issue
	Total int
}

// AppendJSON writes {"items","total"}.
func (l *IssueList) AppendJSON(dst []byte) []byte { return dst }

// Issues answers which issues stand, oldest first.
func (a *Atlas) Issues(ctx context.Context, f IssueFilter) (*IssueList, error) { return nil, nil }

// Branch is the part of the map under some paths.
type Branch struct {
	Info   skillmap.BranchInfo
	Nodes  []*Node
	Links  []*Link
	Issues []*Issue
}

// AppendJSON writes {"branch","nodes","links","issues"}.
func (b *Branch) AppendJSON(dst []byte) []byte { return dst }

// Branch answers what lies under some paths. The fault is Invalid when one
// path is both included and excluded.
func (a *Atlas) Branch(ctx context.Context, in skillmap.BranchRequest) (*Branch, error) {
	return nil, nil
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
func (a *Atlas) Nodes(ctx context.Context, f NodeFilter) (*NodeList, error) { return nil, nil }

// LinkFilter selects links; an empty field admits everything.
type LinkFilter struct {
	Kinds    []string
	From, To string // To is where the link leads, or its raw target
}

// Links lists links in map order.
func (a *Atlas) Links(ctx context.Context, f LinkFilter) ([]*Link, error) { return nil, nil }

// FolderRow is one node in the tree of folders.
type FolderRow struct {
	Path          string  `json:"path"`
	Kind          string  `json:"kind"`
	LinksInCount  int     `json:"linksInCount"`
	LinksOutCount int     `json:"linksOutCount"`
	TokensTotal   *int    `json:"tokensTotal"`
	ModifiedAtMs  *int64  `json:"modifiedAtMs"`
	ErrorCount    int     `json:"errorCount"` // deterministic issues
	WarnCount     int     `json:"warnCount"`
	SidecarStatus *string `json:"sidecarStatus"`
}

// Folders lists every node for the tree, in order of paths.
func (a *Atlas) Folders(ctx context.Context) ([]FolderRow, error) { return nil, nil }

// ScanResult is the whole map, an empty one before the first scan. It is
// shared: do not change it.
func (a *Atlas) ScanResult(ctx context.Context) (*skillmap.ScanResult, error) { return nil, nil }

// ScanJSON is the whole map as JSON. The caller must not change it.
func (a *Atlas) ScanJSON(ctx context.Context) ([]byte, error) { return nil, nil }

// Meta is the map without its lists: scalars and stats.
func (a *Atlas) Meta(ctx context.Context) (*skillmap.ScanResult, error) { return nil, nil }

// Paths lists the paths of all nodes in byte order. The caller must not
// change it.
func (a *Atlas) Paths(ctx context.Context) ([]string, error) { return nil, nil }

// Tags lists the tags of each node that has some.
func (a *Atlas) Tags(ctx context.Context) (map[string][]string, error) { return nil, nil }
