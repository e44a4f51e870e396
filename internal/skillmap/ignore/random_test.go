package ignore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestRandomRules compares with git on random rules and paths. What differs by
// intent is never drawn: upper case after a backslash or alone in a bracket, and
// letters beyond ASCII in two cases. More rounds: IGNORE_ROUNDS=2000.
func TestRandomRules(t *testing.T) {
	git := newRepo(t)
	rounds := 60
	if n, err := strconv.Atoi(os.Getenv("IGNORE_ROUNDS")); err == nil {
		rounds = n
	}
	r := rand.New(rand.NewPCG(21, uint64(rounds)))
	for range rounds {
		lines := make([]string, 1+r.IntN(6))
		for i := range lines {
			lines[i] = randomLine(r)
		}
		paths := randomPaths(r, 60, lines)
		m, _ := New(Layer{Lines: lines})
		for i, want := range git.ignored(t, lines, paths) {
			if got := m.Match(paths[i]); got != want {
				t.Errorf("%q: Match(%q) = %v, want %v", lines, paths[i], got, want)
			}
		}
	}
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func randomLine(r *rand.Rand) string {
	if r.IntN(4) == 0 { // the plain forms people write
		return pick(r, "", "!") + pick(r, "", "/", "**/") + randomName(r) + pick(r, "", "", "/", "/*", "/**", "/**/", "/"+randomName(r))
	}
	var b strings.Builder
	b.WriteString(pick(r, "", "", "", "!", "!", "#", "\\!", "\\#", " "))
	for range 1 + r.IntN(6) {
		b.WriteString(pick(r,
			"a", "b", "ab", "A", "B", "é", "x.md", ".", "-", "]", "{a,b}",
			"*", "*", "**", "**/", "/**/", "/", "/", "***", "?", "?",
			"[ab]", "[!a]", "[^b]", "[a-c]", "[A-C]", "[c-a]", "[]a]", "[!]a]", "[]", "[!", "[a", "[a/b]",
			"[\\]]", "[a\\-c]", "[-a]", "[a-]", "[[:alpha:]]", "[[:upper:]x]", "[[:nope:]]", "[[:punct:]-]", "[[:a]", "[[a]",
			"\\a", "\\*", "\\?", "\\[", "\\\\", "\\/", "\\ ", " ", "\t", "\\"))
	}
	b.WriteString(pick(r, "", "", "", "/", " ", "  ", "\r", "\t", "/ "))
	line := b.String()
	if strings.ContainsAny(line, `[\`) {
		return strings.ToLower(line) // pieces may join to what is never drawn
	}
	return line
}

func randomName(r *rand.Rand) string {
	return pick(r, "a", "b", "ab", "A", "abc", "a.md", "x.md", "é", "b.MD", "]", "a b", ".a", "-", "*", "a]", "[a]", "!a", "#a", "a\t", "ba")
}

// randomPaths draws paths of up to four segments, some of them made from the
// rules so that these match now and then. A slash at the end makes a directory.
func randomPaths(r *rand.Rand, n int, lines []string) []string {
	var paths []string
	files, dirs := map[string]bool{}, map[string]bool{}
	for len(paths) < n {
		var segments []string
		for range 1 + r.IntN(4) {
			segments = append(segments, randomName(r))
		}
		path := strings.Join(segments, "/")
		if r.IntN(3) == 0 {
			path = instance(r, lines[r.IntN(len(lines))])
		}
		if !askable(path) || isBelow(path, files) {
			continue
		}
		if r.IntN(4) == 0 && !files[path] {
			for p := path; p != ""; p, _, _ = cutLast(p) {
				dirs[p] = true
			}
			paths = append(paths, path+"/")
		} else if !dirs[path] {
			files[path] = true
			paths = append(paths, path)
		}
	}
	// A path asked as a file must not exist as a directory.
	kept := paths[:0]
	for _, p := range paths {
		if strings.HasSuffix(p, "/") || !dirs[p] {
			kept = append(kept, p)
		}
	}
	return kept
}

// instance turns a rule into a path that it may match.
func instance(r *rand.Rand, line string) string {
	line = strings.TrimRight(strings.TrimLeft(line, "!/"), "/ ")
	return strings.NewReplacer(
		"**/", pick(r, "", "a/", "b/ab/"), "/**", pick(r, "/a", "/b/a", ""), "*", pick(r, "", "a", "ab"), "?", pick(r, "a", "b", "é"),
		"[ab]", "a", "[!a]", "b", "[a-c]", "b", "[]a]", "]", "[!]a]", "b", "[[:alpha:]]", "a", "\\", "",
	).Replace(line)
}

// askable tells whether check-ignore takes the path as it is.
func askable(path string) bool {
	for s := range strings.SplitSeq(path, "/") {
		if s == "" || s == "." || s == ".." || s == ".git" {
			return false
		}
	}
	return !strings.ContainsAny(path, "\\\x00") && !strings.HasPrefix(path, ".gitignore") && path[0] != ':' // a colon starts magic
}

func isBelow(path string, files map[string]bool) bool {
	for p, _, ok := cutLast(path); ok; p, _, ok = cutLast(p) {
		if files[p] {
			return true
		}
	}
	return false
}

func cutLast(path string) (before, after string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// TestBrackets asks git about every byte and every named class.
func TestBrackets(t *testing.T) {
	git := newRepo(t)
	var paths []string
	for b := 1; b < 256; b++ {
		if name := string([]byte{byte(b)}); askable(name) {
			paths = append(paths, name)
		}
	}
	var sets []string
	for name := range classes {
		sets = append(sets, fmt.Sprintf("[[:%s:]]", name), fmt.Sprintf("[^[:%s:]a-]", name))
	}
	sets = append(sets, "[A-Z]", "[^A-Z]", "[Z-a]", "[!-~]", "[\x80-\xff]", "[[-`]", "[--9]", "[a-\\z]", "[[:a:]", "[[:", "[[:]", "[[:]]", "[[::]]", "[:alpha:]")
	for _, set := range sets {
		m, _ := New(Layer{Lines: []string{set}})
		for i, want := range git.ignored(t, []string{set}, paths) {
			if got := m.Match(paths[i]); got != want {
				t.Errorf("%s: Match(%q) = %v, want %v", set, paths[i], got, want)
			}
		}
	}
}
