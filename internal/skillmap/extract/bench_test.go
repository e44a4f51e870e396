package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"skillforge/internal/skillmap"
	"skillforge/internal/skillmap/extract"
)

// ordinary is what skills and notes look like: prose, some code, a few links.
var ordinary = strings.Repeat(`## Review the change

Read the diff before anything else, then the files around it. A change that
touches storage needs a second reader; ask @reviewer or run /review-storage
when the diff is long. The rules are in [the guide](../guide/review.md) and
see also https://example.com/reviewing?q=storage for the long version.

- Look for names that say what they do, not how they do it.
- Prefer a small change that is easy to take back over a large one that is not.
- The checklist lives in `+"`docs/checklist.md`"+`; keep it under one page.

`+"```sh\ngit diff --stat main...HEAD\ngo test ./internal/... -run Storage\n```"+`

Nothing is merged on a Friday. If a test is slow, say so in the review and
open an issue rather than waiting for somebody else to notice it later on.

`, 60)

var lenses = []string{"claude", "codex", "antigravity", "opencode", "agent-skills"}

func BenchmarkRun(b *testing.B) {
	for _, lens := range lenses {
		b.Run(lens, func(b *testing.B) { benchmarkRun(b, lens, ordinary) })
	}
	b.Run("non-ascii", func(b *testing.B) {
		benchmarkRun(b, "claude", strings.ReplaceAll(ordinary, "change", "change — é"))
	})
	b.Run("small", func(b *testing.B) { benchmarkRun(b, "claude", ordinary[:len(ordinary)/60]) })
}

func benchmarkRun(b *testing.B, lens, body string) {
	in := extract.Input{Path: "docs/notes/a.md", Lens: lens, Body: body}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		extract.Run(in)
	}
}

func BenchmarkResolve(b *testing.B) {
	signals := extract.Run(extract.Input{Path: "docs/notes/a.md", Lens: "claude", Body: ordinary}).Signals
	b.ReportAllocs()
	for b.Loop() {
		links, _, _ := extract.Resolve("docs/notes/a.md", signals)
		extract.Dedupe(links)
	}
}

func BenchmarkSurroundings(b *testing.B) {
	links, _, _ := extract.Resolve("docs/notes/a.md", extract.Run(extract.Input{Path: "docs/notes/a.md", Lens: "claude", Body: ordinary}).Signals)
	links = extract.Dedupe(links)
	b.ReportAllocs()
	for b.Loop() {
		for i := range links { // each as if it were in a file of its own
			extract.Surroundings(ordinary[:len(ordinary)/60], 0, links[i:i+1])
		}
	}
}

func BenchmarkUnbalanced(b *testing.B) {
	b.SetBytes(int64(len(ordinary)))
	for b.Loop() {
		extract.Unbalanced(ordinary)
	}
}

// hostile bodies are meant to make a careless scanner read them again and
// again.
var hostile = []struct{ name, start, again string }{
	{"backticks", "", "`"},
	{"two-backticks", "", "`` ` "},
	{"fences", "", "```\n"},
	{"tildes", "", "~~~~ x\n"},
	{"brackets", "", "["},
	{"open-links", "", "[]("},
	{"titles", "", "[](x \""},
	{"pictures", "", "!["},
	{"angles", "", "<"},
	{"open-tags", "", "<a "},
	{"quoted-tags", "", "<a \"b' "},
	{"open-comments", "", "<!-- "},
	{"at", "", "@a"},
	{"at-digits", "", "@1."},
	{"at-dots", "", "@../"},
	{"slashes", "", "/a:"},
	{"dollars", "", "$a"},
	{"urls", "", "https://a.example/@b/"},
	{"one-long-url", "https://a.example", "/../a"},
	{"paths-in-code", "", "`a/b.md."},
	{"paths-without-end", "`", "a//b.md/"},
	{"escapes", "", "\\`"},
}

func hostileBody(start, again string, size int) string {
	return start + strings.Repeat(again, size/len(again))
}

// manyNames holds as many different mentions as fit.
func manyNames(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, " @n%x", i)
	}
	return b.String()
}

// BenchmarkHostile is the worst case of each kind over 1 MiB, with all that is
// done to a body. All are linear; the slowest are those with the most signals.
func BenchmarkHostile(b *testing.B) {
	const size = 1 << 20
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) { benchmarkAll(b, hostileBody(h.start, h.again, size)) })
	}
	b.Run("many-names", func(b *testing.B) { benchmarkAll(b, manyNames(size)) })
}

func benchmarkAll(b *testing.B, body string) {
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		all("claude", body)
	}
}

// all does with a body whatever a scan does.
func all(lens, body string) []skillmap.Link {
	out := extract.Run(extract.Input{Path: "a.md", Lens: lens, Body: body})
	links, _, _ := extract.Resolve("a.md", out.Signals)
	extract.Unbalanced(body)
	return extract.Dedupe(links)
}

func TestHostileBodies(t *testing.T) {
	for _, h := range hostile {
		for _, lens := range lenses {
			all(lens, hostileBody(h.start, h.again, 1<<16))
		}
	}
	if got, want := len(all("claude", manyNames(1<<16))), strings.Count(manyNames(1<<16), "@"); got != want {
		t.Errorf("%d links of %d names", got, want)
	}
}
