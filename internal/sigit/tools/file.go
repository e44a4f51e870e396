package tools

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/mcp"
	"skillforge/internal/sigit"
	"skillforge/internal/sigit/forge"
)

// maxContent is how many bytes of a file one answer holds.
const maxContent = 1 << 20

type fileOut struct {
	Repo       string  `json:"repo"`
	Path       string  `json:"path"`
	Ref        string  `json:"ref"`
	Size       int64   `json:"size"` // of the whole file
	Content    string  `json:"content"`
	Encoding   string  `json:"encoding"`
	Commit     string  `json:"commit"`
	StartLine  int     `json:"start_line,omitempty"`
	EndLine    int     `json:"end_line,omitempty"`
	TotalLines int     `json:"total_lines,omitempty"`
	Truncated  bool    `json:"truncated,omitempty"`
	Note       string  `json:"note,omitempty"`
	LFS        *lfsOut `json:"lfs,omitempty"`
}

type lfsOut struct {
	OID  string `json:"oid"`
	Size int64  `json:"size"`
}

var getFileContents = tool{
	name: "get_file_contents", title: "Read a file",
	about: "Read a file of a repository at a branch, tag or commit. Text comes as it is, other bytes as base64 (see encoding). " +
		"Part of a long file: give start_line and end_line. A directory is answered with the names in it.",
	takes: []arg{
		repoArg,
		{name: "path", must: true, about: "Path of the file in the repository, such as src/main.go."},
		{name: "ref", about: "Branch, tag or commit; the default branch when left out."},
		{name: "start_line", whole: true, about: "First line to read, from 1."},
		{name: "end_line", whole: true, about: "Last line to read."},
	},
	gives: with(anObject(member{"repo", isText}, member{"path", isText}, member{"ref", isText}, member{"size", isNumber},
		member{"content", isText}, member{"encoding", isText}, member{"commit", isText}),
		member{"start_line", isNumber}, member{"end_line", isNumber}, member{"total_lines", isNumber},
		member{"truncated", isBoolean}, member{"note", isText},
		member{"lfs", anObject(member{"oid", isText}, member{"size", isNumber})}),
	hints: map[string]string{"no-file": "search_code finds files by what is in them; an empty path shows the root directory."},
	run: func(ctx context.Context, d door, by sigit.Actor, in args) (mcp.Result, error) {
		repo, err := in.repo()
		if err != nil {
			return mcp.Result{}, err
		}
		file, err := d.forge.File(ctx, by, repo, in.text("ref"), in.text("path"))
		if err != nil {
			return mcp.Result{}, err
		}
		out, err := showFile(file, in.number("start_line"), in.number("end_line"))
		if err != nil {
			return mcp.Result{}, err
		}
		return mcp.Answer(out)
	},
}

// showFile is what is shown of a file: all of it, or lines from to to where
// these are not 0.
func showFile(file forge.File, from, to int) (fileOut, error) {
	out := fileOut{Repo: file.Repo.Name.String(), Path: file.Path, Ref: file.Ref, Size: file.Size, Commit: file.Commit}
	switch file.Kind {
	case forge.Symlink:
		return out, linkFault(file)
	case forge.LFSPointer:
		out.LFS = pointer(file.Data)
		out.Note = "This is a Git LFS pointer. The file that it stands for is kept elsewhere and is not in the repository."
	}
	if isBinary(file.Data) {
		return out, out.wholly(file, from, to)
	}
	return out, out.lines(file.Data, from, to)
}

func isBinary(data []byte) bool {
	return !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0
}

// wholly shows a file that is not text.
func (out *fileOut) wholly(file forge.File, from, to int) error {
	if from != 0 || to != 0 {
		return fault.New(fault.Invalid, "%q is not text and has no lines; ask without start_line and end_line", file.Path)
	}
	if len(file.Data) > maxContent {
		return fault.New(fault.TooLarge, "%q is not text and has %d bytes; at most %d are shown. Clone %s to read it.", file.Path, file.Size, maxContent, file.Repo.Name)
	}
	out.Content, out.Encoding = file.Encoded()
	return nil
}

// lines shows lines from to to of a text, at most maxContent bytes of them.
func (out *fileOut) lines(data []byte, from, to int) error {
	out.Encoding = "utf-8"
	if from == 0 && to == 0 && len(data) <= maxContent {
		out.Content = string(data)
		return nil
	}
	total := countLines(data)
	first, last := max(from, 1), min(to, total)
	if to == 0 {
		last = total
	}
	switch {
	case to != 0 && to < first:
		return fault.New(fault.Invalid, "end_line %d is before start_line %d", to, first)
	case first > total && total > 0:
		return fault.New(fault.Invalid, "%q has %d lines at %s; start_line %d is behind the last", out.Path, total, out.Ref, first)
	}
	part := data[offsetOf(data, first):offsetOf(data, last+1)]
	out.StartLine, out.EndLine, out.TotalLines = first, last, total
	if len(part) > maxContent {
		part = out.cut(part, first)
	}
	out.Content = string(part)
	return nil
}

// cut takes what one answer holds off the front of part, and says so.
func (out *fileOut) cut(part []byte, first int) []byte {
	out.Truncated = true
	part = part[:maxContent]
	if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
		part = part[:i+1]
		out.EndLine = first + countLines(part) - 1
		out.Note = fmt.Sprintf("Lines %d to %d of %d are shown. For the next, ask again with start_line %d.", first, out.EndLine, out.TotalLines, out.EndLine+1)
		return part
	}
	for !utf8.Valid(part) { // at most three bytes of a cut character
		part = part[:len(part)-1]
	}
	out.EndLine = first
	out.Note = fmt.Sprintf("Line %d has more than %d bytes and is cut. Clone the repository to see all of it.", first, maxContent)
	return part
}

func countLines(data []byte) int {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// offsetOf is where a line starts, the end for a line behind the last.
func offsetOf(data []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return len(data)
		}
		at += i + 1
	}
	return at
}

// linkFault says where a symbolic link leads. It is not followed: the answer
// would be about another path than the one asked for.
func linkFault(file forge.File) error {
	target := string(file.Data)
	shown := sigit.Short(strings.ToValidUTF8(target, "\uFFFD"), 300)
	at := path.Join(path.Dir(file.Path), target)
	if path.IsAbs(target) || at == ".." || strings.HasPrefix(at, "../") {
		return fault.Coded(fault.Invalid, "symlink", "%q is a symbolic link to %q, which is outside the repository", file.Path, shown)
	}
	return fault.Coded(fault.Invalid, "symlink", "%q is a symbolic link to %q; ask for %q instead", file.Path, shown, sigit.Short(strings.ToValidUTF8(at, "\uFFFD"), 500))
}

// pointer reads what an LFS pointer says, lines of "key value".
func pointer(data []byte) *lfsOut {
	out := &lfsOut{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "oid":
			out.OID = value
		case "size":
			out.Size, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return out
}
