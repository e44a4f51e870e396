package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"skillforge/internal/sigit"
)

type madeOut struct {
	Number     int
	State, URL string
}

type rowOut struct {
	Number                                int
	Title, State, Author, URL, Head, Base string
}

type threadOut struct {
	Number                                      int
	Title, State, Author, Body, URL, Head, Base string
	Comments                                    []struct {
		Author, Body string
		CreatedAt    string `json:"created_at"`
	}
	CommentsTruncated bool   `json:"comments_truncated"`
	CommentsNote      string `json:"comments_note"`
	Next              string `json:"next_cursor"`
	Diff              *string
	DiffTruncated     bool   `json:"diff_truncated"`
	DiffNote          string `json:"diff_note"`
	DiffFiles         []struct {
		Path, Status   string
		Added, Deleted int
	} `json:"diff_files"`
}

func TestListRepositories(t *testing.T) {
	w := newWorld(t, nil)
	w.repo("alice/Tools", false)
	w.repo("alice/secret", true)
	w.repo("bob/tools-too", false)
	w.repo("bob/hidden", true)
	list := func(user, arguments string) string {
		t.Helper()
		var names []string
		for _, r := range read[[]struct {
			FullName string `json:"full_name"`
		}](w, user, "list_repositories", arguments) {
			names = append(names, r.FullName)
		}
		return strings.Join(names, " ")
	}
	for _, row := range []struct{ user, arguments, want string }{
		{"alice", "", "bob/tools-too alice/secret alice/Tools"}, {"alice", "{}", "bob/tools-too alice/secret alice/Tools"}, {"alice", `{"query":null,"limit":null}`, "bob/tools-too alice/secret alice/Tools"},
		{"bob", "", "bob/hidden bob/tools-too alice/Tools"}, {"mallory", "", "bob/tools-too alice/Tools"}, {"mallory", `{"query":"hidden"}`, ""},
		{"alice", `{"query":"TOOLS"}`, "bob/tools-too alice/Tools"}, {"alice", `{"query":"ALICE"}`, "alice/secret alice/Tools"}, {"alice", `{"query":"%"}`, ""}, {"alice", `{"query":"_"}`, ""},
		{"alice", `{"limit":1}`, "bob/tools-too"}, {"alice", `{"limit":0}`, "bob/tools-too"}, {"alice", `{"limit":"2"}`, "bob/tools-too alice/secret"}, {"alice", `{"limit":1e99}`, "bob/tools-too alice/secret alice/Tools"},
	} {
		if got := list(row.user, row.arguments); got != row.want {
			t.Errorf("%s %s lists %q, want %q", row.user, row.arguments, got, row.want)
		}
	}
	got := w.call("alice", "list_repositories", `{"query":"secret"}`).Content[0].Text
	if want := `[{"full_name":"alice/secret","description":"","default_branch":"main","private":true,"url":"https://sigit.test/alice/secret"}]`; got != want {
		t.Errorf("gives %s\nwant %s", got, want)
	}
	p := structured[any](w, w.call("alice", "list_repositories", `{"limit":2}`))
	if *p.Total != 3 || p.Next == "" {
		t.Fatalf("%+v", p)
	}
	if got := list("alice", object("limit", 2, "cursor", p.Next)); got != "alice/Tools" {
		t.Errorf("the second part is %q", got)
	}
	w.refuses("alice", "list_repositories", `{"cursor":"nonsense"}`, "cursor")
	w.refuses("alice", "list_repositories", `{"query":"a\u0000"}`, "NUL")
}

