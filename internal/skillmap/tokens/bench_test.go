package tokens

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// prose writes about size bytes of Markdown as people write it: headings,
// sentences of common and made-up words, lists, links and code.
func prose(size int) string {
	common := strings.Fields(`the of and to in a is that for it as was with be by on not he his but at are this have
		from or had an they which one you were all her she there would their we him been has when who will no more
		if out so up said what its about than into them can only other time new some could these two may first then
		any skill agent command file reads writes before after release review change report test section describes
		project configuration default server repository branch deploy permissions frontmatter workspace`)
	syllables := strings.Fields(`ka lo mer tin va sou bre den quo fi zel tro pan dri mis to gra nu wen xi`)
	r := rand.New(rand.NewPCG(11, 12))
	var b strings.Builder
	word := func() string {
		if r.IntN(12) > 0 {
			return common[r.IntN(len(common))]
		}
		var w string
		for range 2 + r.IntN(3) {
			w += syllables[r.IntN(len(syllables))]
		}
		return w
	}
	sentence := func() {
		for i := range 5 + r.IntN(14) {
			w := word()
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
			if r.IntN(12) == 0 {
				b.WriteByte(',')
			}
		}
		b.WriteString(". ")
	}
	for b.Len() < size {
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "\n\n## %s %s\n\n", word(), word())
		case 1:
			for range 4 {
				fmt.Fprintf(&b, "- **%s**: see [%s](docs/%s.md#%d)\n", word(), word(), word(), r.IntN(3000))
			}
		case 2:
			fmt.Fprintf(&b, "\n```sh\nsm %s --%s=%d | grep '%s' > %s.json\n```\n", word(), word(), r.IntN(99), word(), word())
		default:
			sentence()
			sentence()
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func BenchmarkCount(b *testing.B) {
	text := prose(1 << 20)
	for _, e := range Encodings {
		c := counter(b, e)
		c.Count("warm")
		b.Run(string(e)+"/warm", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Count(text)
			}
		})
		b.Run(string(e)+"/cold", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for i := range c.words().seen {
					c.words().seen[i].Store(nil)
				}
				c.Count(text)
			}
		})
	}
}

// BenchmarkRuns counts texts that are one long piece.
func BenchmarkRuns(b *testing.B) {
	c := counter(b, CL100K)
	for name, text := range map[string]string{
		"letter": strings.Repeat("a", 1<<20),
		"blank":  strings.Repeat(" ", 1<<20),
		"cjk":    strings.Repeat("中文字", 1<<20/9),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Count(text)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for e, file := range map[Encoding]string{CL100K: cl100kFile, O200K: o200kFile} {
		b.Run(string(e), func(b *testing.B) {
			for b.Loop() {
				load(file)
			}
		})
	}
}
