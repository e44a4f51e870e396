package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// harness is a project of n files: agents, commands, skills and documents
// with heads, prose and references to each other, some of them broken. The
// same n gives the same bytes.
type harness struct{ n int }

// Of every ten files, this many are of each kind.
var kinds = []string{"agent", "skill", "command", "doc", "agent", "skill", "command", "doc", "skill", "doc"}

func kindOf(i int) string { return kinds[i%len(kinds)] }

func (h harness) path(i int) string {
	switch kindOf(i) {
	case "agent":
		return fmt.Sprintf(".claude/agents/agent-%d.md", i)
	case "skill":
		return fmt.Sprintf(".claude/skills/skill-%d/SKILL.md", i)
	case "command":
		return fmt.Sprintf(".claude/commands/command-%d.md", i)
	}
	return fmt.Sprintf("docs/part-%03d/page-%d.md", i%100, i)
}

// sentences are what the prose is made of.
var sentences = []string{
	"Look at what changed before you judge what it does.",
	"A rule that nobody can check is a wish.",
	"Write the test first when the fault is known, and last when it is not.",
	"Keep the list short: three points are read, ten are skipped.",
	"When two pages disagree, the newer one says which it replaces.",
	"Ask for the log, the version and the shortest way to see it fail.",
	"Nothing is done before somebody else could have done it from what is written.",
	"Prefer the plain word, and the same word for the same thing.",
	"The build is quick or it is not run; keep it below a minute.",
	"Leave the folder as you found it, and say so when you could not.",
}

func (h harness) text(i int) string {
	dice := rand.New(rand.NewPCG(uint64(h.n), uint64(i)))
	kind := kindOf(i)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nname: %s-%d\ndescription: |\n  The %s with the number %d.\n  Read it when work of its kind comes up.\n", kind, i, kind, i)
	if kind == "agent" {
		b.WriteString("tools: [Read, Grep, Edit]\nmodel: sonnet\n")
	}
	fmt.Fprintf(&b, "---\n\n# %s %d\n\n", strings.ToUpper(kind[:1])+kind[1:], i)
	h.prose(&b, dice, 3)
	b.WriteString("\n## In order\n\n")
	for step := range 4 {
		fmt.Fprintf(&b, "%d. %s\n", step+1, h.reference(dice, i))
	}
	b.WriteString("\n## Remarks\n\n")
	h.prose(&b, dice, 5)
	b.WriteString("\n")
	h.prose(&b, dice, 3)
	h.names(&b, dice)
	return b.String()
}

// names are words that no other file has: what is counted once must not make
// the next file cheap.
func (harness) names(b *strings.Builder, dice *rand.Rand) {
	const vowels, others = "aeiou", "bcdfghklmnprstvz"
	b.WriteString("Names:")
	for range 12 {
		b.WriteByte(' ')
		for range 2 + dice.IntN(3) {
			b.WriteByte(others[dice.IntN(len(others))])
			b.WriteByte(vowels[dice.IntN(len(vowels))])
		}
	}
	b.WriteString(".\n")
}

func (h harness) prose(b *strings.Builder, dice *rand.Rand, n int) {
	for range n {
		b.WriteString(sentences[dice.IntN(len(sentences))])
		b.WriteByte(' ')
	}
	b.WriteByte('\n')
}

// reference points at some other file, the way its kind is pointed at.
func (h harness) reference(dice *rand.Rand, from int) string {
	to := dice.IntN(h.n)
	if dice.IntN(50) == 0 {
		return fmt.Sprintf("See [what was](gone-%d.md), if it is there.", to)
	}
	switch kindOf(to) {
	case "agent":
		return fmt.Sprintf("Let @agent-%d have a look.", to)
	case "skill":
		return fmt.Sprintf("Use /skill-%d for the rest.", to)
	case "command":
		return fmt.Sprintf("Run /command-%d when it is green.", to)
	}
	return fmt.Sprintf("Read [the page](%s) first.", relative(path.Dir(h.path(from)), h.path(to)))
}

func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")+1) + to
}

// plant writes the project into dir.
func (h harness) plant(dir string) (bytes int64, err error) {
	made := map[string]bool{}
	for i := range h.n {
		at := filepath.Join(dir, filepath.FromSlash(h.path(i)))
		if parent := filepath.Dir(at); !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return bytes, err
			}
			made[parent] = true
		}
		text := h.text(i)
		bytes += int64(len(text))
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}
