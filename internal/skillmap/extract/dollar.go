package extract

import "strings"

var beforeDollar = classOf("_$")

// findDollars reads $skill in prose.
func findDollars(p *page) {
	forDollarTokens(p.prose, stretch{0, len(p.prose)}, func(at stretch) { p.invoke(at, "") })
}

// findCodeDollars reads $skill in code regions.
func findCodeDollars(p *page) {
	p.forCode(func(part stretch) {
		forDollarTokens(p.in.Body, part, func(at stretch) { p.invoke(at, p.context(at.from)) })
	})
}

// forDollarTokens yields each "$" with a name of small letters, digits, "_"
// and "-" in a part of the text, the first sign a letter.
func forDollarTokens(text string, part stretch, yield func(stretch)) {
	text = text[:part.to]
	for i := part.from; ; {
		skip := strings.IndexByte(text[i:], '$')
		if skip < 0 {
			return
		}
		i += skip
		end := i + 1
		if i == part.from || !beforeDollar[text[i-1]] {
			end = dollarNameEnd(text, end)
		}
		if end > i+1 {
			yield(stretch{i, end})
		}
		i = end
	}
}

func dollarNameEnd(text string, i int) int {
	if i == len(text) || text[i] < 'a' || text[i] > 'z' {
		return i
	}
	for i < len(text) && isDollarSign(text[i]) {
		i++
	}
	return i
}

func isDollarSign(c byte) bool {
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '_' || c == '-'
}
