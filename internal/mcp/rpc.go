package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Codes of JSON-RPC and of the transport.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	codeTransport      = -32000 // the HTTP request itself is wrong
	codeNoSession      = -32001
)

// Error is an error that the client reads as it is. Handlers may return one;
// a fault becomes one.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// message is one JSON-RPC message as it came in. ID is kept as written, for it
// is echoed and compared, never computed with.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

func (m *message) isRequest() bool      { return m.Method != "" && m.ID != nil }
func (m *message) isNotification() bool { return m.Method != "" && m.ID == nil }
func (m *message) isResponse() bool     { return m.Method == "" }

// valid reports whether m is a message of JSON-RPC 2.0 as MCP narrows it: an
// id is a string or a number, params are an object or an array.
func (m *message) valid() bool {
	if m.Version != "2.0" || m.ID != nil && !isID(m.ID) {
		return false
	}
	if m.Method != "" {
		return m.Result == nil && m.Error == nil && (m.Params == nil || m.Params[0] == '{' || m.Params[0] == '[')
	}
	return m.ID != nil && (m.Result == nil) != (m.Error == nil)
}

func isID(raw json.RawMessage) bool {
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// errNotJSON says that a body is not JSON at all.
var errNotJSON = errors.New("not JSON")

// parse reads one message or a batch. An element that is JSON but no message
// comes back as a message that is not valid; the error is errNotJSON when
// body is not JSON.
func parse(body []byte) (messages []message, batch bool, err error) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '[' {
		m, err := parseOne(body)
		return []message{m}, false, err
	}
	var elements []json.RawMessage
	if json.Unmarshal(body, &elements) != nil {
		return nil, true, errNotJSON
	}
	messages = make([]message, len(elements))
	for i, element := range elements {
		messages[i], _ = parseOne(element)
	}
	return messages, true, nil
}

// parseOne reads one message. JSON of another shape is the zero message, which
// is not valid.
func parseOne(raw []byte) (message, error) {
	var m message
	err := json.Unmarshal(raw, &m)
	if err == nil {
		return m, nil
	}
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return message{}, nil
	}
	return message{}, errNotJSON
}

// A frame is one outgoing message in pieces, so that a large result is not
// copied to be wrapped. Joined, the pieces are compact JSON without a line
// break.
type frame [][]byte

func resultFrame(id json.RawMessage, result []byte) frame {
	head := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...)
	return frame{head, result, closeBrace}
}

var closeBrace = []byte("}")

// errorFrame is the answer to a request that failed; a nil id is written null.
func errorFrame(id json.RawMessage, e *Error) frame {
	if id == nil {
		id = json.RawMessage("null")
	}
	body, err := json.Marshal(e)
	if err != nil { // data of a type that JSON does not know
		body, _ = json.Marshal(Error{Code: e.Code, Message: e.Message})
	}
	head := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":`...)
	return frame{head, body, closeBrace}
}

// requestFrame is a call of ours to the client, or a notification when id is nil.
func requestFrame(id json.RawMessage, method string, params any) (frame, error) {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(b, `,"method":`...)
	b = appendString(b, method)
	if params != nil {
		encoded, err := Encode(params)
		if err != nil {
			return nil, fmt.Errorf("encode params of %s: %w", method, err)
		}
		b = append(append(b, `,"params":`...), encoded...)
	}
	return frame{append(b, '}')}, nil
}

// Encode returns v as compact JSON. Unlike json.Marshal it leaves <, > and &
// as they are: agents read this, and every escape costs them tokens.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	q, err := Encode(s)
	if err != nil { // cannot happen: a string always encodes
		q = []byte(`""`)
	}
	return append(b, q...)
}

// appendQuoted appends JSON text as a JSON string. Valid compact JSON holds no
// raw control characters, so only quotes and backslashes need a backslash.
func appendQuoted(b, text []byte) []byte {
	b = append(b, '"')
	from := 0
	for i, c := range text {
		if c == '"' || c == '\\' { // every eighth byte or so, so searching ahead costs more than looking
			b = append(b, text[from:i]...)
			b = append(b, '\\', c)
			from = i + 1
		}
	}
	b = append(b, text[from:]...)
	return append(b, '"')
}
