package forge

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"skillforge/internal/fault"
	"skillforge/internal/git"
	"skillforge/internal/sigit"
)

// MaxFile is the largest file that File reads whole.
const MaxFile = 10 << 20

// FileKind says what stands at a path.
type FileKind string

const (
	PlainFile  FileKind = "file"
	Symlink    FileKind = "symlink"     // Data is where it points
	LFSPointer FileKind = "lfs-pointer" // Data stands for a file that is kept elsewhere
)

// File is what stands at a path of a commit, byte for byte.
type File struct {
	Repo   sigit.Repo
	Path   string
	Ref    string // as it was asked for; the default branch when nothing was
	Commit string
	Kind   FileKind
	Exec   bool
	BlobID string
	Size   int64
	Data   []byte
}

// File reads a file at a ref: a branch, a tag or a commit, the default branch
// when empty.
//
// The fault is NotFound for an unknown ref and for a path with nothing at it,
// Invalid for a folder (the sentence and the details list its entries) and a
// submodule, TooLarge for more than MaxFile bytes.
func (f *Forge) File(ctx context.Context, by sigit.Actor, name sigit.RepoName, ref, path string) (File, error) {
	repo, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return File{}, err
	}
	commit, err := code.Resolve(ctx, ref)
	if err != nil {
		return File{}, gitFault(err, repo, ref)
	}
	return f.fileAt(ctx, Place{Repo: repo, Code: code, Ref: shownRef(repo, ref), Commit: commit.OID, Path: cleanPath(path)}, path)
}

// FileAt is File for a place that was found before.
func (f *Forge) FileAt(ctx context.Context, p Place) (File, error) { return f.fileAt(ctx, p, p.Path) }

// fileAt reads the file at a place; path is how the caller wrote it.
func (f *Forge) fileAt(ctx context.Context, p Place, path string) (File, error) {
	repo, code, ref := p.Repo, p.Code, p.Ref
	file := File{Repo: repo, Path: p.Path, Ref: p.Ref, Commit: p.Commit, Kind: PlainFile}
	entry, blob, err := code.File(ctx, p.Commit, file.Path, MaxFile)
	switch {
	case errors.Is(err, git.ErrNoPath):
		return File{}, fault.Coded(fault.NotFound, "no-file", "File not found: %s@%s", sigit.Short(path, 500), file.Ref)
	case errors.Is(err, git.ErrTooLarge):
		return File{}, fault.Coded(fault.TooLarge, "too-large", "%s has %d bytes; at most %d are read. Clone the repository to see it.", file.Path, blob.Size, MaxFile)
	case err != nil:
		return File{}, gitFault(err, repo, ref)
	case entry.Mode.IsDir():
		return File{}, f.folderFault(ctx, code, p.Commit, file)
	case entry.Mode == git.ModeSubmodule:
		return File{}, fault.Coded(fault.Invalid, "submodule", "%s is a submodule: another repository at commit %s; its files are not in this one", file.Path, entry.OID).With("commit", entry.OID)
	case entry.Mode == git.ModeSymlink:
		file.Kind = Symlink
	case lfsPointer(blob.Data):
		file.Kind = LFSPointer
	}
	file.Exec, file.BlobID, file.Size, file.Data = entry.Mode == git.ModeExec, blob.OID, blob.Size, blob.Data
	return file, nil
}

// cleanPath takes what people put around a path and git does not.
func cleanPath(path string) string {
	path = strings.TrimSuffix(strings.TrimPrefix(strings.TrimLeft(path, "/"), "./"), "/")
	if path == "." {
		return ""
	}
	return path
}

// shownRef is the ref in answers.
func shownRef(repo sigit.Repo, ref string) string {
	if ref == "" || ref == "HEAD" {
		return repo.DefaultBranch
	}
	return sigit.Short(ref, 300)
}

func lfsPointer(data []byte) bool {
	return len(data) < 1024 && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/v1\n"))
}

