package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dlclark/regexp2/v2"
)

// The published definitions of both splits. An engine with lookahead reads them.
const (
	shortened = `(?i:'s|'t|'re|'ve|'m|'ll|'d)`
	patternCL = shortened + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternO  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` + shortened + `?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` + shortened + `?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

func TestSplitsFollowTheDefinition(t *testing.T) {
	// The group keeps the engine from taking the faulty code that the library
	// registers for exactly its own two patterns.
	patterns := map[Encoding]*regexp2.Regexp{
		CL100K: regexp2.MustCompile("(?:"+patternCL+")", regexp2.None),
		O200K:  regexp2.MustCompile("(?:"+patternO+")", regexp2.None),
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 1500 {
		text := randomText(r)
		if i%2 == 1 {
			text = randomRunes(r)
		}
		for _, e := range Encodings {
			want := pieces(t, patterns[e], text)
			if got := split(counter(t, e), text); !slices.Equal(got, want) {
				t.Errorf("%s splits %q into\n%q, want\n%q", e, text, got, want)
			}
		}
	}
}

// randomRunes draws characters from all of Unicode, without those that the
// engine of the test and the contract class differently.
func randomRunes(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		c := rune(r.IntN(0x3000 << (r.IntN(3) * 2)))
		if c == '\u0085' || c == '\ufeff' || isRecent(c) || c >= 0xD800 && c < 0xE000 {
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

func isRecent(c rune) bool {
	for _, new := range recent {
		for i := 0; i < len(new.ranges); i += 2 {
			if c >= new.ranges[i] && c <= new.ranges[i+1] {
				return true
			}
		}
	}
	return false
}

func pieces(t *testing.T, pattern *regexp2.Regexp, text string) []string {
	t.Helper()
	var all []string
	m, err := pattern.FindStringMatch(text)
	for m != nil && err == nil {
		all = append(all, m.String())
		m, err = pattern.FindNextMatch(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func split(c *Counter, text string) []string {
	c.words()
	var all []string
	for at := 0; at < len(text); {
		end := c.split(text, at)
		all = append(all, text[at:end])
		at = end
	}
	return all
}

func TestSpaceIsJavaScripts(t *testing.T) {
	classify()
	for c := rune(0); c <= unicode.MaxRune; c++ {
		want := unicode.Is(unicode.White_Space, c) && c != '\u0085' || c == '\ufeff'
		if got := classes[c]&space != 0; got != want {
			t.Errorf("%U counts as space: %v, want %v", c, got, want)
		}
	}
}
