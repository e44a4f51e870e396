package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	read[madeOut](w, "bob", "create_issue", object("repo", r.name, "title", "x"))
	for _, number := range []string{`1`, `1.0`, `"1"`, `1e0`, `10e-1`} {
		got := w.call("bob", "get_issue", `{"repo":"alice/app","number":`+number+`}`)
		if got.IsError {
			t.Errorf("number %s: %s", number, got.Content[0].Text)
		}
	}
	for number, words := range map[string]string{
		`""`: "must be a whole number", `"1e0"`: "must be a whole number", `1.5`: "must be a whole number", `"1.0"`: "must be a whole number", `" 1"`: "must be a whole number",
		`"#1"`: "must be a whole number", `true`: "must be a whole number", `[1]`: "must be a whole number", `{}`: "must be a whole number", `"one"`: "must be a whole number",
		`9007199254740993`: "is too large", `1e300`: "is too large", `1e999`: "is too large", `"99999999999999999999"`: "is too large",
		`0`: "must be 1 or more", `-1`: "must be 1 or more", `"-5"`: "must be 1 or more", `null`: `"number" is missing`, `9007199254740991`: "no issue #9007199254740991",
	} {
		w.refuses("bob", "get_issue", `{"repo":"alice/app","number":`+number+`}`, words)
	}
	for arguments, words := range map[string]string{
		`{"repo":"alice/app","labels":["a"]}`:      `"labels" is no argument; list_issues takes repo, [state], [query], [cursor]`,
		`{"repo":"alice/app","querry":"x"}`:        `did you mean "query"?`,
		`{"repo":"alice/app","Repo":"x"}`:          `"Repo" is no argument`,
		`{"repo":["alice/app"]}`:                   `"repo" must be a text`,
		`{"repo":true,"state":1}`:                  `"repo" must be a text, "state" must be open, closed or all, not "1"`,
		`{}`:                                       `"repo" is missing`,
		`[]`:                                       "must be a JSON object",
		`{"repo":""}`:                              "Repository not found or not accessible",
		`{"repo":"a\u0000/b"}`:                     "Repository not found or not accessible",
		`{"repo":"alice"}`:                         "owner/name",
		`{"repo":"../alice/app"}`:                  "Repository not found or not accessible",
		`{"repo":"--help/x"}`:                      "Repository not found or not accessible",
		`{"repo":"alice/app\n"}`:                   "",
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`:    "there are more unknown arguments",
		`{"x\u202e\u0000":1,"repo":"alice/app"}`:   `"x" is no argument`,
		`{"repo":"alice/app","state":"\u0000"}`:    "must be open, closed or all",
		`{"repo":"alice/app","cursor":{"a":"b"}}`:  `"cursor" must be a text`,
		`{"repo":"alice/app","cursor":"' OR 1=1"}`: "cursor",
	} {
		if words == "" {
			if got := w.call("bob", "list_issues", arguments); got.IsError {
				t.Errorf("%s: %s", arguments, got.Content[0].Text)
			}
			continue
		}
		w.refuses("bob", "list_issues", arguments, words)
	}
	// A text that is written as a number stays as it is written.
	got := read[madeOut](w, "bob", "create_issue", `{"repo":"alice/app","title":404.0}`)
	if issue := read[threadOut](w, "bob", "get_issue", object("repo", r.name, "number", got.Number)); issue.Title != "404.0" {
		t.Errorf("the title is %q", issue.Title)
	}
}

// TestHostileArguments sends what nobody means to every text argument of
// every tool: the answer is in band, short, and says nothing of the inside.
func TestHostileArguments(t *testing.T) {
	w := newWorld(t, map[string]string{"SEARCH_PROVIDER": "fake"})
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "x\n"})
	r.commit("topic", "main", file{path: "f", data: "y\n"})
	read[madeOut](w, "alice", "create_issue", object("repo", r.name, "title", "x"))
	read[madeOut](w, "alice", "create_pull_request", object("repo", r.name, "title", "x", "head", "topic", "base", "main"))
	good := map[string]any{
		"repo": r.name, "path": "f", "ref": "main", "query": "x", "title": "x", "body": "x", "head": "topic", "base": "main", "state": "open", "cursor": nil,
		"number": 1, "limit": 1, "count": 1, "start_line": 1, "end_line": 1,
	}
	hostile := []string{
		"a\x00b", "-", "--output=/tmp/pwned", "../../../etc/passwd", "a/../b", "/etc/passwd", "a\nb", "\r\n", "$(id); `id` | id", "' OR '1'='1", "%2e%2e%2f",
		"HEAD:f", "@{u}", "refs/heads/--x", "\u202e\u200b\U000E0041", "\uFFFD\ue000", strings.Repeat("a/", 50_000), strings.Repeat("x", 4<<20), "{}", "\\\"*[~^",
	}
	list, _ := specs(t)
	for _, one := range list {
		names := inOrder(one.InputSchema)
		for _, name := range names {
			for _, value := range hostile {
				if len(value) > 1<<20 && (name != "repo" || one.Name != "create_issue" && one.Name != "get_file_contents") {
					continue // large bodies are the same work for every argument
				}
				arguments := map[string]any{}
				for _, n := range names {
					arguments[n] = good[n]
				}
				if one.Name == "get_pull_request" && name != "number" {
					arguments["number"] = 2
					if name != "path" {
						delete(arguments, "path")
					}
				}
				arguments[name] = value
				b, err := json.Marshal(arguments)
				if err != nil {
					t.Fatal(err)
				}
				w.log.Reset()
				got := w.call("alice", one.Name, string(b))
				if len(got.Content[0].Text) > 200_000 || got.IsError && len(got.Content[0].Text) > 3000 {
					t.Errorf("%s with %s %.40q answers with %d bytes", one.Name, name, value, len(got.Content[0].Text))
				}
				for _, inside := range []string{"fatal:", "exit status", "goroutine", "SQL", w.dir} {
					if strings.Contains(got.Content[0].Text, inside) {
						t.Errorf("%s with %s %.40q says %.300s", one.Name, name, value, got.Content[0].Text)
					}
				}
				if strings.Contains(w.log.String(), "level=ERROR") {
					t.Errorf("%s with %s %.40q logs %.500s", one.Name, name, value, w.log)
				}
			}
		}
	}
}

// FuzzArguments sends any JSON to every tool. Nothing fails inside, and what
// is refused is refused in band.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"repo":"alice/app","number":"1"}`, `{"repo":"alice/app","path":"f","ref":"main","start_line":1e0}`, `{"repo":"alice/app","query":"x","cursor":"eyJjIjoiIiwibiI6MX0"}`, `{"query":"x","count":-0}`, `[]`, `"\ud800"`, `{"repo":1e-9999}`} {
		f.Add(seed)
	}
	w := newWorld(f, map[string]string{"SEARCH_PROVIDER": "fake"})
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "x\n"})
	read[madeOut](w, "alice", "create_issue", object("repo", r.name, "title", "x"))
	names := []string{"list_repositories", "get_file_contents", "search_code", "list_issues", "get_issue", "list_pull_requests", "get_pull_request", "create_pull_request", "web_search"}
	f.Fuzz(func(t *testing.T, arguments string) {
		if !json.Valid([]byte(arguments)) {
			return
		}
		for _, name := range names {
			got := w.post(w.tokens["mallory"], fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments))
			var answer struct {
				Result *reply
				Error  json.RawMessage
			}
			if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || got.Code == 200 && (answer.Result == nil || len(answer.Result.Content) == 0) {
				t.Fatalf("%s gives %d %s", name, got.Code, got.Body)
			}
		}
	})
}
