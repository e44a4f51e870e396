package tools

import (
	"context"

	"skillforge/internal/mcp"
	"skillforge/internal/sm"
	"skillforge/internal/sm/atlas"
	"skillforge/internal/sm/finding"
)

// confirm and always are how a caller consents to the writing of a sidecar.
var (
	confirm = switched("confirm", "The user agrees that the .sm file is written, this once.")
	always  = switched("always", "The user agrees that .sm files are written, now and later.")
)

// agreed is what these two say.
type agreed struct{ Confirm, Always bool }

func (a agreed) consent() atlas.Consent { return atlas.Consent{Once: a.Confirm, Always: a.Always} }

const findingID = "Id of the finding, as list_findings gives it."

// findingTools read and settle what finders found.
func (d *Door) findingTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "list_findings", Title: "List findings", Annotations: mcp.Reads(), Handler: d.listFindings,
			Description: "Lists what finders found, by node and extension, settled findings too (`resolution`). A finding about a file that changed since is stale and left out unless asked for.",
			InputSchema: object(
				text("node", "Only of this node; of the whole project unless said."),
				text("extension", "Only of this finder; its id, qualified or bare."),
				switched("includeStale", "Stale ones too."),
			),
		},
		{
			Name: "resolve_finding", Title: "Resolve a finding", Annotations: mcp.Writes(false, true), Handler: d.resolveFinding,
			Description: "Marks a finding as fixed. It changes no file.",
			InputSchema: object(must(positive("id", findingID)), text("note", "What was done, for people.")),
		},
		{
			Name: "dismiss_finding", Title: "Dismiss a finding", Annotations: mcp.Writes(false, true), Handler: d.dismissFinding,
			Description: "Hides a finding that the user does not want to act on. With `class` every finding of its kind about this file is hidden, now and later: that is written to the file's .sm file and needs the user's consent.",
			InputSchema: object(must(positive("id", findingID)), switched("class", "Hide the whole kind for this file."), confirm, always, text("note", "Why, for people.")),
		},
		{
			Name: "reopen_finding", Title: "Reopen a finding", Annotations: mcp.Writes(false, true), Handler: d.reopenFinding,
			Description: "Makes a settled finding open again. A hidden kind stays hidden; undismiss_finding shows it.",
			InputSchema: object(must(positive("id", findingID))),
		},
		{
			Name: "undismiss_finding", Title: "Undismiss a class", Annotations: mcp.Writes(false, true), Handler: d.undismissFinding,
			Description: "Shows a kind of finding again that was hidden for a file. It writes the file's .sm file and needs the user's consent.",
			InputSchema: object(
				must(text("node", "Path of the file.")), must(text("extension", "The finder that was hidden.")),
				text("type", "The type of finding; without it the entry that hides all of them is meant."), confirm, always,
			),
		},
		{
			Name: "delete_finding", Title: "Delete a finding", Annotations: mcp.Writes(true, true), Handler: d.deleteFinding,
			Description: "Deletes a finding for good. Where it is the last of a hidden kind, the hiding goes with it: that writes the .sm file and needs the user's consent.",
			InputSchema: object(must(positive("id", findingID)), confirm, always),
		},
	}
}

func (d *Door) listFindings(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		Node, Extension string
		IncludeStale    bool
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	f := finding.Filter{Node: in.Node}
	if in.Extension != "" {
		f.Extensions = []string{in.Extension}
	}
	list, err := d.atlas.AllFindings(ctx, f, in.IncludeStale)
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.Answer(struct {
		Findings []finding.Record `json:"findings"`
	}{list})
}

func (d *Door) resolveFinding(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in atlas.FindingChange
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, _, err := d.atlas.ResolveFinding(ctx, sm.MCP, atlas.FindingChange{ID: in.ID, Note: in.Note})
	return said(outcome, err)
}

func (d *Door) dismissFinding(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		agreed
		ID    int64
		Class bool
		Note  string
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	change := atlas.FindingChange{ID: in.ID, Note: in.Note}
	if in.Class {
		outcome, _, _, err := d.atlas.DismissClass(ctx, sm.MCP, change, in.consent())
		return said(outcome, err)
	}
	outcome, _, err := d.atlas.DismissFinding(ctx, sm.MCP, change)
	return said(outcome, err)
}

func (d *Door) reopenFinding(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ ID int64 }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, _, err := d.atlas.ReopenFinding(ctx, sm.MCP, atlas.FindingChange{ID: in.ID})
	return said(outcome, err)
}

func (d *Door) undismissFinding(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		agreed
		Node, Extension, Type string
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, _, err := d.atlas.UndismissClass(ctx, sm.MCP, atlas.ClassChange{Node: in.Node, Extension: in.Extension, Type: in.Type}, in.consent())
	return said(outcome, err)
}

func (d *Door) deleteFinding(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct {
		agreed
		ID int64
	}
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	outcome, err := d.atlas.DeleteFinding(ctx, sm.MCP, atlas.FindingChange{ID: in.ID}, in.consent())
	return said(outcome, err)
}

// said answers an outcome, or the error in its place.
func said[T ~string](outcome T, err error) (mcp.Result, error) {
	if err != nil {
		return mcp.Result{}, err
	}
	return outcomeOf(outcome)
}