func TestIssues(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "x\n"})
	r.commit("topic", "main", file{path: "f", data: "y\n"})
	made := read[madeOut](w, "bob", "create_issue", object("repo", r.name, "title", "It breaks", "body", "On *Mondays*."))
	if made != (madeOut{1, "open", "https://sigit.test/alice/app/issues/1"}) {
		t.Errorf("made %+v", made)
	}
	pull := read[madeOut](w, "alice", "create_pull_request", object("repo", r.name, "title", "Mend it", "head", "topic", "base", "main"))
	if pull != (madeOut{2, "open", "https://sigit.test/alice/app/pulls/2"}) {
		t.Errorf("made %+v", pull)
	}
	read[madeOut](w, "alice", "create_issue", object("repo", r.name, "title", "Another", "body", nil))
	said := read[struct {
		ID  int64
		URL string
	}](w, "bob", "add_issue_comment", object("repo", r.name, "number", "1", "body", "Still."))
	if said.URL != fmt.Sprintf("https://sigit.test/alice/app/issues/1#comment-%d", said.ID) {
		t.Errorf("said %+v", said)
	}
	read[any](w, "alice", "add_issue_comment", object("repo", r.name, "number", 1.0, "body", "Fixed in #2."))

	got := read[threadOut](w, "mallory", "get_issue", object("repo", r.name, "number", 1))
	if got.Title != "It breaks" || got.Author != "bob" || got.Body != "On *Mondays*." || got.State != "open" || len(got.Comments) != 2 ||
		got.Comments[0].Author != "bob" || got.Comments[1].Body != "Fixed in #2." || got.Comments[0].CreatedAt != "2026-03-01T12:00:00Z" || got.CommentsTruncated {
		t.Errorf("reads %+v", got)
	}
	text := w.call("mallory", "get_issue", object("repo", r.name, "number", 3)).Content[0].Text
	if want := `{"number":3,"title":"Another","state":"open","author":"alice","body":"","url":"https://sigit.test/alice/app/issues/3","comments":[]}`; text != want {
		t.Errorf("reads %s\nwant  %s", text, want)
	}
	if _, err := w.forge.CloseIssue(ctx, w.actor("alice"), r.parsed, 3); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string][]int{
		"": {1}, `"state":"open"`: {1}, `"state":"closed"`: {3}, `"state":"all"`: {3, 1}, `"state":"ALL"`: {3, 1}, `"state":""`: {1}, `"state":null`: {1},
		`"query":"MONDAYS"`: {1}, `"query":"breaks"`: {1}, `"state":"all","query":"another"`: {3}, `"query":"another"`: nil, `"query":"%"`: nil,
	} {
		arguments = strings.TrimSuffix(`{"repo":"alice/app",`+arguments, ",") + "}"
		var numbers []int
		for _, row := range read[[]rowOut](w, "mallory", "list_issues", arguments) {
			numbers = append(numbers, row.Number)
		}
		if !slices.Equal(numbers, want) {
			t.Errorf("%s lists %v, want %v", arguments, numbers, want)
		}
	}
	if got, want := w.call("bob", "list_issues", `{"repo":"alice/app"}`).Content[0].Text, `[{"number":1,"title":"It breaks","state":"open","author":"bob","url":"https://sigit.test/alice/app/issues/1"}]`; got != want {
		t.Errorf("lists %s\nwant  %s", got, want)
	}
	w.refuses("bob", "list_issues", `{"repo":"alice/app","state":"merged"}`, `"state" must be open, closed or all, not "merged"`)
	w.refuses("bob", "get_issue", object("repo", r.name, "number", 2), "no issue #2", "get_pull_request")
	w.refuses("bob", "get_issue", object("repo", r.name, "number", 99), "no issue #99")
	w.refuses("bob", "get_pull_request", object("repo", r.name, "number", 1), "no pull request #1", "get_issue")
	w.refuses("bob", "add_issue_comment", object("repo", r.name, "number", 99, "body", "x"), "#99", "list_issues")
	for _, blank := range []string{"", " ", "\n\t"} {
		w.refuses("bob", "add_issue_comment", object("repo", r.name, "number", 1, "body", blank), "a comment needs a body")
		w.refuses("bob", "create_issue", object("repo", r.name, "title", blank), "an issue needs a title")
	}
	w.refuses("bob", "create_issue", object("repo", r.name, "title", strings.Repeat("x", 600)), "title")
	w.refuses("bob", "create_issue", object("repo", r.name, "title", "a\nb"), "one line")
	w.refuses("bob", "create_issue", object("repo", r.name, "title", "x", "body", "a\x00b"), "NUL")
	w.refuses("bob", "create_issue", object("repo", r.name, "title", "x", "body", strings.Repeat("x", 4<<20)), "body")
}

