package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rounds adds what only the stateless era has: prompts as the SDK serves them,
// tools that need several rounds, and tools that change what is listed.
func rounds(s *sdk.Server) {
	for _, p := range prompts() {
		listed := &sdk.Prompt{Name: p.Name, Description: p.About}
		for _, a := range p.Arguments {
			listed.Arguments = append(listed.Arguments, &sdk.PromptArgument{Name: a.Name, Description: a.About, Required: a.Required})
		}
		s.AddPrompt(listed, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return promptResult(p.messages(req.Params.Arguments))
		})
	}
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Asks for context."}, contextPrompt)
	for name, h := range map[string]sdk.ToolHandler{
		"test_input_required_result_elicitation":     askName,
		"test_input_required_result_sampling":        askCapital,
		"test_input_required_result_list_roots":      askRoots,
		"test_input_required_result_request_state":   withState,
		"test_input_required_result_multiple_inputs": askAll,
		"test_input_required_result_multi_round":     twoSteps,
		"test_input_required_result_tampered_state":  withState,
		"test_input_required_result_capabilities":    askWhatIsOffered,
		"test_missing_capability":                    needsSampling,
		"test_streaming_elicitation":                 askName,
	} {
		s.AddTool(&sdk.Tool{Name: name, Description: "Fixture of the conformance suite: " + name + ".", InputSchema: json.RawMessage(nothing)}, h)
	}
	addTriggers(s)
	s.AddReceivingMiddleware(complete)
}

// complete knows no completions, which is an answer too.
func complete(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method == "completion/complete" {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		}
		return next(ctx, method, req)
	}
}

// addTriggers adds the tools that change the lists of tools and prompts.
func addTriggers(s *sdk.Server) {
	change := func(name string, f func()) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Changes a list.", InputSchema: json.RawMessage(nothing)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			f()
			return said("changed"), nil
		})
	}
	same := &sdk.Prompt{Name: "test_simple_prompt_again", Description: "Comes back."}
	change("test_trigger_prompt_change", func() {
		s.AddPrompt(same, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return promptResult([]block{user(text("again"))})
		})
	})
	again := &sdk.Tool{Name: "test_again", Description: "Comes back.", InputSchema: json.RawMessage(nothing)}
	comeBack := func() {
		s.AddTool(again, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return said("again"), nil })
	}
	comeBack()
	change("test_trigger_tool_change", comeBack)
}

func promptResult(messages []block) (*sdk.GetPromptResult, error) {
	raw, err := json.Marshal(map[string]any{"messages": messages})
	if err != nil {
		return nil, err
	}
	var r sdk.GetPromptResult
	return &r, json.Unmarshal(raw, &r)
}

func said(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// needs is a result that wants input first.
func needs(in sdk.InputRequestMap, state string) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: in, RequestState: state}
}

func form(message, field, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, field, kind, field))}
}

func question(s string, tokens int64) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: tokens, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: s}}}}
}

// filled returns the form that the user sent for key.
func filled(in sdk.InputResponseMap, key string) (map[string]any, bool) {
	r, ok := in[key].(*sdk.ElicitResult)
	if !ok || r.Action == "" {
		return nil, false
	}
	return r.Content, true
}

func askName(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	answer, ok := filled(req.Params.InputResponses, "user_name")
	if !ok {
		return needs(sdk.InputRequestMap{"user_name": form("What is your name?", "name", "string")}, ""), nil
	}
	return said(fmt.Sprintf("Hello, %v!", answer["name"])), nil
}

func askCapital(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if _, ok := req.Params.InputResponses["capital_question"]; !ok {
		return needs(sdk.InputRequestMap{"capital_question": question("What is the capital of France?", 100)}, ""), nil
	}
	return said("The client answered."), nil
}

func askRoots(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if _, ok := req.Params.InputResponses["client_roots"]; !ok {
		return needs(sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}, ""), nil
	}
	return said("The client has roots."), nil
}

func askAll(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if len(req.Params.InputResponses) < 3 || check(req.Params.RequestState, "all") != nil {
		return needs(sdk.InputRequestMap{
			"user_name":    form("What is your name?", "name", "string"),
			"greeting":     question("Generate a greeting", 50),
			"client_roots": &sdk.ListRootsParams{},
		}, seal("all")), nil
	}
	return said("All three came."), nil
}

func withState(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return needs(sdk.InputRequestMap{"confirm": form("Please confirm", "ok", "boolean")}, seal("confirm")), nil
	}
	if err := check(req.Params.RequestState, "confirm"); err != nil {
		return nil, err
	}
	return said("state-ok"), nil
}

func twoSteps(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	switch state := req.Params.RequestState; {
	case state == "":
		return needs(sdk.InputRequestMap{"step1": form("Step 1: What is your name?", "name", "string")}, seal("step1")), nil
	case check(state, "step1") == nil:
		return needs(sdk.InputRequestMap{"step2": form("Step 2: What is your favorite color?", "color", "string")}, seal("step2")), nil
	default:
		return said("Both steps are done."), check(state, "step2")
	}
}

func askWhatIsOffered(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	in := sdk.InputRequestMap{}
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		in["greeting"] = question("Generate a greeting", 50)
	} else if c != nil && c.Elicitation != nil {
		in["user_name"] = form("What is your name?", "name", "string")
	}
	if len(in) == 0 || len(req.Params.InputResponses) > 0 {
		return said("Nothing is asked."), nil
	}
	return needs(in, ""), nil
}

func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return said("ok"), nil
	}
	return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "this tool needs sampling", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
}

func contextPrompt(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	answer, ok := filled(req.Params.InputResponses, "user_context")
	if !ok {
		return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": form("What context should the prompt use?", "context", "string")}}, nil
	}
	return promptResult([]block{user(text(fmt.Sprintf("Context: %v", answer["context"])))})
}

// key seals request states while this program runs.
var key = func() []byte {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return b
}()

func seal(state string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(state))
	return state + "." + hex.EncodeToString(m.Sum(nil))
}

func check(sealed, state string) error {
	name, _, _ := strings.Cut(sealed, ".")
	if name != state || !hmac.Equal([]byte(sealed), []byte(seal(name))) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request state is not ours"}
	}
	return nil
}
