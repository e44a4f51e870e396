package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Signature names who made a commit and when.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Conflict is a merge that people must settle.
type Conflict struct{ Paths []string }

func (c *Conflict) Error() string {
	return "git: conflicts in " + strings.Join(c.Paths, ", ")
}

// MergeTree merges head into base without a work tree and returns the id of
// the resulting tree. A *Conflict names the paths that do not merge.
func (r *Repo) MergeTree(ctx context.Context, base, head string) (string, error) {
	if !isOID(base) || !isOID(head) {
		return "", ErrRefName
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", "--end-of-options", base, head}
	cmd := r.git.command(ctx, r.dir, args...)
	out, stderr := &bounded{limit: 8 << 20, full: cancel}, &tail{}
	cmd.Stdout, cmd.Stderr = out, stderr
	err := cmd.Run()
	fields := strings.Split(strings.TrimSuffix(text(out.buf.Bytes()), "\x00"), "\x00")
	if err == nil {
		return strings.TrimSpace(fields[0]), nil
	}
	fail := failure(ctx, args, err, stderr)
	f, ok := errors.AsType[*Failure](fail)
	switch {
	case ok && f.Exit == 1:
		return "", &Conflict{Paths: fields[1:]}
	case ok && strings.Contains(f.Stderr, "unrelated histories"):
		return "", ErrNoMergeBase
	}
	return "", fmt.Errorf("merge: %w", fail)
}

// Commit writes a commit object on a tree with the given parents and returns
// its id. No ref moves.
func (r *Repo) Commit(ctx context.Context, tree string, parents []string, author, committer Signature, message string) (string, error) {
	if !isOID(tree) {
		return "", ErrRefName
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		if !isOID(p) {
			return "", ErrRefName
		}
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s\n", author.line(), committer.line(), strings.TrimRight(strings.ReplaceAll(message, "\x00", ""), "\n"))
	return r.writeObject(ctx, "commit", b.Bytes())
}

// line is the signature as a commit object holds it, without the characters
// that would end a part of it early.
func (s Signature) line() string {
	clean := func(s string) string {
		return strings.TrimSpace(strings.Map(func(c rune) rune {
			if c < ' ' || c == '<' || c == '>' || c == 0x7f {
				return -1
			}
			return c
		}, s))
	}
	return clean(s.Name) + " <" + clean(s.Email) + "> " + strconv.FormatInt(s.When.Unix(), 10) + " " + s.When.Format("-0700")
}

// TreeFile is a file that WriteTree puts into a tree.
type TreeFile struct {
	Path string
	Mode Mode // ModeFile, ModeExec or ModeSymlink
	Data []byte
}

// WriteTree writes files as blobs and the trees above them, without a work
// tree, and returns the id of the root tree. Paths are relative and clean;
// the error is ErrNoPath for another.
func (r *Repo) WriteTree(ctx context.Context, files []TreeFile) (string, error) {
	root := &folder{}
	for _, f := range files {
		if !cleanPath(f.Path) {
			return "", fmt.Errorf("%w: %q", ErrNoPath, clip(f.Path))
		}
		oid, err := r.writeObject(ctx, "blob", f.Data)
		if err != nil {
			return "", err
		}
		if !root.put(strings.Split(f.Path, "/"), Entry{Mode: f.Mode, OID: oid}) {
			return "", fmt.Errorf("%w: %q is a file and a folder", ErrNoPath, clip(f.Path))
		}
	}
	return r.writeFolder(ctx, root)
}

func cleanPath(p string) bool {
	if p == "" || len(p) > 4096 || strings.IndexByte(p, 0) >= 0 {
		return false
	}
	for _, part := range strings.Split(p, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}

// folder is a tree in the making.
type folder struct {
	files   map[string]Entry
	folders map[string]*folder
}

func (f *folder) put(path []string, e Entry) bool {
	name := path[0]
	if len(path) == 1 {
		if f.folders[name] != nil {
			return false
		}
		if f.files == nil {
			f.files = map[string]Entry{}
		}
		f.files[name] = e
		return true
	}
	if _, isFile := f.files[name]; isFile {
		return false
	}
	if f.folders == nil {
		f.folders = map[string]*folder{}
	}
	if f.folders[name] == nil {
		f.folders[name] = &folder{}
	}
	return f.folders[name].put(path[1:], e)
}

func (r *Repo) writeFolder(ctx context.Context, f *folder) (string, error) {
	list := make([]Entry, 0, len(f.files)+len(f.folders))
	for name, e := range f.files {
		e.Name = name
		list = append(list, e)
	}
	for name, sub := range f.folders {
		oid, err := r.writeFolder(ctx, sub)
		if err != nil {
			return "", err
		}
		list = append(list, Entry{Name: name, Mode: ModeTree, OID: oid})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var tree bytes.Buffer
	for _, e := range list {
		raw, err := hex.DecodeString(e.OID)
		if err != nil {
			return "", fmt.Errorf("write a tree: %w", err)
		}
		fmt.Fprintf(&tree, "%o %s\x00", e.Mode, e.Name)
		tree.Write(raw)
	}
	return r.writeObject(ctx, "tree", tree.Bytes())
}

// sortName is what git orders trees by: folders as if they ended in "/".
func (e Entry) sortName() string {
	if e.Mode.IsDir() {
		return e.Name + "/"
	}
	return e.Name
}

func (r *Repo) writeObject(ctx context.Context, kind string, data []byte) (string, error) {
	out, err := r.run(ctx, bytes.NewReader(data), 1<<10, "hash-object", "-t", kind, "-w", "--stdin")
	if err != nil {
		return "", fmt.Errorf("write a %s: %w", kind, err)
	}
	return strings.TrimSpace(string(out)), nil
}
