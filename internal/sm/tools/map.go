package tools

import (
	"context"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/skillmap"
	"skillforge/internal/sm/atlas"
)

// mapTools read the map.
func (d *Door) mapTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "query_graph", Title: "Query the skill / agent / command graph", Annotations: mcp.Reads(), Handler: d.queryGraph,
			Description: "Finds skills, agents, commands and documents of the project, with the links among them and the issues about them. Without arguments it starts with the first 100 nodes; `total` and `truncated` say whether there are more.",
			InputSchema: object(
				text("kind", "Node kinds, separated by commas: skill, agent, command, markdown, …"),
				text("has", "Only nodes that have something; the one value is `issues`."),
				text("path", "Globs on paths, separated by commas, such as `.claude/agents/**`."),
				positive("limit", "How many nodes at most (100 unless said, and never more than the project's own cap)."),
			),
		},
		{
			Name: "get_node", Title: "Get one node detail bundle", Annotations: mcp.Reads(), Handler: d.getNode,
			Description: "Shows one node: its metadata, who links to it, what it links to, and its issues.",
			InputSchema: object(
				must(text("path", "Path of the node, as query_graph gives it.")),
				switched("includeBody", "Also read the text of the file, as it is now."),
			),
		},
		{
			Name: "list_issues", Title: "List scan issues", Annotations: mcp.Reads(), Handler: d.listIssues,
			Description: "Lists what is wrong with the project's skills, agents and documents: broken references, colliding names, faulty metadata. `total` counts all that match.",
			InputSchema: object(
				text("severity", "error, warn or info; several separated by commas."),
				text("analyzerId", "Rules, such as `reference-broken`; several separated by commas."),
				text("node", "Paths of nodes; several separated by commas."),
				positive("limit", "Page size (100 unless said, at most 1000)."),
				natural("offset", "How many to leave out first (0 unless said)."),
			),
		},
		{
			Name: "get_branch", Title: "Get a folder-prefix branch projection", Annotations: mcp.Reads(), Handler: d.getBranch,
			Description: "Shows the map of some folders or files only: nodes, links and issues under the given paths, the nearest include or exclude deciding for each.",
			InputSchema: object(
				must(texts("path", "Folders or files to show.")),
				texts("exclude", "Folders or files to hide."),
				switched("excludeRoot", "Hide what no path speaks of; inferred unless said."),
				positive("limit", "How many nodes at most; it can only lower the project's own cap."),
			),
		},
	}
}

func (d *Door) queryGraph(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Kind, Has, Path string
		Limit           int
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	q, err := skillmap.QueryOf(in.Kind, in.Has, in.Path)
	if err != nil {
		return mcp.Result{}, err
	}
	g, err := d.atlas.QueryGraph(ctx, atlas.GraphQuery{Query: q, Limit: in.Limit})
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Result{JSON: g.AppendJSON(nil)}, nil
}

func (d *Door) getNode(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Path        string
		IncludeBody bool
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	b, err := d.atlas.Node(ctx, in.Path, atlas.NodeOptions{Body: in.IncludeBody})
	if err != nil {
		return mcp.Result{}, unknown(err, in.Path)
	}
	return mcp.Result{JSON: b.AppendJSON(nil)}, nil
}

// unknown says of a path that is none what the contract says.
func unknown(err error, path string) error {
	if fault.Of(err) != fault.NotFound {
		return err
	}
	return fault.Coded(fault.NotFound, "not-found", "Unknown node path: %s", path).With("path", path)
}

// issuesMax is the largest page; larger ones are cut to it.
const issuesMax = 1000

func (d *Door) listIssues(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Severity, AnalyzerID, Node string
		Limit, Offset              int
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	if in.Limit == 0 {
		in.Limit = 100
	}
	l, err := d.atlas.Issues(ctx, atlas.IssueFilter{
		Severities: words(in.Severity), Analyzers: words(in.AnalyzerID), Nodes: words(in.Node),
		Limit: min(in.Limit, issuesMax), Offset: in.Offset,
	})
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Result{JSON: l.AppendJSON(nil)}, nil
}

func (d *Door) getBranch(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Path, Exclude []string
		ExcludeRoot   *bool
		Limit         int
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	b, err := d.atlas.Branch(ctx, skillmap.BranchRequest{Include: in.Path, Exclude: in.Exclude, ExcludeRoot: in.ExcludeRoot, Limit: in.Limit})
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Result{JSON: b.AppendJSON(nil)}, nil
}

// words splits a comma list; nil when nothing is in it.
func words(list string) []string {
	var out []string
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}
