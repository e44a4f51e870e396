package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"skillforge/internal/mcp"
)

// answers of three sizes: a word, a node, a whole graph.
var sizes = map[string]int{"tiny": 1, "13kB": 60, "200kB": 950}

func sized(n int) []byte {
	type row struct {
		Path, Kind, Provider, Hash, Description string
		Links                                   []int
	}
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{fmt.Sprintf(".claude/agents/agent-%d.md", i), "agent", "claude", "7155c01af34cd94919132ddf5e057865c5b3675db4ab0db653bc26d1b0ed7227", `Edits "pages" and checks <links>.`, []int{1, 2, 3}}
	}
	b, err := mcp.Encode(map[string]any{"items": rows})
	if err != nil {
		panic(err)
	}
	return b
}

// BenchmarkCall measures a call over HTTP, ours beside the SDK's own handler
// with the same pre-encoded answer.
func BenchmarkCall(b *testing.B) {
	for name, n := range sizes {
		answer := sized(n)
		ours, err := mcp.New(mcp.Options{Tools: []mcp.Tool{{Name: "get", Description: "d", InputSchema: schema(`"path":{"type":"string"}`), Handler: func(context.Context, *mcp.Call) (mcp.Result, error) {
			return mcp.Result{JSON: answer}, nil
		}}}})
		if err != nil {
			b.Fatal(err)
		}
		theirs := sdk.NewServer(&sdk.Implementation{Name: "x", Version: "0"}, nil)
		theirs.AddTool(&sdk.Tool{Name: "get", Description: "d", InputSchema: json.RawMessage(schema(`"path":{"type":"string"}`))}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{StructuredContent: json.RawMessage(answer), Content: []sdk.Content{&sdk.TextContent{Text: string(answer)}}}, nil
		})
		sdkHandler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return theirs }, nil)
		for _, clients := range []int{1, 16} {
			b.Run(fmt.Sprintf("ours/%s/clients=%d", name, clients), func(b *testing.B) { benchCall(b, ours, clients) })
			b.Run(fmt.Sprintf("sdk/%s/clients=%d", name, clients), func(b *testing.B) { benchCall(b, sdkHandler, clients) })
		}
		ours.Close()
	}
}

func benchCall(b *testing.B, h http.Handler, clients int) {
	web := httptest.NewServer(h)
	defer web.Close()
	web.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	session := benchPost(b, web, "", hello, nil)
	var id, bytesRead atomic.Int64
	b.SetParallelism(clients) // on one processor, as the figures are per core
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var buf bytes.Buffer
		for pb.Next() {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get","arguments":{"path":"AGENTS.md"}}}`, id.Add(1))
			buf.Reset()
			benchPost(b, web, session, body, &buf)
			bytesRead.Add(int64(buf.Len()))
		}
	})
	b.SetBytes(bytesRead.Load() / int64(b.N))
}

func benchPost(b *testing.B, web *httptest.Server, session, body string, into io.Writer) string {
	req, err := http.NewRequest("POST", web.URL, bytes.NewReader([]byte(body)))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	res, err := web.Client().Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if into == nil {
		into = io.Discard
	}
	if _, err := io.Copy(into, res.Body); err != nil || res.StatusCode != 200 {
		b.Fatalf("%d %v", res.StatusCode, err)
	}
	return res.Header.Get("Mcp-Session-Id")
}
