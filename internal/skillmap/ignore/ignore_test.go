package ignore

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, row := range []struct {
		rules, path string
		want        bool
	}{
		{"dist/\n!dist/keep.md", "dist/keep.md", true}, // no way back into a directory
		{"build/*\n!build/keep.md", "build/keep.md", false},
		{"build/*\n!build/keep.md", "build/other.md", true},
		{"docs/x/", "a/docs/x/y.md", false}, // a slash anchors
		{"docs/x/", "docs/x/y.md", true},
		{"x/", "a/b/x/y.md", true},
		{"x/", "x", false}, // a file
		{"x/", "x/", true},
		{"*.MD", "readme.md", true},
		{"café", "CAFÉ/x.md", true},
		{"ſ", "s", false}, // never onto ASCII
		{"ΟΔΟΣ", "οδος", true},
		{"[B]uild", "build", true},
		{"\\README", "readme", true},
		{"*", "", false},
		{"*", ".", false},
		{"*", "/", false},
		{"*", "../x", false},
		{"*", "..", false},
		{"*", "..x", true},
		{"/a", "./a", true},
		{"/a", "//a", true},
		{"a/b", `a\b`, true},
		{"# a", "# a", false},
		{"\\# a", "# a", true},
		{"a\\ ", "a ", true},
		{"a   ", "a", true},
		{"\ufeffa", "a", true},
		{"a\r", "a", true},
	} {
		m, _ := New(Layer{Lines: strings.Split(row.rules, "\n")})
		if got := m.Match(row.path); got != row.want {
			t.Errorf("%q: Match(%q) = %v, want %v", row.rules, row.path, got, row.want)
		}
	}
}

func TestMatchDir(t *testing.T) {
	m, _ := New(Layer{Lines: Defaults}, Layer{Lines: []string{"notes/*", "!notes/keep.md", "!out/"}})
	for path, want := range map[string]bool{
		"node_modules": true, "a/node_modules": true, "node_modules/x": true, ".git": true,
		"notes": false, "notes/": false, "notes/sub": true, "notes/keep.md": false,
		"out": false, // a later layer takes it back
		"":    false, ".": false, "./": false, "/": false,
	} {
		if got := m.MatchDir(path); got != want {
			t.Errorf("MatchDir(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	m, dropped := New(Layer{Name: "defaults", Lines: Defaults})
	if len(dropped) > 0 {
		t.Errorf("the bundled layer drops %+v", dropped)
	}
	for path, want := range map[string]bool{
		".git/config": true, "web/dist/a.md": true, "a/.DS_Store": true, "x.swp": true, "notes.md~": true,
		"sm-tutorial/x.md": true, "README.md": false, "build": false, "builds/x.md": false, "log": false,
	} {
		if got := m.Match(path); got != want {
			t.Errorf("Match(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestDropped(t *testing.T) {
	_, got := New(
		Layer{Name: "config", Lines: []string{"a", "[/", "", "# [", "!"}},
		Layer{Name: ".skillmapignore", Lines: []string{"x\\", "[[:letters:]]", "[a]", "!src/[b"}},
	)
	want := []Dropped{
		{"config", 2, "[/"},
		{".skillmapignore", 1, "x\\"},
		{".skillmapignore", 2, "[[:letters:]]"},
		{".skillmapignore", 4, "!src/[b"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("New drops %+v, want %+v", got, want)
	}
}

func TestNilMatcher(t *testing.T) {
	var m *Matcher
	if m.Match("a") || m.MatchDir("a") {
		t.Error("the nil Matcher ignores a path, want none")
	}
}

// Patterns that make a matcher which goes back and tries again take forever.
func TestHostilePatterns(t *testing.T) {
	long := strings.Repeat("a", 1000)
	for pattern, path := range map[string]string{
		strings.Repeat("a*", 200) + "[b]":         long,
		strings.Repeat("*a", 200) + "*[b]":        long,
		strings.Repeat("**/a/", 100) + "[b]":      strings.Repeat("a/", 300) + "a",
		strings.Repeat("**/*a*/", 100) + "**/a?a": strings.Repeat("aa/", 200) + "a",
	} {
		m, _ := New(Layer{Lines: []string{pattern}})
		if m.Match(path) {
			t.Errorf("%.40q matches %.40q", pattern, path)
		}
	}
}

func TestMatchTogether(t *testing.T) {
	lines, paths := many()
	m, _ := New(Layer{Lines: lines[:500]}, Layer{Lines: []string{"part/", "!pkg-1*/**/part/"}})
	want := make([]bool, 500)
	for i := range want {
		want[i] = m.Match(paths[i])
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range want {
				if got := m.Match(paths[i]); got != want[i] {
					t.Errorf("Match(%q) = %v, want %v", paths[i], got, want[i])
				}
			}
		})
	}
	all.Wait()
}
