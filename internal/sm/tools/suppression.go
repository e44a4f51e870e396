package tools

import (
	"context"

	"skillforge/internal/mcp"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

// suppressionTools hide issues of the map that the user does not want to mend.
func (d *Door) suppressionTools() []mcp.Tool {
	about := []argument{
		must(text("node", "Path of the file.")),
		must(text("analyzer", "The rule that raised the issue, such as `reference-broken`.")),
		must(text("value", "What it flags: the issue's `data.target`, letter by letter.")),
	}
	return []mcp.Tool{
		{
			Name: "dismiss_issue", Title: "Dismiss a deterministic issue", Annotations: mcp.Writes(false, true), Handler: d.dismissIssue,
			Description: "Hides the issues of one rule that flag one value in one file, at once and in later scans. It writes the file's .sm file and needs the user's consent.",
			InputSchema: object(append(about[:3:3], text("note", "Why, for people."), confirm, always)...),
		},
		{
			Name: "undismiss_issue", Title: "Undismiss a deterministic issue", Annotations: mcp.Writes(false, true), Handler: d.undismissIssue,
			Description: "Takes such a dismissal back; the issues come back with the next scan. It writes the file's .sm file and needs the user's consent.",
			InputSchema: object(append(about[:3:3], confirm, always)...),
		},
		{
			Name: "list_issue_suppressions", Title: "List issue suppressions", Annotations: mcp.Reads(), Handler: d.listIssueSuppressions,
			Description: "Lists which issues are dismissed, whether their rules still exist or not.",
			InputSchema: object(text("node", "Only of this node; of the whole project unless said.")),
		},
	}
}

// dismissal are the arguments of the two that write.
type dismissal struct {
	agreed
	Node, Analyzer, Value, Note string
}

func (in dismissal) of() atlas.IssueDismissal {
	return atlas.IssueDismissal{Node: in.Node, Analyzer: in.Analyzer, Value: in.Value, Note: in.Note}
}

func (d *Door) dismissIssue(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in dismissal
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, deleted, err := d.atlas.DismissIssue(ctx, sm.MCP, in.of(), in.consent())
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Answer(struct {
		Outcome atlas.IssueOutcome `json:"outcome"`
		Deleted int                `json:"deletedIssues"`
	}{outcome, deleted})
}

func (d *Door) undismissIssue(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in dismissal
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, removed, err := d.atlas.UndismissIssue(ctx, sm.MCP, in.of(), in.consent())
	if err != nil {
		return mcp.Result{}, err
	}
	if outcome != atlas.IssueUnsuppressed {
		return outcomeOf(outcome)
	}
	return mcp.Answer(struct {
		Outcome atlas.IssueOutcome `json:"outcome"`
		Removed finding.Value      `json:"removed"`
	}{outcome, removed})
}

func (d *Door) listIssueSuppressions(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ Node string }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	list, err := d.atlas.IssueSuppressions(ctx, in.Node)
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Answer(struct {
		Suppressions []atlas.NodeValue `json:"suppressions"`
	}{list})
}
