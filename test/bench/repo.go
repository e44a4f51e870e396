package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
)

// history is a repository of some megabytes of files in commits, made with
// git fast-import. The same size gives the same objects.
type history struct{ mb int }

// Each commit writes some files, some of them anew: that makes deltas.
const perCommit = 20

func (history) file(i int) string {
	return fmt.Sprintf("src/part%02d/module%d/file%d.go", i%50, i%400, i)
}

// files is how many different files there are.
func (h history) files() int { return max(100, h.mb*30) }

// needle is in exactly one file.
const needle = "theOnlyNeedleInTheStack"

// plant makes a bare repository in dir.
func (b *bench) plantHistory(h history, dir string) error {
	if _, _, err := b.command(b.dir, 0, "git", "init", "-q", "--bare", "--initial-branch=main", dir); err != nil {
		return err
	}
	cmd := exec.CommandContext(b, "git", "--git-dir="+dir, "fast-import", "--quiet", "--depth=10")
	cmd.Env = quietEnv()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(in, 1<<20)
	werr := h.write(out)
	if werr == nil {
		werr = out.Flush()
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("fast-import: %w: %s", err, &errs)
	}
	return werr
}

// write is the stream of the whole history. It ends when the texts have some
// twice the size that is wanted of the packs, which is what they shrink by.
func (h history) write(w io.Writer) error {
	dice := rand.New(rand.NewPCG(7, uint64(h.mb)))
	words := vocabulary(dice)
	left, next := h.mb*2_000_000, 0
	for commit := 0; left > 0; commit++ {
		if _, err := fmt.Fprintf(w, "commit refs/heads/main\ncommitter Bench <bench@example.org> %d +0000\ndata 9\na change\n\n", 1_700_000_000+commit*60); err != nil {
			return err
		}
		for range perCommit {
			i := next
			if next < h.files() {
				next++
			} else {
				i = dice.IntN(h.files())
			}
			text := source(dice, words, i)
			left -= len(text)
			if _, err := fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", h.file(i), len(text), text); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, "done\n")
	return err
}

func vocabulary(dice *rand.Rand) []string {
	list := make([]string, 20_000)
	for i := range list {
		word := make([]byte, 3+dice.IntN(9))
		for k := range word {
			word[k] = byte('a' + dice.IntN(26))
		}
		list[i] = string(word)
	}
	return list
}

// source is a file of some 12 kB.
func source(dice *rand.Rand, words []string, i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package part // file %d\n\n", i)
	if i == 42 {
		b.WriteString("// " + needle + "\n")
	}
	word := func() string { return words[dice.IntN(len(words))] }
	for range 250 {
		fmt.Fprintf(&b, "\tif %s.%s(%s) != nil { return %s(%s, %d) }\n", word(), word(), word(), word(), word(), dice.IntN(10_000))
	}
	return b.String()
}
