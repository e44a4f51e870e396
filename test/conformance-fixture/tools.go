package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"skillforge/internal/mcp"
)

// One red pixel, and a tenth of a second of nothing.
const (
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
	wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

// block is one content block.
type block map[string]any

func text(s string) block { return block{"type": "text", "text": s} }
func image() block        { return block{"type": "image", "data": png, "mimeType": "image/png"} }

func embedded(uri, mime, s string) block {
	return block{"type": "resource", "resource": block{"uri": uri, "mimeType": mime, "text": s}}
}

// says is a handler that answers with fixed blocks.
func says(blocks ...block) func(context.Context, *mcp.Call) (mcp.Result, error) {
	return func(context.Context, *mcp.Call) (mcp.Result, error) { return content(blocks...) }
}

func content(blocks ...block) (mcp.Result, error) {
	b, err := mcp.Encode(blocks)
	return mcp.Result{Content: b}, err
}

const nothing = `{"type":"object","properties":{}}`

func tool(name, schema string, h func(context.Context, *mcp.Call) (mcp.Result, error)) mcp.Tool {
	return mcp.Tool{Name: name, Description: "Fixture of the conformance suite: " + name + ".", InputSchema: json.RawMessage(schema), Handler: h}
}

func tools() []mcp.Tool {
	return []mcp.Tool{
		tool("test_simple_text", nothing, says(text("This is a simple text response for testing."))),
		tool("test_image_content", nothing, says(image())),
		tool("test_audio_content", nothing, says(block{"type": "audio", "data": wav, "mimeType": "audio/wav"})),
		tool("test_embedded_resource", nothing, says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
		tool("test_multiple_content_types", nothing, says(text("Multiple content types test:"), image(), embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))),
		tool("test_tool_with_logging", nothing, logs),
		tool("test_tool_with_progress", nothing, progresses),
		tool("test_error_handling", nothing, fails),
		tool("test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, samples),
		tool("test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, elicits),
		tool("test_elicitation_sep1034_defaults", nothing, asks(`{"message":"Please review","requestedSchema":{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}},"required":[]}}`)),
		tool("test_elicitation_sep1330_enums", nothing, asks(`{"message":"Please choose","requestedSchema":{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}}`)),
		tool("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`, says(text("ok"))),
		tool("test_logging_tool", nothing, says(text("nothing was logged"))),
		tool("test_custom_headers", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`, says(text("ok"))),
	}
}

// pause is long enough for a client to see messages arrive one by one.
const pause = 50 * time.Millisecond

func logs(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			time.Sleep(pause)
		}
		// The stateless era wants no log that nobody asked for.
		_ = c.Notify(ctx, "notifications/message", map[string]any{"level": "info", "data": line})
	}
	return content(text("Logged three lines."))
}

func progresses(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	for i, done := range []float64{0, 50, 100} {
		if i > 0 {
			time.Sleep(pause)
		}
		if err := c.Progress(ctx, done, 100, ""); err != nil {
			return mcp.Result{}, err
		}
	}
	return content(text("Done."))
}

func fails(context.Context, *mcp.Call) (mcp.Result, error) {
	r, err := content(text("This tool intentionally returns an error for testing"))
	r.IsError = true
	return r, err
}

func samples(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ Prompt string }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	raw, err := c.Ask(ctx, "sampling/createMessage", map[string]any{"messages": []any{map[string]any{"role": "user", "content": text(in.Prompt)}}, "maxTokens": 100})
	if err != nil {
		return mcp.Result{}, err
	}
	var out struct{ Content struct{ Text string } }
	if err := json.Unmarshal(raw, &out); err != nil {
		return mcp.Result{}, err
	}
	return content(text("LLM response: " + out.Content.Text))
}

func elicits(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
	var in struct{ Message string }
	if err := c.Bind(&in); err != nil {
		return mcp.Result{}, err
	}
	params := fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}}`, in.Message)
	return ask(ctx, c, params, "User response: ")
}

// asks is a handler that elicits with fixed params.
func asks(params string) func(context.Context, *mcp.Call) (mcp.Result, error) {
	return func(ctx context.Context, c *mcp.Call) (mcp.Result, error) {
		return ask(ctx, c, params, "Elicitation completed: ")
	}
}

func ask(ctx context.Context, c *mcp.Call, params, prefix string) (mcp.Result, error) {
	raw, err := c.Ask(ctx, "elicitation/create", json.RawMessage(params))
	if err != nil {
		return mcp.Result{}, err
	}
	var out struct {
		Action  string
		Content json.RawMessage
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return mcp.Result{}, err
	}
	return content(text(fmt.Sprintf("%saction=%s, content=%s", prefix, out.Action, out.Content)))
}
