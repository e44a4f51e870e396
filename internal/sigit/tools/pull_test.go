package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"skillforge/internal/sigit"
)

// pulled is a repository with a pull request of topic into main.
func pulled(w *world, files ...file) *repo {
	r := w.repo("alice/app", false)
	r.commit("main", "", file{path: "f", data: "one\ntwo\n"}, file{path: "gone", data: "old\n"}, file{path: "old-name", data: strings.Repeat("same\n", 20)}, file{path: "run", data: "x\n"})
	if files == nil {
		files = []file{{path: "f", data: "one\nzwei\n"}}
	}
	r.commit("topic", "main", files...)
	read[madeOut](w, "alice", "create_pull_request", object("repo", r.name, "title", "Change", "body", "Why.", "head", "topic", "base", "main"))
	return r
}

func TestPullRequest(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	// main goes on: what it adds is not part of the pull request.
	r.commit("main", "main", file{path: "later", data: "later\n"})
	read[any](w, "bob", "add_issue_comment", object("repo", r.name, "number", 1, "body", "Looks good."))
	got := read[threadOut](w, "mallory", "get_pull_request", object("repo", r.name, "number", 1))
	if got.Title != "Change" || got.State != "open" || got.Author != "alice" || got.Head != "topic" || got.Base != "main" || got.Body != "Why." ||
		got.URL != "https://sigit.test/alice/app/pulls/1" || len(got.Comments) != 1 || got.DiffTruncated || got.DiffNote != "" {
		t.Errorf("reads %+v", got)
	}
	if !strings.Contains(*got.Diff, "-two\n+zwei\n") || strings.Contains(*got.Diff, "later") {
		t.Errorf("diff %s", *got.Diff)
	}
	keys := w.call("mallory", "get_pull_request", object("repo", r.name, "number", 1)).Content[0].Text
	if !strings.HasPrefix(keys, `{"number":1,"title":"Change","state":"open","author":"alice","head":"topic","base":"main","body":"Why.","url":"https://sigit.test/alice/app/pulls/1","comments":[{"author":"bob","body":"Looks good.","created_at":"2026-`) || !strings.HasSuffix(keys, `"}`) {
		t.Errorf("reads %s", keys)
	}
	row := w.call("bob", "list_pull_requests", object("repo", r.name)).Content[0].Text
	if row != `[{"number":1,"title":"Change","state":"open","head":"topic","base":"main","url":"https://sigit.test/alice/app/pulls/1"}]` {
		t.Errorf("lists %s", row)
	}
	// A force push is followed.
	r.commit("topic", "main", file{path: "f", data: "one\ndrei\n"})
	if got := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1)); !strings.Contains(*got.Diff, "+drei") || strings.Contains(*got.Diff, "zwei") || strings.Contains(*got.Diff, "later") {
		t.Errorf("after a push: %s", *got.Diff)
	}
}

func TestPullRequestRefusals(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	pull := func(head, base any) string {
		return object("repo", r.name, "title", "x", "head", head, "base", base)
	}
	w.refuses("bob", "create_pull_request", pull("topic", "main"), "not authorized")
	w.refuses("alice", "create_pull_request", pull("none", "main"), `the head branch "none" was not found`, "list_repositories")
	w.refuses("alice", "create_pull_request", pull("topic", "none"), `the base branch "none" was not found`)
	w.refuses("alice", "create_pull_request", pull("main", "main"), "head and base must be different")
	w.refuses("alice", "create_pull_request", pull("", "main"), "needs a head and a base branch")
	w.refuses("alice", "create_pull_request", pull("--upload-pack=x", "main"), "no branch name")
	w.refuses("alice", "create_pull_request", pull("a..b", "main"), "no branch name")
	w.refuses("alice", "create_pull_request", pull("a\nb", "main"), "no branch name")
	w.refuses("alice", "create_pull_request", object("repo", r.name, "title", " ", "head", "topic", "base", "main"), "a pull request needs a title")
	w.refuses("alice", "create_pull_request", object("repo", r.name, "title", "x"), `"head" is missing`, `"base" is missing`)
	if got := read[madeOut](w, "alice", "create_pull_request", pull("refs/heads/topic", "refs/heads/main")); got.Number != 2 {
		t.Errorf("full names give %+v", got)
	}
	if err := w.forge.SetCollaborator(ctx, w.actor("alice"), r.parsed, "bob", sigit.RoleWrite); err != nil {
		t.Fatal(err)
	}
	if got := read[madeOut](w, "bob", "create_pull_request", pull("topic", "main")); got.Number != 3 {
		t.Errorf("a collaborator makes %+v", got)
	}
	empty := w.repo("alice/empty", false)
	w.refuses("alice", "create_pull_request", object("repo", empty.name, "title", "x", "head", "a", "base", "b"), `the head branch "a" was not found`)
}