// folderFault says that a path is a folder, and what is in it.
func (f *Forge) folderFault(ctx context.Context, code *git.Repo, commit string, file File) error {
	entries, err := code.Tree(ctx, commit, file.Path)
	if err != nil {
		return fmt.Errorf("list a folder: %w", err)
	}
	const shown = 200
	names := make([]string, 0, min(len(entries), shown))
	for _, e := range entries[:min(len(entries), shown)] {
		n := strings.ToValidUTF8(e.Name, "\uFFFD")
		if e.Mode.IsDir() {
			n += "/"
		}
		names = append(names, n)
	}
	what := fmt.Sprintf("%q is a directory", file.Path)
	if file.Path == "" {
		what = "the root is a directory"
	}
	more := ""
	if len(entries) > shown {
		more = fmt.Sprintf(" and %d more", len(entries)-shown)
	}
	return fault.Coded(fault.Invalid, "directory", "%s; ask for one of its %d entries: %s%s", what, len(entries), strings.Join(names, ", "), more).With("entries", names)
}

// Tree lists a folder at a ref, the root for an empty path. The commit is the
// one that the ref stands for.
func (f *Forge) Tree(ctx context.Context, by sigit.Actor, name sigit.RepoName, ref, path string) (commit string, list []git.Entry, err error) {
	repo, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return "", nil, err
	}
	c, err := code.Resolve(ctx, ref)
	if err != nil {
		return "", nil, gitFault(err, repo, ref)
	}
	list, err = code.Tree(ctx, c.OID, cleanPath(path))
	if errors.Is(err, git.ErrNoPath) {
		return "", nil, fault.Coded(fault.NotFound, "no-file", "Directory not found: %s@%s", sigit.Short(path, 500), shownRef(repo, ref))
	}
	return c.OID, list, err
}

// Branches lists a repository's branches by name, after the given one.
func (f *Forge) Branches(ctx context.Context, by sigit.Actor, name sigit.RepoName, after string, limit int) ([]git.Branch, error) {
	_, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return nil, err
	}
	if after != "" {
		after = "refs/heads/" + after
	}
	return code.Refs(ctx, "refs/heads/", after, limit)
}

// Resolve finds the commit that a ref stands for, the default branch when empty.
func (f *Forge) Resolve(ctx context.Context, by sigit.Actor, name sigit.RepoName, ref string) (git.Commit, error) {
	repo, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return git.Commit{}, err
	}
	commit, err := code.Resolve(ctx, ref)
	return commit, gitFault(err, repo, ref)
}

// searchTime is how long somebody waits for a search for code. It goes on a
// while after, see git.Repo.Grep.
const searchTime = 20 * time.Second

// Search finds lines of text files at a ref that hold the query, a fixed
// string whatever its case, at most limit. An empty repository has none.
func (f *Forge) Search(ctx context.Context, by sigit.Actor, name sigit.RepoName, ref, query string, limit int) ([]git.Match, error) {
	repo, code, err := f.Fetch(ctx, by, name)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(query) == "" {
		return nil, fault.New(fault.Invalid, "a search needs a query")
	}
	if err := checkQuery(query); err != nil {
		return nil, err
	}
	if strings.ContainsAny(query, "\r\n") {
		return nil, fault.New(fault.Invalid, "the query is one line: lines are searched one by one")
	}
	commit, err := code.Resolve(ctx, ref)
	if errors.Is(err, git.ErrEmpty) {
		return nil, nil
	}
	if err != nil {
		return nil, gitFault(err, repo, ref)
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	found, err := f.search(ctx, repo, code, commit.OID, query, max(1, limit))
	if errors.Is(err, git.ErrSlow) {
		return nil, fault.Coded(fault.TooLarge, "search-time", "%s is too large to be searched for this here; clone it and search there", repo.Name).Because(err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.Coded(fault.Busy, "search-time", "the search takes longer than %d seconds and goes on; ask the same again in a moment for its answer", int(searchTime.Seconds())).Because(err)
	}
	return found, gitFault(err, repo, ref)
}

func grep(ctx context.Context, _ sigit.Repo, code *git.Repo, commit, query string, limit int) ([]git.Match, error) {
	return code.Grep(ctx, commit, query, limit)
}

// Encoded is the content as text: as it is when it is UTF-8 without NUL, in
// base64 otherwise. encoding says which, "utf-8" or "base64".
func (f File) Encoded() (content, encoding string) {
	if utf8.Valid(f.Data) && bytes.IndexByte(f.Data, 0) < 0 {
		return string(f.Data), "utf-8"
	}
	return base64.StdEncoding.EncodeToString(f.Data), "base64"
}
