//go:build ignore

// Gen writes the vocabulary files of package tokens. It reads the two
// vocabularies from github.com/tiktoken-go/tokenizer, which carries them
// inside its Go module, so nothing is downloaded but the module itself.
//
//	go generate ./internal/skillmap/tokens
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

func main() {
	log.SetFlags(0)
	for _, encoding := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		packed, err := pack(encoding)
		if err != nil {
			log.Fatalf("%s: %v", encoding, err)
		}
		if err := os.WriteFile(string(encoding)+".bpe", packed, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// pack returns the vocabulary in the form that vocabulary.go reads: the 256
// single bytes in the order of their ranks, then for every further token five
// bytes that hold the ranks of the two earlier tokens it is made of.
func pack(encoding tokenizer.Encoding) ([]byte, error) {
	tokens, err := list(encoding)
	if err != nil {
		return nil, err
	}
	rank := make(map[string]int, len(tokens))
	for r, t := range tokens {
		rank[t] = r
	}
	packed := make([]byte, 0, 256+5*len(tokens))
	for r, t := range tokens {
		if r < 256 {
			if len(t) != 1 {
				return nil, fmt.Errorf("token %d is %q, not a single byte", r, t)
			}
			packed = append(packed, t[0])
			continue
		}
		left, right, ok := halves(t, r, rank)
		if !ok {
			return nil, fmt.Errorf("token %d %q is not made of two earlier ones", r, t)
		}
		both := uint64(left) | uint64(right)<<20
		packed = append(packed, byte(both), byte(both>>8), byte(both>>16), byte(both>>24), byte(both>>32))
	}
	return packed, nil
}

// list returns the ordinary tokens by rank, special ones left out.
func list(encoding tokenizer.Encoding) ([]string, error) {
	codec, err := tokenizer.Get(encoding)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for {
		t, err := codec.Decode([]uint{uint(len(tokens))})
		if err != nil {
			return tokens, nil // the first rank without a token ends the list
		}
		tokens = append(tokens, t)
	}
}

func halves(t string, below int, rank map[string]int) (left, right int, ok bool) {
	for i := 1; i < len(t); i++ {
		l, lok := rank[t[:i]]
		r, rok := rank[t[i:]]
		if lok && rok && l < below && r < below {
			return l, r, true
		}
	}
	return 0, 0, false
}
