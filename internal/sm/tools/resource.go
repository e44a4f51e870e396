package tools

import (
	"context"
	"net/url"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sm/atlas"
)

// Addresses of the documents.
const (
	graphURI    = "skillmap://graph"
	issuesURI   = "skillmap://issues"
	activityURI = "skillmap://activity"
	nodePrefix  = "skillmap://node/"
)

const jsonType = "application/json"

// resources are few on purpose: a node is reached through the template, not
// listed.
func (d *Door) resources() []mcp.Resource {
	return []mcp.Resource{
		{
			URI: graphURI, Name: "graph", Title: "skill-map graph", MIMEType: jsonType, Read: d.readGraph,
			Description: "The whole map: every node, link and issue of the last scan. It can be large; query_graph asks for less.",
		},
		{
			URI: issuesURI, Name: "issues", Title: "skill-map issues", MIMEType: jsonType, Read: d.readIssues,
			Description: "Every issue of the last scan, as { items, total }.",
		},
		{
			URI: activityURI, Name: "activity", Title: "skill-map live activity", MIMEType: jsonType, Read: d.readActivity,
			Description: "What agents used since the server started, by node and by pair.",
		},
	}
}

func (d *Door) templates() []mcp.Template {
	return []mcp.Template{{
		URITemplate: nodePrefix + "{+path}", Name: "node", Title: "skill-map node", MIMEType: jsonType,
		Description: "One node with everything that touches it, as get_node gives it.",
		Resolve:     d.resolveNode, Read: d.readNode,
	}}
}

func (d *Door) readGraph(ctx context.Context) (mcp.Content, error) {
	b, err := d.atlas.ScanJSON(ctx)
	return mcp.Content{JSON: b}, err
}

func (d *Door) readIssues(ctx context.Context) (mcp.Content, error) {
	l, err := d.atlas.Issues(ctx, atlas.IssueFilter{})
	if err != nil {
		return mcp.Content{}, err
	}
	return mcp.Content{JSON: l.AppendJSON(nil)}, nil
}

// readActivity is what hooks told of agents since the process began.
func (d *Door) readActivity(context.Context) (mcp.Content, error) {
	b, err := mcp.Encode(d.atlas.ActivitySummary())
	return mcp.Content{JSON: b}, err
}

// resolveNode takes a path as it is written, and else percent-decoded: a file
// may be called "100%25.md".
func (d *Door) resolveNode(ctx context.Context, value string) (string, error) {
	spellings := []string{value}
	if decoded, err := url.PathUnescape(value); err == nil && decoded != value {
		spellings = append(spellings, decoded)
	}
	for _, path := range spellings {
		_, err := d.atlas.Node(ctx, path, atlas.NodeOptions{})
		if err == nil {
			return path, nil
		}
		if fault.Of(err) != fault.NotFound {
			return "", err
		}
	}
	return "", unknown(fault.New(fault.NotFound, "unknown"), value)
}

func (d *Door) readNode(ctx context.Context, path string) (mcp.Content, error) {
	b, err := d.atlas.Node(ctx, path, atlas.NodeOptions{})
	if err != nil {
		return mcp.Content{}, unknown(err, path)
	}
	return mcp.Content{JSON: b.AppendJSON(nil)}, nil
}