func TestPullRequestStates(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	by := w.actor("alice")
	for i, branch := range []string{"b2", "b3"} {
		r.commit(branch, "main", file{path: branch, data: "x\n"})
		read[madeOut](w, "alice", "create_pull_request", object("repo", r.name, "title", branch, "head", branch, "base", "main"))
		_ = i
	}
	must[sigit.Pull](w)(w.forge.MergePull(ctx, by, sigit.MergePull{Repo: r.parsed, Number: 2}))
	must[sigit.Pull](w)(w.forge.ClosePull(ctx, by, r.parsed, 3))
	for state, want := range map[any][]int{nil: {1}, "open": {1}, "merged": {2}, "closed": {3}, "all": {3, 2, 1}} {
		var numbers []int
		for _, row := range read[[]rowOut](w, "bob", "list_pull_requests", object("repo", r.name, "state", state)) {
			numbers = append(numbers, row.Number)
		}
		if !slices.Equal(numbers, want) {
			t.Errorf("%v lists %v, want %v", state, numbers, want)
		}
	}
	// The diff outlives the merge, the closing and the branches.
	for _, branch := range []string{"topic", "b2", "b3"} {
		r.git(nil, "update-ref", "-d", "refs/heads/"+branch)
	}
	for number, want := range map[int]string{1: "+zwei", 2: "b/b2", 3: "b/b3"} {
		got := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", number))
		if got.Diff == nil || !strings.Contains(*got.Diff, want) || got.DiffNote != "" {
			t.Errorf("#%d: diff %v, note %q", number, got.Diff, got.DiffNote)
		}
	}
	if got := read[fileOut](w, "bob", "get_file_contents", object("repo", r.name, "path", "f", "ref", "refs/pull/1/head")); got.Content != "one\nzwei\n" {
		t.Errorf("the hidden ref reads %q", got.Content)
	}
}

func TestPullRequestWithoutDiff(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	r.commit("alien", "", file{path: "f", data: "alien\n"})
	read[madeOut](w, "alice", "create_pull_request", object("repo", r.name, "title", "x", "head", "alien", "base", "main"))
	got := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 2))
	if got.Diff != nil || !strings.Contains(got.DiffNote, "no commit in common") {
		t.Errorf("diff %v, note %q", got.Diff, got.DiffNote)
	}
	if text := w.call("bob", "get_pull_request", object("repo", r.name, "number", 2)).Content[0].Text; !strings.Contains(text, `"diff":null`) {
		t.Errorf("the answer is %s", text)
	}
	// Commits that are truly gone.
	for _, ref := range []string{"refs/heads/topic", "refs/pull/1/head", "refs/pull/1/base"} {
		r.git(nil, "update-ref", "-d", ref)
	}
	r.git(nil, "repack", "-adq")
	r.git(nil, "prune", "--expire=now")
	got = read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1))
	if got.Diff != nil || !strings.Contains(got.DiffNote, "no longer exists") {
		t.Errorf("diff %v, note %q", got.Diff, got.DiffNote)
	}
	// A token without the code's scope reads the rest.
	token := w.token("bob", sigit.NewToken{Label: "issues", Scopes: []sigit.Scope{sigit.Read(sigit.AreaIssue)}})
	got = decode[threadOut](w, w.bear(token, "get_pull_request", object("repo", r.name, "number", 2)))
	if got.Diff != nil || !strings.Contains(got.DiffNote, "repo:read") || got.Title != "x" {
		t.Errorf("a token without the code: %+v", got)
	}
}

// TestPullRequestThatBringsNothing: it is taken, since commits may follow, and
// says what it is.
func TestPullRequestThatBringsNothing(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	r.git(nil, "update-ref", "refs/heads/same", "refs/heads/main")
	for i, ends := range [][2]string{{"same", "main"}, {"main", "topic"}} {
		got := w.call("alice", "create_pull_request", object("repo", r.name, "title", "x", "head", ends[0], "base", ends[1]))
		words := "There is nothing to merge yet: " + ends[1] + " has every commit of " + ends[0]
		if got.IsError || len(got.Content) != 2 || !strings.HasPrefix(got.Content[1].Text, words) || decode[madeOut](w, got).Number != i+2 {
			t.Errorf("opening gives %+v, want a word about nothing", got.Content)
		}
		if back := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", i+2)); back.Diff == nil || *back.Diff != "" || !strings.HasPrefix(back.DiffNote, words) {
			t.Errorf("#%d: diff %v, note %q", i+2, back.Diff, back.DiffNote)
		}
	}
	r.git(nil, "update-ref", "refs/heads/same", r.commit("more", "main"))
	if got := w.call("alice", "create_pull_request", object("repo", r.name, "title", "x", "head", "same", "base", "main")); len(got.Content) != 1 {
		t.Errorf("one with a commit is called %+v", got.Content[1:])
	}
	if back := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 4)); !strings.Contains(back.DiffNote, "change no file") {
		t.Errorf("a commit without a change: note %q", back.DiffNote)
	}
}

