package extract

import (
	"strings"
	"unicode/utf8"

	"skillforge/internal/skillmap"
)

// findMarkdownLinks reads [text](destination "title") in prose, pictures left
// out.
func findMarkdownLinks(p *page) {
	s := linkScanner{text: p.prose}
	for s.next() {
		p.markdownLink(s.link, s.dest)
	}
}

func (p *page) markdownLink(link, dest stretch) {
	written := p.in.Body[dest.from:dest.to]
	target, ok := linkTarget(p.dir, p.prose[dest.from:dest.to])
	if !ok || !p.seen.add(target) {
		return
	}
	p.emit(link, Signal{
		Kind: skillmap.References, Target: target, Confidence: 0.95,
		Original: written, Normalized: target, Raw: p.maskedRaw(link),
	})
}

// maskedRaw is the stretch as it stands in prose, a space for each UTF-16 code
// unit taken out.
func (p *page) maskedRaw(at stretch) string {
	body, prose := p.in.Body[at.from:at.to], p.prose[at.from:at.to]
	if body == prose {
		return body
	}
	var b strings.Builder
	for i := 0; i < len(body); {
		r, n := utf8.DecodeRuneInString(body[i:])
		switch sign := body[i : i+n]; {
		case prose[i:i+n] == sign:
			b.WriteString(sign)
		case r >= 0x10000:
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
		i += n
	}
	return b.String()
}

// linkTarget is the node path that a destination means, not ok when it means
// none: a URL, a fragment, or a way out of the root from the root.
func linkTarget(dir, dest string) (target string, ok bool) {
	dest, _, _ = strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	if dest == "" || schemeLen(dest) > 0 {
		return "", false
	}
	if dest[0] != '/' {
		return resolve(dir, dest), true
	}
	if strings.HasPrefix(dest, "//") {
		return "", false
	}
	target = resolve("", dest[1:])
	return target, target != "." && !strings.HasPrefix(target, "..")
}

// linkScanner finds inline links, leftmost first. Each search for a sign that
// may be far away is remembered, so that brackets without an end cost no more
// than one reading.
type linkScanner struct {
	text string
	at   int

	link, dest stretch // what next found

	destStop farther // the next ")" or white space
	quote    farther // the next `"`
}

// farther is a remembered search: from any position in from..to the thing
// looked for is at to.
type farther struct {
	from, to int
	known    bool
}

func (f *farther) find(i int, search func(int) int) int {
	if !f.known || i < f.from || i > f.to {
		*f = farther{from: i, to: search(i), known: true}
	}
	return f.to
}

func (s *linkScanner) next() bool {
	for {
		open := strings.IndexByte(s.text[s.at:], '[')
		if open < 0 {
			return false
		}
		open += s.at
		shut := strings.IndexByte(s.text[open:], ']')
		if shut < 0 {
			return false
		}
		shut += open
		s.at = shut + 1
		if open = s.firstOpen(open, shut); open < 0 {
			continue
		}
		if end := s.destination(shut + 1); end > 0 {
			s.link = stretch{open, end}
			s.at = end
			return true
		}
	}
}

// firstOpen gives the first "[" in open..shut that no "!" stands before.
func (s *linkScanner) firstOpen(open, shut int) int {
	for open > 0 && s.text[open-1] == '!' {
		i := strings.IndexByte(s.text[open+1:shut], '[')
		if i < 0 {
			return -1
		}
		open += 1 + i
	}
	return open
}

// destination reads what follows the "]" and gives the end of the link, 0
// when it is none.
func (s *linkScanner) destination(i int) int {
	if i >= len(s.text) || s.text[i] != '(' {
		return 0
	}
	from := i + 1
	i = s.destStop.find(from, s.findDestStop)
	if i == from || i == len(s.text) {
		return 0
	}
	s.dest = stretch{from, i}
	if s.text[i] == ')' {
		return i + 1
	}
	return s.title(i)
}

func (s *linkScanner) findDestStop(i int) int {
	for i < len(s.text) && s.text[i] != ')' && spaceLen(s.text, i) == 0 {
		i++
	}
	return i
}

// title reads white space, a title in double quotes and ")".
func (s *linkScanner) title(i int) int {
	for n := spaceLen(s.text, i); n > 0; n = spaceLen(s.text, i) {
		i += n
	}
	if i == len(s.text) || s.text[i] != '"' {
		return 0
	}
	i = 1 + s.quote.find(i+1, s.findQuote)
	if i < len(s.text) && s.text[i] == ')' {
		return i + 1
	}
	return 0
}

func (s *linkScanner) findQuote(i int) int {
	if n := strings.IndexByte(s.text[i:], '"'); n >= 0 {
		return i + n
	}
	return len(s.text)
}
