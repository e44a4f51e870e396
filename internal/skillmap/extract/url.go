package extract

import (
	"slices"
	"strings"

	"skillforge/internal/skillmap"
)

// findURLs reads http and https URLs in prose. Their targets leave the map.
func findURLs(p *page) {
	ignored := p.in.IgnoredDomains
	forURLs(p.prose, func(at stretch) {
		written := p.prose[at.from:at.to]
		href, host, ok := parseURL(written)
		if !ok || slices.ContainsFunc(ignored, func(d string) bool { return lower(d) == host }) || !p.seen.add(href) {
			return
		}
		p.emit(at, Signal{
			Kind: skillmap.References, Target: href, Confidence: 0.3,
			Original: written, Normalized: href,
		})
	})
}

// urlStop holds what ends a URL besides white space.
var urlStop = func() *class {
	var c class
	for _, b := range []byte("<>\"'`)]\t\n\v\f\r ") {
		c[b] = true
	}
	return &c
}()

// forURLs yields each "http://" or "https://" with what follows it up to white
// space or a closing sign, punctuation at the end left out.
func forURLs(text string, yield func(stretch)) {
	for done := 0; ; {
		i := strings.Index(text[done:], "://")
		if i < 0 {
			return
		}
		i += done
		end := i + len("://")
		if from := schemeStart(text[done:i]); from >= 0 {
			rest := end
			if end = urlEnd(text, rest); end > rest {
				yield(stretch{done + from, done + from + len(strings.TrimRight(text[done+from:end], ".,;:!?"))})
			}
		}
		done = end
	}
}

// schemeStart is where the "http" or "https" begins that the text ends in, or
// -1.
func schemeStart(text string) int {
	for _, scheme := range [...]string{"https", "http"} {
		if strings.HasSuffix(text, scheme) {
			return len(text) - len(scheme)
		}
	}
	return -1
}

func urlEnd(text string, i int) int {
	for i < len(text) && !urlStop[text[i]] && (text[i] < 0x80 || spaceLen(text, i) == 0) {
		i++
	}
	return i
}