func TestPullRequestWholeDiff(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w,
		file{path: "new", data: "whole\nfile\n"}, file{path: "gone", gone: true}, file{path: "old-name", gone: true}, file{path: "new-name", data: strings.Repeat("same\n", 20)},
		file{path: "run", data: "x\n", mode: "100755"}, file{path: "bin", data: "\x00\xff"}, file{path: "a:b é", data: "x\n"}, file{path: "latin", data: "caf\xe9\n"})
	got := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1))
	for _, want := range []string{"new file mode 100644", "+whole\n+file\n", "deleted file mode", "-old\n", "rename from old-name\nrename to new-name", "old mode 100644\nnew mode 100755", "Binary files /dev/null and b/bin differ", "b/a:b é", "+caf\uFFFD\n"} {
		if !strings.Contains(*got.Diff, want) {
			t.Errorf("the diff lacks %q:\n%s", want, *got.Diff)
		}
	}
	one := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1, "path", "a:b é"))
	if strings.Count(*one.Diff, "diff --git") != 1 || !strings.Contains(*one.Diff, "a:b é") {
		t.Errorf("one file: %s", *one.Diff)
	}
	for _, path := range []string{"nope", "*", ":(glob)**", "--output=x", "a b"} {
		none := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1, "path", path))
		if none.Diff == nil || *none.Diff != "" || none.DiffNote == "" {
			t.Errorf("%q: %v, note %q", path, *none.Diff, none.DiffNote)
		}
	}
	for _, path := range []string{"../x", "a/../../x", "/", ".", "a\x00b", strings.Repeat("x", 1<<20)} {
		w.refuses("bob", "get_pull_request", object("repo", r.name, "number", 1, "path", path), "is no path in a repository")
	}
}

func TestPullRequestLargeDiff(t *testing.T) {
	w := newWorld(t, nil)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "line %d ééé\n", i)
	}
	r := pulled(w, file{path: "big", data: text.String()}, file{path: "small", data: "small\n"}, file{path: "gone", gone: true})
	got := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1))
	if !got.DiffTruncated || len(*got.Diff) > sigit.MaxDiff || len(*got.Diff) < sigit.MaxDiff-1000 || !strings.HasSuffix(*got.Diff, "\n") || !utf8.ValidString(*got.Diff) {
		t.Errorf("truncated %v, %d bytes", got.DiffTruncated, len(*got.Diff))
	}
	if !strings.Contains(got.DiffNote, "100000 bytes") || !strings.Contains(got.DiffNote, "path") || len(got.DiffFiles) != 3 {
		t.Errorf("note %q, files %+v", got.DiffNote, got.DiffFiles)
	}
	for _, f := range got.DiffFiles {
		if f.Path == "big" && (f.Status != "added" || f.Added != 20_000) || f.Path == "gone" && (f.Status != "deleted" || f.Deleted != 1) {
			t.Errorf("file %+v", f)
		}
	}
	one := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1, "path", "small"))
	if one.DiffTruncated || !strings.Contains(*one.Diff, "+small") || strings.Contains(*one.Diff, "b/big") {
		t.Errorf("one file: %.300s", *one.Diff)
	}
	big := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1, "path", "/big"))
	if !big.DiffTruncated || strings.Contains(big.DiffNote, "again with path") {
		t.Errorf("note %q", big.DiffNote)
	}
}

func TestPullRequestTalkPages(t *testing.T) {
	w := newWorld(t, nil)
	r := pulled(w)
	for i := range 25 {
		if _, err := w.forge.AddComment(ctx, w.actor("bob"), sigit.NewComment{Repo: r.parsed, Number: 1, Body: fmt.Sprint(i+1, strings.Repeat("x", 30_000))}); err != nil {
			t.Fatal(err)
		}
	}
	first := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1))
	second := read[threadOut](w, "bob", "get_pull_request", object("repo", r.name, "number", 1, "cursor", first.Next))
	if len(first.Comments) != 20 || len(second.Comments) != 5 || second.Diff != nil || !strings.Contains(second.DiffNote, "not repeated") {
		t.Errorf("%d and %d comments, note %q", len(first.Comments), len(second.Comments), second.DiffNote)
	}
}
