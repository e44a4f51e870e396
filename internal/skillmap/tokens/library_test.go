package tokens

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// The tests here compare with the library the vocabularies come from. Where the
// contract differs from it, or the library from the definition it implements,
// texts are made plain first: the library takes NEL for space and U+FEFF for
// none, loses DEL, knows an older Unicode, and cuts a run of space after each of
// its newlines instead of after the last.
func plain(text string) string {
	text = strings.Map(func(c rune) rune {
		if c == '\x7f' || c == '\u0085' || c == '\ufeff' || isRecent(c) {
			return -1
		}
		return c
	}, text)
	return spacedNewlines.ReplaceAllStringFunc(text, func(space string) string {
		return strings.Map(func(c rune) rune {
			if c != '\r' && c != '\n' {
				return -1
			}
			return c
		}, space)
	})
}

var spacedNewlines = regexp.MustCompile(`[\r\n][\r\n\t\v\f\pZ]*[\r\n]`)

var library = sync.OnceValue(func() map[Encoding]tokenizer.Codec {
	all := map[Encoding]tokenizer.Codec{}
	for _, e := range Encodings {
		codec, err := tokenizer.Get(tokenizer.Encoding(e))
		if err != nil {
			panic(err)
		}
		all[e] = codec
	}
	return all
})

func compare(t *testing.T, text string) {
	t.Helper()
	for _, e := range Encodings {
		want, err := library()[e].Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := counter(t, e).Count(text); got != want {
			t.Errorf("%s counts %d, want %d: %.300q", e, got, want, text)
		}
	}
}

// TestFilesAreCurrent fails when the embedded vocabularies are not those of the
// library in go.mod; go generate writes them anew.
func TestFilesAreCurrent(t *testing.T) {
	for _, e := range Encodings {
		words := counter(t, e).words()
		for rank := 0; ; rank++ {
			token, err := library()[e].Decode([]uint{uint(rank)})
			if err != nil {
				if rank < 100_000 {
					t.Errorf("%s ends at %d", e, rank)
				}
				break
			}
			want := uint32(rank + 1)
			if strings.HasPrefix(token, "\uFEFF") {
				want = 0
			}
			if got := words.rank(token, 0, len(token)); got != want && len(token) > 1 {
				t.Fatalf("%s: rank of %q is %d, want %d", e, token, int(got)-1, rank)
			}
		}
	}
}

// pools are what random texts are drawn from, so that every rule of the splits
// meets every other.
var pools = [][]string{
	{"a", "b", "é", "ß", "ж", "ﬁ", "ª"},
	{"A", "Z", "É", "Ж", "ǅ", "İ"},
	{"中", "あ", "한", "ʰ", "ـ", "א", "𠀀"},
	{"\u0301", "\u093f", "\u20dd", "\ufe0f", "\u0d3e"},
	{"1", "42", "7", "٣", "Ⅷ", "½", "𝟘"},
	{" ", "  ", "\t", "\u00a0", "\u3000", "\u2028", "\v", "\f"},
	{"\n", "\r", "\r\n", "\n\n"},
	{".", "-", "#", "/", "'", "’", "`", "*", "|", "<|endoftext|>", "👍🏽", "…", "\u200b", "\x00", "\x1b"},
	{"'s", "'T", "'re", "'VE", "'lL", "'m", "'d", "'x", "'ſ", "'r", "'l"},
	{"the", "Hello", "README", "isn", "tokenizer", "Übung", "noitazinekot", "HTTPServer"},
}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		pool := pools[r.IntN(len(pools))]
		b.WriteString(strings.Repeat(pool[r.IntN(len(pool))], 1+r.IntN(4)/3*r.IntN(9)))
	}
	return b.String()
}

func TestRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		compare(t, plain(randomText(r)))
	}
}

func TestRandomCharacters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteRune(rune(r.IntN(0x3000 << (r.IntN(3) * 2)))) // halves of pairs become U+FFFD
		}
		compare(t, plain(b.String()))
	}
}

// TestLongPieces crosses from the short merge to the long one.
func TestLongPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, letters := range []string{"a", "ab", "abcdefghijklmnopqrstuvwxyz", "etaoinshr", "ACGT", "é中", " ", "=-"} {
		all := []rune(letters)
		for _, size := range []int{shortPiece - 1, shortPiece, shortPiece + 1, 127, 128, 129, 500, 3000} {
			var b strings.Builder
			for range size {
				b.WriteRune(all[r.IntN(len(all))])
			}
			compare(t, b.String())
			compare(t, b.String()+"!")
		}
	}
}

func FuzzCount(f *testing.F) {
	f.Add("# Title\n\nDon't panic: it's 12345 words, naïve ones.\r\n\n\n")
	f.Add("MSome\u0301THING \u0301ABC 'S's\t\t x/\n/")
	f.Add("中文 \u3000 <|endoftext|> 👩‍👩‍👧‍👦 \xff\xe4\xb8 \xf0\x9f")
	f.Add(strings.Repeat("a", 200) + strings.Repeat(" ", 300) + "\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range Encodings {
			n := counter(t, e).Count(text)
			if most := len(decodeAll(text)); n > most || n == 0 && text != "" {
				t.Errorf("%s counts %d tokens in %d bytes", e, n, most)
			}
		}
		compare(t, plain(decodeAll(text)))
	})
}

func decodeAll(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return decode(text)
}
