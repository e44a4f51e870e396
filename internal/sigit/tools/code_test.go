package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type matchOut struct {
	Path, Snippet string
	Line          int
}

// page is the structured form of a list.
type page[T any] struct {
	Items []T
	Total *int
	Next  string `json:"next_cursor"`
}

func structured[T any](w *world, got reply) page[T] {
	w.t.Helper()
	if got.IsError {
		w.t.Fatal(got.Content[0].Text)
	}
	var p page[T]
	if err := json.Unmarshal(got.Structured, &p); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestSearchCode(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/code", true)
	first := r.commit("main", "",
		file{path: "a:b.txt", data: "needle one\n"}, file{path: "x:12:y.txt", data: "x\nNeedle: two\n"}, file{path: "größe/naïve.md", data: "\n\nneedle drei\n"},
		file{path: "flags", data: "use --flag here\n-e\n"}, file{path: "regex", data: "a.b*c[0]\naxbbc0\n"}, file{path: "bin", data: "needle\x00\n"},
		file{path: "latin", data: "needle caf\xe9\n"}, file{path: "long", data: strings.Repeat("é", 1000) + " needle-long\n"}, file{path: "line\nbreak", data: "needle nl\n"})
	r.commit("topic", "main", file{path: "new", data: "needle of topic\n"})
	search := func(members ...any) []matchOut {
		t.Helper()
		return read[[]matchOut](w, "alice", "search_code", object(append([]any{"repo", r.name}, members...)...))
	}
	got := map[string]matchOut{}
	for _, m := range search("query", "NEEDLE ") {
		got[m.Path] = m
	}
	for path, want := range map[string]matchOut{
		"a:b.txt": {"a:b.txt", "needle one", 1}, "größe/naïve.md": {"größe/naïve.md", "needle drei", 3}, "latin": {"latin", "needle caf\uFFFD", 1}, "line\nbreak": {"line\nbreak", "needle nl", 1},
	} {
		if got[path] != want {
			t.Errorf("%q: %+v, want %+v", path, got[path], want)
		}
		if path == "latin" {
			continue
		}
		back := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", got[path].Path))
		if !strings.Contains(back.Content, got[path].Snippet) {
			t.Errorf("%q does not read back", path)
		}
	}
	if _, ok := got["bin"]; ok {
		t.Error("a binary file is searched")
	}
	for query, want := range map[string]int{
		"--flag": 1, "-e": 1, "a.b*c[0]": 1, "a.b": 1, "needle: two": 1, "nothing of the kind": 0, "needle of topic": 0, "caf": 1, `\n`: 0, "$(id)": 0, "'": 0,
	} {
		if found := search("query", query); len(found) != want {
			t.Errorf("%q finds %v, want %d", query, found, want)
		}
	}
	if found := search("query", "of topic", "ref", "topic"); len(found) != 1 {
		t.Errorf("on a branch: %v", found)
	}
	if found := search("query", "needle one", "ref", first[:12]); len(found) != 1 {
		t.Errorf("at a commit: %v", found)
	}
	if found := search("query", "needle-long"); len(found) != 1 || len(found[0].Snippet) > 410 {
		t.Errorf("a long line: %d bytes", len(found[0].Snippet))
	}
	w.refuses("alice", "search_code", object("repo", r.name, "query", "x", "ref", "none"), `"none"`, "main")
	w.refuses("alice", "search_code", object("repo", r.name, "query", " "), "query")
	w.refuses("alice", "search_code", object("repo", r.name, "query", "a\nb"), "one line")
	w.refuses("alice", "search_code", object("repo", r.name, "query", "a\x00b"), "NUL")
	w.refuses("alice", "search_code", object("repo", r.name, "query", strings.Repeat("x", 10_000)), "at most")
	w.says("mallory", "search_code", object("repo", r.name, "query", "needle"), "Repository not found or not accessible")
}

func TestSearchCodePages(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/many", false)
	var text strings.Builder
	for i := range 250 {
		fmt.Fprintf(&text, "hit %d\n", i+1)
	}
	r.commit("main", "", file{path: "f", data: text.String()})
	for limit, want := range map[any]int{nil: 20, 0: 1, -5: 1, 1: 1, 100: 100, 101: 100, 1e300: 100, "7": 7, "99999999999999999999": 100} {
		got := structured[matchOut](w, w.call("alice", "search_code", object("repo", r.name, "query", "hit", "limit", limit)))
		if len(got.Items) != want || got.Next == "" || got.Total != nil {
			t.Errorf("limit %v shows %d, next %q", limit, len(got.Items), got.Next)
		}
	}
	seen, cursor := 0, ""
	for {
		got := w.call("alice", "search_code", object("repo", r.name, "query", "hit", "limit", 100, "cursor", cursor))
		p := structured[matchOut](w, got)
		for _, m := range p.Items {
			if seen++; m.Line != seen {
				t.Fatalf("line %d comes as number %d", m.Line, seen)
			}
		}
		if cursor = p.Next; cursor == "" {
			if len(got.Content) != 1 || seen == 100 && *p.Total != 250 {
				t.Errorf("the last part: %+v", got.Content)
			}
			break
		}
		if len(got.Content) != 2 || !strings.Contains(got.Content[1].Text, cursor) {
			t.Errorf("the text does not say how to go on: %+v", got.Content[1:])
		}
		// What is pushed meanwhile does not shift the parts.
		r.commit("main", "main", file{path: "a", data: "hit new\n"})
	}
	if seen != 250 {
		t.Errorf("%d lines in all, want 250", seen)
	}
	for _, cursor := range []string{"x", "bm90IGpzb24", strings.Repeat("x", 100_000), "eyJjIjoiLS1oZWxwIiwibiI6MX0", "eyJjIjoiIiwibiI6LTF9", "eyJjIjoiIiwibiI6OTk5OTk5OTl9"} {
		w.refuses("alice", "search_code", object("repo", r.name, "query", "hit", "cursor", cursor))
	}
}

func TestSearchCodeInEmptyRepository(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/empty", false)
	got := w.call("alice", "search_code", object("repo", r.name, "query", "x"))
	if p := structured[matchOut](w, got); len(p.Items) != 0 || *p.Total != 0 || got.Content[0].Text != "[]" {
		t.Errorf("gives %+v", got)
	}
	w.refuses("alice", "search_code", object("repo", r.name, "query", ""), "query")
}
