package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Blamed is a run of lines that one commit wrote.
type Blamed struct {
	OID     string
	Author  string
	Time    time.Time
	Summary string
	From    int // first line, from 1
	Lines   int
}

// Blame tells which commits wrote the lines from..to of a file, in order of
// lines. ErrNoPath when there is no such file, or not so many lines.
func (r *Repo) Blame(ctx context.Context, commit, path string, from, to int) ([]Blamed, error) {
	if !isOID(commit) {
		return nil, ErrRefName
	}
	if from < 1 || to < from {
		return nil, ErrNoPath
	}
	release, err := r.git.takeSlow(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	out, err := r.run(ctx, nil, 32<<20, "blame", "--porcelain", fmt.Sprintf("-L%d,%d", from, to), commit, "--", path)
	if err != nil {
		return nil, fmt.Errorf("blame a file: %w", err)
	}
	return parseBlame(text(out)), nil
}

// parseBlame reads `blame --porcelain`. A commit is described where it is
// named first.
func parseBlame(out string) []Blamed {
	var list []Blamed
	known := map[string]*Blamed{}
	var at *Blamed
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(line, "\t") {
			continue // the line of the file
		}
		key, value, _ := strings.Cut(line, " ")
		switch {
		case isOID(key):
			f := strings.Fields(value)
			if len(f) < 2 {
				continue
			}
			n, _ := strconv.Atoi(f[1])
			if known[key] == nil {
				known[key] = &Blamed{OID: key}
			}
			at = known[key]
			if last := len(list) - 1; last >= 0 && list[last].OID == key && list[last].From+list[last].Lines == n {
				list[last].Lines++
			} else {
				list = append(list, Blamed{OID: key, From: n, Lines: 1})
			}
		case at == nil:
		case key == "author":
			at.Author = value
		case key == "author-time":
			seconds, _ := strconv.ParseInt(value, 10, 64)
			at.Time = time.Unix(seconds, 0).UTC()
		case key == "summary":
			at.Summary = value
		}
	}
	for i, b := range list {
		who := known[b.OID]
		list[i].Author, list[i].Time, list[i].Summary = who.Author, who.Time, who.Summary
	}
	return list
}
