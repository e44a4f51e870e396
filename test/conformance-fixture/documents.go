package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"skillforge/internal/mcp"
)

func resources() []mcp.Resource {
	pixel, err := base64.StdEncoding.DecodeString(png)
	if err != nil {
		panic(err) // a constant of ours
	}
	return []mcp.Resource{
		document("test://static-text", "text/plain", mcp.Content{Text: "This is the content of the static text resource."}),
		document("test://static-binary", "image/png", mcp.Content{Blob: pixel}),
		document("test://watched-resource", "text/plain", mcp.Content{Text: "Watched."}),
	}
}

func document(uri, mime string, c mcp.Content) mcp.Resource {
	return mcp.Resource{URI: uri, Name: uri[len("test://"):], Description: "Fixture.", MIMEType: mime, Read: func(context.Context) (mcp.Content, error) { return c, nil }}
}

func templates() []mcp.Template {
	return []mcp.Template{{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "Fixture.", MIMEType: "application/json",
		Read: func(_ context.Context, id string) (mcp.Content, error) {
			b, err := mcp.Encode(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return mcp.Content{JSON: b}, err
		},
	}}
}

// prompt is one prompt fixture, answered alike in both eras.
type prompt struct {
	Name      string           `json:"name"`
	About     string           `json:"description"`
	Arguments []promptArgument `json:"arguments,omitempty"`
	messages  func(arguments map[string]string) []block
}

type promptArgument struct {
	Name     string `json:"name"`
	About    string `json:"description"`
	Required bool   `json:"required"`
}

func prompts() []prompt {
	return []prompt{
		{Name: "test_simple_prompt", About: "No arguments.", messages: func(map[string]string) []block {
			return []block{user(text("This is a simple prompt for testing."))}
		}},
		{Name: "test_prompt_with_arguments", About: "Two arguments.", Arguments: []promptArgument{{"arg1", "First.", true}, {"arg2", "Second.", true}}, messages: func(a map[string]string) []block {
			return []block{user(text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
		}},
		{Name: "test_prompt_with_embedded_resource", About: "Embeds.", Arguments: []promptArgument{{"resourceUri", "What to embed.", true}}, messages: func(a map[string]string) []block {
			return []block{user(embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing.")), user(text("Please process the embedded resource above."))}
		}},
		{Name: "test_prompt_with_image", About: "Shows.", messages: func(map[string]string) []block {
			return []block{user(image()), user(text("Please analyze the image above."))}
		}},
	}
}

func user(content block) block { return block{"role": "user", "content": content} }

// methods are what the handshake era knows beyond tools and resources.
func methods() map[string]mcp.Method {
	fixed := func(v any) mcp.Method {
		return func(context.Context, *mcp.Call) (json.RawMessage, error) { return mcp.Encode(v) }
	}
	return map[string]mcp.Method{
		"prompts/list":        fixed(map[string]any{"prompts": prompts()}),
		"prompts/get":         getPrompt,
		"completion/complete": fixed(map[string]any{"completion": map[string]any{"values": []string{}, "total": 0, "hasMore": false}}),
		"logging/setLevel":    fixed(map[string]any{}),
	}
}

func getPrompt(_ context.Context, c *mcp.Call) (json.RawMessage, error) {
	var in struct {
		Name      string
		Arguments map[string]string
	}
	if err := c.Bind(&in); err != nil {
		return nil, err
	}
	for _, p := range prompts() {
		if p.Name == in.Name {
			return mcp.Encode(map[string]any{"messages": p.messages(in.Arguments)})
		}
	}
	return nil, &mcp.Error{Code: mcp.CodeInvalidParams, Message: "no prompt " + in.Name}
}
