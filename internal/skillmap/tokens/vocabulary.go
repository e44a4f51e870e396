package tokens

import (
	"math/bits"
	"strings"
)

// longestToken is the most bytes a token of either vocabulary has.
const longestToken = 128

// vocabulary knows the rank of every token: the lower, the sooner merged. Only
// what it has seen changes once it is loaded.
//
// Tokens sit in one table with open addressing, because nearly all the time of
// a count goes into asking it and a Go map of strings takes three times as
// long. Ranks are stored plus one, so that zero says there is none.
type vocabulary struct {
	slots []slot
	text  string          // all tokens in a row
	pairs [1 << 16]uint32 // the tokens of two bytes, first byte high
	seen  cache
}

// slot holds a token. Three numbers of 32 bits pack closer than one of 64 and
// one of 32.
type slot struct {
	// The bytes of a token of eight at most; else half its hash, and where it is
	// in text.
	low, high uint32
	meta      uint32 // rank plus one, and the length in the low byte; zero is free
}

// load unpacks an embedded file: the 256 single bytes by rank, then for every
// further token the ranks of the two it is made of, 20 bits each.
func load(file string) *vocabulary {
	const singles, packed = 256, 5
	count := singles + (len(file)-singles)/packed
	ends := make([]uint32, singles+1, count+1) // of the tokens in text
	for r := range ends {
		ends[r] = uint32(r)
	}
	var text strings.Builder
	text.Grow(8 * count)
	text.WriteString(file[:singles])
	for at := singles; at+packed <= len(file); at += packed {
		b := file[at : at+packed]
		both := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32
		left, right := both&(1<<20-1), both>>20
		known := text.String()
		text.WriteString(known[ends[left]:ends[left+1]])
		text.WriteString(known[ends[right]:ends[right+1]])
		ends = append(ends, uint32(text.Len()))
	}
	v := &vocabulary{
		slots: make([]slot, count*7/4), // fuller is slower, emptier is slower to fill
		text:  text.String(),
	}
	for r := range count {
		v.add(ends[r], ends[r+1], uint32(r))
	}
	return v
}

// add enters text[at:end] with its rank.
func (v *vocabulary) add(at, end, rank uint32) {
	token := v.text[at:end]
	// The contract's counts come from an encoder that loses every token with a
	// byte order mark in front when it decodes its vocabulary.
	if strings.HasPrefix(token, "\uFEFF") {
		return
	}
	if len(token) == 2 {
		v.pairs[uint16(token[0])<<8|uint16(token[1])] = rank + 1
	}
	key, hash := digest(v.text, int(at), len(token))
	s := slot{low: uint32(key), high: uint32(key >> 32), meta: (rank+1)<<8 | uint32(len(token))}
	if len(token) > 8 {
		s.high = at
	}
	i := v.home(hash)
	for v.slots[i].meta != 0 {
		i = v.after(i)
	}
	v.slots[i] = s
}

// home returns the slot where the search for a hash begins.
func (v *vocabulary) home(hash uint64) int {
	high, _ := bits.Mul64(hash, uint64(len(v.slots)))
	return int(high)
}

func (v *vocabulary) after(i int) int {
	if i++; i < len(v.slots) {
		return i
	}
	return 0
}

// find returns the rank of token plus one, or zero when it is none; key and
// hash are its digest.
func (v *vocabulary) find(key, hash uint64, token string) uint32 {
	low, high, size := uint32(key), uint32(key>>32), uint32(len(token))
	for i := v.home(hash); ; i = v.after(i) {
		s := v.slots[i]
		switch {
		case s.meta == 0:
			return 0
		case s.low != low || s.meta&0xFF != size:
			continue
		case size <= 8 && s.high == high,
			size > 8 && v.text[s.high:s.high+size] == token:
			return s.meta >> 8
		}
	}
}

// rank returns the rank of text[at:end] plus one, or zero.
func (v *vocabulary) rank(text string, at, end int) uint32 {
	size := end - at
	if size == 2 {
		return v.pairs[uint16(text[at])<<8|uint16(text[at+1])]
	}
	if size > longestToken {
		return 0
	}
	key, hash := digest(text, at, size)
	return v.find(key, hash, text[at:end])
}

// digest returns what find asks for text[at:at+size]: its bytes as a number
// when they are eight at most, else a hash; and a hash to spread by. Looking at
// the bytes around them saves a loop.
func digest(text string, at, size int) (key, hash uint64) {
	if size <= 8 {
		key = few(text, at, size)
		return key, mix(key^0x9E3779B97F4A7C15, uint64(size)^0xD6E8FEB86659FD93)
	}
	hash = uint64(size)
	end := at + size
	for ; at+8 < end; at += 8 {
		hash = mix(hash^word(text, at), 0xA0761D6478BD642F)
	}
	hash = mix(hash^word(text, end-8), 0xE7037ED1A0B428DB)
	return hash, hash
}

// few returns the up to eight bytes at text[at] as a number.
func few(text string, at, size int) uint64 {
	if at+8 <= len(text) {
		return word(text, at) & (1<<(8*uint(size)) - 1)
	}
	if end := at + size; end >= 8 {
		return word(text, end-8) >> (64 - 8*uint(size))
	}
	var key uint64
	for i := range size {
		key |= uint64(text[at+i]) << (8 * i)
	}
	return key
}

// word returns the eight bytes at text[at] as a number; the compiler makes one
// load of it.
func word(text string, at int) uint64 {
	b := text[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
