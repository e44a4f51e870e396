package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"skillforge/internal/sigit"
)

// BenchmarkTools calls through the whole door, without the network.
func BenchmarkTools(b *testing.B) {
	w := newWorld(b, nil)
	r := w.repo("alice/app", false)
	var files []file
	for i := range 200 {
		files = append(files, file{path: fmt.Sprintf("pkg%d/file.go", i), data: strings.Repeat("package main // a line of code\n", 100)})
	}
	r.commit("main", "", files...)
	for i := range 500 {
		if _, err := w.forge.OpenIssue(ctx, w.actor("bob"), sigit.NewIssue{Repo: r.parsed, Title: fmt.Sprint("issue ", i)}); err != nil {
			b.Fatal(err)
		}
	}
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
	}
	for name, body := range map[string]string{
		"ping":              `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"tools_list":        `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"get_file_contents": call("get_file_contents", object("repo", r.name, "path", "pkg77/file.go")),
		"list_repositories": call("list_repositories", `{}`),
		"list_issues":       call("list_issues", object("repo", r.name)),
		"get_issue":         call("get_issue", object("repo", r.name, "number", 7)),
		"search_code":       call("search_code", object("repo", r.name, "query", "a line of code")),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := w.post(w.tokens["alice"], body); got.Code != 200 || strings.Contains(got.Body.String(), `"isError":true`) {
					b.Fatalf("%d %.300s", got.Code, got.Body)
				}
			}
		})
	}
}
