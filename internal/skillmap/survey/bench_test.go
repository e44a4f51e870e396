package survey

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skillforge/internal/skillmap/ignore"
	"skillforge/internal/skillmap/scan"
)

// forest is a project of n files: agents, commands, skills and documents with
// heads, prose and links to each other. SKILLFORGE_TREE names another one to
// measure instead.
func forest(t testing.TB, n int) string {
	t.Helper()
	if dir := os.Getenv("SKILLFORGE_TREE"); dir != "" {
		return dir
	}
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		name, kind := leaf(i)
		text := fmt.Sprintf("---\nname: %s-%d\ndescription: |\n  Number %d of its kind, made to be\n  measured and read by nobody.\n---\n\n# Leaf %d\n\n%s", kind, i, i, i, prose(rnd, n))
		plantFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func leaf(i int) (name, kind string) {
	switch i % 4 {
	case 0:
		return fmt.Sprintf(".claude/agents/agent-%d.md", i), "agent"
	case 1:
		return fmt.Sprintf(".claude/commands/command-%d.md", i), "command"
	case 2:
		return fmt.Sprintf(".claude/skills/skill-%d/SKILL.md", i), "skill"
	}
	return fmt.Sprintf("docs/part-%d/doc-%d.md", i%16, i), "doc"
}

func prose(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for range 4 {
		switch i := rnd.IntN(n / 4); rnd.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "Ask @agent-%d first.\n", 4*i)
		case 1:
			fmt.Fprintf(&b, "Run /command-%d when the rest is done.\n", 4*i+1)
		case 2:
			fmt.Fprintf(&b, "Use `/skill-%d` for the batch.\n", 4*i+2)
		default:
			fmt.Fprintf(&b, "See [notes](/docs/part-%d/doc-%d.md).\n", (4*i+3)%16, 4*i+3)
		}
	}
	for range 12 {
		b.WriteString("A record of what was done is worth more than a plan of what will be, and costs less to keep.\n")
	}
	return b.String()
}

func plantFile(t testing.TB, at, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(at), 0o755))
	must(t, os.WriteFile(at, []byte(text), 0o644))
}

func forestInput(dir string) Input {
	return Input{
		Roots:  []scan.Root{{Name: ".", Dir: dir}},
		Ignore: []Layer{{Name: "defaults", Lines: ignore.Defaults}},
		Scan:   scan.Options{Lens: "claude", Tokenize: true, MaxScan: 50000},
		Now:    func() time.Time { return time.Now().Add(time.Hour) }, // no file looks freshly written
	}
}

const leaves = 10_000

func BenchmarkCold(b *testing.B) {
	in := forestInput(forest(b, leaves))
	b.ReportAllocs()
	for b.Loop() {
		out, err := Run(b.Context(), in, nil)
		must(b, err)
		if len(out.Result.Nodes) < leaves {
			b.Fatalf("%d nodes", len(out.Result.Nodes))
		}
	}
}

// BenchmarkWarm is the work of a program that starts with the cache of its
// last run and finds nothing changed.
func BenchmarkWarm(b *testing.B) {
	in := forestInput(forest(b, leaves))
	out, err := Run(b.Context(), in, nil)
	must(b, err)
	kept, err := out.Cache.MarshalBinary()
	must(b, err)
	b.ReportMetric(float64(len(kept)), "cache-bytes")
	b.ReportAllocs()
	for b.Loop() {
		c := new(Cache)
		must(b, c.UnmarshalBinary(kept))
		_, err := Run(b.Context(), in, &Prior{Cache: c})
		must(b, err)
	}
}

func BenchmarkUnchanged(b *testing.B) {
	in := forestInput(forest(b, leaves))
	out, err := Run(b.Context(), in, nil)
	must(b, err)
	b.ReportMetric(float64(len(out.Record)), "record-bytes")
	b.ReportAllocs()
	for b.Loop() {
		same, err := Unchanged(b.Context(), in, out.Record)
		if err != nil || !same {
			b.Fatal(same, err)
		}
	}
}

// BenchmarkOneChange is what a watcher does when one file was written.
func BenchmarkOneChange(b *testing.B) {
	dir := forest(b, leaves)
	in := forestInput(dir)
	out, err := Run(b.Context(), in, nil)
	must(b, err)
	name := "bench-one-change.md"
	at := filepath.Join(dir, name)
	b.Cleanup(func() { os.Remove(at) })
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		plantFile(b, at, fmt.Sprintf("See [notes](docs/a.md), %d.\n", i))
		next, err := RunChanged(b.Context(), in, &Prior{Cache: out.Cache}, []string{name})
		must(b, err)
		out = next
	}
}

func BenchmarkCacheEncode(b *testing.B) {
	in := forestInput(forest(b, leaves))
	out, err := Run(b.Context(), in, nil)
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := out.Cache.MarshalBinary()
		must(b, err)
	}
}

func BenchmarkCacheDecode(b *testing.B) {
	in := forestInput(forest(b, leaves))
	out, err := Run(b.Context(), in, nil)
	must(b, err)
	kept, err := out.Cache.MarshalBinary()
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		c := new(Cache)
		must(b, c.UnmarshalBinary(kept))
		for range c.Nodes() {
		}
	}
}
