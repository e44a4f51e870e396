package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Match is one line that holds what was searched for.
type Match struct {
	Path string // as it is in the tree, byte for byte
	Line int    // from 1
	Text string // the line, cut to MaxMatchText bytes, valid UTF-8
}

// MaxMatchText bounds the text of one match.
const MaxMatchText = 400

// Grep finds the lines of a commit's text files that hold the query, as a
// fixed string whatever its case, in path and line order, at most limit. The
// query is one line. Binary files are passed over, and where one is too large to
// hold, all files over 32 MiB are.
//
// What was found at a commit is remembered: the parts of a long answer, and a
// question that many ask, cost one search. One that ctx's deadline cuts short
// goes on a while, so that who asks again has its answer; one whose caller left
// ends.
func (r *Repo) Grep(ctx context.Context, commit, query string, limit int) ([]Match, error) {
	if !isOID(commit) {
		return nil, ErrRefName
	}
	return r.git.searches.find(ctx, searched{r.dir, commit, query}, limit, func(ctx context.Context, limit int) ([]Match, error) {
		release, err := r.git.takeSlow(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		return r.sifted(ctx, commit, query, limit)
	})
}

// sifted searches the files that may hold the query, as far as it is known
// which these are, and otherwise all.
func (r *Repo) sifted(ctx context.Context, commit, query string, limit int) ([]Match, error) {
	specs, ok, err := r.git.sieves.pick(ctx, r, commit, query)
	if err != nil {
		return nil, err
	}
	if ok && len(specs) == 0 {
		return nil, nil
	}
	begun := time.Now()
	list, err := r.grep(ctx, commit, query, limit, specs) // nil: all
	if errors.Is(err, ErrTooLarge) {
		if specs, err = r.withoutLarge(ctx, commit); err != nil {
			return nil, err
		}
		list, err = r.grep(ctx, commit, query, limit, specs)
	}
	if time.Since(begun) > r.git.sieves.after {
		r.git.sieves.fill(r, commit)
	}
	return list, err
}

func (r *Repo) grep(ctx context.Context, commit, query string, limit int, specs []string) ([]Match, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// grep of git 2.39 knows no --end-of-options; the commit is a checked object id.
	args := []string{"grep", "-I", "-z", "-n", "-F", "-i", "--no-color", "--full-name", "--threads=2",
		"--max-count=" + strconv.Itoa(limit), "-e", query, commit, "--"}
	args = append(args, specs...)
	cmd := r.git.command(ctx, r.dir, args...)
	stderr := &tail{}
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	list, readErr := readMatches(bufio.NewReaderSize(out, 64<<10), len(commit)+1, limit)
	full := len(list) == limit
	if full || readErr != nil {
		cancel() // enough: the rest is not wanted
	}
	err = cmd.Wait()
	if full {
		return list, nil
	}
	if readErr != nil {
		return nil, fmt.Errorf("search: %w", readErr)
	}
	if err != nil {
		fail := failure(ctx, args, err, stderr)
		if f, ok := errors.AsType[*Failure](fail); ok && f.Exit == 1 && f.Stderr == "" {
			return list, nil // nothing found
		}
		return nil, fail
	}
	return list, nil
}

// readMatches reads records "commit:path NUL line NUL text LF". The prefix of
// known length is dropped, so that colons in a path mean nothing.
func readMatches(in *bufio.Reader, prefix, limit int) ([]Match, error) {
	var list []Match
	for len(list) < limit {
		name, err := in.ReadBytes(0)
		if errors.Is(err, io.EOF) && len(name) == 0 {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		number, err := in.ReadBytes(0)
		if err != nil {
			return list, err
		}
		line, err := readLine(in, MaxMatchText)
		if err != nil {
			return list, err
		}
		if len(name) <= prefix {
			return list, fmt.Errorf("git: a match without a path: %q", name)
		}
		n, err := strconv.Atoi(string(bytes.TrimSuffix(number, []byte{0})))
		if err != nil {
			return list, fmt.Errorf("git: a match without a line number: %q", number)
		}
		list = append(list, Match{Path: string(name[prefix : len(name)-1]), Line: n, Text: text(line)})
	}
	return list, nil
}

// readLine reads up to the line feed and keeps the first limit bytes.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var kept []byte
	for {
		part, err := in.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if room := limit - len(kept); room > 0 {
			kept = append(kept, part[:min(room, len(part))]...)
		}
		switch {
		case ended:
			return bytes.TrimSuffix(kept, []byte("\r")), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return kept, nil
		default:
			return kept, err
		}
	}
}
