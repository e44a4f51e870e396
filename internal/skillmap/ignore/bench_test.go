package ignore

import (
	"fmt"
	"testing"
)

// many makes 10,000 rules of the kinds that tools and people write, and 10,000
// paths of a tree that is four deep.
func many() (lines, paths []string) {
	for i := range 10_000 {
		switch i % 5 {
		case 0:
			lines = append(lines, fmt.Sprintf("name-%d.md", i))
		case 1:
			lines = append(lines, fmt.Sprintf("/pkg-%d/generated/", i))
		case 2:
			lines = append(lines, fmt.Sprintf("*.ext%d", i))
		case 3:
			lines = append(lines, fmt.Sprintf("docs-%d/**/*.tmp", i))
		case 4:
			lines = append(lines, fmt.Sprintf("**/cache-%d/", i))
		}
		paths = append(paths, fmt.Sprintf("pkg-%d/docs-%d/part/File-%d.md", i%20, i%300, i))
	}
	return lines, paths
}

func BenchmarkManyRules(b *testing.B) {
	lines, paths := many()
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(Layer{Lines: lines})
		}
	})
	b.Run("match", func(b *testing.B) {
		m, _ := New(Layer{Lines: lines})
		for b.Loop() {
			for _, p := range paths {
				m.Match(p)
			}
		}
	})
}

// BenchmarkDefaults asks what a plain project asks.
func BenchmarkDefaults(b *testing.B) {
	_, paths := many()
	m, _ := New(Layer{Lines: Defaults}, Layer{Lines: []string{"*.tmp", "/drafts/", "docs-1*/**/old-?.md", "!keep.md"}})
	for b.Loop() {
		for _, p := range paths {
			m.Match(p)
		}
	}
}

// BenchmarkPatterns asks 1,000 rules that no table helps with.
func BenchmarkPatterns(b *testing.B) {
	_, paths := many()
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("*a%d*b*", i))
	}
	m, _ := New(Layer{Lines: lines})
	for b.Loop() {
		for _, p := range paths {
			m.Match(p)
		}
	}
}
