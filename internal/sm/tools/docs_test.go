package tools_test

import (
	"bytes"
	"encoding/json"
	stdflag "flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:generate go test . -run ^TestDocsAreCurrent$ -update

var update = stdflag.Bool("update", false, "write the generated page")

// answers is what each tool gives that does not answer with an outcome alone.
var answers = map[string]string{
	"query_graph":             "`{ nodes, links, issues, total, truncated }`. A link is there when both of its ends are, an issue when one of its nodes is",
	"get_node":                "`{ item, links: { incoming, outgoing }, issues }`; with `includeBody` `item.body` is the text, null when it cannot be read",
	"list_issues":             "`{ items, total }`",
	"get_branch":              "`{ branch, nodes, links, issues }`",
	"list_extensions":         "`{ extensions: [{ id, kind, role, description, analyzerIds? }] }`; a role is finder, fixer or standalone",
	"list_jobs":               "`{ items }`; no job shows its nonce",
	"get_job":                 "`{ item }`, without the nonce",
	"claim_job":               "`{ id, nonce, content }`, or null. A job whose text is gone is failed and passed over",
	"list_findings":           "`{ findings }`",
	"list_issue_suppressions": "`{ suppressions: [{ node, analyzer, value, note? }] }`",
}

// besides is what stands beside an outcome.
var besides = map[string]string{
	"submit_job":      "`created` has `jobId`, `nodePath` and `supersededIds`; `duplicate` and `job-running` have `existingId`, `unreadable` has `detail`",
	"record_job":      "`completed` says that the job is closed and has `executionId`, and `status: \"failed\"` when it was recorded as failed; `not-running` has `status`, `report-invalid` and `schema-unresolved` have `detail`",
	"dismiss_issue":   "`deletedIssues` counts what went from the map",
	"undismiss_issue": "`unsuppressed` has the entry `removed`",
}

func TestDocsAreCurrent(t *testing.T) {
	c := connect(t, files)
	var listed struct {
		Tools []listedTool
	}
	c.raw("tools/list", &listed)
	var offered struct {
		Resources []struct{ URI, Description string }
	}
	c.raw("resources/list", &offered)
	var templates struct {
		ResourceTemplates []struct{ URITemplate, Description string }
	}
	c.raw("resources/templates/list", &templates)
	var b bytes.Buffer
	b.WriteString(preface)
	b.WriteString("| document | |\n|---|---|\n")
	for _, r := range offered.Resources {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.URI, r.Description)
	}
	for _, r := range templates.ResourceTemplates {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.URITemplate, r.Description)
	}
	b.WriteString("\n" + updates)
	for _, tool := range listed.Tools {
		describe(t, &b, tool)
	}
	want := bytes.TrimRight(b.Bytes(), "\n")
	want = append(want, '\n')
	path := filepath.Join("..", "..", "..", "docs", "sm-mcp.md")
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("docs/sm-mcp.md is stale; run `make docs` (-want +have):\n%s", diff)
	}
}

type listedTool struct {
	Name, Description string
	InputSchema       json.RawMessage
}

// raw asks for a listing.
func (c *client) raw(method string, into any) {
	c.t.Helper()
	res := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, c.id.Add(1), method))
	defer res.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil {
		c.t.Fatal(err)
	}
	_, data, _ := strings.Cut(body.String(), "data: ")
	if err := json.Unmarshal([]byte(data), &struct{ Result any }{into}); err != nil {
		c.t.Fatalf("%s gives %s", method, body.String())
	}
}

func describe(t *testing.T, b *bytes.Buffer, tool listedTool) {
	t.Helper()
	fmt.Fprintf(b, "## %s\n\n%s\n\n", tool.Name, tool.Description)
	var in struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(tool.InputSchema, &in); err != nil {
		t.Fatal(err)
	}
	var properties map[string]struct {
		Type, Description string
		Items             struct{ Type string }
		Enum              []string
	}
	if err := json.Unmarshal(in.Properties, &properties); err != nil {
		t.Fatal(err)
	}
	if len(properties) > 0 {
		b.WriteString("| argument | | |\n|---|---|---|\n")
	}
	for _, name := range names(t, in.Properties) {
		p := properties[name]
		kind := p.Type
		if kind == "array" {
			kind = "list of " + p.Items.Type + "s"
		}
		if slices.Contains(in.Required, name) {
			kind += ", required"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, p.Description)
	}
	if len(properties) > 0 {
		b.WriteString("\n")
	}
	switch words := outcomes[tool.Name]; {
	case words != nil:
		fmt.Fprintf(b, "Answers with an `outcome`: `%s`.", strings.Join(words, "`, `"))
		if more := besides[tool.Name]; more != "" {
			b.WriteString(" " + strings.ToUpper(more[:1]) + more[1:] + ".")
		}
	case answers[tool.Name] != "":
		fmt.Fprintf(b, "Answers with %s.", answers[tool.Name])
	default:
		t.Errorf("nothing says what %s answers", tool.Name)
	}
	b.WriteString("\n\n")
}

// names lists the members of an object in their order.
func names(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var out []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(name))
	}
	return out
}

const preface = "# Tools of sm for agents\n\n" +
	"<!-- Made from the program by `make docs`. Change the tools, not this page. -->\n\n" +
	"`sm serve` offers the map, the queue, findings and suppressions to any client of the Model Context Protocol, once MCP is on:\n\n" +
	"```sh\n" +
	"sm config set mcp.server.enabled true      # for this copy of the project; or sm serve --mcp for once\n" +
	"sm serve\n" +
	"claude mcp add --transport http --scope local skill-map http://127.0.0.1:4242/mcp\n" +
	"```\n\n" +
	"`sm agent install` says how other hosts are told. Hosts that start a process get the same tools from `sm mcp`.\n\n" +
	"One switch offers all of it. The server listens on this machine only, refuses pages of other hosts by `Host` and `Origin`, and\n" +
	"asks for no password: whoever may run a program here can read the map, work the queue and settle findings. It never edits a\n" +
	"file of yours but `.sm` sidecars, and those only with consent.\n\n" +
	"The transport is Streamable HTTP at `/mcp` with sessions (revisions 2024-10-07 to 2025-11-25) or without (2026-07-28).\n" +
	"A client counts as attached while it answers a ping on its stream, so keep a `GET /mcp` open; without one everything works but\n" +
	"`clients` in `GET /api/mcp/status` does not count you.\n\n" +
	"Arguments that make no sense, a path or id that nobody knows and missing consent are JSON-RPC errors -32602 with `data.code`;\n" +
	"what the queue refuses is an answer with an `outcome`. A tool that writes refuses a database of another version\n" +
	"(`data.code` is `db-drift`); one that reads goes on. Each write leaves one line in `.skill-map/operations.log`.\n\n" +
	"**Consent.** Five tools may write a `.sm` file: `dismiss_finding` with `class`, `undismiss_finding`, `delete_finding` for the last\n" +
	"of a hidden kind, `dismiss_issue` and `undismiss_issue`. They need `allowEditSmFiles` to be granted in this copy,\n" +
	"`confirm: true` for once, or `always: true` from now on; else they fail and name the key. Where the team set\n" +
	"`allowSidecarWriters` to false nothing helps.\n\n" +
	"## Documents\n\n"

const updates = "A client that subscribed hears `notifications/resources/updated`: for the graph, the issues and the nodes that changed after\n" +
	"each scan, for the activity when an agent does something. All hear `list_changed` when nodes came or went.\n\n"
