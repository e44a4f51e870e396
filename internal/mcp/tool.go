package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	textmessage "golang.org/x/text/message"
)

// Tool is one thing that an agent may call.
type Tool struct {
	Name        string // at most 40 of a-z, 0-9 and _: clients put a prefix before it and cut at 64
	Title       string
	Description string
	// InputSchema is a JSON Schema whose root is an object. Arguments are
	// checked against it before Handler sees them.
	InputSchema json.RawMessage
	// Lenient leaves the checking to Handler, which may forgive what the schema
	// does not, or answer a wrong argument with a Result that the model reads.
	Lenient      bool
	OutputSchema json.RawMessage // may be absent
	Annotations  *Annotations    // may be absent
	Meta         map[string]any  // "_meta" of the listing; may be absent
	Handler      func(ctx context.Context, call *Call) (Result, error)
}

// Annotations are hints for the host that asks its user before a call.
type Annotations struct {
	ReadOnly    bool  `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Reads are the annotations of a tool that changes nothing and talks to nobody.
func Reads() *Annotations {
	no := false
	return &Annotations{ReadOnly: true, OpenWorld: &no}
}

// Writes are the annotations of a tool that changes this program's own state.
func Writes(destructive, idempotent bool) *Annotations {
	no := false
	return &Annotations{Destructive: &destructive, Idempotent: &idempotent, OpenWorld: &no}
}

// Result is the answer of a tool. The zero value is an empty success.
type Result struct {
	// JSON is the answer as one value of compact JSON. It is sent twice, as
	// structured content and as text, so that a client which shows only one
	// of them shows everything.
	JSON []byte
	// TextOnly keeps JSON out of the structured content, which holds objects
	// only.
	TextOnly bool
	// Content, a JSON array of content blocks, replaces the text of JSON.
	Content []byte
	// IsError marks a failure that the model may read and mend.
	IsError bool

	encoded []byte // the whole result, when it was encoded before
}

// Answer encodes v as the answer of a tool.
func Answer(v any) (Result, error) {
	b, err := Encode(v)
	if err != nil {
		return Result{}, fmt.Errorf("encode answer: %w", err)
	}
	return Result{JSON: b}, nil
}

// Encoded returns r with its wire form computed, for a caller that will hand
// out the same answer many times.
func (r Result) Encoded() Result {
	r.encoded = r.encode()
	return r
}

func (r *Result) encode() []byte {
	if r.encoded != nil {
		return r.encoded
	}
	b := make([]byte, 0, 2*len(r.JSON)+len(r.JSON)/4+len(r.Content)+128)
	b = append(b, `{"content":`...)
	switch {
	case r.Content != nil:
		b = append(b, r.Content...)
	case r.JSON != nil:
		b = append(b, `[{"type":"text","text":`...)
		b = appendQuoted(b, r.JSON)
		b = append(b, `}]`...)
	default:
		b = append(b, `[]`...)
	}
	if r.JSON != nil && !r.TextOnly {
		b = append(b, `,"structuredContent":`...)
		b = append(b, r.JSON...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}
	return append(b, '}')
}

// Call is one call of a tool.
type Call struct {
	Tool string
	// Arguments is a JSON object that fits the tool's schema, or any JSON when
	// the tool is Lenient; never nil.
	Arguments json.RawMessage
	// Session tells clients apart while they are connected. Empty in the
	// stateless era, where nothing does.
	Session string
	Client  Client

	token  json.RawMessage // progress token, nil when the client wants none
	notify func(ctx context.Context, method string, params any) error
	ask    func(ctx context.Context, method string, params any) (json.RawMessage, error)
}

// Client is what a client says of itself.
type Client struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Bind decodes the arguments into v, a pointer to a struct. Arguments without
// a field are ignored, as the contract says.
func (c *Call) Bind(v any) error {
	err := json.Unmarshal(c.Arguments, v)
	if err == nil {
		return nil
	}
	// 12.0 and 1e3 are integers to JSON Schema, but not to encoding/json.
	if b, ok := integral(c.Arguments); ok && json.Unmarshal(b, v) == nil {
		return nil
	}
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("Bad arguments for %s: %v", c.Tool, err)}
}

// integral rewrites whole numbers in raw without fraction and exponent.
func integral(raw []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	b, err := json.Marshal(wholeNumbers(v))
	return b, err == nil
}

func wholeNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = wholeNumbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = wholeNumbers(e)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && f == float64(int64(f)) {
			return int64(f)
		}
	}
	return v
}

// WantsProgress reports whether the client asked for progress.
func (c *Call) WantsProgress() bool { return c.token != nil }

// Progress tells the client how far the call is, on the stream of its answer.
// It does nothing for a client that did not ask. A total of 0 is unknown.
func (c *Call) Progress(ctx context.Context, done, total float64, text string) error {
	if c.token == nil {
		return nil
	}
	return c.notify(ctx, "notifications/progress", progressParams{c.token, done, total, text})
}

type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// Notify sends a notification on the stream of the call's answer.
func (c *Call) Notify(ctx context.Context, method string, params any) error {
	return c.notify(ctx, method, params)
}

// Ask sends a request to the client on the stream of the call's answer and
// waits for what it says. It fails in the stateless era.
func (c *Call) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if c.ask == nil {
		return nil, errors.New("this client cannot be asked")
	}
	return c.ask(ctx, method, params)
}

// registry holds tools by name, with their schemas compiled and their listing
// encoded. It does not change once made.
type registry struct {
	tools   []Tool // in the order given
	byName  map[string]*entry
	listing []byte // the result of tools/list
}

type entry struct {
	Tool
	schema *jsonschema.Schema
}

var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func newRegistry(tools []Tool) (*registry, error) {
	r := &registry{tools: tools, byName: make(map[string]*entry, len(tools))}
	listed := []listedTool{}
	for _, t := range tools {
		e, err := newEntry(t)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		if r.byName[t.Name] != nil {
			return nil, fmt.Errorf("tool %q is declared twice", t.Name)
		}
		r.byName[t.Name] = e
		listed = append(listed, listedTool{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations, t.Meta})
	}
	var err error
	r.listing, err = Encode(map[string]any{"tools": listed})
	return r, err
}

// rank is the place of a tool in the order given, after all of them for one
// that is not ours.
func (r *registry) rank(name string) int {
	for i := range r.tools {
		if r.tools[i].Name == name {
			return i
		}
	}
	return len(r.tools)
}

type listedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Annotations    `json:"annotations,omitempty"`
	Meta         map[string]any  `json:"_meta,omitempty"`
}

func newEntry(t Tool) (*entry, error) {
	if !toolName.MatchString(t.Name) {
		return nil, errors.New("a name is at most 40 of a-z, 0-9 and _")
	}
	if t.Description == "" || t.Handler == nil {
		return nil, errors.New("a tool needs a description and a handler")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(t.InputSchema))
	if err != nil {
		return nil, fmt.Errorf("read input schema: %w", err)
	}
	if root, ok := doc.(map[string]any); !ok || root["type"] != "object" {
		return nil, errors.New("the root of an input schema is an object")
	}
	url := "tool:" + t.Name
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("read input schema: %w", err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile input schema: %w", err)
	}
	return &entry{t, schema}, nil
}

// check reports what is wrong with arguments. The error is for the caller: it
// names each argument and what was expected.
func (e *entry) check(arguments json.RawMessage) error {
	if e.Lenient {
		return nil
	}
	// Plain float64, not the exact numbers that jsonschema.UnmarshalJSON makes:
	// those expand an exponent such as 1e999999999 digit by digit.
	var v any
	if err := json.Unmarshal(arguments, &v); err != nil {
		return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("Bad arguments for %s: %v.", e.Name, err)}
	}
	err := e.schema.Validate(v)
	if err == nil {
		return nil
	}
	wrong := complaints(err)
	texts := make([]string, len(wrong))
	for i, w := range wrong {
		texts[i] = w.Text
		if w.Argument != "" {
			texts[i] = w.Argument + ": " + w.Text
		}
	}
	return &Error{
		Code:    CodeInvalidParams,
		Message: fmt.Sprintf("Bad arguments for %s: %s.", e.Name, strings.Join(texts, "; ")),
		Data:    map[string]any{"code": "invalid", "details": map[string]any{"arguments": wrong}},
	}
}

// complaint is one thing wrong with one argument.
type complaint struct {
	Argument string `json:"argument"` // dotted path, empty for the whole object
	Text     string `json:"text"`
}

var english = textmessage.NewPrinter(language.English)

// complaints lists the leaves of a validation error in order of argument.
func complaints(err error) []complaint {
	failed, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []complaint{{Text: err.Error()}}
	}
	var list []complaint
	var walk func(v *jsonschema.ValidationError)
	walk = func(v *jsonschema.ValidationError) {
		for _, cause := range v.Causes {
			walk(cause)
		}
		if len(v.Causes) == 0 {
			list = append(list, leaf(v)...)
		}
	}
	walk(failed)
	slices.SortStableFunc(list, func(a, b complaint) int { return strings.Compare(a.Argument, b.Argument) })
	return list
}

func leaf(v *jsonschema.ValidationError) []complaint {
	at := strings.Join(v.InstanceLocation, ".")
	switch k := v.ErrorKind.(type) {
	case *kind.Required:
		var list []complaint
		for _, name := range k.Missing {
			list = append(list, complaint{strings.TrimPrefix(at+"."+name, "."), "is required"})
		}
		return list
	case *kind.Type:
		return []complaint{{at, "must be " + strings.Join(k.Want, " or ") + ", not " + k.Got}}
	case *kind.Enum:
		return []complaint{{at, "must be one of " + words(k.Want)}}
	case *kind.ExclusiveMinimum:
		return []complaint{{at, "must be greater than " + k.Want.RatString()}}
	case *kind.Minimum:
		return []complaint{{at, "must be at least " + k.Want.RatString()}}
	case *kind.Maximum:
		return []complaint{{at, "must be at most " + k.Want.RatString()}}
	case *kind.AdditionalProperties:
		return []complaint{{at, "has unknown members " + strings.Join(k.Properties, ", ")}}
	}
	return []complaint{{at, v.ErrorKind.LocalizedString(english)}}
}

func words(list []any) string {
	texts := make([]string, len(list))
	for i, v := range list {
		if s, ok := v.(string); ok {
			texts[i] = strconv.Quote(s)
		} else {
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, ", ")
}
