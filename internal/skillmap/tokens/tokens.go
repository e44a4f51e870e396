// Package tokens counts the tokens of a text as OpenAI's byte-pair encodings
// cl100k_base and o200k_base cut it.
//
// Its main type is Counter. It only counts: it gives no token ids, cuts no
// text to a budget and knows no models. Words that look like special tokens
// ("<|endoftext|>") are plain text to it.
//
// A count has two steps. The text is split into pieces (a word with its
// leading space, a run of signs, up to three digits, ...), and each piece is
// merged from its bytes up, always the pair of lowest rank first. The published
// definition of the first step is a regular expression with a lookahead;
// split.go holds scanners of the same language that look at every character
// about once. Most pieces are tokens as they stand, most others recur, and a
// small cache remembers those.
//
// The vocabularies are embedded (*.bpe). They are the public ones, taken from
// the Go module github.com/tiktoken-go/tokenizer by gen.go; only its tests
// link that module. An encoding costs nothing until its first count.
package tokens

//go:generate go run gen.go

import (
	_ "embed"
	"sync"
	"unicode/utf8"

	"skillforge/internal/fault"
)

// Encoding names a way to cut text into tokens.
type Encoding string

const (
	CL100K Encoding = "cl100k_base"
	O200K  Encoding = "o200k_base"
)

// Encodings lists what For knows, the default first.
var Encodings = []Encoding{CL100K, O200K}

// Counter counts tokens in one encoding. Use For to get one.
type Counter struct {
	encoding Encoding
	split    func(text string, at int) (end int)
	words    func() *vocabulary // loads once
}

//go:embed cl100k_base.bpe
var cl100kFile string

//go:embed o200k_base.bpe
var o200kFile string

var (
	cl100k = newCounter(CL100K, splitCL100K, cl100kFile)
	o200k  = newCounter(O200K, splitO200K, o200kFile)
)

func newCounter(encoding Encoding, split func(string, int) int, file string) *Counter {
	return &Counter{
		encoding: encoding,
		split:    split,
		words: sync.OnceValue(func() *vocabulary {
			classify()
			return load(file)
		}),
	}
}

// For returns the counter of the named encoding. There is one for each, shared
// by all callers.
//
// The fault is Invalid for any other name.
func For(name string) (*Counter, error) {
	switch Encoding(name) {
	case CL100K:
		return cl100k, nil
	case O200K:
		return o200k, nil
	}
	return nil, fault.New(fault.Invalid, "unknown tokenizer %q; use %s or %s", name, CL100K, O200K)
}

// Encoding says how the counter cuts.
func (c *Counter) Encoding() Encoding { return c.encoding }

// Count returns how many tokens text has. It never fails: bytes that are no
// UTF-8 count as the replacement characters a decoder shows for them. It may be
// called at once from many goroutines. The first call of an encoding takes some
// milliseconds longer, to unpack its vocabulary.
func (c *Counter) Count(text string) int {
	if text == "" {
		return 0
	}
	if !utf8.ValidString(text) {
		text = decode(text)
	}
	words, total := c.words(), 0
	for at := 0; at < len(text); {
		end := c.split(text, at)
		total += words.count(text, at, end)
		at = end
	}
	return total
}

// count counts the tokens of text[at:end], one piece of the split.
func (v *vocabulary) count(text string, at, end int) int {
	size := end - at
	if size == 1 {
		return 1 // every single byte is a token
	}
	if size > longestToken {
		return v.merge(text[at:end])
	}
	key, hash := digest(text, at, size)
	if v.find(key, hash, text[at:end]) != 0 {
		return 1
	}
	if n := v.seen.get(hash, text[at:end]); n != 0 {
		return n
	}
	n := v.merge(text[at:end])
	v.seen.put(hash, text[at:end], n)
	return n
}

// decode replaces what is no UTF-8 the way browsers and editors do: one
// replacement character for each longest start of a character.
func decode(text string) string {
	out := make([]byte, 0, len(text)+len(text)/2)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			for at+size < len(text) && !utf8.FullRuneInString(text[at:at+size+1]) {
				size++
			}
		}
		out = utf8.AppendRune(out, r)
		at += size
	}
	return string(out)
}
