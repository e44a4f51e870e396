package tools_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/sigit"
)

func TestUnauthorized(t *testing.T) {
	w := newWorld(t, nil)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, token := range []string{"", "nonsense", "sgt_0000000000000000000000000000000000000000000000000", w.tokens["alice"] + "x"} {
		got := w.post(token, call)
		if got.Code != 401 || got.Body.String() != `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}` || got.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%q gives %d %s", token, got.Code, got.Body)
		}
		if challenge := got.Header().Get("WWW-Authenticate"); challenge != `Bearer realm="sigit", error="invalid_token", resource_metadata="https://sigit.test/.well-known/oauth-protected-resource"` {
			t.Errorf("challenge %s", challenge)
		}
	}
	// Nothing is read, and nothing is learnt, without a token.
	if got := w.post("", "not JSON"); got.Code != 401 {
		t.Errorf("no token and no JSON gives %d", got.Code)
	}
	if got := w.post(w.tokens["alice"], "not JSON"); got.Code != 400 || !strings.Contains(got.Body.String(), "-32700") {
		t.Errorf("no JSON gives %d %s", got.Code, got.Body)
	}
}

// TestTokensReach: a tool does what the token may, and says what it lacks.
func TestTokensReach(t *testing.T) {
	w := newWorld(t, nil)
	open, secret := w.repo("alice/open", false), w.repo("alice/secret", true)
	for _, r := range []*repo{open, secret} {
		r.commit("main", "", file{path: "f", data: "x\n"})
	}
	scoped := func(scopes ...sigit.Scope) string {
		return w.token("alice", sigit.NewToken{Label: "narrow", Scopes: scopes})
	}
	readCode, readIssues := scoped(sigit.Read(sigit.AreaRepo)), scoped(sigit.Read(sigit.AreaIssue))
	one := w.token("alice", sigit.NewToken{Label: "one", Repos: []sigit.RepoName{open.parsed}})
	file := func(r *repo) string { return object("repo", r.name, "path", "f") }
	rows := []struct{ token, tool, arguments, words string }{
		{readCode, "get_file_contents", file(secret), ""},
		{readCode, "list_issues", object("repo", secret.name), "issue:read"},
		{readCode, "create_issue", object("repo", secret.name, "title", "x"), "issue:write"},
		{readIssues, "list_issues", object("repo", secret.name), ""},
		{readIssues, "get_file_contents", file(secret), "repo:read"},
		{readIssues, "get_file_contents", object("repo", "alice/none", "path", "f"), "repo:read"},
		{readIssues, "list_repositories", "{}", "repo:read"},
		{readIssues, "search_code", object("repo", open.name, "query", "x"), "repo:read"},
		{readIssues, "web_search", object("query", "x"), "BRAVE_SEARCH_API_KEY"},
		{one, "get_file_contents", file(open), ""},
		{one, "get_file_contents", file(secret), "Repository not found or not accessible"},
		{one, "create_issue", object("repo", open.name, "title", "x"), ""},
	}
	for _, row := range rows {
		got := w.bear(row.token, row.tool, row.arguments)
		if got.IsError != (row.words != "") || !strings.Contains(got.Content[0].Text, row.words) {
			t.Errorf("%s %s: %+v, want %q", row.tool, row.arguments, got.Content, row.words)
		}
	}
	if got := w.bear(one, "list_repositories", "{}"); strings.Contains(got.Content[0].Text, "secret") {
		t.Errorf("a token of one repository lists %s", got.Content[0].Text)
	}
}

// TestHiddenIsAbsent: what mallory may not see answers like what is not there.
func TestHiddenIsAbsent(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/secret", true)
	r.commit("main", "", file{path: "f", data: "x\n"})
	read[madeOut](w, "alice", "create_issue", object("repo", r.name, "title", "x"))
	for tool, arguments := range map[string][]any{
		"get_file_contents": {"path", "f"}, "search_code": {"query", "x"}, "list_issues": nil, "get_issue": {"number", 1}, "create_issue": {"title", "x"},
		"list_pull_requests": nil, "get_pull_request": {"number", 1}, "create_pull_request": {"title", "x", "head", "a", "base", "b"}, "add_issue_comment": {"number", 1, "body", "x"},
	} {
		hidden := w.call("mallory", tool, object(append([]any{"repo", "alice/secret"}, arguments...)...))
		absent := w.call("mallory", tool, object(append([]any{"repo", "alice/absent"}, arguments...)...))
		if !hidden.IsError || fmt.Sprint(hidden) != fmt.Sprint(absent) || hidden.Content[0].Text != "Repository not found or not accessible" {
			t.Errorf("%s: hidden %+v, absent %+v", tool, hidden, absent)
		}
	}
}

// TestActsAreSigned: what an agent does carries its token and its program.
func TestActsAreSigned(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	read[madeOut](w, "bob", "create_issue", object("repo", r.name, "title", "x"))
	issue := must[sigit.Issue](w)(w.forge.Issue(ctx, operator, r.parsed, 1))
	if issue.Author != "bob" || issue.Via != (sigit.Via{Token: "agent of bob", Client: "test-agent/1"}) {
		t.Errorf("signed by %s via %+v", issue.Author, issue.Via)
	}
}

// TestTwoAtOnce: two users call at once, each always answered as itself.
func TestTwoAtOnce(t *testing.T) {
	calls := 1000
	if testing.Short() {
		calls = 100
	}
	w := newWorld(t, nil)
	for _, who := range []string{"alice", "bob"} {
		r := w.repo(who+"/secret", true)
		r.commit("main", "", file{path: "who", data: who})
	}
	ask := []struct{ tool, arguments string }{
		{"list_repositories", "{}"}, {"get_file_contents", `{"repo":"%s/secret","path":"who"}`}, {"list_issues", `{"repo":"%s/secret"}`}, {"get_file_contents", `{"repo":"%[2]s/secret","path":"who"}`},
	}
	var all sync.WaitGroup
	for who, other := range map[string]string{"alice": "bob", "bob": "alice"} {
		for part := range 4 {
			all.Go(func() {
				for i := range calls / 4 {
					q := ask[(i+part)%len(ask)]
					arguments := strings.ReplaceAll(strings.ReplaceAll(q.arguments, "%[2]s", other), "%s", who)
					got := w.post(w.tokens[who], `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+q.tool+`","arguments":`+arguments+`}}`).Body.String()
					mine := strings.Contains(got, who) || strings.Contains(got, `\"items\"`) || strings.Contains(got, `"items":[]`)
					hidden := strings.Contains(got, "Repository not found")
					if foreign := strings.Contains(q.arguments, "%[2]s"); strings.Contains(got, other) || foreign != hidden || !foreign && !mine {
						t.Errorf("%s asks %s %s: %s", who, q.tool, arguments, got)
						return
					}
				}
			})
		}
	}
	all.Wait()
}
