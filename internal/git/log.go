package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// LogEntry is a commit as a history shows it.
type LogEntry struct {
	OID       string
	Parents   []string
	Author    string
	Email     string
	Time      time.Time // author's
	Committer string
	Subject   string
	Body      string
}

// Log lists the commits that tip reaches and none of the excluded does,
// newest first, skipping some, at most limit. With a path only those that
// changed it.
func (r *Repo) Log(ctx context.Context, tip string, exclude []string, path string, skip, limit int) ([]LogEntry, error) {
	if !isOID(tip) {
		return nil, ErrRefName
	}
	args := []string{"log", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--skip=" + strconv.Itoa(skip), "--max-count=" + strconv.Itoa(limit),
		"--format=tformat:%H%x01%P%x01%an%x01%ae%x01%at%x01%cn%x01%s%x01%b", "--end-of-options", tip}
	for _, x := range exclude {
		if !isOID(x) {
			return nil, ErrRefName
		}
		args = append(args, "^"+x)
	}
	args = append(args, "--")
	if path != "" {
		args = append(args, ":(literal,top)"+path)
	}
	out, err := r.run(ctx, nil, 32<<20, args...)
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	var list []LogEntry
	for _, record := range strings.Split(text(out), "\x00") {
		f := strings.SplitN(record, "\x01", 8)
		if len(f) != 8 {
			continue
		}
		seconds, _ := strconv.ParseInt(f[4], 10, 64)
		list = append(list, LogEntry{OID: f[0], Parents: strings.Fields(f[1]), Author: f[2], Email: f[3],
			Time: time.Unix(seconds, 0).UTC(), Committer: f[5], Subject: f[6], Body: strings.TrimSpace(f[7])})
	}
	return list, nil
}

// CountCommits counts what tip reaches and none of the excluded does.
func (r *Repo) CountCommits(ctx context.Context, tip string, exclude ...string) (int, error) {
	if !isOID(tip) {
		return 0, ErrRefName
	}
	args := []string{"rev-list", "--count", "--end-of-options", tip}
	for _, x := range exclude {
		if !isOID(x) {
			return 0, ErrRefName
		}
		args = append(args, "^"+x)
	}
	out, err := r.run(ctx, nil, 1<<10, append(args, "--")...)
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
