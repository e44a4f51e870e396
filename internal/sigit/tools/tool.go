package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
	"skillforge/internal/sigit/search"
)

// tool is one thing that agents may do.
type tool struct {
	name, title, about string
	takes              []arg
	gives              schema            // of the structured answer
	writes             bool              // it changes the forge
	outside            bool              // it asks somebody who is not the forge
	large              bool              // its answers are long on purpose
	hints              map[string]string // what to try next, by the code of what is wrong
	run                func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error)
}

// door is what tools reach through.
type door struct {
	forge *forge.Forge
	web   *search.Web
}

// maxAnswer bounds the JSON of one answer; nothing comes near it but files
// full of control characters.
const maxAnswer = 8 << 20

// served is the tool as the protocol knows it.
func (t tool) served(d door) mcp.Tool {
	input, _ := mcp.Encode(inputOf(t.takes)) // both are our own literals
	output, _ := mcp.Encode(t.gives)
	made := mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: input, OutputSchema: output, Lenient: true,
		Annotations: t.annotations(),
		Handler:     func(ctx context.Context, call *mcp.Call) (mcp.Result, error) { return t.call(ctx, d, call) },
	}
	if t.large {
		// A client that puts long answers into files is asked not to.
		made.Meta = map[string]any{"anthropic/maxResultSizeChars": 300_000}
	}
	return made
}

func (t tool) annotations() *mcp.Annotations {
	a := mcp.Reads()
	if t.writes {
		a = mcp.Writes(false, false)
	}
	a.OpenWorld = &t.outside
	return a
}

func (t tool) call(ctx context.Context, d door, call *mcp.Call) (mcp.Result, error) {
	by := sigit.ActorOf(ctx)
	if call.Client.Name != "" {
		by.Client = strings.TrimRight(call.Client.Name+"/"+call.Client.Version, "/")
	}
	in, err := t.bind(call.Arguments)
	if err != nil {
		return refusal(err, "")
	}
	answer, err := t.run(ctx, d, by, in)
	switch {
	case err != nil && fault.Of(err) != fault.Internal:
		return refusal(err, t.hints[fault.Code(err)])
	case err != nil:
		return mcp.Result{}, err
	case len(answer.JSON) > maxAnswer:
		return refusal(fault.New(fault.TooLarge, "the answer would have %d bytes; ask for less", len(answer.JSON)), "")
	}
	return answer, nil
}

// block is a piece of an answer that the model reads.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textBlocks(texts ...string) ([]byte, error) {
	blocks := []block{}
	for _, text := range texts {
		if text != "" {
			blocks = append(blocks, block{"text", text})
		}
	}
	return mcp.Encode(blocks)
}

// refusal is the answer when something is wrong: the sentence alone, so that
// it can be matched, and what to do next beside it.
func refusal(err error, hint string) (mcp.Result, error) {
	text := fault.Text(err)
	if text == sigit.Hidden {
		hint = "Write a repository as owner/name; list_repositories shows those that this token reaches."
	}
	if f, ok := errors.AsType[*noRepoName](err); ok {
		text, hint = sigit.Hidden, f.hint
	}
	content, err := textBlocks(text, hint)
	return mcp.Result{Content: content, IsError: true}, err
}

// listed is the answer of a tool that lists: a bare array for who reads the
// text, an object with what belongs to it for who reads the structure. more
// tells readers of the text that there is more.
func listed[T any](items []T, total int, next, more string) (mcp.Result, error) {
	if items == nil {
		items = []T{}
	}
	array, err := mcp.Encode(items)
	if err != nil {
		return mcp.Result{}, fmt.Errorf("encode a list: %w", err)
	}
	object, err := mcp.Encode(struct {
		Items []T    `json:"items"`
		Total *int   `json:"total,omitempty"`
		Next  string `json:"next_cursor,omitempty"`
	}{items, known(total), next})
	if err != nil {
		return mcp.Result{}, fmt.Errorf("encode a list: %w", err)
	}
	if next == "" {
		more = ""
	}
	content, err := textBlocks(string(array), more)
	return mcp.Result{JSON: object, Content: content}, err
}

// unknown is a total that nobody counted.
const unknown = -1

func known(total int) *int {
	if total == unknown {
		return nil
	}
	return &total
}

// pageOf is the answer with one page of a list of the forge's.
func pageOf[A, B any](tool string, list sigit.List[A], show func(A) B) (mcp.Result, error) {
	items := make([]B, len(list.Items))
	for i, a := range list.Items {
		items[i] = show(a)
	}
	more := fmt.Sprintf("%d of %d are shown. For the next, call %s again with cursor %q.", len(items), list.Total, tool, list.Next)
	return listed(items, list.Total, list.Next, more)
}
