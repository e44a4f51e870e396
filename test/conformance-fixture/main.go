// Command conformance-fixture serves what the public MCP conformance suite
// expects to find: its fixture tools, resources and prompts, behind our own
// transport. It proves the transport, in both eras; it is never shipped.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"skillforge/internal/httpd"
	"skillforge/internal/mcp"
)

func main() {
	port := flag.Int("port", 0, "port on loopback; 0 picks a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *port); err != nil {
		log.Fatal(err)
	}
}

// serve answers at /mcp until ctx ends, and says where on standard output.
func serve(ctx context.Context, port int) error {
	s, err := mcp.New(options())
	if err != nil {
		return err
	}
	l, err := httpd.Listen("127.0.0.1", port)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s)
	all := func(string) bool { return true }
	web := &http.Server{Handler: httpd.Gate{Origins: all, Errors: &httpd.Errors{}}.Wrap(mux)}
	fmt.Println(httpd.URL(l) + "/mcp")
	go func() {
		s.Run(ctx)
		_ = web.Close()
	}()
	if err := web.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func options() mcp.Options {
	return mcp.Options{
		Info:         mcp.Info{Name: "conformance-fixture", Version: "0.0.0"},
		Tools:        tools(),
		Resources:    resources(),
		Templates:    templates(),
		Methods:      methods(),
		Stateless:    rounds,
		Capabilities: []byte(`{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}`),
	}
}
