package extract

import (
	"sort"
	"strings"

	"skillforge/internal/skillmap"
)

// forCode yields the code regions in order. A token in one has no neighbours
// outside it.
func (p *page) forCode(yield func(stretch)) {
	for _, part := range p.code {
		yield(part)
	}
}

// context says what kind of code region a position is in.
func (p *page) context(at int) string {
	i := sort.Search(len(p.fences), func(i int) bool { return p.fences[i].to > at })
	if i < len(p.fences) && p.fences[i].from <= at {
		return CodeBlock
	}
	return InlineCode
}

var (
	beforePath = classOf("_/:.-")
	pathSign   = classOf("_/.-")
)

// findCodePaths reads paths of Markdown files in code regions: perhaps "./"
// and "../", then segments of letters, digits and "_.-", none empty, up to the
// last ".md" that ends a word. All signs of such a path are pathSigns, so that
// at most one begins in a row of them, at its start.
func findCodePaths(p *page) {
	p.forCode(func(part stretch) {
		text := p.in.Body[:part.to]
		for done := part.from; ; {
			i := strings.Index(text[done:], ".md")
			if i < 0 {
				return
			}
			from := done + i
			for from > done && pathSign[text[from-1]] {
				from--
			}
			end := pathSign.skip(text, from)
			if from == part.from || !beforePath[text[from-1]] {
				p.codePath(text, from, end)
			}
			done = end
		}
	})
}

func (p *page) codePath(text string, from, end int) {
	to := mdPathEnd(text, from, end)
	if to == 0 {
		return
	}
	token := text[from:to]
	target := resolve(p.dir, token)
	if !p.seen.add(target) {
		return
	}
	p.emit(stretch{from, to}, Signal{
		Kind: skillmap.Points, Target: target, Confidence: 0.85,
		Original: token, Normalized: target, Context: p.context(from),
	})
}

// mdPathEnd gives the end of the longest path at the start of the row of path
// signs from..end, 0 when there is none.
func mdPathEnd(text string, from, end int) int {
	head := from
	for n := dotsLen(text[head:end]); n > 0; n = dotsLen(text[head:end]) {
		head += n
	}
	if head < end && text[head] == '.' {
		head++
	}
	if head == end || !isWord(text[head]) {
		return 0
	}
	head++
	if i := strings.Index(text[head:end], "//"); i >= 0 {
		end = head + i + 1
	}
	for {
		i := strings.LastIndex(text[head:end], ".md")
		if i < 0 {
			return 0
		}
		dot := head + i
		to := dot + len(".md")
		if text[dot-1] != '/' && !(to < len(text) && (isWord(text[to]) || text[to] == '/')) {
			return to
		}
		end = to - 1
	}
}
