package scan

import "strings"

// Spoken is a word in a code span that has the shape of a skill's name in full,
// or of a bare one in a line that speaks of calling one.
type Spoken struct {
	Source, Name string
	Line         int
}

// spokenWord is such a word in one file.
type spokenWord struct {
	Name string
	Line int
}

// maxSpoken is how many such words of a file are kept.
const maxSpoken = 200

// cues are words of lines that hand work over to a skill.
var cues = []string{"skill", "hand over", "hand off", "handoff", "delegate", "invoke"}

// spokenNames lists the words in code spans, out of fences, that look like the
// name of a skill: one of a family, such as `om-sync-issues`, or one behind its
// plugin, such as `pay:make-invoice`. Each is kept once.
func spokenNames(body string, bodyLine int) []spokenWord {
	if !strings.Contains(body, "`") {
		return nil
	}
	var out []spokenWord
	seen := map[string]bool{}
	fence := ""
	line := bodyLine
	for text := range strings.SplitSeq(body, "\n") {
		line++
		trimmed := strings.TrimLeft(text, " \t>")
		if mark := fenceOf(trimmed); mark != "" && (fence == "" || mark == fence) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		if fence != "" || !strings.Contains(text, "-") || !strings.Contains(text, "`") {
			continue
		}
		calls := speaksOfCalling(text)
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, "`")
			if !ok {
				break
			}
			word, next, ok := strings.Cut(after, "`")
			if !ok {
				break
			}
			rest = next
			if (isQualifiedName(word) || calls && isFamilyName(word)) && !seen[word] && len(out) < maxSpoken {
				seen[word] = true
				out = append(out, spokenWord{word, line})
			}
		}
	}
	return out
}

func fenceOf(line string) string {
	for _, mark := range [...]string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

func speaksOfCalling(line string) bool {
	line = strings.ToLower(line)
	for _, cue := range cues {
		if strings.Contains(line, cue) {
			return true
		}
	}
	return false
}

// isQualifiedName reports whether a word is the name of a plugin, a colon and a
// name of two parts or more.
func isQualifiedName(word string) bool {
	plugin, name, ok := strings.Cut(word, ":")
	return ok && len(word) <= 128 && strings.Contains(name, "-") && isHyphenated(plugin) && isHyphenated(name)
}

// isFamilyName reports whether a word is lower-case letters and digits in
// three parts or more, with hyphens between them.
func isFamilyName(word string) bool {
	return len(word) <= 64 && strings.Count(word, "-") >= 2 && isHyphenated(word)
}

// isHyphenated reports whether a word is lower-case letters and digits with
// single hyphens between them.
func isHyphenated(word string) bool {
	for i := range len(word) {
		c := word[i]
		switch {
		case c == '-' && i > 0 && i+1 < len(word) && word[i-1] != '-':
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return word != ""
}
