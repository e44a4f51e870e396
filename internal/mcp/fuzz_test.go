package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzParse: whatever a client sends, a valid message has an id that can be
// echoed, and its answer is one line of JSON.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":"a","method":"x","params":{}}]`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/x"}`, `[]`, `{`, `null`, `[[]]`, `{"jsonrpc":"2.0","id":1.5e3,"method":"m","params":[1]}`, "\xff", `{"jsonrpc":"2.0","id":"\u2028\ud800","method":"m"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		messages, batch, err := parse(body)
		if err != nil {
			return
		}
		if !batch && len(messages) != 1 {
			t.Fatalf("%q is %d messages", body, len(messages))
		}
		for i := range messages {
			m := &messages[i]
			if !m.valid() || !m.isRequest() {
				continue
			}
			for _, out := range []frame{errorFrame(m.ID, &Error{Code: 1, Message: m.Method}), resultFrame(m.ID, []byte("{}"))} {
				text := bytes.Join(out, nil)
				if !json.Valid(text) || bytes.ContainsAny(text, "\r\n") {
					t.Fatalf("the answer to %q is %q", body, text)
				}
			}
		}
	})
}

// FuzzQuoted: JSON text inside a JSON string comes back as it was. JSON is
// UTF-8; whoever encodes an answer sees to that.
func FuzzQuoted(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":"\"\\\n"}`, `["<>&"]`, `""`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact bytes.Buffer
		if !utf8.Valid(text) || json.Compact(&compact, text) != nil {
			return
		}
		want := compact.Bytes()
		var got string
		if err := json.Unmarshal(appendQuoted(nil, want), &got); err != nil || got != string(want) {
			t.Fatalf("%q comes back as %q (%v)", want, got, err)
		}
	})
}

// FuzzMatch: what a template matched is what stood in the address.
func FuzzMatch(f *testing.F) {
	f.Add("skillmap://node/docs/a.md")
	f.Add("skillmap://node/")
	f.Add("skillmap://node/a%2Fb")
	p, err := newPattern(Template{URITemplate: "skillmap://node/{+path}", Read: func(context.Context, string) (Content, error) { return Content{}, nil }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if value, ok := p.match(uri); ok && (value == "" || "skillmap://node/"+value != uri) {
			t.Fatalf("%q matches with %q", uri, value)
		}
	})
}
