package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MergeBase is the best common ancestor of two commits, ErrNoMergeBase when
// their histories do not meet.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	if !isOID(a) || !isOID(b) {
		return "", ErrRefName
	}
	out, err := r.run(ctx, nil, 1<<10, "merge-base", "--end-of-options", a, b)
	if f, ok := errors.AsType[*Failure](err); ok && f.Exit == 1 {
		return "", ErrNoMergeBase
	}
	if err != nil {
		return "", fmt.Errorf("find the merge base: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// IsAncestor reports whether a is b or an ancestor of it.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if !isOID(a) || !isOID(b) {
		return false, ErrRefName
	}
	_, err := r.run(ctx, nil, 1<<10, "merge-base", "--is-ancestor", "--end-of-options", a, b)
	if f, ok := errors.AsType[*Failure](err); ok && f.Exit == 1 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare histories: %w", err)
	}
	return true, nil
}

// Diff is a patch in git's own format.
type Diff struct {
	Base, Head string // the commits compared: Base is the merge base
	Patch      string // valid UTF-8; other bytes are replaced
	Truncated  bool   // more follows after Patch
}

// DiffOptions say which part of a difference is wanted.
type DiffOptions struct {
	Limit            int      // bytes of the patch; 0 means no limit but memory's own of 64 MiB
	Paths            []string // only these; none means all
	IgnoreWhitespace bool
	Context          int // lines around a change; 0 means git's three
}

// Diff shows what head adds since it left base: `git diff base...head`. Both
// are object ids. A patch over the limit is cut after a whole line. The error
// is ErrNoMergeBase for histories that never met.
func (r *Repo) Diff(ctx context.Context, base, head string, opt DiffOptions) (Diff, error) {
	from, err := r.MergeBase(ctx, base, head)
	if err != nil {
		return Diff{}, err
	}
	limit := or(opt.Limit, 64<<20)
	out, err := r.run(ctx, nil, limit, diffArgs(opt, from, head)...)
	cut := errors.Is(err, ErrTooLarge)
	if err != nil && !cut {
		return Diff{}, fmt.Errorf("make a diff: %w", err)
	}
	if cut {
		out = wholeLines(out)
	}
	return Diff{Base: from, Head: head, Patch: text(out), Truncated: cut}, nil
}

func diffArgs(opt DiffOptions, from, to string) []string {
	args := []string{"diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index"}
	if opt.IgnoreWhitespace {
		args = append(args, "--ignore-all-space")
	}
	if opt.Context > 0 {
		args = append(args, "-U"+strconv.Itoa(opt.Context))
	}
	args = append(args, "--end-of-options", from, to, "--")
	for _, p := range opt.Paths {
		args = append(args, ":(literal,top)"+p)
	}
	return args
}

// wholeLines drops the last line when it is not whole, and a cut character.
func wholeLines(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	for i := 0; i < utf8.UTFMax && len(b) > 0 && !utf8.Valid(b); i++ {
		b = b[:len(b)-1]
	}
	return b
}

// text makes bytes from a repository into a valid string.
func text(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// Change is one file of a difference.
type Change struct {
	Status  byte // A added, D deleted, M modified, R renamed, C copied, T type changed
	Path    string
	OldPath string // of a rename or copy
	Added   int    // lines; -1 for a binary file
	Deleted int
}

// Changes lists the files that differ between the merge base and head, with
// their line counts, at most limit of them; more tells whether there are others.
func (r *Repo) Changes(ctx context.Context, base, head string, limit int) (list []Change, more bool, err error) {
	from, err := r.MergeBase(ctx, base, head)
	if err != nil {
		return nil, false, err
	}
	out, err := r.run(ctx, nil, 64<<20, "diff-tree", "-r", "-M", "-z", "--raw", "--numstat", "--no-ext-diff", "--no-textconv", "--end-of-options", from, head, "--")
	if err != nil {
		return nil, false, fmt.Errorf("list changes: %w", err)
	}
	list = parseChanges(out)
	if limit > 0 && len(list) > limit {
		return list[:limit], true, nil
	}
	return list, false, nil
}

// parseChanges reads `diff-tree --raw --numstat -z`: records that start with
// ":" first, then one of "added TAB deleted TAB path" for each.
func parseChanges(out []byte) []Change {
	fields := strings.Split(text(out), "\x00")
	var list []Change
	at := map[string]int{}
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		switch {
		case strings.HasPrefix(f, ":"):
			words := strings.Split(f, " ")
			if len(words) != 5 || i+1 >= len(fields) {
				return list
			}
			c := Change{Status: words[4][0], Path: fields[i+1]}
			i++
			if (c.Status == 'R' || c.Status == 'C') && i+1 < len(fields) {
				c.OldPath, c.Path = c.Path, fields[i+1]
				i++
			}
			at[c.Path] = len(list)
			list = append(list, c)
		case strings.Count(f, "\t") >= 2:
			n := strings.SplitN(f, "\t", 3)
			path := n[2]
			if path == "" && i+2 < len(fields) { // a rename: old and new path follow
				path = fields[i+2]
				i += 2
			}
			if k, ok := at[path]; ok {
				list[k].Added, list[k].Deleted = lines(n[0]), lines(n[1])
			}
		}
	}
	return list
}

func lines(s string) int {
	if s == "-" {
		return -1
	}
	n, _ := strconv.Atoi(s)
	return n
}
