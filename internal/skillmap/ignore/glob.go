package ignore

import "strings"

// glob is a pattern from its first sign that is not literal.
type glob []step

type step struct {
	kind stepKind
	text string     // of literally, folded
	set  *[8]uint32 // of oneOf: a bit for each byte
}

type stepKind uint8

const (
	literally stepKind = iota
	any1               // ?      one byte, no slash
	oneOf              // [...]  one byte of the set, which has no slash
	within             // *      any bytes but slashes
	across             // **     any bytes
	down               // **/    nothing, or any bytes up to and with a slash
)

// compile reads a pattern; ok is false when it is malformed and so can match
// nothing.
//
// Two stars cross folders only between slashes or ends, and the start of what
// compile is given counts as one: git strips the literal start of a pattern
// first, so "a**/b" is "a", then "**/b".
func compile(pattern string) (steps glob, ok bool) {
	var literal []byte
	flush := func() {
		if len(literal) > 0 {
			steps = append(steps, step{kind: literally, text: fold(string(literal))})
			literal = literal[:0]
		}
	}
	for i := 0; i < len(pattern); {
		switch pattern[i] {
		case '\\':
			if i+1 == len(pattern) {
				return nil, false
			}
			literal = append(literal, pattern[i+1])
			i += 2
		case '?':
			flush()
			steps = append(steps, step{kind: any1})
			i++
		case '*':
			flush()
			var kind stepKind
			kind, i = stars(pattern, i)
			steps = append(steps, step{kind: kind})
		case '[':
			flush()
			set, end, ok := bracket(pattern, i+1)
			if !ok {
				return nil, false
			}
			steps = append(steps, step{kind: oneOf, set: set})
			i = end
		default:
			literal = append(literal, pattern[i])
			i++
		}
	}
	flush()
	return steps, true
}

// stars reads the run of stars at pattern[i], and returns where it ends.
func stars(pattern string, i int) (stepKind, int) {
	end := i
	for end < len(pattern) && pattern[end] == '*' {
		end++
	}
	opens := i == 0 || pattern[i-1] == '/'
	rest := pattern[end:]
	switch {
	case end-i == 1 || !opens:
		return within, end
	case rest == "" || strings.HasPrefix(rest, `\/`):
		return across, end
	case rest[0] == '/':
		return down, end + 1
	}
	return within, end
}

// literal returns the longest literal part.
func (g glob) literal() string {
	var longest string
	for _, t := range g {
		if len(t.text) > len(longest) {
			longest = t.text
		}
	}
	return longest
}

// match reports whether the glob is the whole of s, which is folded.
//
// It keeps the set of places in s where a match of the steps so far can end.
// That set has at most as many members as s has bytes, so there is nothing to
// go back to and no pattern that takes forever.
func (g glob) match(s string) bool {
	var a, b [96]int32
	now, next := append(a[:0], 0), b[:0]
	for i := range g {
		next = g[i].advance(s, now, next[:0])
		if len(next) == 0 {
			return false
		}
		now, next = next, now
	}
	return int(now[len(now)-1]) == len(s)
}

// advance appends to next, in ascending order, where the step can end that
// starts at one of the places now.
func (t *step) advance(s string, now, next []int32) []int32 {
	switch t.kind {
	case literally:
		for _, p := range now {
			if strings.HasPrefix(s[p:], t.text) {
				next = append(next, p+int32(len(t.text)))
			}
		}
	case any1:
		for _, p := range now {
			if int(p) < len(s) && s[p] != '/' {
				next = append(next, p+1)
			}
		}
	case oneOf:
		for _, p := range now {
			if int(p) < len(s) && t.set[s[p]/32]>>(s[p]%32)&1 != 0 {
				next = append(next, p+1)
			}
		}
	case within:
		done := int32(-1)
		for _, p := range now {
			if p <= done {
				continue // reached from an earlier place already
			}
			for done = p; int(done) < len(s) && s[done] != '/'; done++ {
				next = append(next, done)
			}
			next = append(next, done)
		}
	case across:
		for p := now[0]; int(p) <= len(s); p++ {
			next = append(next, p)
		}
	case down:
		for p := now[0]; int(p) <= len(s); p++ {
			if len(now) > 0 && now[0] == p {
				now = now[1:]
				next = append(next, p)
			} else if s[p-1] == '/' {
				next = append(next, p)
			}
		}
	}
	return next
}
