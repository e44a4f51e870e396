package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skillforge/internal/mcp"
	"skillforge/internal/sigit/tools"
)

var update = flag.Bool("update", false, "write what is generated")

// spec is a tool as tools/list shows it.
type spec struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]bool
}

// specs asks the server for its tools.
func specs(t *testing.T) ([]spec, []json.RawMessage) {
	t.Helper()
	w := newWorld(t, nil)
	var answer struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(w.post(w.tokens["alice"], `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	list := make([]spec, len(answer.Result.Tools))
	for i, raw := range answer.Result.Tools {
		if err := json.Unmarshal(raw, &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list, answer.Result.Tools
}

// TestGolden keeps what clients see of every tool.
func TestGolden(t *testing.T) {
	list, raw := specs(t)
	seen := map[string]bool{}
	for i, one := range list {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw[i], "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		generated(t, filepath.Join("testdata", one.Name+".json"), pretty.Bytes())
		seen[one.Name+".json"] = true
	}
	entries, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !seen[e.Name()] {
			t.Errorf("testdata/%s is of no tool", e.Name())
		}
	}
}

// generated compares a file with what it should hold, or writes it.
func generated(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale (%v); run go generate ./internal/sigit/tools and look at what changes", path, err)
	}
}

func TestOrder(t *testing.T) {
	list, _ := specs(t)
	var names []string
	for _, one := range list {
		names = append(names, one.Name)
	}
	const want = "list_repositories get_file_contents search_code list_issues get_issue create_issue list_pull_requests get_pull_request create_pull_request add_issue_comment web_search"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("lists %s\nwant  %s", got, want)
	}
}

// TestLint keeps schemas plain enough for every model vendor.
func TestLint(t *testing.T) {
	list, _ := specs(t)
	name := regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	var size int
	for _, one := range list {
		size += len(one.Description) + len(one.InputSchema)
		if !name.MatchString(one.Name) || one.Title == "" || one.Description == "" || len(one.Description) > 500 {
			t.Errorf("%s: title %q, description of %d bytes", one.Name, one.Title, len(one.Description))
		}
		writes := strings.HasPrefix(one.Name, "create_") || strings.HasPrefix(one.Name, "add_")
		if one.Annotations["readOnlyHint"] == writes || one.Annotations["openWorldHint"] != (one.Name == "web_search") || one.Annotations["destructiveHint"] || writes && one.Annotations["idempotentHint"] {
			t.Errorf("%s: annotations %v", one.Name, one.Annotations)
		}
		for kind, raw := range map[string]json.RawMessage{"input": one.InputSchema, "output": one.OutputSchema} {
			var s map[string]any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatalf("%s: %v", one.Name, err)
			}
			if s["type"] != "object" {
				t.Errorf("%s: the %s is no object", one.Name, kind)
			}
			lint(t, one.Name+" "+kind, s, kind == "input")
		}
		var in map[string]any
		_ = json.Unmarshal(one.InputSchema, &in)
		if in["additionalProperties"] != false || in["properties"] == nil {
			t.Errorf("%s: open arguments", one.Name)
		}
	}
	if size > 10_000 {
		t.Errorf("the tools cost %d bytes of every conversation; say less", size)
	}
}

// lint walks a schema. Every keyword that is not listed is one that some
// vendor does not take.
func lint(t *testing.T, at string, s map[string]any, described bool) {
	t.Helper()
	for key := range s {
		switch key {
		case "type", "description", "enum", "items", "properties", "required", "additionalProperties":
		default:
			t.Errorf("%s uses %s", at, key)
		}
	}
	kind, ok := s["type"].(string)
	if !ok {
		t.Errorf("%s has the type %v, want one", at, s["type"])
	}
	if items, ok := s["items"].(map[string]any); ok {
		lint(t, at+"[]", items, false)
	} else if kind == "array" {
		t.Errorf("%s is an array of nothing", at)
	}
	for _, v := range asList(s["enum"]) {
		if _, ok := v.(string); !ok {
			t.Errorf("%s has an enum that is no text", at)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		p, ok := p.(map[string]any)
		if !ok {
			t.Errorf("%s.%s is no schema", at, name)
			continue
		}
		if described && p["description"] == nil {
			t.Errorf("%s.%s says nothing of itself", at, name)
		}
		lint(t, at+"."+name, p, described)
	}
	for _, name := range asList(s["required"]) {
		if properties[fmt.Sprint(name)] == nil {
			t.Errorf("%s requires %v, which it does not have", at, name)
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func TestInstructions(t *testing.T) {
	w := newWorld(t, nil)
	var answer struct {
		Result struct {
			ProtocolVersion, Instructions string
			Capabilities                  json.RawMessage
			ServerInfo                    map[string]string
		}
	}
	if err := json.Unmarshal(w.post(w.tokens["alice"], `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.0"}}`).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	r := answer.Result
	if r.ProtocolVersion != "2025-06-18" || string(r.Capabilities) != `{"tools":{"listChanged":false}}` || fmt.Sprint(r.ServerInfo) != "map[name:sigit title:siGit Code version:0.1.0]" ||
		!strings.HasPrefix(r.Instructions, "Tools for siGit-hosted git repositories:") || len(r.Instructions) > 2000 {
		t.Errorf("initialize answers %+v", r)
	}
}

// TestPage keeps the page of documentation.
func TestPage(t *testing.T) {
	list, _ := specs(t)
	generated(t, filepath.Join("..", "..", "..", "docs", "mcp.md"), pageOf(list))
}

func pageOf(list []spec) []byte {
	var b bytes.Buffer
	b.WriteString(`# Tools of sigit for agents

<!-- Generated by go generate ./internal/sigit/tools. Change the tools, not this page. -->

`)
	b.WriteString("`sigit serve` offers these tools at `POST " + tools.Path + "` to any client of the Model Context Protocol:\n\n")
	b.WriteString("```sh\nclaude mcp add --transport http sigit https://sigit.example" + tools.Path + " --header \"Authorization: Bearer TOKEN\"\n```\n\n")
	b.WriteString(`A token comes from ` + "`sigit token add`" + ` or from signing in; what it may do here is what it may do anywhere.

The transport is stateless Streamable HTTP: one JSON-RPC message, or a batch of at most 50, per request; at most 5 MiB.
Clients of the revisions 2024-11-05 to 2025-11-25 shake hands with ` + "`initialize`" + `; those of 2026-07-28 need not.
There is no session and no stream, so ` + "`GET`" + ` answers 405.

A call that fails answers with ` + "`isError`" + ` and a sentence; errors of the protocol are kept for what no model can mend.
Lists are a bare array in the text, and ` + "`{items, total, next_cursor}`" + ` in the structured answer. Where there is more, a second
text block says how to ask for it. Numbers in quotes, ` + "`12.0`" + ` and ` + "`null`" + ` are understood; an unknown argument is refused by name.

`)
	for _, one := range list {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", one.Name, one.Description)
		var in struct {
			Properties map[string]struct{ Type, Description string }
			Required   []string
		}
		_ = json.Unmarshal(one.InputSchema, &in)
		b.WriteString("| argument | | |\n|---|---|---|\n")
		for _, name := range inOrder(one.InputSchema) {
			must := "optional"
			for _, r := range in.Required {
				if r == name {
					must = "required"
				}
			}
			p := in.Properties[name]
			fmt.Fprintf(&b, "| `%s` | %s, %s | %s |\n", name, p.Type, must, p.Description)
		}
		fmt.Fprintf(&b, "\nAnswers with %s.\n\n", answers(one.OutputSchema))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// inOrder lists the properties of a schema as they are written.
func inOrder(schema json.RawMessage) []string {
	var s struct{ Properties json.RawMessage }
	_ = json.Unmarshal(schema, &s)
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	_, _ = d.Token()
	var names []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(name))
		var skip json.RawMessage
		_ = d.Decode(&skip)
	}
	return names
}

// answers says what a tool gives.
func answers(schema json.RawMessage) string {
	var s struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	_ = json.Unmarshal(schema, &s)
	if items, ok := s.Properties["items"]; ok {
		var array struct{ Items json.RawMessage }
		_ = json.Unmarshal(items, &array)
		return "a list of `{ " + strings.Join(inOrder(array.Items), ", ") + " }`"
	}
	must, may := "", ""
	for _, name := range inOrder(schema) {
		if strings.Contains(" "+strings.Join(s.Required, " ")+" ", " "+name+" ") {
			must += ", " + name
		} else {
			may += ", `" + name + "`"
		}
	}
	text := "`{ " + strings.TrimPrefix(must, ", ") + " }`"
	if may != "" {
		text += ", and where it applies " + strings.TrimPrefix(may, ", ")
	}
	return text
}

// TestEveryToolTakesNothing: a client may call the first tool that it finds
// without an argument.
func TestEveryToolTakesNothing(t *testing.T) {
	w := newWorld(t, nil)
	for _, one := range tools.Tools(w.forge, nil) {
		for _, arguments := range []string{"", "null", "{}", "[]", `"x"`, "5"} {
			got := w.call("alice", one.Name, arguments)
			if ok := one.Name == "list_repositories" && len(arguments) != 2 || arguments == "{}" && one.Name == "list_repositories"; got.IsError == ok && arguments != "[]" && arguments != `"x"` && arguments != "5" {
				t.Errorf("%s %s: %+v", one.Name, arguments, got.Content)
			}
		}
	}
	var _ []mcp.Tool = tools.Tools(w.forge, nil)
}
