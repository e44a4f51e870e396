package ignore

import "strings"

// bracket reads the set whose first sign is pattern[i], and returns where it
// ends; ok is false when it is never closed or names an unknown class.
//
// It works on bytes as git does, so a set of letters beyond ASCII is a set of
// their bytes.
func bracket(pattern string, i int) (set *[8]uint32, end int, ok bool) {
	set = new([8]uint32)
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	var before byte // the sign before, which a dash can make the start of a range
	for first := true; first || i < len(pattern) && pattern[i] != ']'; first = false {
		if i >= len(pattern) {
			return nil, 0, false
		}
		sign := pattern[i]
		switch {
		case sign == '\\':
			i++
			if i == len(pattern) {
				return nil, 0, false
			}
			sign = pattern[i]
			add(set, sign, sign)
		case sign == '-' && before != 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			i++
			if pattern[i] == '\\' {
				i++
				if i == len(pattern) {
					return nil, 0, false
				}
			}
			add(set, before, pattern[i])
			sign = 0
		case strings.HasPrefix(pattern[i:], "[:"):
			name, close, closed := className(pattern, i+2)
			if !closed {
				return nil, 0, false
			}
			if name == "" && close == 0 {
				add(set, '[', '[') // no class after all
				break
			}
			in, known := classes[name]
			if !known {
				return nil, 0, false
			}
			for b := range 256 {
				if in(byte(b)) {
					add(set, byte(b), byte(b))
				}
			}
			i = close
			sign = 0
		default:
			add(set, sign, sign)
		}
		before = sign
		i++
	}
	if i >= len(pattern) {
		return nil, 0, false
	}
	if negated {
		for w := range set {
			set[w] = ^set[w]
		}
	}
	set['/'/32] &^= 1 << ('/' % 32)
	return set, i + 1, true
}

// className reads the name of a class from pattern[i], after its "[:", and
// returns where its last bracket is. Without a colon before that bracket it is
// no class: the name is empty and the place 0. Without a bracket at all the set
// is not closed.
func className(pattern string, i int) (name string, close int, closed bool) {
	size := strings.IndexByte(pattern[i:], ']')
	if size < 0 {
		return "", 0, false
	}
	name, ok := strings.CutSuffix(pattern[i:i+size], ":")
	if !ok {
		return "", 0, true
	}
	return name, i + size, true
}

// add puts the bytes from low to high into the set, each in its folded form.
func add(set *[8]uint32, low, high byte) {
	for b := int(low); b <= int(high); b++ {
		f := lowered(byte(b))
		set[f/32] |= 1 << (f % 32)
	}
}

// classes are the named sets, of ASCII alone. What git counts as space and as
// control is narrower than C does.
var classes = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7F },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > ' ' && b < 0x7F },
	"lower":  isAlpha,
	"print":  func(b byte) bool { return b >= ' ' && b < 0x7F },
	"punct":  func(b byte) bool { return b > ' ' && b < 0x7F && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' },
	"upper":  isAlpha,
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= lowered(b) && lowered(b) <= 'f' },
}

func isAlpha(b byte) bool { return 'a' <= lowered(b) && lowered(b) <= 'z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
