package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"skillforge/internal/sigit"
	sigitstore "skillforge/internal/sigit/store"
	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
	"skillforge/internal/skillmap/survey"
	"skillforge/internal/skillmap/tokens"
	smstore "skillforge/internal/sm/store"
)

// childMark starts what runs in a process of its own: work on the libraries,
// which would make this process large.
const childMark = "in-a-child"

// part is what a child measured.
type part struct {
	Name string
	Took []time.Duration
	Note string
}

// child runs a piece of work in a process of its own.
func (b *bench) child(work string, args ...string) (parts []part, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	_, out, err := b.command(b.dir, 0, self, append([]string{childMark, work}, args...)...)
	if err != nil {
		return nil, err
	}
	return parts, json.Unmarshal([]byte(out), &parts)
}

func child(ctx context.Context, args []string) error {
	var parts []part
	err := fmt.Errorf("no such work: %v", args)
	switch {
	case len(args) == 3 && args[0] == "split":
		parts, err = splitScan(ctx, args[1], args[2])
	case len(args) == 5 && args[0] == "fill":
		err = fillTracker(ctx, args[1], args[2], args[3], args[4])
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(parts)
}

// timed runs a step a few times.
func timed(name string, step func() error) (part, error) {
	p := part{Name: name}
	var cpu []time.Duration
	for range 3 {
		before, begun := processor(), time.Now()
		if err := step(); err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
		p.Took = append(p.Took, time.Since(begun))
		cpu = append(cpu, processor()-before)
	}
	p.Note = fmt.Sprintf("cpu %.0f ms", median(cpu).Seconds()*1000)
	return p, nil
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// splitScan takes the steps of a cold scan apart. In the program they overlap,
// so that their sum is more than the whole.
func splitScan(ctx context.Context, dir, ceiling string) ([]part, error) {
	most, err := strconv.Atoi(ceiling)
	if err != nil {
		return nil, err
	}
	in := survey.Input{
		Roots: []scan.Root{{Name: ".", Dir: dir}}, Ignore: []survey.Layer{{Name: "defaults", Lines: ignore.Defaults}},
		Scan: scan.Options{Lens: "claude", MaxScan: most},
	}
	counter, err := tokens.For("cl100k_base")
	if err != nil {
		return nil, err
	}
	texts, err := readAll(dir)
	if err != nil {
		return nil, err
	}
	var outcome *survey.Outcome
	var cache []smstore.Piece
	var parts []part
	drafts := 0
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"reading the files, one core", func() error { _, err := readAll(dir); return err }},
		{"reading, parsing, rules, no tokens", func() (err error) { outcome, err = survey.Run(ctx, in, nil); return err }},
		{"counting tokens, one core", func() error {
			for _, text := range texts {
				counter.Count(text)
			}
			return nil
		}},
		{"encoding the cache, one core", func() error { _, err := outcome.Cache.MarshalBinary(); return err }},
		{"SQL: writing the map", func() error {
			drafts++
			cache = cache[:0]
			for _, p := range outcome.Cache.Parts() {
				cache = append(cache, smstore.Piece{Sum: p.Sum, Text: p.Text})
			}
			return save(ctx, filepath.Join(dir, ".skill-map", fmt.Sprintf("bench-%d.db", drafts)), &smstore.Map{Result: outcome.Result, Cache: cache, Record: outcome.Record})
		}},
	} {
		p, err := timed(step.name, step.do)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func readAll(dir string) (texts []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := os.ReadFile(path)
		texts = append(texts, string(text))
		return err
	})
	return texts, err
}

func save(ctx context.Context, path string, m *smstore.Map) error {
	s, err := smstore.Open(ctx, path, smstore.Scanning, smstore.Options{})
	if err != nil {
		return err
	}
	_, err = s.Save(ctx, m)
	return errors.Join(err, s.Close(), os.Remove(path))
}

// fillTracker gives a repository many issues and a tenth as many pull
// requests. One of ten is open.
func fillTracker(ctx context.Context, database, owner, repo, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	db, err := sigitstore.Open(ctx, "sqlite:"+database)
	if err != nil {
		return err
	}
	const batch = 5000
	for start := 0; start < n; start += batch {
		err = db.Write(ctx, func(tx *sigitstore.Tx) error { return fill(ctx, tx, owner, repo, start, min(start+batch, n)) })
		if err != nil {
			break
		}
	}
	return errors.Join(err, db.Close())
}

func fill(ctx context.Context, tx *sigitstore.Tx, owner, repo string, from, to int) error {
	user, err := tx.User(ctx, owner)
	if err != nil {
		return err
	}
	by := sigit.SignedIn(user)
	r, err := tx.RepoFor(ctx, by, sigit.RepoName{Owner: owner, Name: repo})
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		issue, err := tx.AddIssue(ctx, r, by, sigit.NewIssue{Title: fmt.Sprintf("Report %d of the week", i), Body: fmt.Sprintf("It fails when folder %d is empty. See the log of run %x.", i%97, i*7919)})
		if err != nil {
			return err
		}
		if i%10 != 0 {
			if _, err := tx.SetIssueState(ctx, issue, user, sigit.Closed); err != nil {
				return err
			}
			continue
		}
		id := fmt.Sprintf("%040x", i)
		if _, err := tx.AddPull(ctx, r, by, sigit.NewPull{Title: fmt.Sprintf("Change %d", i), Body: "As said there.", Head: fmt.Sprint("topic-", i), Base: "main"}, id, id); err != nil {
			return err
		}
	}
	return nil
}
