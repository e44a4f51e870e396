package extract

import (
	"strings"

	"skillforge/internal/skillmap"
)

var (
	beforeSlash = classOf("_/.:?#=&")
	afterSlash  = classOf("_/-")
)

// findSlashes reads /command in prose.
func findSlashes(p *page) {
	forSlashTokens(p.prose, stretch{0, len(p.prose)}, func(at stretch) { p.invoke(at, "") })
}

// findCodeSlashes reads /command in code regions.
func findCodeSlashes(p *page) {
	p.forCode(func(part stretch) {
		forSlashTokens(p.in.Body, part, func(at stretch) { p.invoke(at, p.context(at.from)) })
	})
}

// invoke emits a token that runs a command or a skill.
func (p *page) invoke(at stretch, context string) {
	token := p.in.Body[at.from:at.to]
	normalized := skillmap.Normalize(token)
	if !p.seen.add(normalized) {
		return
	}
	p.emit(at, Signal{
		Kind: skillmap.Invokes, Target: token, Confidence: 0.8,
		Original: token, Normalized: normalized, Context: context,
	})
}

// forSlashTokens yields each command token in a part of the text: "/" and a
// name, perhaps ":" and a second one, not part of a path.
func forSlashTokens(text string, part stretch, yield func(stretch)) {
	text = text[:part.to]
	for i := part.from; ; {
		skip := strings.IndexByte(text[i:], '/')
		if skip < 0 {
			return
		}
		i += skip
		end := 0
		if i == part.from || !beforeSlash[text[i-1]] {
			end = slashTokenEnd(text, i)
		}
		if end == 0 {
			i++
			continue
		}
		yield(stretch{i, end})
		i = end
	}
}

// slashTokenEnd gives the end of the token that begins with the "/" at i, 0
// when there is none.
func slashTokenEnd(text string, i int) int {
	end := nameEnd(text, i+1)
	if end == 0 {
		return 0
	}
	if end < len(text) && text[end] == ':' {
		end = max(end, nameEnd(text, end+1))
	}
	if afterSlash.at(text, end) {
		return 0
	}
	return end
}

// nameEnd gives the end of the command name at i, 0 when there is none: a
// letter or digit, then letters, digits, "_" and "-", of which the first that
// is neither digit nor mark is a letter.
func nameEnd(text string, i int) int {
	if i >= len(text) || !isAlnum(text[i]) {
		return 0
	}
	end := handleRest.skip(text, i)
	for ; i < end; i++ {
		if isLetter(text[i]) {
			return end
		}
	}
	return 0
}
