package tools_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

type fileOut struct {
	Repo, Path, Ref, Content, Encoding, Commit, Note string
	Size                                             int64
	StartLine                                        int `json:"start_line"`
	EndLine                                          int `json:"end_line"`
	TotalLines                                       int `json:"total_lines"`
	Truncated                                        bool
	LFS                                              *struct {
		OID  string
		Size int64
	}
}

func TestFileContents(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/notes", true)
	png := "\x89PNG\r\n\x1a\n\x00\x01\xff"
	latin := "caf\xe9\n"
	files := map[string]string{
		"README.md": "# Notes\r\n\ttabs & <tags>\n", "empty": "", "no-end": "one line", "sub/dir/deep.go": "package deep\n",
		"a:b.txt": "colon\n", "x:12:y.txt": "colons\n", "größe/naïve.md": "letters\n", "100% done.txt": "percent\n", "%2e%2e": "not decoded\n",
		"--flag": "dash\n", "-": "dash alone\n", "line\nbreak": "newline\n", `quo"te\back`: "quotes\n", "picture.txt": png, "text.png": "not a picture\n", "latin1.txt": latin,
		"bidi.txt": "a\u202eb\u200b\n", "esc": "\x1b[31mred\x1b[0m\x01\n",
	}
	var list []file
	for path, data := range files {
		list = append(list, file{path: path, data: data})
	}
	list = append(list, file{path: "run.sh", data: "#!/bin/sh\n", mode: "100755"})
	head := r.commit("main", "", list...)
	files["run.sh"] = "#!/bin/sh\n"
	for path, data := range files {
		got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", path))
		content := got.Content
		if got.Encoding == "base64" {
			raw, err := base64.StdEncoding.DecodeString(content)
			if err != nil {
				t.Fatal(err)
			}
			content = string(raw)
		}
		if binary := path == "picture.txt" || path == "latin1.txt"; (got.Encoding == "base64") != binary {
			t.Errorf("%q comes as %s", path, got.Encoding)
		}
		if content != data || got.Size != int64(len(data)) || got.Path != path || got.Repo != "alice/notes" || got.Ref != "main" || got.Commit != head {
			t.Errorf("%q: %+v, want %q", path, got, data)
		}
	}
	w.says("alice", "get_file_contents", object("repo", r.name, "path", "readme.md"), "File not found: readme.md@main")
	w.says("alice", "get_file_contents", object("repo", r.name, "path", "READM"), "File not found: READM@main")
	w.says("alice", "get_file_contents", object("repo", r.name, "path", "../1.git/config"), "File not found: ../1.git/config@main")
	w.says("alice", "get_file_contents", object("repo", r.name, "path", "a\x00b"), "File not found: a\x00b@main")
	w.says("alice", "get_file_contents", object("repo", "alice/none", "path", "x"), "Repository not found or not accessible")
	w.says("mallory", "get_file_contents", object("repo", r.name, "path", "README.md"), "Repository not found or not accessible")
	w.refuses("alice", "get_file_contents", object("repo", "notes", "path", "x"), "Repository not found or not accessible", "owner/name", "list_repositories")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "nope"), "File not found: nope@main", "search_code")
}

func TestFileIsSomethingElse(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/odd", false)
	const oid = "1234567890123456789012345678901234567890"
	lfs := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
	r.commit("main", "",
		file{path: "docs/a.md", data: "a\n"}, file{path: "docs/link", data: "a.md", mode: "120000"}, file{path: "up", data: "../../etc/passwd", mode: "120000"},
		file{path: "abs", data: "/etc/passwd", mode: "120000"}, file{path: "vendor/lib", data: oid, mode: "160000"}, file{path: "big.bin", data: lfs})
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "docs"), `"docs" is a directory`, "a.md", "link")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "docs/"), `"docs" is a directory`)
	for _, root := range []string{"", ".", "/"} {
		w.refuses("alice", "get_file_contents", object("repo", r.name, "path", root), "the root is a directory", "docs/", "vendor/")
	}
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "docs/link"), `is a symbolic link to "a.md"; ask for "docs/a.md" instead`)
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "up"), "outside the repository")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "abs"), "outside the repository")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "vendor/lib"), "submodule", oid)
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "docs/a.md/x"), "File not found: docs/a.md/x@main")
	got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "big.bin"))
	if got.Content != lfs || got.LFS == nil || got.LFS.OID != "sha256:4d7a2146" || got.LFS.Size != 12345 || !strings.Contains(got.Note, "LFS") {
		t.Errorf("a pointer comes as %+v", got)
	}
}

