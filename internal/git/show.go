package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxCommit bounds the commit objects that Show reads.
const maxCommit = 1 << 20

// Show reads one commit. It costs no process, unlike Log.
func (r *Repo) Show(ctx context.Context, oid string) (LogEntry, error) {
	if !isOID(oid) {
		return LogEntry{}, ErrRefName
	}
	var raw []byte
	err := r.git.pool.with(ctx, r.dir, func(read *reader) error {
		h, data, err := read.contents(oid, maxCommit)
		if err == nil && h.kind != "commit" {
			return answer{ErrNoRef}
		}
		raw = data
		return err
	})
	if err != nil {
		return LogEntry{}, err
	}
	return parseCommit(oid, text(raw)), nil
}

// parseCommit reads a commit object: headers, an empty line, the message.
func parseCommit(oid, raw string) LogEntry {
	c := LogEntry{OID: oid}
	head, message, _ := strings.Cut(raw, "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author, c.Email, c.Time = parseSignature(value)
		case "committer":
			c.Committer, _, _ = parseSignature(value)
		}
	}
	subject, body, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	c.Subject = strings.Join(strings.Fields(subject), " ")
	c.Body = strings.TrimSpace(body)
	return c
}

// parseSignature reads "name <email> seconds zone".
func parseSignature(s string) (name, email string, when time.Time) {
	open, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return strings.TrimSpace(s), "", time.Time{}
	}
	seconds, _, _ := strings.Cut(strings.TrimSpace(s[end+1:]), " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		when = time.Unix(n, 0).UTC()
	}
	return strings.TrimSpace(s[:open]), s[open+1 : end], when
}

// emptyTrees are the ids of a tree without entries, by the length of ids. Git
// knows them in every repository.
var emptyTrees = map[int]string{
	40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// EmptyTree is what the first commit of a history is compared with.
func EmptyTree(oid string) string { return emptyTrees[len(oid)] }

// Patch shows what differs between two commits or trees as they are, without
// looking for where they parted; see Diff for that. A patch over the limit is
// cut after a whole line.
func (r *Repo) Patch(ctx context.Context, from, to string, opt DiffOptions) (Diff, error) {
	if !isOID(from) || !isOID(to) {
		return Diff{}, ErrRefName
	}
	out, err := r.run(ctx, nil, or(opt.Limit, 64<<20), diffArgs(opt, from, to)...)
	cut := errors.Is(err, ErrTooLarge)
	if err != nil && !cut {
		return Diff{}, fmt.Errorf("make a diff: %w", err)
	}
	if cut {
		out = wholeLines(out)
	}
	return Diff{Base: from, Head: to, Patch: text(out), Truncated: cut}, nil
}

// Between lists the files that differ between two commits or trees as they
// are, with their line counts.
func (r *Repo) Between(ctx context.Context, from, to string, ignoreSpace bool) ([]Change, error) {
	if !isOID(from) || !isOID(to) {
		return nil, ErrRefName
	}
	args := []string{"diff-tree", "-r", "-M", "-z", "--raw", "--numstat", "--no-ext-diff", "--no-textconv"}
	if ignoreSpace {
		args = append(args, "--ignore-all-space")
	}
	out, err := r.run(ctx, nil, 64<<20, append(args, "--end-of-options", from, to, "--")...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return parseChanges(out), nil
}
