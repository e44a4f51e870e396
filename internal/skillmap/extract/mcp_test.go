package extract

import (
	"reflect"
	"slices"
	"testing"

	"skillforge/internal/skillmap/frontmatter"
)

// A12: blanks and commas part grants, but not inside parentheses; every form
// gives the same three.
func TestSplitTools(t *testing.T) {
	want := []string{"Bash(git add *)", "Bash(git commit -m a, b)", "Read"}
	for _, head := range []string{
		"allowed-tools: Bash(git add *) Bash(git commit -m a, b) Read",
		"allowed-tools: Bash(git add *), Bash(git commit -m a, b), Read",
		"allowed-tools: \"Bash(git add *), Bash(git commit -m a, b),Read\"",
		"allowed-tools:\n  - Bash(git add *)\n  - Bash(git commit -m a, b)\n  - Read",
	} {
		m, err := frontmatter.ParseYAML(head)
		if err != nil {
			t.Fatalf("%s: %v", head, err)
		}
		var got []string
		switch tools := m["allowed-tools"].(type) {
		case string:
			got = slices.Collect(splitTools(tools))
		case []any:
			for _, tool := range tools {
				got = append(got, tool.(string))
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %q, want %q", head, got, want)
		}
	}
}
