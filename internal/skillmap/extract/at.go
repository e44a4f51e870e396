package extract

import (
	"strings"

	"skillforge/internal/skillmap"
)

var (
	beforeAt   = classOf("_@")
	atBody     = classOf("_./-")
	handleRest = classOf("_-")
)

// findMentions reads @agent in prose.
func findMentions(p *page) {
	forAtTokens(p.prose, stretch{0, len(p.prose)}, func(at stretch) { p.mention(at, "") })
}

// findCodeMentions reads @agent in code regions.
func findCodeMentions(p *page) {
	p.forCode(func(part stretch) {
		forAtTokens(p.in.Body, part, func(at stretch) { p.mention(at, p.context(at.from)) })
	})
}

func (p *page) mention(at stretch, context string) {
	token := p.in.Body[at.from:at.to]
	if token[1] == '/' || isFileShaped(token[1:]) {
		return
	}
	normalized := skillmap.Normalize(token)
	if !p.seen.add(normalized) {
		return
	}
	p.emit(at, Signal{
		Kind: skillmap.Mentions, Target: token, Confidence: 0.5,
		Original: token, Normalized: normalized, Context: context,
	})
}

// findAtFiles reads @path/to/file.md in prose.
func findAtFiles(p *page) {
	forAtTokens(p.prose, stretch{0, len(p.prose)}, func(at stretch) {
		token := p.prose[at.from:at.to]
		if !isFileShaped(token[1:]) {
			return
		}
		target := resolve(p.dir, token[1:])
		if !p.seen.add(lower(target)) {
			return
		}
		p.emit(at, Signal{
			Kind: skillmap.References, Target: target, Confidence: 0.85,
			Original: token, Normalized: target,
		})
	})
}

// forAtTokens yields each token that begins with "@" in a part of the text.
// What stands outside the part does not count as a neighbour.
func forAtTokens(text string, part stretch, yield func(stretch)) {
	text = text[:part.to]
	for i := part.from; ; {
		skip := strings.IndexByte(text[i:], '@')
		if skip < 0 {
			return
		}
		i += skip
		end := 0
		if i == part.from || !beforeAt[text[i-1]] {
			end = atTokenEnd(text, i)
		}
		if end == 0 {
			i++
			continue
		}
		yield(stretch{i, end})
		i = end
	}
}

// atTokenEnd gives the end of the token that begins with the "@" at i, 0 when
// there is none: perhaps a path of "./" and "../" or one "/", perhaps a dot,
// then letters, digits and "_./-" between two that are no punctuation, then
// perhaps ":" and a name. A letter must come before anything but digits and
// "_./:-".
func atTokenEnd(text string, i int) int {
	i++
	if !leadsToLetter(text[i:]) {
		return 0
	}
	i = skipDots(text, i)
	if i < len(text) && text[i] == '.' {
		i++
	}
	if i == len(text) || !isAlnum(text[i]) {
		return 0
	}
	first := i
	i = atBody.skip(text, i)
	for i > first+1 && !isWord(text[i-1]) {
		i--
	}
	if i+1 < len(text) && text[i] == ':' && isAlnum(text[i+1]) {
		i = handleRest.skip(text, i+1)
	}
	return i
}

func leadsToLetter(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case isLetter(c):
			return true
		case !atBody[c] && c != ':':
			return false
		}
	}
	return false
}

// skipDots passes "./" and "../", as many as there are, or else one "/".
func skipDots(text string, i int) int {
	if i < len(text) && text[i] == '/' {
		return i + 1
	}
	for {
		n := dotsLen(text[i:])
		if n == 0 {
			return i
		}
		i += n
	}
}

// dotsLen is the length of "./" or "../" at the start of the text.
func dotsLen(text string) int {
	if strings.HasPrefix(text, "./") {
		return 2
	}
	if strings.HasPrefix(text, "../") {
		return 3
	}
	return 0
}

// isFileShaped reports whether a token without its "@" is meant as a file: it
// begins with "./" or "../", or ends in the extension of a text or picture.
func isFileShaped(token string) bool {
	if token[0] == '/' {
		return false
	}
	if dotsLen(token) > 0 {
		return true
	}
	dot := strings.LastIndexByte(token, '.')
	return dot >= 0 && fileExtensions[lower(token[dot+1:])]
}

var fileExtensions = func() map[string]bool {
	all := map[string]bool{}
	for _, e := range strings.Fields("md mdx js jsx ts tsx json yml yaml toml txt html css scss less py rb go rs java c cpp h hpp sh sql svg png jpg jpeg gif webp pdf") {
		all[e] = true
	}
	return all
}()

// lower folds ASCII letters and no others.
func lower(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			return lowerFrom(s, i)
		}
	}
	return s
}

func lowerFrom(s string, i int) string {
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b.WriteByte(c)
	}
	return b.String()
}
