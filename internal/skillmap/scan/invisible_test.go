package scan

import (
	"strings"
	"testing"
)

// A41: what nobody sees is told once for a file, with code point and column.
func TestInvisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain text, long enough for a step, é 日本 👩‍👩‍👧 می‌خواهم\n": "",
		"a\n## =\u00AD Style\nsoft\u00ADly\n":                       "info L2: U+00AD (soft hyphen) in column 5 is seen by nobody, and read by models; the file holds 2 such characters",
		"\uFEFF---\nname: x\n---\n":                                 "",
		"日本\u200B":                                                  "info L1: U+200B (zero width space) in column 3 is seen by nobody, and read by models",
		"ab \u202Egpj.exe":                                          "warn L1: U+202E (change of direction) in column 4 is seen by nobody, and read by models",
		"x" + strings.Repeat("\U000E0041", 3):                       "warn L1: U+E0041 (tag) in column 2 is seen by nobody, and read by models; the file holds 3 such characters",
		"flag \U0001F3F4\U000E0067\U000E0062\U000E007F.":            "",
		"bad \xff byte":                                             "",
	} {
		is, found := invisible(text)
		got := ""
		if found {
			got = string(is.Severity) + " " + is.Message
		}
		if got != want {
			t.Errorf("invisible(%q) gives %q, want %q", text, got, want)
		}
	}
}

func BenchmarkInvisible(b *testing.B) {
	text := strings.Repeat("Nothing to see here, only plain words and a dash — now and then.\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if is, found := invisible(text); found {
			b.Fatal(is)
		}
	}
}