func TestFileRefs(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/refs", false)
	first := r.commit("main", "", file{path: "f", data: "first\n"})
	r.git(nil, "update-ref", "refs/tags/v1", first)
	r.git(nil, "update-ref", "refs/tags/both", first)
	second := r.commit("main", "main", file{path: "f", data: "second\n"})
	topic := r.commit("feature/x", "main", file{path: "f", data: "topic\n"})
	r.git(nil, "update-ref", "refs/heads/both", second)
	r.git(nil, "-c", "user.name=a", "-c", "user.email=a@b", "tag", "-a", "annotated", "-m", "x", first)
	for ref, want := range map[string]string{
		"": second, "HEAD": second, "main": second, "refs/heads/main": second, "v1": first, "refs/tags/v1": first, "feature/x": topic,
		first: first, first[:10]: first, "both": second, "refs/tags/both": first, "annotated": first,
	} {
		got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "f", "ref", ref))
		if got.Commit != want {
			t.Errorf("%q is %s, want %s", ref, got.Commit, want)
		}
		if ref != "" && ref != "HEAD" && got.Ref != ref {
			t.Errorf("%q comes back as %q", ref, got.Ref)
		}
	}
	for _, ref := range []string{"none", "--help", "-x", "--output=/tmp/x", "main..v1", "main^{tree}", "main:f", "a b", "main~1", "@{-1}", "refs/heads/../../x", "a\nb", "a\x00b", strings.Repeat("x", 5000), "..", "/etc/passwd"} {
		w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f", "ref", ref), "main")
	}
}

func TestFileLines(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/lines", false)
	r.commit("main", "", file{path: "f", data: "1\n2\n3\n4"}, file{path: "crlf", data: "1\r\n2\r\n"}, file{path: "empty", data: ""}, file{path: "bin", data: "\x00\n\x00"})
	rows := []struct {
		path     string
		from, to any
		want     string
		first    int
		last     int
	}{
		{"f", 2, 3, "2\n3\n", 2, 3}, {"f", 2, nil, "2\n3\n4", 2, 4}, {"f", nil, 2, "1\n2\n", 1, 2}, {"f", 4, 99, "4", 4, 4}, {"f", "1", 1.0, "1\n", 1, 1},
		{"crlf", 2, 2, "2\r\n", 2, 2}, {"f", 1, 4, "1\n2\n3\n4", 1, 4}, {"empty", 1, 5, "", 0, 0},
	}
	for _, row := range rows {
		got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", row.path, "start_line", row.from, "end_line", row.to))
		if got.Content != row.want || row.last != 0 && (got.StartLine != row.first || got.EndLine != row.last) {
			t.Errorf("%s %v-%v: %+v, want %q", row.path, row.from, row.to, got, row.want)
		}
	}
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f", "start_line", 5), "has 4 lines", "start_line 5")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f", "start_line", 3, "end_line", 2), "end_line 2 is before start_line 3")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f", "start_line", 0), `"start_line" must be 1 or more`)
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "bin", "start_line", 1), "is not text")
}

func TestFileLarge(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/large", false)
	const limit = 1 << 20
	var lines strings.Builder
	for i := 0; lines.Len() < 3*limit; i++ {
		fmt.Fprintf(&lines, "line %d é\n", i+1)
	}
	r.commit("main", "",
		file{path: "exact", data: strings.Repeat("x", limit)}, file{path: "lines", data: lines.String()}, file{path: "one", data: "x" + strings.Repeat("é", limit)},
		file{path: "bin", data: strings.Repeat("\x00", limit+1)}, file{path: "huge", data: strings.Repeat("y", 11<<20)}, file{path: "ctl", data: strings.Repeat("\x01", limit)})
	if got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "exact")); got.Truncated || len(got.Content) != limit {
		t.Errorf("a file of the limit: truncated %v, %d bytes", got.Truncated, len(got.Content))
	}
	whole, from := "", 1
	for range 10 {
		got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "lines", "start_line", from))
		if len(got.Content) > limit || got.Size != int64(lines.Len()) {
			t.Fatalf("%d bytes, size %d", len(got.Content), got.Size)
		}
		whole += got.Content
		if from = got.EndLine + 1; !got.Truncated {
			break
		}
		if !strings.Contains(got.Note, fmt.Sprintf("start_line %d", from)) {
			t.Errorf("note %q", got.Note)
		}
	}
	if whole != lines.String() {
		t.Errorf("the parts make %d bytes, want %d", len(whole), lines.Len())
	}
	got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "one"))
	if !got.Truncated || !utf8.ValidString(got.Content) || strings.Contains(got.Content, "\uFFFD") || got.Note == "" {
		t.Errorf("one long line: truncated %v, note %q", got.Truncated, got.Note)
	}
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "bin"), "is not text", "Clone")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "huge"), "11534336 bytes", "Clone")
	if got := w.call("alice", "get_file_contents", object("repo", r.name, "path", "ctl")); got.IsError {
		t.Errorf("a file of controls: %.200s", got.Content[0].Text)
	}
}

func TestFileInEmptyRepository(t *testing.T) {
	w := newWorld(t, nil)
	r := w.repo("alice/empty", false)
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f"), "no commits yet")
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f", "ref", "main"), "no commits yet")
	r.commit("other", "", file{path: "f", data: "x"})
	w.refuses("alice", "get_file_contents", object("repo", r.name, "path", "f"), "main")
	if got := read[fileOut](w, "alice", "get_file_contents", object("repo", r.name, "path", "f", "ref", "other")); got.Content != "x" {
		t.Errorf("%+v", got)
	}
}