func TestIssuePages(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	for i := range 120 {
		if _, err := w.forge.OpenIssue(ctx, w.actor("bob"), sigit.NewIssue{Repo: r.parsed, Title: fmt.Sprint("issue ", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	want, cursor, parts := 120, "", 0
	for {
		got := w.call("bob", "list_issues", object("repo", r.name, "cursor", cursor))
		p := structured[rowOut](w, got)
		if *p.Total != 120 || len(p.Items) > 50 {
			t.Fatalf("total %d, %d items", *p.Total, len(p.Items))
		}
		for _, row := range p.Items {
			if row.Number != want {
				t.Fatalf("#%d comes, want #%d", row.Number, want)
			}
			want--
		}
		parts++
		if cursor = p.Next; cursor == "" {
			break
		}
		if len(got.Content) != 2 || !strings.Contains(got.Content[1].Text, `50 of 120 are shown. For the next, call list_issues again with cursor "`+cursor+`".`) {
			t.Errorf("the text says %+v", got.Content[1:])
		}
	}
	if want != 0 || parts != 3 {
		t.Errorf("%d parts, %d left", parts, want)
	}
	w.refuses("bob", "list_issues", object("repo", r.name, "cursor", "bm9uc2Vuc2U"), "cursor")
}

func TestLongTalk(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	read[madeOut](w, "bob", "create_issue", object("repo", r.name, "title", "x"))
	for i := range 30 {
		_, err := w.forge.AddComment(ctx, w.actor("bob"), sigit.NewComment{Repo: r.parsed, Number: 1, Body: fmt.Sprint(i+1, " ", strings.Repeat("x", 30_000))})
		if err != nil {
			t.Fatal(err)
		}
	}
	first := read[threadOut](w, "bob", "get_issue", object("repo", r.name, "number", 1))
	if !first.CommentsTruncated || first.Next == "" || !strings.Contains(first.CommentsNote, "20 of 30 comments") {
		t.Fatalf("truncated %v, note %q", first.CommentsTruncated, first.CommentsNote)
	}
	second := read[threadOut](w, "bob", "get_issue", object("repo", r.name, "number", 1, "cursor", first.Next))
	if second.CommentsTruncated || len(first.Comments)+len(second.Comments) != 30 || !strings.HasPrefix(second.Comments[0].Body, "21 ") {
		t.Errorf("%d then %d comments", len(first.Comments), len(second.Comments))
	}
}

// TestHiddenCharacters: what people cannot see does not reach agents, by
// whatever way it came in, and what they can see stays.
func TestHiddenCharacters(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "a\u200bb\n"})
	r.commit("topic", "main", file{path: "f", data: "c\u202ed\n"})
	hidden := "A\U000E0041\u200b\u202e\u2062&#8203;&#xE0041;\u2066B \U0001F469\u200D\U0001F4BB"
	seen := "AB \U0001F469\u200D\U0001F4BB"
	by := w.actor("bob")
	if _, err := w.forge.OpenIssue(ctx, by, sigit.NewIssue{Repo: r.parsed, Title: hidden, Body: hidden}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.forge.OpenPull(ctx, w.actor("alice"), sigit.NewPull{Repo: r.parsed, Title: hidden, Body: hidden, Head: "topic", Base: "main"}); err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 2; number++ {
		if _, err := w.forge.AddComment(ctx, by, sigit.NewComment{Repo: r.parsed, Number: number, Body: hidden}); err != nil {
			t.Fatal(err)
		}
	}
	description := hidden
	if _, err := w.forge.ChangeRepo(ctx, w.actor("alice"), r.parsed, sigit.RepoChange{Description: &description}); err != nil {
		t.Fatal(err)
	}
	for tool, number := range map[string]int{"get_issue": 1, "get_pull_request": 2} {
		got := read[threadOut](w, "bob", tool, object("repo", r.name, "number", number))
		if got.Title != seen || got.Body != seen || got.Comments[0].Body != seen {
			t.Errorf("%s shows %q %q %q", tool, got.Title, got.Body, got.Comments[0].Body)
		}
		if tool == "get_pull_request" && (!strings.Contains(*got.Diff, "-a\u200bb") || !strings.Contains(*got.Diff, "+c\u202ed")) {
			t.Errorf("the diff was changed: %q", *got.Diff)
		}
	}
	for _, tool := range []string{"list_issues", "list_pull_requests"} {
		if got := read[[]rowOut](w, "bob", tool, object("repo", r.name)); got[0].Title != seen {
			t.Errorf("%s shows %q", tool, got[0].Title)
		}
	}
	if got := read[[]struct{ Description string }](w, "bob", "list_repositories", ""); got[0].Description != seen {
		t.Errorf("list_repositories shows %q", got[0].Description)
	}
	if got := read[fileOut](w, "bob", "get_file_contents", object("repo", r.name, "path", "f")); got.Content != "a\u200bb\n" {
		t.Errorf("a file was changed: %q", got.Content)
	}
}

func TestSharedNumbers(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "x\n"})
	r.commit("topic", "main", file{path: "f", data: "y\n"})
	numbers := make([]int, 50)
	var all sync.WaitGroup
	for i := range numbers {
		all.Go(func() {
			tool, arguments := "create_issue", object("repo", r.name, "title", "x")
			if i%2 == 0 {
				tool, arguments = "create_pull_request", object("repo", r.name, "title", "x", "head", "topic", "base", "main")
			}
			numbers[i] = read[madeOut](w, "alice", tool, arguments).Number
		})
	}
	all.Wait()
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != i+1 {
			t.Fatalf("numbers %v, want 1 to 50", numbers)
		}
	}
}
